package soft404

import (
	"path"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica/sketch"
)

// missing reports the statuses that say that there is no page, or no more.
func missing(status int) bool { return status == 404 || status == 410 }

// Sends reports a visit that was answered by 404 or 410, and has a page nevertheless. Where that cannot
// be told yet, the visit's URL comes by Again, perhaps, once it can: where the error says something
// else than the last one of its host, and leads to pages that are not known, siblings of it are asked for.
func (g *Guard) Sends(v *page.Visit, known func(page.URL) bool) bool {
	s := new(sketch.Sketch)
	if !missing(v.Status) || page.FoundBy(v.Hops) == page.Inferred.Hop() || s.Decode(v.Sketch) != nil {
		return false
	}
	begin, end := kindOf(v.URL)
	host := v.URL.Host()
	kinds := g.faults[host]
	if d := g.errors[begin+random+end]; d != nil {
		kinds = []*directory{d}
	} else if len(kinds) < mostFaults {
		kinds = nil
		if g.odd(v.URL, s) && leadsOn(v, known) {
			kinds = []*directory{g.errorsOf(begin+random+end, host)}
			g.probe(kinds[0], strings.Clone(begin), end)
		}
	}
	for _, d := range kinds {
		switch {
		case d.answers < siblings:
			if len(d.held) < mostHeld {
				d.held = append(d.held, clone(v.URL))
			}
			return false
		case !d.unlike(s), !d.elsewhere(v):
			return false
		}
	}
	return len(kinds) > 0
}

// odd reports an error that says something else than the last one of its host.
func (g *Guard) odd(u page.URL, s *sketch.Sketch) bool {
	last := g.failed[u.Host()]
	if last == nil && len(g.failed) >= mostFailed {
		clear(g.failed)
	}
	g.failed[page.Host(strings.Clone(string(u.Host())))] = s
	return last == nil || !sketch.Reaches(last, s, g.opts.Alike)
}

// leadsOn reports a page that leads to one of its host that is not known.
func leadsOn(v *page.Visit, known func(page.URL) bool) bool {
	return slices.ContainsFunc(v.Links, func(l page.Link) bool {
		return l.Kind == page.Navigation && l.URL.Host() == v.URL.Host() && !known(l.URL)
	})
}

// unlike reports a text that neither sibling has. Where they have little in common, as a line that names
// the address, it is one that is much longer.
func (d *directory) unlike(s *sketch.Sketch) bool {
	const longer = 4
	if d.least == 0 {
		return s.Tokens > longer*d.tokens
	}
	return !sketch.Reaches(d.answer, s, d.least)
}

// errorsOf begins to know what a kind of addresses of a host answers where there is no page.
func (g *Guard) errorsOf(kind string, host page.Host) *directory {
	d := &directory{name: xxh3.HashString(kind), links: map[uint64]bool{}, error: true}
	g.errors[kind] = d
	host = page.Host(strings.Clone(string(host)))
	g.faults[host] = append(g.faults[host], d)
	return d
}

// fails takes the answer to a random sibling that says that there is no page.
func (g *Guard) fails(v *page.Visit) {
	begin, end := kindOf(v.URL)
	d := g.errors[begin+random+end]
	if d == nil { // of an earlier process
		d = g.errorsOf(begin+random+end, v.URL.Host())
	}
	if s := new(sketch.Sketch); s.Decode(v.Sketch) == nil {
		d.tokens = max(d.tokens, s.Tokens)
		g.answered(d, s, v)
	}
	if d.answers++; d.answers == siblings {
		g.again, d.held = append(g.again, d.held...), nil
	}
}

// Again gives the pages, once, of which Sends could not tell before.
func (g *Guard) Again() []page.URL {
	again := g.again
	g.again = nil
	return again
}

// random stands for the number in the name of a kind; no URL has it.
const random = "*"

// kindOf is how the addresses begin and end that a server answers by the same means as one: of a query
// all but its last value counts, of a path what it lies in, and its extension.
func kindOf(u page.URL) (begin, end string) {
	file := strings.TrimSuffix(string(u), "/")
	switch {
	case u.Query() != "":
		return string(u)[:strings.LastIndexAny(string(u), "?=")+1], ""
	case u.PathQuery() == "/":
		return string(u), ".html"
	case file != string(u):
		return page.URL(file).Directory(), "/"
	}
	begin = u.Directory()
	return begin, path.Ext(string(u)[len(begin):])
}

func clone(u page.URL) page.URL { return page.URL(strings.Clone(string(u))) }
