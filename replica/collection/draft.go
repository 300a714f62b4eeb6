package collection

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"watershed/page"
)

// draft is a collection by vertices.
type draft struct {
	replicas []replica // the representative first, its pages the union of what the others map to
	size     int
	origin   Origin
}

type replica struct {
	place
	pairs []couple
}

// placed makes collections of classes of places.
func (f *finder) placed(ctx context.Context) ([]draft, error) {
	list, err := f.align(ctx, f.trivial, f.options)
	if err != nil {
		return nil, err
	}
	var drafts []draft
	for _, c := range f.classes(f.trivial, list, f.options) {
		if d := f.draw(c); f.accept(d) {
			drafts = append(drafts, d)
		}
	}
	return f.unbundled(f.unchaptered(drafts)), nil
}

// draw maps the places of a class to the best of them. A place that shares no similar page with it
// is mapped to the mapped place that it shares most pages with, and by it to the representative.
func (f *finder) draw(c class) draft {
	first := best(f.candidates(c), f.options.Rank)
	rep := c[first]
	d := draft{origin: Placed, replicas: []replica{{place: rep}}}
	var open []place
	add := func(x place, list []couple) bool {
		list = f.connected(f.likely(list), f.options.Links)
		if similarPairs(list) < f.options.MinSimilar {
			return false
		}
		d.replicas = append(d.replicas, replica{x, list})
		return true
	}
	for i, x := range c {
		if i != first && !add(x, f.maps(f.trivial, x, rep)) {
			open = append(open, x)
		}
	}
	for _, x := range open {
		var most []couple
		for _, via := range d.replicas[1:] {
			if list := through(f.maps(f.trivial, x, via.place), via.pairs); len(list) > len(most) {
				most = list
			}
		}
		add(x, most)
	}
	d.represent()
	return d
}

// likely drops pairs that only their path maps where that is not enough: by their resemblance, or
// because they are too many.
func (f *finder) likely(list []couple) []couple {
	enough := float64(similarPairs(list)) >= f.options.NearbyShare*float64(len(list))
	if f.resemblance == nil && enough {
		return list
	}
	return slices.DeleteFunc(list, func(c couple) bool {
		return c.likeness == Nearby && (f.resemblance == nil ||
			f.resemblance(f.index[c.page], f.index[c.original]) < f.options.NearbyResemblance)
	})
}

func similarPairs(list []couple) (n int) {
	for _, c := range list {
		if c.likeness != Nearby {
			n++
		}
	}
	return n
}

// through composes two mappings. A page is as like its original as the weaker link is.
func through(list, next []couple) []couple {
	by := make(map[uint32]couple, len(next))
	for _, c := range next {
		by[c.page] = c
	}
	var composed []couple
	for _, c := range list {
		if n, ok := by[c.original]; ok && n.original != c.page {
			composed = append(composed, couple{c.page, n.original, max(c.likeness, n.likeness)})
		}
	}
	return composed
}

// represent gives the representative the pages that others map to, and orders the others by pages,
// then prefix.
func (d *draft) represent() {
	has := make(map[uint32]bool)
	for _, r := range d.replicas[1:] {
		for _, c := range r.pairs {
			has[c.original] = true
		}
	}
	own := make([]couple, 0, len(has))
	for v := range has {
		own = append(own, couple{v, v, Similar})
	}
	d.replicas[0].pairs, d.size = own, len(own)
	for _, r := range d.replicas {
		slices.SortFunc(r.pairs, func(a, b couple) int { return cmp.Compare(a.page, b.page) })
	}
	slices.SortFunc(d.replicas[1:], func(a, b replica) int {
		return cmp.Or(cmp.Compare(len(b.pairs), len(a.pairs)), cmp.Compare(a.prefix, b.prefix))
	})
}

