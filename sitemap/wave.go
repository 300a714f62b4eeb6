package sitemap

import (
	"cmp"
	"math"
	"slices"
)

// The pages of a flat host are asked for in waves: the first FlatSample as they come, then,
// whenever no page is open and the answered ones have been divided, as many again as were found to
// be of the site. Pages that only strays link to are strays, too, and not asked for; where strays
// and pages of the site link to a page, the majority decides. Pages that more of the site's link to
// come first.

// waits reports whether a page of the prefix has to wait for its wave: it lies right in the
// root of a host, as nearly all of the prefix does, and the first wave is out. Where nothing must
// depend on the order of answers, that is taken page by page too, and all wait.
func (f *flatHost) waits(p uint32) bool {
	b := f.b
	o, pl := &b.opts, &b.places[p]
	if o.FlatSample == 0 || o.Lean == 0 || o.NoClusters || b.Boundary != Logical ||
		pl.is(isSeed) ||
		b.web.dirs.nodes[b.web.dir[pl.id]].depth > 0 || !f.isFlat() ||
		b.asked < o.FlatSample && o.Growth > 0 || f.whole(b.web.dir[pl.id]) {
		return false
	}
	f.held = true
	return true
}

// isFlat reports whether nearly all pages of the prefix lie right in the root of a host.
func (f *flatHost) isFlat() bool { return float64(f.right) >= flatPart*float64(f.below) }

// flatWaiting is a page of a flat host that was not asked for.
type flatWaiting struct {
	place        uint32
	site, strays int // pages fetched that link to it
}

// part of the pages that link to it that are the site's, one half where none is known.
func (w flatWaiting) part() float64 {
	if w.site+w.strays == 0 {
		return 0.5
	}
	return float64(w.site) / float64(w.site+w.strays)
}

// next wants the next wave of a flat host, and reports whether pages that were not asked for
// became strays, or ceased to be. Where the host has turned out not to be flat, all that waited is
// wanted.
func (f *flatHost) next(s *settlement) (changed bool) {
	b := f.b
	if !f.held {
		return false
	}
	list, found := f.waiting(s)
	quota := max(b.opts.FlatSample/2, found)
	if !f.isFlat() {
		quota = math.MaxInt
	}
	for _, w := range list {
		pl := &b.places[w.place]
		own := w.part() >= 0.5
		if own != pl.is(inPrefix) {
			pl.flags ^= inPrefix | isStray
			b.recount(w.place)
			changed = true
		}
		if own && quota > 0 && b.ask(w.place, WhyPrefix, 0) {
			quota--
		}
	}
	return changed
}

// waiting lists the waiting pages of flat hosts, those most likely of the site first, and
// counts the site's pages that were fetched.
func (f *flatHost) waiting(s *settlement) (list []flatWaiting, found int) {
	b := f.b
	b.arrange()
	at := make(map[uint32]int)
	for _, p := range b.order {
		pl := &b.places[p]
		if b.counts(p) && pl.is(inPrefix|isStray) && !pl.is(isAsked) &&
			b.web.dirs.nodes[b.web.dir[pl.id]].depth == 0 && !b.includes(pl.id) {
			at[p] = len(list)
			list = append(list, flatWaiting{place: p})
		}
	}
	for _, u := range s.joined {
		pl := &b.places[u]
		if !pl.is(inPrefix | isSeed | isStray) {
			continue
		}
		found += b2i(!pl.is(isStray))
		for _, v := range s.links(u) {
			if i, ok := at[v]; ok && pl.is(isStray) {
				list[i].strays++
			} else if ok {
				list[i].site++
			}
		}
	}
	slices.SortFunc(list, func(x, y flatWaiting) int {
		return cmp.Or(cmp.Compare(y.part(), x.part()), cmp.Compare(y.site, x.site),
			cmp.Compare(b.key(x.place), b.key(y.place)))
	})
	return list, found
}
