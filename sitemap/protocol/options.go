package protocol

// The limits of the protocol: "each Sitemap file that you provide must have no more than 50,000
// URLs and must be no larger than 50MB (52,428,800 bytes)"; "the location must be less than 2,048
// characters". Source: sitemaps.org, "Using Sitemap index files" and "XML tag definitions".
const (
	maxEntries  = 50_000
	MaxBytes    = 52_428_800
	maxLocation = 2_048
)

// longestLocation bounds a location that is read, in bytes.
const longestLocation = 16 << 10
