package sitemap

// A ward is a directory of a seed's host, with all that lies in it: the topmost one that has pages.
// The pages right in the root are the core. Where the seed is the home page of an organisation or
// of a platform, many wards of the prefix are no part of the site: teams, tenants, copies of other
// people's work. Only the root of a host has wards: who gives a directory as a seed means all of
// it.
//
// A ward is asked for little by little until it is known to be tied to the core (parties): a sample
// first, then twice as much each time. Where the prefix turns out to hold the sites of several
// parties, the wards that are not tied to the core are foreign: each is a block outside the prefix,
// and it is the cut that says whether it belongs. Where it holds one, all of the prefix stays
// inside, as that is what the seed says.
//
// Wards are drawn from the links of the joined pages, whatever was foreign before.

// wards of a prefix, as of one moment.
type wards struct {
	list []ward   // the core first
	of   []uint32 // by place: index in list, none for what is not below a seed's directory
}

type ward struct {
	dir     dirID // noDir for the core
	pages   []uint32
	asked   int
	left    int // of these those that were left out, as copies are: they say nothing
	linking int // pages that are known to link anywhere
	tied    bool
}

// warding draws the wards of a site.
type warding struct {
	b     *boundary
	tied  map[dirID]bool // all of them is asked for
	queue []uint32       // pages that are to be asked for
	drawn int            // pages that had joined when they were drawn last
}

// waits reports whether a page of the prefix has to wait for an epoch to be asked for, as all do
// that lie in a ward of which it is not known that it is tied to the core.
func (t *warding) waits(d dirID) bool {
	b := t.b
	a := b.prefixOf(d)
	if b.Boundary != Logical || b.opts.WardSample == 0 || a == noDir || d == a || !b.isRoot(a) {
		return false
	}
	return b.web.dirs.within(t.tied, a, d) == noDir
}

// within gives the directory of a set on the way from d up to a, or noDir.
func (t *directories) within(set map[dirID]bool, a, d dirID) dirID {
	for d != a {
		if set[d] {
			return d
		}
		d = t.nodes[d].parent
	}
	return noDir
}

// coreEnough is how many pages of a core have to be answered before wards are drawn, where it has more:
// a core that has no end, as a list that is sorted and filtered, would keep them waiting for ever.
const coreEnough = 32

// draw draws the wards anew, notes which of their pages are to be asked for, and reports
// whether others are foreign now than before. It costs a pass over places and links, and is left
// out where too little has joined since the last time.
func (t *warding) draw(s *settlement) (changed bool) {
	b := t.b
	if b.open > 0 && b.joined-t.drawn < t.drawn/8 {
		return false
	}
	t.drawn = b.joined
	w := t.divide(s)
	if len(w.list) == 1 && len(b.foreign) == 0 {
		t.line(w, false)
		return false
	}
	answered, open := 0, false
	for _, p := range w.list[0].pages {
		pl := &b.places[p]
		answered += b2i(pl.is(isAnswered))
		open = open || pl.is(isAsked) && !pl.is(isAnswered)
	}
	if open && answered < coreEnough {
		return false // what of the core is not answered may tie any ward to it
	}
	several := t.parties(s, w) > 1
	t.tied, b.foreign = make(map[dirID]bool), make(map[dirID]bool)
	for i := 1; i < len(w.list); i++ {
		switch x := &w.list[i]; {
		case x.tied:
			t.tied[x.dir] = true
		case several && x.asked > x.left && x.asked >= min(len(x.pages), b.opts.WardSample):
			b.foreign[x.dir] = true
		}
		changed = t.expel(&w.list[i]) || changed
	}
	t.line(w, several)
	return changed
}

// expel takes the pages of a foreign ward out of the prefix, and those of any other back in, and
// reports whether it was so.
func (t *warding) expel(x *ward) (changed bool) {
	b := t.b
	foreign := b.foreign[x.dir]
	for _, p := range x.pages {
		if pl := &b.places[p]; pl.is(inPrefix) == foreign {
			pl.flags ^= inPrefix
			b.recount(p)
			changed = true
		}
	}
	return changed
}

