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
// a year or the top-level domain. An edition to which pages of the prefix lead is of the prefix, as
// if its root page were a seed. Any other sister must lead back, as a stranger may have the name
// under another top-level domain, or a domain that was given up; its root page is asked for to find
// out. Under another top-level domain root pages must do both: organisations of one name cite each
// other on inner pages.

// likeness says how a host is named.
type likeness uint8

const (
	unlike  likeness = 1 + iota
	abroad           // like a seed's host, but for the top-level domain
	sister           // like a seed's host, but for the year that either has
	edition          // that with a year, and the domain is the same or the seed's has a year, too
)

// mostSisters bounds the sisters that come in: each costs a pass over the places, and a name server may
// have hosts without end.
const mostSisters = 100

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
		host := b.web.dirs.host(root)
		x, most := nameOf(host), unlike
		for _, h := range b.wholeHosts() {
			if own := nameOf(h); x.name != "" && own.name == x.name {
				is := abroad
				if own.top == x.top {
					is = sister
				}
				if is == sister && x.dated && (own.dated || h.Registrable() == host.Registrable()) {
					is = edition
				}
				most = max(most, is)
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
	if !b.computed() || !own && (b.onSeedHost(from) || t.of(b, from) == unlike) {
		return
	}
	u := b.web.text(id)
	entry := u == u.Root() || b.places[p].is(isSeed)
	b.each(id, b.web.links.pages(id), func(to graph.ID) {
		root := b.web.root(to)
		switch {
		case !own && b.onSeedHost(root):
			t.answer[from] = t.answer[from] || entry || t.of(b, from) > abroad
		case !own && t.called[from] && b.web.state[id] == moved && entry:
			t.call(b, to, id) // as of example.fr, which leads to www.example.fr
		case own && (entry || t.of(b, root) > abroad):
			t.call(b, to, id)
		}
	})
	if !own && t.called[from] && t.answer[from] {
		t.takeIn(b, from, u.Root())
	}
}

// call takes notice that the prefix leads to a host, by a page.
func (t *sisters) call(b *boundary, to, by graph.ID) {
	root := b.web.root(to)
	if b.onSeedHost(root) || t.called[root] || t.of(b, root) == unlike {
		return
	}
	t.called[root] = true
	home := b.web.text(to).Root()
	if t.of(b, root) == edition || t.answer[root] {
		t.takeIn(b, root, home)
	} else {
		b.ask(b.know(b.web.intern(home, by, page.Inferred)), WhyProbe, 0)
	}
}

// takeIn makes a sister a part of the prefix, and those of which its pages prove that they are,
// too.
func (t *sisters) takeIn(b *boundary, root dirID, home page.URL) {
	if t.joined[root] || len(t.joined) == mostSisters {
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
