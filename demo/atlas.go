package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"watershed/page"
)

// atlas is a handbook of which there are copies: a mirror, page for page the same, and the older
// edition of an archive.
func (b *builder) atlas() *tree {
	const www = "http://www.atlas.example/"
	b.host(host{name: "www.atlas.example", etag: true, dated: true})
	b.site("atlas", www)
	t := b.write(volume{
		site: "atlas", base: www, title: "The Atlas Handbook", topic: mapmaking(),
		logo: b.picture(www+"globe.png", 24, 24),
		sections: []section{
			{"drawing", "Drawing", 9},
			{"sea", "Charts of the sea", 8},
			{"land", "Surveys of the land", 9},
		},
	})
	b.trees["atlas"] = t
	return t
}

const (
	mirrorBase  page.URL = "http://atlas.uplands.example/"
	editionBase page.URL = "http://depot.archive.example/atlas-1.2/"
)

// mirror copies a tree as it is now to a host of its own.
func (b *builder) mirror(t *tree) {
	b.host(host{name: mirrorBase.Host(), etag: true})
	b.site("atlas-mirror", mirrorBase)
	b.copied(t, mirrorBase, "atlas-mirror", func(d *document) bool { return true })
}

// edition copies a tree as an older one: every seventh page is not yet there, and each page is a
// little shorter.
func (b *builder) edition(t *tree) {
	b.host(host{name: editionBase.Host(), dated: true})
	b.site("atlas-1.2", editionBase)
	n := 0
	old := b.copied(t, editionBase, "atlas-1.2", func(d *document) bool {
		n++
		return !d.leaf || n%7 != 0
	})
	for _, d := range old {
		d.leaf = false // what is old stays
		if d.form != htmlPage {
			continue
		}
		d.title += " (1.2)"
		r := random(b.seed, "older", string(d.url))
		for i, p := range d.paras {
			d.paras[i] = shorter(r, p)
		}
	}
	shelf := b.add(&document{
		url: editionBase.Root(), title: "Depot of old editions",
		paras: []string{fmt.Sprintf("Kept since %d for those who still need them.", 1999)},
	})
	shelf.link(to(old[0]))
}

// shorter is a paragraph without one of its sentences.
func shorter(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, ". ")
	i := r.IntN(len(lines))
	return strings.TrimSpace(strings.Join(slices.Delete(lines, i, i+1), ""))
}

// copied clones the documents of a tree that keep lets through, the links among them, and the files
// of its host. The first is the home page.
func (b *builder) copied(t *tree, base page.URL, name string, keep func(*document) bool) []*document {
	twins := map[*document]*document{}
	var out []*document
	for _, d := range b.docs {
		if !strings.HasPrefix(string(d.url), string(t.base)) || !keep(d) {
			continue
		}
		twin := *d
		twin.url = base + d.url[len(t.base):]
		twin.paras = append([]string(nil), d.paras...)
		if d.site != "" {
			twin.site = name
		}
		twins[d] = &twin
		out = append(out, &twin)
	}
	for _, d := range out {
		d.links = append([]link(nil), d.links...)
		for i, l := range d.links {
			d.links[i] = l.within(t.base, base, twins)
		}
		d.needs = append([]need(nil), d.needs...)
		for i, n := range d.needs {
			if x := twins[n.to]; x != nil {
				d.needs[i].to = x
			}
		}
		if x := twins[d.to]; x != nil {
			d.to = x
		}
	}
	b.docs = append(b.docs, out...)
	return out
}

// within is a link as a copy has it: one to a page that was not copied leads nowhere.
func (l link) within(from, base page.URL, twins map[*document]*document) link {
	if x := twins[l.to]; x != nil {
		l.to = x
	} else if rest, ok := strings.CutPrefix(string(l.target()), string(from)); ok {
		l.to, l.url = nil, base+page.URL(rest)
	}
	return l
}
