package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// A site that has a host for each year, or one under each top-level domain, is one publication,
// though its hosts share little: a frozen edition names the one before it, and nobody a later one.
// Where the root page of a host is a seed, its sisters are the hosts that are named like it but for
// a year or the top-level domain. A sister with a year to which pages of the prefix lead is of the
// prefix, as if its root page were a seed. Any other one must lead back, as a stranger may have the
// name under another top-level domain; its root page is asked for to find out.

// likeness says how a host is named.
type likeness uint8

const (
	unlike  likeness = 1 + iota
	sister           // like a seed's host, but for the top-level domain or for the year that that has
	edition          // like a seed's host, with a year
)

// sisters are the hosts of a site that is on several by its name.
type sisters struct {
	like   map[dirID]likeness // hosts that were looked at, by the root
	seeds  int                // when that was
	called map[dirID]bool     // sisters to which pages of the prefix lead
	answer map[dirID]bool     // sisters of which a page leads to the prefix
	joined map[dirID]bool     // those that are of the prefix
}

func newSisters() sisters {
	return sisters{
		called: make(map[dirID]bool), answer: make(map[dirID]bool), joined: make(map[dirID]bool),
	}
}

// hostName is the name of a host without what tells a year, and its top-level domain apart:
// bonn.fest and fr of www.bonn.fest2019.fr.
type hostName struct {
	name, top string
	dated     bool
}

func nameOf(h page.Host) (x hostName) {
	x.name = ownerName(h)
	if x.name == "" {
		return x
	}
	label, top, _ := strings.Cut(h.Registrable(), ".")
	x.top, x.dated = top, year.MatchString(label)
	own := strings.TrimSuffix(h.Name(), h.Registrable())
	for _, part := range slices.Backward(strings.FieldsFunc(own, func(r rune) bool { return r == '.' })) {
		switch {
		case part == "www":
		case year.FindString(part) == part:
			x.dated = true
		default:
			x.name = part + "." + x.name
		}
	}
	return x
}

// of says how the host with a root is named.
func (t *sisters) of(b *boundary, root dirID) likeness {
	if t.seeds != len(b.seeds) {
		t.seeds, t.like = len(b.seeds), make(map[dirID]likeness)
	}
	if t.like[root] == 0 {
		x, most := nameOf(b.web.dirs.host(root)), unlike
		for _, h := range b.wholeHosts() {
			if own := nameOf(h); x.name != "" && own.name == x.name {
				most = max(most, sister)
				if x.dated && own.top == x.top {
					most = edition
				}
			}
		}
		t.like[root] = most
	}
	return t.like[root]
}

// relate takes in the sisters of which an answered page proves that they are of the site.
func (t *sisters) relate(b *boundary, p uint32) {
	id := b.places[p].id
	from, own := b.web.root(id), b.places[p].is(inPrefix|isSeed)
	if !b.computed() || !own && (b.onSeedHost(from) || t.of(b, from) < sister) {
		return
	}
	b.each(id, b.web.links.pages(id), func(to graph.ID) {
		root := b.web.root(to)
		switch {
		case !own:
			t.answer[from] = t.answer[from] || b.onSeedHost(root)
		case b.onSeedHost(root) || t.called[root] || t.of(b, root) < sister:
		default:
			t.called[root] = true
			home := b.web.text(to).Root()
			if t.of(b, root) == edition || t.answer[root] {
				t.takeIn(b, root, home)
			} else {
				b.ask(b.know(b.web.intern(home, id, page.Inferred)), WhyProbe, 0)
			}
		}
	})
	if !own && t.called[from] && t.answer[from] {
		t.takeIn(b, from, b.web.text(id).Root())
	}
}

// takeIn makes a sister a part of the prefix, and those of which its pages prove that they are,
// too.
func (t *sisters) takeIn(b *boundary, root dirID, home page.URL) {
	if t.joined[root] {
		return
	}
	t.joined[root] = true
	b.widen(home)
	for p := 0; p < len(b.places); p++ {
		if pl := &b.places[p]; pl.is(isAnswered) && b.web.root(pl.id) == root {
			t.relate(b, uint32(p))
		}
	}
}
