package sitemap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// Counterpart is a directory to whose like on another host its pages redirect, each to its own path: the
// site has moved, or its entry page alone answers where the seed says, as on example.org beside
// www.example.org.
type Counterpart struct {
	From  string `json:"from"` // host and path of a directory that stands for a seed
	To    string `json:"to"`   // and of the one that stands for it, too
	Pages int    `json:"pages"`
}

// Counterparts need leastCounterpart pages that redirect and answer there, each with a text of its own.
// A host that is for sale or gone has none. No more than mostCrossings are asked for to find out.
const (
	leastCounterpart = 5
	mostCrossings    = 2 * leastCounterpart
)

// crossings are the redirects from a host of the seeds to the same paths on another host.
type crossings struct {
	pages int      // that redirect
	asked []uint32 // where some of them lead
}

// moves are the hosts to which a site may have moved.
type moves struct {
	crossed      map[uint32]dirID // the seeds' host from which pages redirect to a place on another one
	crossings    map[crossing]*crossings
	moving       bool // something was learned of them since they were looked at
	counterparts []Counterpart
}

// crossing is from the host of a seed to another, by their roots.
type crossing struct{ from, to dirID }

// cross takes notice of a page that redirects. It may do so in steps: to http, then to https.
func (t *moves) cross(b *boundary, p, to uint32) {
	from, led := t.crossed[p]
	if pl := &b.places[p]; !led {
		if from = b.web.root(pl.id); !pl.is(inPrefix) || !b.onSeedHost(from) {
			return
		}
	}
	u, v := b.web.text(b.places[p].id), b.web.text(b.places[to].id)
	own, root := b.web.root(b.places[p].id), b.web.root(b.places[to].id)
	if b.Boundary != Logical && b.Boundary != Prefix || b.process != nil || root == own && !led ||
		u.PathQuery() != v.PathQuery() || b.prefixOf(b.web.dir[b.places[to].id]) != noDir {
		return
	}
	if _, known := t.crossed[to]; known {
		return
	}
	if t.crossed == nil {
		t.crossed, t.crossings = make(map[uint32]dirID), make(map[crossing]*crossings)
	}
	t.crossed[to], t.moving = from, true
	at := crossing{from, root}
	if root == own {
		if x := t.crossings[at]; slices.Contains(x.asked, p) {
			t.ask(b, to)
		}
		return
	}
	x := t.crossings[at]
	if x == nil {
		x = &crossings{}
		t.crossings[at] = x
	}
	x.pages++
	if len(x.asked) < mostCrossings {
		x.asked = append(x.asked, to)
		t.ask(b, to)
	}
}

// ask asks for a page to which another redirects, to learn whether the site is there.
func (t *moves) ask(b *boundary, to uint32) {
	id := b.places[to].id
	if _, noted := b.web.targets[id]; !noted {
		if b.web.targets == nil {
			b.web.targets = make(map[graph.ID]page.Digest)
		}
		b.web.targets[id] = page.Digest{}
	}
	b.ask(to, WhyProbe, 0)
}

// followAll follows the site to other hosts, and reports whether it did. It waits until nothing is
// open, so that the answer does not depend on the order in which pages came.
func (t *moves) followAll(b *boundary) bool {
	if !t.moving || !b.idle() {
		return false
	}
	t.moving = false
	had, stayed := len(t.counterparts), make(map[dirID]int)
	for at, x := range t.crossings {
		if t.arrived(b, at, x) < leastCounterpart {
			continue
		}
		if len(stayed) == 0 {
			stayed[noDir] = 0
			for i := range b.places {
				if pl := &b.places[i]; pl.is(inPrefix) && pl.is(isAnswered) && b.web.state[pl.id] == alive {
					stayed[b.web.root(pl.id)]++
				}
			}
		}
		if stayed[at.from] <= x.pages {
			t.follow(b, at, x)
		}
	}
	slices.SortFunc(t.counterparts, func(x, y Counterpart) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
	return len(t.counterparts) > had
}

// arrived counts the pages that answer where they were led to, each text once; of one that had come before
// it was asked for here the links stand for the text.
func (t *moves) arrived(b *boundary, at crossing, x *crossings) int {
	texts := make(map[string]bool)
	for _, p := range x.asked {
		q := b.resolve(b.places[p].id)
		if q == none || !b.places[q].is(isAnswered) {
			continue
		}
		id := b.places[q].id
		if b.web.state[id] != alive || b.web.root(id) != at.to {
			continue
		}
		d := b.web.targets[id]
		text := string(d[:])
		if d == (page.Digest{}) {
			text = fmt.Sprint(b.web.links.pages(id))
		}
		texts[text] = true
	}
	return len(texts)
}

// follow has directories of another host stand for those of the seeds where the site has moved there: at
// least half of what answered or redirected on the seeds' host did so.
func (t *moves) follow(b *boundary, at crossing, x *crossings) {
	dirs := &b.web.dirs
	host := string(dirs.host(at.to))
	for _, d := range slices.Clone(b.prefix) {
		if dirs.nodes[d].root != at.from || !b.stands[d] {
			continue
		}
		from := dirs.path(d)
		_, path, _ := strings.Cut(from, "/")
		to := host + "/" + path
		if twin, _ := dirs.add(page.URL("http://" + to)); b.stands[twin] {
			continue
		}
		t.counterparts = append(t.counterparts, Counterpart{From: from, To: to, Pages: x.pages})
		b.widen(page.URL("http://" + to))
	}
	for _, p := range x.asked {
		q := b.resolve(b.places[p].id)
		if q != none && b.places[q].is(isAnswered) && b.places[q].is(inPrefix) {
			b.join(q) // what it has is the site's
		}
	}
}

func (x Counterpart) String() string {
	return fmt.Sprintf("it lies below %s, to which %d pages of %s redirect, each to its own path", x.To,
		x.Pages, x.From)
}

// counterpartOf gives the counterpart in which a page lies, or nil.
func counterpartOf(m *Map, u page.URL) *Counterpart {
	for i := range m.Counterparts {
		if strings.HasPrefix(schemeless(u), m.Counterparts[i].To) {
			return &m.Counterparts[i]
		}
	}
	return nil
}

// Follows reports that a redirect is one of those by which the counterpart came in.
func (x Counterpart) Follows(from, to page.URL) bool {
	return strings.HasPrefix(schemeless(from), x.From) && strings.HasPrefix(schemeless(to), x.To)
}
