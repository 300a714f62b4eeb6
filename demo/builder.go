package demo

import (
	"strings"

	"watershed/page"
)

// builder puts a web together.
type builder struct {
	seed  int
	hosts []*host
	docs  []*document
	sites []*site
	trees map[string]*tree

	changes []change
}

// host is one server, and the habits it has.
type host struct {
	name    page.Host
	rules   rules
	gzip    bool // compresses text for who asks for it
	chunked bool // tells no length
	etag    bool
	dated   bool // Last-Modified
	refuses int  // first requests that are answered with 503; robots.txt is not counted
	renamed page.Host
	spells  func(string) string      // addresses are redirected to what this makes of them; may be nil
	endless func(page.URL) *document // makes the pages of a trap
}

// site is a logical site as the truth has it.
type site struct {
	name  string
	seeds []page.URL
	hosts []page.Host
}

func (b *builder) host(h host) { b.hosts = append(b.hosts, &h) }

func (b *builder) add(d *document) *document {
	b.docs = append(b.docs, d)
	return d
}

func (b *builder) site(name string, seeds ...page.URL) *site {
	s := &site{name: name, seeds: seeds}
	for _, u := range seeds {
		s.hosts = append(s.hosts, u.Host())
	}
	b.sites = append(b.sites, s)
	return s
}

// file is a document of other bytes than a page's.
func (b *builder) file(url, mime string, text []byte) *document {
	return b.add(&document{
		url: must(url), spelt: spelt(url), form: raw, mime: mime, body: text,
		title: url[strings.LastIndexByte(url, '/')+1:],
	})
}

// picture is a small PNG of its own.
func (b *builder) picture(url string, width, height int) *document {
	return b.file(url, "image/png", drawing(random(b.seed, "picture", url), width, height))
}

// redirect is a document that only says where another is.
func (b *builder) redirect(url string, status int, d *document) *document {
	return b.add(&document{url: must(url), form: moved, status: status, to: d})
}

// dress makes a style sheet that imports another, which has a background picture and a font from
// the host of files.
func (b *builder) dress(base page.URL) *document {
	paper := b.picture(string(base)+"img/paper.png", 24, 24)
	basic := b.add(&document{url: base + "style/base.css", form: style, title: "base"})
	basic.need(asBackground, paper)
	basic.need(asFont, b.font())
	main := b.add(&document{url: base + "style/main.css", form: style, title: "main"})
	main.need(asImport, basic)
	return main
}

const files = "http://assets.cdn.example/"

// font is on the host of files, once for all.
func (b *builder) font() *document {
	return b.shared(files+"fonts/book.woff2", "font/woff2", func() []byte {
		r := random(b.seed, "font")
		text := []byte("wOF2")
		for range 2048 {
			text = append(text, byte(r.IntN(256)))
		}
		return text
	})
}

// script is on the host of files, which links to nobody.
func (b *builder) script() *document {
	return b.shared(files+"lib/menu.js", "text/javascript", func() []byte {
		return []byte("document.addEventListener('DOMContentLoaded', function () {\n  " +
			"document.body.classList.add('ready');\n});\n")
	})
}

func (b *builder) shared(url, mime string, text func() []byte) *document {
	if d := find(b.docs, page.URL(url)); d != nil {
		return d
	}
	return b.file(url, mime, text())
}