// candidates are the places of a class with the pages that have a likeness in another one of them.
// Other pages of a place, such as copies of other works, say nothing about how well it represents
// these.
func (f *finder) candidates(c class) []Candidate {
	const several = -1
	in := make(map[uint32]int) // the place that has a trivial cluster's pages
	for i, p := range c {
		for v := p.span.lo; v < p.span.hi; v++ {
			k := f.trivial.of[v]
			if f.trivial.size(k) < 2 {
				continue
			}
			if j, seen := in[k]; !seen {
				in[k] = i
			} else if j != i {
				in[k] = several
			}
		}
	}
	list := make([]Candidate, len(c))
	for i, p := range c {
		var pages []uint32
		for v := p.span.lo; v < p.span.hi; v++ {
			if j, ok := in[f.trivial.of[v]]; ok && j == several {
				pages = append(pages, v)
			}
		}
		list[i] = f.candidate(p.prefix, pages)
	}
	return list
}

func (f *finder) candidate(prefix string, pages []uint32) Candidate {
	c := Candidate{
		Host: page.URL(prefix).Host(), Prefix: prefix, Pages: len(pages),
		Known: f.under(prefix).len(),
	}
	for _, v := range pages {
		c.Links += int(f.inward[v])
		if t := f.first[v]; t != 0 && (c.First == 0 || t < c.First) {
			c.First = t
		}
	}
	return c
}

// accept refuses drafts that are too small.
func (f *finder) accept(d draft) bool {
	return len(d.replicas) >= f.options.MinReplicas && d.size >= f.options.MinPages
}

// bundled is the share of pages in other collections, and the purity below which a collection of
// such pages is a bundle.
const bundled = 0.9

// unbundled leaves out collections that say nothing new: places that hold the same collections
// beside each other, among other things, while each of those collections has more replicas
// elsewhere.
func (f *finder) unbundled(drafts []draft) []draft {
	slices.SortStableFunc(drafts, func(a, b draft) int {
		return cmp.Or(cmp.Compare(len(b.replicas), len(a.replicas)), cmp.Compare(a.size, b.size))
	})
	held := make([]uint32, len(f.urls)) // the cardinality of the largest cluster that holds a page
	var kept []draft
	for _, d := range drafts {
		pages, inside, pure := 0, 0, true
		for _, r := range d.replicas {
			for _, c := range r.pairs {
				pages++
				if held[c.page] > uint32(len(d.replicas)) {
					inside++
				}
			}
			pure = pure && ratio(len(r.pairs), r.span.len()) >= bundled
		}
		if !pure && ratio(inside, pages) >= bundled {
			continue
		}
		for _, r := range d.replicas {
			for _, c := range r.pairs {
				held[c.page] = max(held[c.page], uint32(len(d.replicas)))
			}
		}
		kept = append(kept, d)
	}
	return kept
}

// grown makes collections of the cores, but for those that lie by half in the replicas of placed
// collections: there paths have told which pages belong together.
func (f *finder) grown(cores []core, placed []draft) []draft {
	held := make([]bool, len(f.urls))
	for _, d := range placed {
		for _, r := range d.replicas {
			for v := r.span.lo; v < r.span.hi; v++ {
				held[v] = true
			}
		}
	}
	var drafts []draft
	for i := range cores {
		c := &cores[i]
		if len(c.slots) < f.options.MinPages {
			continue
		}
		inside, pages := 0, 0
		for _, s := range c.slots {
			for _, v := range s.pages {
				if v != none {
					pages++
					if held[v] {
						inside++
					}
				}
			}
		}
		if 2*inside >= pages {
			continue
		}
		if d := f.settle(c); f.accept(d) {
			drafts = append(drafts, d)
		}
	}
	return drafts
}

