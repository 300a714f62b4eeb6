package page

import (
	"fmt"
	"strings"
)

// LinkKind says how a crawler should treat a link. Kinds are stored: a number never changes its
// meaning.
type LinkKind uint8

const (
	Navigation LinkKind = 1 + iota // a, area, a form that gets: another page
	Frame                          // frame, iframe: another page, and part of this one
	Embed                          // image, script, style, media, object: part of this page
	Redirect                       // a Location header of a 3xx answer
	Refresh                        // meta refresh, a Refresh header: mostly a redirect
	Canonical                      // link rel=canonical: this page's own name for itself
	Alternate                      // link rel=alternate hreflang, rel=next, rel=prev: a sibling page
	Feed                           // link rel=alternate of type RSS or Atom; a feed's items are Navigation
	Sitemap                        // an entry of a sitemap or script of data; a sitemap that robots.txt names
	Form                           // the action of a form that gets, without its fields
	Inferred                       // no link: the crawler made the address up, to see what is there
	linkKinds
)

var linkKindNames = [linkKinds]string{
	"?", "navigation", "frame", "embed", "redirect", "refresh", "canonical",
	"alternate", "feed", "sitemap", "form", "inferred",
}

func (k LinkKind) String() string {
	if k == 0 || k >= linkKinds {
		return fmt.Sprintf("LinkKind(%d)", uint8(k))
	}
	return linkKindNames[k]
}

// Joins reports whether a link of this kind is an arc of the page graph, that is, evidence of which
// page links to which.
func (k LinkKind) Joins() bool {
	switch k {
	case Navigation, Frame, Redirect, Refresh, Alternate, Canonical:
		return true
	}
	return false
}

// Requisite reports whether the page cannot be shown without the target of the link.
func (k LinkKind) Requisite() bool { return k == Embed || k == Frame }

// Hop is the letter of the link in a discovery path, as in Heritrix' crawl.log: L link, E embed, R
// redirect, M sitemap, X for a form whose target is a guess, I for an address that was made up.
func (k LinkKind) Hop() byte {
	switch k {
	case Embed, Frame:
		return 'E'
	case Redirect, Refresh:
		return 'R'
	case Sitemap, Feed:
		return 'M'
	case Form:
		return 'X'
	case Inferred:
		return 'I'
	}
	return 'L'
}

// FoundBy is the letter of the last link of a discovery path, whatever redirects have led on from
// there; 0 for a seed.
func FoundBy(hops string) byte {
	hops = strings.TrimRight(hops, "R")
	if hops == "" {
		return 0
	}
	return hops[len(hops)-1]
}

// Link leads from a page to a URL.
type Link struct {
	URL      URL
	Kind     LinkKind
	NoFollow bool   // rel=nofollow, ugc or sponsored, or a page-wide nofollow
	Context  string // element and attribute, for example "a/@href"
	Spelled  Spelling
	// what is clicked: the anchor's text or the image's alt text, white space folded, at most 200
	// bytes
	Text string
}
