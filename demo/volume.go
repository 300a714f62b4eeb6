package demo

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/page"
)

// volume is a tree of pages about one topic: a home page, a page for each section, and the pages of
// the section.
type volume struct {
	site     string
	base     page.URL // of the home page; it ends with "/"
	title    string
	topic    *topic
	sections []section
	ext      string // of file names, ".html" by default
	style    *document
	logo     *document
}

type section struct {
	dir, title string
	pages      int
}

// tree is a volume that has been written.
type tree struct {
	volume
	home   *document
	parts  []*document
	leaves []*document
}

func (t *tree) pages() []*document {
	return slices.Concat([]*document{t.home}, t.parts, t.leaves)
}

// write makes the pages of a volume and the links among them: all link to the home page and the
// sections, each section to its pages, each page to its neighbours and to one or two others of the
// volume.
func (b *builder) write(v volume) *tree {
	v.ext = cmp.Or(v.ext, ".html")
	t := &tree{volume: v}
	t.home = b.compose(t, v.base, v.title, 2)
	used := map[string]bool{}
	for _, s := range v.sections {
		part := b.compose(t, v.base+page.URL(s.dir+"/"), s.title, 1)
		t.parts = append(t.parts, part)
		var leaves []*document
		for i := range s.pages {
			r := random(b.seed, "title", string(part.url), fmt.Sprint(i))
			title := v.topic.heading(r)
			for used[slug(title)] {
				title = v.topic.heading(r)
			}
			used[slug(title)] = true
			leaf := b.compose(t, part.url+page.URL(slug(title)+v.ext), title, 2+r.IntN(3))
			leaf.leaf = true
			part.link(to(leaf))
			leaves = append(leaves, leaf)
		}
		neighbours(leaves)
		t.leaves = append(t.leaves, leaves...)
	}
	b.cross(t.leaves, t.leaves, 2)
	for _, d := range t.pages() {
		b.furnish(t, d)
	}
	return t
}

// compose writes a page of a tree.
func (b *builder) compose(t *tree, u page.URL, title string, paragraphs int) *document {
	d := b.add(&document{url: u, site: t.site, title: title, tree: t})
	d.paras = t.topic.paragraphs(random(b.seed, "text", string(u)), paragraphs)
	return d
}

// furnish gives a page what all of its tree have.
func (b *builder) furnish(t *tree, d *document) {
	for _, p := range append([]*document{t.home}, t.parts...) {
		if p != d {
			d.link(link{kind: page.Navigation, place: nav, to: p, text: p.title})
		}
	}
	if t.style != nil {
		d.need(asStyle, t.style)
	}
	if t.logo != nil {
		d.need(asImage, t.logo)
	}
}

// neighbours links each page to the next and the last one.
func neighbours(list []*document) {
	for i, d := range list {
		if i > 0 {
			d.link(link{
				kind: page.Navigation, place: foot, to: list[i-1],
				text: "Previous: " + list[i-1].title,
			})
		}
		if i+1 < len(list) {
			d.link(link{kind: page.Navigation, place: foot, to: list[i+1], text: "Next: " + list[i+1].title})
		}
	}
}

// cross links each page of from to n pages of other, as its text would.
func (b *builder) cross(from, other []*document, n int) {
	for _, d := range from {
		r := random(b.seed, "cross", string(d.url), string(other[0].url))
		for range n {
			if x := pick(r, other); x != d {
				d.link(to(x))
			}
		}
	}
}