// settle makes a collection of a core: every slot maps each replica's page to that of the
// representative.
func (f *finder) settle(c *core) draft {
	list := make([]Candidate, c.replicas)
	places := make([]place, c.replicas)
	for r := range c.replicas {
		pages := c.column(r)
		prefix := f.directory(f.mostHost(pages))
		places[r] = place{prefix: prefix, span: f.under(prefix)}
		list[r] = f.candidate(prefix, pages)
	}
	first := best(list, f.options.Rank)
	d := draft{origin: Grown, replicas: []replica{{place: places[first]}}}
	for r := range c.replicas {
		if r == first {
			continue
		}
		var pairs []couple
		for _, s := range c.slots {
			if v, u := s.pages[r], s.pages[first]; v != none && u != none {
				pairs = append(pairs, couple{v, u, Similar})
			}
		}
		if f.options.Links != (LinkTest{}) {
			pairs = f.connected(pairs, f.options.Links)
		}
		if len(pairs) > 0 && (f.options.CoresOnly || d.apart(places[r])) {
			d.replicas = append(d.replicas, replica{places[r], pairs})
		}
	}
	d.represent()
	return d
}

// apart reports whether a place lies outside all replicas. Series of pages that lead from one to
// the next look like replicas of a part of themselves: the paper's slide shows (section 5.1,
// noise).
func (d *draft) apart(p place) bool {
	return !slices.ContainsFunc(d.replicas, func(r replica) bool {
		return r.span.contains(p.span) || p.span.contains(r.span)
	})
}

// column is the pages of a replica.
func (c *core) column(r int) []uint32 {
	var pages []uint32
	for _, s := range c.slots {
		if v := s.pages[r]; v != none {
			pages = append(pages, v)
		}
	}
	slices.Sort(pages)
	return pages
}

// mostHost keeps the pages of the host that has most of them, the first in URL order of several.
func (f *finder) mostHost(pages []uint32) []uint32 {
	count := make(map[uint32]int)
	for _, v := range pages {
		count[f.host[v]]++
	}
	var most []uint32
	for _, v := range pages {
		if len(most) == 0 || count[f.host[v]] > count[f.host[most[0]]] {
			most = []uint32{v}
		} else if f.host[v] == f.host[most[0]] {
			most = append(most, v)
		}
	}
	return most
}

// publish turns drafts into the result.
func (f *finder) publish(drafts []draft) {
	slices.SortFunc(drafts, func(a, b draft) int {
		return cmp.Or(cmp.Compare(len(b.replicas), len(a.replicas)), cmp.Compare(b.size, a.size),
			cmp.Compare(a.replicas[0].prefix, b.replicas[0].prefix), cmp.Compare(a.first(), b.first()))
	})
	for i, d := range drafts {
		c := Collection{ID: i + 1, Size: d.size, Origin: d.origin}
		for _, r := range d.replicas {
			c.Replicas = append(c.Replicas, f.replica(r, d.size))
		}
		f.result.Collections = append(f.result.Collections, c)
	}
}

// first is the first page of the representative.
func (d *draft) first() uint32 {
	if len(d.replicas[0].pairs) == 0 {
		return none
	}
	return d.replicas[0].pairs[0].page
}

func (f *finder) replica(r replica, size int) Replica {
	out := Replica{
		Host:   page.Host(strings.Clone(string(page.URL(r.prefix).Host()))),
		Prefix: strings.Clone(r.prefix), Pairs: make([]Pair, len(r.pairs)),
	}
	e := Evidence{Known: r.span.len(), Whole: size}
	original := make(map[uint32]uint32, len(r.pairs))
	for i, c := range r.pairs {
		out.Pairs[i] = Pair{f.index[c.page], f.index[c.original], c.likeness}
		original[c.page] = c.original
		e.InLinks += int(f.inward[c.page])
		switch c.likeness {
		case Similar:
			e.Similar++
		case Moved:
			e.Moved++
		case Nearby:
			e.Nearby++
		}
	}
	for _, c := range r.pairs {
		for _, u := range f.links(c.page) {
			if o, ok := original[u]; ok {
				e.Links++
				if f.linked(c.original, o) {
					e.LinksCommon++
				}
			}
		}
	}
	out.Evidence = e
	return out
}
