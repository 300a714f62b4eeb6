package sitemap

import (
	"slices"
	"strings"
)

// Distinct pages tell whether a ward is tied to the core, or to other wards, and not numbers of
// links: a link that a template repeats on every page, or a list of members on one, counts once. A
// ward that a site cites by its entry page, and that cites the site's entry page, has no tie to it;
// one that is a part of the site has deep ones, both ways, or is in its navigation.

const (
	// freeTies is how many ties are no evidence: any two sites of a host may cite a page of each
	// other.
	freeTies = 1
	// deepTies, in each direction, tie a ward of whatever size.
	deepTies = 4
	// navigation is the part of the core's pages that tie a ward if they link to it, or it to them.
	navigation = 0.5
	// fewestLinking is how many pages with links a ward must have to be a party.
	fewestLinking = 4
	// cohesion is how many links to pages that are no seeds a page of the core has on average,
	// where the core is a site of its own, and not only a door in front of the site.
	cohesion = 2
)

// parties ties wards to the core, with their variants, then the other wards to each other, and
// counts the parties whose sites the prefix holds: wards that are tied to each other or are
// variants of one work are one party, and the core is another where it could stand on its own.
// Before a single ward a core of a page or two is only the entry to it, and so is one whose seed
// leads to it. A work that has variants is no team's.
func (r *warding) parties(s *settlement, w *wards) int {
	n := 0
	t := newTying(s, w)
	for party := []uint32{0}; len(party) > 0; party = r.variants(w) {
		t.join(party, true)
	}
	var works []work
	for i := range w.list {
		if w.list[i].tied || t.member[i] || w.list[i].linking < fewestLinking {
			continue
		}
		t.join([]uint32{uint32(i)}, false)
		x := r.work(&w.list[i])
		if !slices.ContainsFunc(works, x.alike) {
			n++
		}
		works = append(works, x)
	}
	if n == 1 && len(works) == 1 && r.standsAlone(s, w) {
		n++
	}
	return n
}

// variants are the wards that are not tied and are variants of the core, or of one that is tied, or
// are languages or versions of all that the host has.
func (r *warding) variants(w *wards) (list []uint32) {
	var ours []work
	for _, d := range r.b.homes() {
		ours = append(ours, work{r.b.book, r.b.web.dirs.path(d), w.list[0].pages})
	}
	for i := 1; i < len(w.list); i++ {
		if w.list[i].tied {
			ours = append(ours, r.work(&w.list[i]))
		}
	}
	count := r.ofHost(w)
	for i := 1; i < len(w.list); i++ {
		if w.list[i].tied {
			continue
		}
		k := r.work(&w.list[i])
		several := slices.ContainsFunc(k.families(), func(f variety) bool { return count[f] > 1 })
		if several || slices.ContainsFunc(ours, k.alike) {
			list = append(list, uint32(i))
		}
	}
	return list
}

// ofHost counts the wards that lie in one directory and are called by a language or a version alone:
// where there are two, they are languages or versions of all that the host has. It is linear in the
// wards.
func (r *warding) ofHost(w *wards) map[variety]int {
	count := make(map[variety]int)
	for i := 1; i < len(w.list); i++ {
		for _, f := range r.work(&w.list[i]).families() {
			count[f]++
		}
	}
	return count
}

// work is what a ward has.
func (r *warding) work(x *ward) work { return work{r.b.book, r.b.web.dirs.path(x.dir), x.pages} }

// standsAlone reports whether the core is knit like a site, and no seed leads to the wards that are
// not tied: pages in front of a manual, which the entry page names, are no rival of it.
func (r *warding) standsAlone(s *settlement, w *wards) bool {
	links := 0
	for _, u := range w.list[0].pages {
		for _, v := range s.links(u) {
			k := w.of[v]
			if r.b.places[u].is(isSeed) && k != none && !w.list[k].tied {
				return false
			}
			links += b2i(k == 0 && !r.b.places[v].is(isSeed))
		}
	}
	return w.list[0].linking >= r.b.opts.WardSample && links >= cohesion*w.list[0].linking
}

// tying finds the wards that are tied to some, in time linear in the links of the prefix for each
// round; there are seldom more than three.
type tying struct {
	s      *settlement
	w      *wards
	member []bool   // by ward: of a party that was found
	seen   []uint32 // by place: stamp
	stamp  uint32
}

// ties between a ward and a party.
type ties struct {
	in, out int // distinct pages of either that the other links to
	to      int // of the latter, those of the core
	from    int // pages of the core that link to the ward
}

func newTying(s *settlement, w *wards) *tying {
	return &tying{s: s, w: w, member: make([]bool, len(w.list)), seen: make([]uint32, len(w.of))}
}

// join finds the party of some wards. That of the core is tied, with them.
func (t *tying) join(party []uint32, core bool) {
	for _, k := range party {
		t.member[k], t.w.list[k].tied = true, core
	}
	now := make([]bool, len(t.w.list)) // of this party
	found := make([]ties, len(t.w.list))
	incoming := t.next()
	for len(party) > 0 {
		for _, k := range party {
			now[k] = true
		}
		for _, k := range party {
			t.countIn(k, incoming, found)
		}
		party = party[:0:0]
		for k := range t.w.list {
			if t.member[k] {
				continue
			}
			t.countOut(uint32(k), now, &found[k])
			if t.tied(uint32(k), found[k], core) {
				party = append(party, uint32(k))
			}
		}
		for _, k := range party {
			t.member[k] = true
			t.w.list[k].tied = core
		}
	}
}

// tied decides.
func (t *tying) tied(k uint32, x ties, core bool) bool {
	w := &t.w.list[k]
	deep := max(0, x.in-1) + max(0, x.out-1)
	if deep > 0 && float64(deep) >= freeTies+t.s.book.opts.WardTies*float64(w.linking) ||
		min(x.in, x.out) > deepTies {
		return true
	}
	if !core || t.s.book.web.dirs.isHome(w.dir) {
		return false
	}
	most := max(x.from, x.to)
	return most > 0 && float64(most) >= navigation*float64(t.w.list[0].linking)
}

// countIn counts the pages of wards that a ward of the party links to, each once, and the pages of
// the core that do.
func (t *tying) countIn(k, incoming uint32, found []ties) {
	last := make([]uint32, len(found)) // 1 + page of the core that was counted last
	for _, u := range t.w.list[k].pages {
		for _, v := range t.s.links(u) {
			l := t.w.of[v]
			if l == none || t.member[l] {
				continue
			}
			if t.seen[v] < incoming {
				t.seen[v] = incoming
				found[l].in++
			}
			if k == 0 && last[l] != u+1 {
				last[l] = u + 1
				found[l].from++
			}
		}
	}
}

// countOut counts the pages of the party that a ward links to, each once.
func (t *tying) countOut(k uint32, now []bool, x *ties) {
	x.out, x.to = 0, 0
	stamp := t.next()
	for _, u := range t.w.list[k].pages {
		for _, v := range t.s.links(u) {
			if l := t.w.of[v]; l != none && now[l] && t.seen[v] != stamp {
				t.seen[v] = stamp
				x.out++
				x.to += b2i(l == 0)
			}
		}
	}
}

func (t *tying) next() uint32 {
	t.stamp++
	return t.stamp
}

// isHome reports a directory that is named as users' are, ~name: to be listed on a host's pages
// does not make it a part of theirs.
func (t *directories) isHome(d dirID) bool {
	return strings.HasPrefix(string(t.name(&t.nodes[d])), "~")
}
