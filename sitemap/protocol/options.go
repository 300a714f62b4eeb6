package protocol

import (
	"fmt"
	"io"
)

// The limits of the protocol: "each Sitemap file that you provide must have no more than 50,000
// URLs and must be no larger than 50MB (52,428,800 bytes)"; "the location must be less than 2,048
// characters". Source: sitemaps.org, "Using Sitemap index files" and "XML tag definitions".
const (
	maxEntries  = 50_000
	MaxBytes    = 52_428_800
	maxLocation = 2_048
)

// Options bounds what Read takes. The zero value keeps the protocol's limits, but for the length of
// a location: 16 KiB.
type Options struct {
	MaxBytes    int64 // decompressed; 0 means MaxBytes of the protocol, below 0 no limit
	MaxEntries  int   // pages, items and sitemaps; 0 means maxEntries of the protocol, below 0 no limit
	MaxLocation int   // bytes; an entry beyond it is passed over; 0 means 16 KiB

	// Charset gives a reader that turns text of the labelled encoding into UTF-8. It is asked for
	// encodings which an XML declaration names and this package does not know itself (it knows
	// UTF-8, UTF-16, ISO-8859-1, ASCII). When nil, or on an error, the text is read as ISO-8859-1.
	Charset func(label string, r io.Reader) (io.Reader, error)
}

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	if o.MaxLocation < 0 {
		return fmt.Errorf("sitemap protocol: MaxLocation is %d, want 0 or more", o.MaxLocation)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.MaxBytes == 0 {
		o.MaxBytes = MaxBytes
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = maxEntries
	}
	if o.MaxLocation == 0 {
		o.MaxLocation = 16 << 10
	}
	return o
}
