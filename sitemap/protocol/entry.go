package protocol

import (
	"fmt"
	"time"
)

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
	formats
)

var formatNames = [formats]string{"unknown", "urlset", "sitemapindex", "text", "rss", "atom"}

func (f Format) String() string {
	if f >= formats {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formatNames[f]
}

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
	kinds
)

var kindNames = [kinds]string{"?", "page", "sitemap", "alternate", "enclosure", "item", "more"}

func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// Entry is one URL that a file names, with what it says about it. A field is zero where its value
// is missing or senseless in the file.
type Entry struct {
	Kind Kind
	// as in the file, entities decoded, outer white space off; for feeds xml:base applied
	Loc        string
	Lang       string    // of an Alternate: hreflang, for example "de-CH" or "x-default"
	LastMod    time.Time // lastmod, or a feed item's date
	ChangeFreq string    // always, hourly, daily, weekly, monthly, yearly, never
	Priority   float64   // 0 to 1; NoPriority where the file says nothing, which the protocol reads as 0.5
	Line       int       // of the file, where the entry ended
}

// NoPriority is the priority of an entry that has none.
const NoPriority = -1

// Summary is what Read saw of a whole file.
type Summary struct {
	Format   Format
	Entries  int   // pages, items and sitemaps delivered
	Others   int   // alternates, enclosures and further feed parts delivered
	Bytes    int64 // decompressed, as far as it was read; a little is read ahead
	Gzip     bool
	Problems []Problem // the first maxProblems of what was passed over
	Passed   int       // how many there were in all
}

// Problem is a fault of the file that Read passed over.
type Problem struct {
	Line   int
	Offset int64
	Text   string
}

// maxProblems bounds Summary.Problems.
const maxProblems = 20
