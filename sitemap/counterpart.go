package sitemap

import (
	"fmt"
	"math/bits"
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

// crossing is from the host of a seed to another, by their roots.
type crossing struct{ from, to dirID }

// cross takes notice of a page that redirects.
func (b *boundary) cross(p, to uint32) {
	from, led := b.crossed[p]
	if pl := &b.places[p]; !led {
		if from = b.web.root(pl.id); !pl.is(inPrefix) || !b.onSeedHost(from) {
			return
		}
	}
	u, v := b.web.text(b.places[p].id), b.web.text(b.places[to].id)
	own, root := b.web.root(b.places[p].id), b.web.root(b.places[to].id)
	if b.Boundary != Logical && b.Boundary != Prefix || b.process != nil || root == own ||
		u.PathQuery() != v.PathQuery() || b.prefixOf(b.web.dir[b.places[to].id]) != noDir {
		return
	}
	if _, known := b.crossed[to]; known {
		return
	}
	if b.crossed == nil {
		b.crossed, b.crossings = make(map[uint32]dirID), make(map[crossing]*crossings)
	}
	b.crossed[to] = from
	x := b.crossings[crossing{from, root}]
	if x == nil {
		x = &crossings{}
		b.crossings[crossing{from, root}] = x
	}
	x.pages++
	if len(x.asked) < mostCrossings {
		x.asked = append(x.asked, to)
		if b.web.targets == nil {
			b.web.targets = make(map[graph.ID]page.Digest)
		}
		b.web.targets[b.places[to].id] = page.Digest{}
		b.ask(to, WhyProbe, 0)
	}
	if bits.OnesCount(uint(x.pages)) == 1 {
		b.follow(crossing{from, root})
	}
}

// crossedTo takes notice that a page answers to which another may redirect.
func (b *boundary) crossedTo(p uint32) {
	if from, ok := b.crossed[p]; ok {
		b.follow(crossing{from, b.web.root(b.places[p].id)})
	}
}

// follow has directories of another host stand for those of the seeds where the site has moved there: at
// least half of what answered or redirected on the seeds' host did so.
func (b *boundary) follow(at crossing) {
	x := b.crossings[at]
	answer, texts := 0, make(map[page.Digest]bool)
	for _, p := range x.asked {
		id := b.places[p].id
		if d := b.web.targets[id]; b.places[p].is(isAnswered) && b.web.state[id] == alive && !texts[d] {
			answer++
			texts[d] = d != page.Digest{}
		}
	}
	if answer < leastCounterpart {
		return
	}
	stayed := 0
	for _, pl := range b.places {
		stayed += b2i(pl.is(inPrefix) && pl.is(isAnswered) && b.web.state[pl.id] == alive &&
			b.web.root(pl.id) == at.from)
	}
	if stayed > x.pages {
		return
	}
	t := &b.web.dirs
	host := string(t.host(at.to))
	for _, d := range slices.Clone(b.prefix) {
		if t.nodes[d].root != at.from {
			continue
		}
		from := t.path(d)
		_, path, _ := strings.Cut(from, "/")
		to := host + "/" + path
		if twin, _ := t.add(page.URL("http://" + to)); b.stands[twin] {
			continue
		}
		b.counterparts = append(b.counterparts, Counterpart{From: from, To: to, Pages: x.pages})
		b.widen(page.URL("http://" + to))
	}
}

func (x *Counterpart) String() string {
	return fmt.Sprintf("it lies below %s, to which %d pages of %s redirect, each to its own path", x.To,
		x.Pages, x.From)
}

// counterpartOf gives the counterpart in which a page lies, or nil.
func (m *Map) counterpartOf(u page.URL) *Counterpart {
	for i := range m.Counterparts {
		if strings.HasPrefix(schemeless(u), m.Counterparts[i].To) {
			return &m.Counterparts[i]
		}
	}
	return nil
}

// Follows reports that a redirect is one of those by which a counterpart came in.
func (m *Map) Follows(from, to page.URL) bool {
	return slices.ContainsFunc(m.Counterparts, func(x Counterpart) bool {
		return strings.HasPrefix(schemeless(from), x.From) && strings.HasPrefix(schemeless(to), x.To)
	})
}