// line notes the pages to be asked for: all of the core and of wards tied to it; of each
// other ward a sample, and once all wards have been sampled and there is only one party, as many
// pages again as were asked for.
func (t *warding) line(w *wards, several bool) {
	b := t.b
	sampled := true
	for i := range w.list {
		x := &w.list[i]
		sampled = sampled && (x.tied || x.asked >= min(len(x.pages), b.opts.WardSample))
	}
	for i := range w.list {
		x := &w.list[i]
		left := len(x.pages)
		switch {
		case b.foreign[x.dir]:
			continue
		case i > 0 && !x.tied && sampled && !several:
			left = max(x.asked, b.opts.WardSample)
		case i > 0 && !x.tied:
			left = b.opts.WardSample - x.asked
		}
		for _, p := range x.pages {
			if left > 0 && !b.places[p].is(isAsked) && (i > 0 || !b.flat.waits(p)) && !b.crowds.holds(b, p) {
				t.queue = append(t.queue, p)
				left--
			}
		}
	}
}

// evidence gives nothing: the pages of a foreign ward leave the prefix.
func (t *warding) evidence(*settlement) []float64 { return nil }

// ask draws the wards anew, and wants the pages whose turn it is.
func (t *warding) ask(b *boundary, at turn) {
	if at != dividing {
		return
	}
	if t.draw(b.last) {
		b.unsettle()
		b.resettle(true)
	}
	for _, p := range t.queue {
		b.ask(p, WhyPrefix, 0)
	}
	t.queue = t.queue[:0]
}

func (t *warding) explain(s *settlement, k blockID, x *Block) string {
	if x.mostlyOut() && t.b.foreign[s.blocks.list[k].dir] {
		return "below the seed's directory, but a site of its own"
	}
	return ""
}

// divide assigns the pages below the seeds' directories to core and wards, in the order of the
// arranged places.
func (t *warding) divide(s *settlement) *wards {
	b := t.b
	b.arrange()
	w := &wards{list: []ward{{dir: noDir, tied: true}}, of: make([]uint32, len(b.places))}
	has := make(map[dirID]bool) // directories that have pages
	for _, p := range b.order {
		w.of[p] = none
		if t.ofWards(p) {
			w.of[p] = 0
			has[b.web.dir[b.places[p].id]] = true
		}
	}
	byDir := make(map[dirID]uint32)  // wards by their own directory
	number := make(map[dirID]uint32) // and by that of a page
	for _, p := range b.order {
		if w.of[p] == none {
			continue
		}
		pl := &b.places[p]
		if !pl.is(isSeed) && !b.includes(pl.id) {
			d := b.web.dir[pl.id]
			k, ok := number[d]
			if !ok {
				k = w.numberOf(b.topmost(d, has), byDir)
				number[d] = k
			}
			w.of[p] = k
		}
		x := &w.list[w.of[p]]
		x.pages = append(x.pages, p)
		x.asked += b2i(pl.is(isAsked))
		x.left += b2i(pl.is(isAsked) && b.web.state[pl.id] == dropped)
		x.linking += b2i(len(s.links(p)) > 0)
	}
	return w
}

// ofWards reports whether a place is of the prefix, or would be were its ward not foreign.
func (t *warding) ofWards(p uint32) bool {
	b := t.b
	pl := &b.places[p]
	return b.lives(p) && (pl.is(inPrefix) || !pl.is(isStray) && b.foreignWard(b.web.dir[pl.id]) != noDir)
}

// topmost gives the topmost directory below the seed's that holds d and has pages, or noDir for a
// page of the core.
func (b *scope) topmost(d dirID, has map[dirID]bool) dirID {
	top := noDir
	a := b.prefixOf(d)
	if a == noDir || !b.isRoot(a) {
		return noDir
	}
	for ; d != a; d = b.web.dirs.nodes[d].parent {
		if has[d] {
			top = d
		}
	}
	return top
}

// isRoot reports whether a directory is the root of a host.
func (b *scope) isRoot(d dirID) bool { return b.web.dirs.nodes[d].depth == 0 }

// numberOf gives the number of a ward by its directory, made if need be.
func (w *wards) numberOf(dir dirID, byDir map[dirID]uint32) uint32 {
	if dir == noDir {
		return 0
	}
	k, ok := byDir[dir]
	if !ok {
		k = uint32(len(w.list))
		byDir[dir] = k
		w.list = append(w.list, ward{dir: dir})
	}
	return k
}
