package protocol

// Format is what a file turned out to be.
type Format uint8

// The formats that Read tells apart.
const (
	Unknown Format = iota
	Urlset         // sitemaps.org XML with pages
	Index          // sitemaps.org XML with sitemaps
	Text           // one URL a line
	RSS            // RSS 0.9x, 1.0 (RDF) or 2.0
	Atom           // RFC 4287
)

// Kind says what an entry names.
type Kind uint8

// The kinds of entries.
const (
	Page      Kind = 1 + iota // a page that a sitemap lists: url/loc, a line of text
	Sitemap                   // another sitemap: sitemap/loc of an index
	Alternate                 // the same page in another language: xhtml:link rel=alternate within url
	Enclosure                 // a medium that belongs to a feed's item
	Item                      // a page that a feed or one of its items links to
	More                      // another part of a paged or archived feed (RFC 5005)
)
