package extract

import (
	"cmp"
	"fmt"
)

// Driver says how markup is read.
type Driver uint8

const (
	// Tree reads most pages as Scan does. Where the tags do not tell what a browser makes of them
	// (frames, formulas, a form in a form), it parses the page into one goquery document as browsers
	// do, and walks it once.
	Tree Driver = iota
	// Scan reads tags one after the other, and never builds a tree. It finds the links that a tree
	// has, but for some in those rare pages, and takes some that a browser drops, such as those
	// after a frameset.
	Scan
	drivers
)

// Defaults of Options.
const (
	defaultMaxLinks = 100_000  // twice what one sitemap may hold
	defaultMaxText  = 16 << 20 // bytes
	maxTree         = 1 << 20  // bytes of markup; a tree takes ten times that. Scan reads longer pages
)

// Options says which links and facts are taken from a page. The zero value is the documented
// default of each field.
type Options struct {
	Driver   Driver // how markup is read
	MaxLinks int    // distinct links of a page; 0 means defaultMaxLinks
	MaxText  int    // bytes of visible text given to Input.Text; 0 means defaultMaxText
	// Follow reports links without Link.NoFollow whose author asks robots not to follow them, by rel on
	// the link or for the whole page.
	Follow bool
	// product token that robots rules for single crawlers are read under, besides those for all
	Agent string

	// Lazy takes data-src, data-srcset and the like on images, frames and media as if they were src
	// and srcset.
	Lazy bool
	// Icons takes /favicon.ico where a page of HTML names no icon, as browsers do.
	Icons bool
}

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	switch {
	case o.Driver >= drivers:
		return fmt.Errorf("extract: unknown driver %d", o.Driver)
	case o.MaxLinks < 0 || o.MaxText < 0:
		return fmt.Errorf("extract: a limit is below 0 (MaxLinks %d, MaxText %d)", o.MaxLinks, o.MaxText)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.MaxLinks = cmp.Or(o.MaxLinks, defaultMaxLinks)
	o.MaxText = cmp.Or(o.MaxText, defaultMaxText)
	return o
}
