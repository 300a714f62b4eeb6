package demo

import (
	"strings"

	"watershed/page"
)

// form says how a document is rendered.
type form uint8

const (
	htmlPage form = iota
	style
	feed
	siteMap
	raw // body as it stands
	moved
)

// document is something that is served under one URL.
type document struct {
	url   page.URL
	spelt page.Spelling // how pages write the URL, where that is otherwise
	site  string        // of the truth; "" belongs to none
	form  form
	title string
	paras []string
	links []link
	needs []need

	status   int // 0 is 200
	mime     string
	charset  charset
	noFollow bool      // a robots meta
	to       *document // where a moved document is
	goes     page.URL  // the same, where that is no document
	tree     *tree     // nil when it is in none
	leaf     bool      // a page that time may change
	changed  int       // epoch of the last change
	body     []byte    // as rendered
}

// link leads from a document to another, to a URL of another web, or to a text that is no URL.
type link struct {
	kind  page.LinkKind
	place place
	to    *document
	url   page.URL // when to is nil
	text  string
	rel   string
}

// place is where in a page a link stands.
type place uint8

const (
	body place = iota
	nav
	foot
	head // link elements
)

// need is a requisite of a document: as says how it is used.
type need struct {
	as   use
	to   *document
	more *document // the larger picture of a srcset
}

type use uint8

const (
	asStyle use = iota
	asScript
	asImage
	asIcon
	asImport     // @import of a style
	asBackground // url() of a style
	asFont       // src of a @font-face
)

// target is where a link leads.
func (l link) target() page.URL {
	if l.to != nil {
		return l.to.url
	}
	return l.url
}

// written is where a link leads, as the page writes it.
func (l link) written() string {
	if l.to != nil {
		return l.to.written()
	}
	return string(l.url)
}

// written is the document's URL as pages write it.
func (d *document) written() string { return d.url.As(d.spelt) }

func (d *document) link(l ...link) { d.links = append(d.links, l...) }

func (d *document) need(as use, to *document) { d.needs = append(d.needs, need{as: as, to: to}) }

// to is a plain link in a page's text.
func to(d *document) link { return link{kind: page.Navigation, to: d, text: d.title} }

// away is a link to a URL that is no document.
func away(text, url string) link {
	return link{kind: page.Navigation, url: must(url), text: text}
}

// must parses a URL that stands in this package; one that does not parse is a mistake in it.
func must(text string) page.URL {
	u, err := page.ParseURL(text)
	if err != nil {
		panic("demo: " + err.Error())
	}
	return u
}

// reference is how a page at from writes a link to another address: relative on its own host, so
// that the pages of a mirror are the same byte for byte.
func reference(from page.URL, to string) string {
	if !strings.HasPrefix(to, string(from.Root())) {
		return to
	}
	dirs := strings.Split(strings.TrimPrefix(from.Directory(), string(from.Root())), "/")
	rest := to[len(from.Root()):]
	for len(dirs) > 1 && strings.HasPrefix(rest, dirs[0]+"/") {
		rest, dirs = rest[len(dirs[0])+1:], dirs[1:]
	}
	ref := strings.Repeat("../", len(dirs)-1) + rest
	if ref == "" || ref[0] == '?' {
		ref = "./" + ref
	}
	return ref
}
