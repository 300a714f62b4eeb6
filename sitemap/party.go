package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
)

// A ward is tied to the core, or not, by what its pages do: a ward that a site lists on one page, and
// that names the site's entry page, may as well be a guest. In a part of the site a page names the core,
// and few cite other hosts; or half of the core's pages name it.
//
// A part whose pages name nothing but each other has no tie by links: the photographs of a journey, a
// book, a subject of a forum. That its pages are drawn by the site's style sheets tells it from what
// others keep on the host. It does not of users' homes, which a host may draw all alike.

const (
	// navigation is the part of the core's pages that tie a ward if they link to it.
	navigation = 0.5
	// fewestLinking is how many pages with links a ward must have to be a party.
	fewestLinking = 4
	// template is the part of a ward's pages that need a file which is of their template, and the part
	// of a ward's template that ties it to the core, or to what is tied to that, if both have it, a
	// style sheet among it.
	template      = 0.5
	templatePages = 64 // pages by which a template is told
	// citing is the part of a ward's pages that cite other hosts from which on it may be a site of its own.
	// A page that is lost is worse than one too many, so it is well above what guests have at least.
	citing = 1.0 / 3
	// cohesion is how many links to pages that are no seeds a page of the core has on average,
	// where the core is a site of its own, and not only a door in front of the site.
	cohesion = 2
)

// parties ties wards to the core, with their variants, and counts the parties whose sites the prefix
// holds: wards that name each other on half of their pages or are variants of one work are one party,
// and the core is another where it could stand on its own. Before a single ward a core of a page or two
// is only the entry to it, and so is one whose seed leads to it.
func (r *warding) parties(s *settlement, w *wards) int {
	t := newTying(s, w)
	works := make([]work, len(w.list)) // of the core, the first, none
	for i := 1; i < len(w.list); i++ {
		works[i] = workOf(r.b.web.dirs.path(w.list[i].dir))
	}
	for tied := t.linked(); len(tied) > 0; tied = w.variants(works) {
		t.tie(tied)
	}
	n, alone, last := 0, 0, uint32(0)
	party, met := make([]bool, len(w.list)), make(map[string]bool)
	for i := range w.list {
		if w.list[i].tied || party[i] || w.list[i].linking < fewestLinking {
			continue
		}
		t.gather(uint32(i), party)
		if name := works[i].name; name == "" || !met[name] {
			n++
		}
		met[works[i].name] = true
		alone, last = alone+1, uint32(i)
	}
	if n == 1 && alone == 1 && !t.stays[last] && r.standsAlone(s, w) {
		n++
	}
	return n
}

// variants are the wards that are not tied and are editions of the core or variants of one that is
// tied, or languages or versions of all that the host has.
func (w *wards) variants(works []work) (list []uint32) {
	bare, tied := make(map[string]int), make(map[string]bool)
	for i, k := range works {
		bare[k.name] += b2i(k.bare)
		tied[k.name] = tied[k.name] || w.list[i].tied
	}
	for i, k := range works {
		if k.name != "" && !w.list[i].tied && (k.edition || bare[k.name] > 1 || tied[k.name]) {
			list = append(list, uint32(i))
		}
	}
	return list
}

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

// tying finds the wards that are tied to the core.
type tying struct {
	s     *settlement
	w     *wards
	cited []bool              // by place: the core links to it
	last  []uint32            // by ward: 1 + the last page that names it
	names map[[2]uint32]int   // by two wards: pages of the first that link to the second
	stays []bool              // by ward: see read
	back  map[int]int         // by block of others: pages that link to the core, less those that do not
	near  map[uint32][]uint32 // by ward: those that it names on half of its pages, and that name it so

	files [][]graph.ID          // by ward: the files of its template
	drawn map[graph.ID][]uint32 // by file: the wards in whose template it is
	had   map[graph.ID]bool     // files of the templates of what is tied
	alike []int                 // by ward: files of its template that are had
	style []bool                // by ward: a style sheet is among these
}

func newTying(s *settlement, w *wards) *tying {
	n := len(w.list)
	t := &tying{
		s: s, w: w, cited: make([]bool, len(w.of)), last: make([]uint32, n),
		names: make(map[[2]uint32]int), stays: make([]bool, n), near: make(map[uint32][]uint32),
		files: make([][]graph.ID, n), drawn: make(map[graph.ID][]uint32), had: make(map[graph.ID]bool),
		alike: make([]int, n), style: make([]bool, n), back: make(map[int]int),
	}
	for _, u := range w.list[0].pages {
		for _, v := range s.links(u) {
			t.cited[v] = true
		}
	}
	for v, k := range w.of {
		if links := s.links(uint32(v)); k == none && len(links) > 0 {
			names := slices.ContainsFunc(links, func(u uint32) bool { return w.of[u] == 0 })
			t.back[s.block(uint32(v))] += 2*b2i(names) - 1
		}
	}
	for k := range w.list {
		t.read(uint32(k))
	}
	for key := range t.names {
		a, k := key[0], key[1]
		if t.half(k, a) && t.half(a, k) { // most of what is named is not known to name anybody
			t.near[a] = append(t.near[a], k)
		}
	}
	return t
}

// half reports that half of the pages of a ward name another.
func (t *tying) half(a, k uint32) bool {
	least := navigation * float64(t.w.list[a].linking) // 0 of one that names nobody
	return least > 0 && float64(t.names[[2]uint32{a, k}]) >= least
}

// read counts what the pages of a ward name, and tells whether it stays home: a page of it names the
// core and few cite other hosts, but for what the core cites, too, and places most of whose pages name
// the core. So does an exhibition of a museum, a class of a school, an issue of a journal.
func (t *tying) read(k uint32) {
	w, web, home, away := &t.w.list[k], t.s.book.web, false, 0
	needing, drawn := make(map[graph.ID]int), 0
	for _, u := range w.pages {
		cites, root := false, web.root(t.s.book.places[u].id)
		for _, v := range t.s.links(u) {
			l := t.w.of[v]
			home = home || l == 0
			cites = cites || !t.cited[v] && web.root(t.s.book.places[v].id) != root &&
				t.back[t.s.block(v)] <= 0
			if l != none && l != k && t.last[l] != u+1 {
				t.last[l] = u + 1
				t.names[[2]uint32{k, l}]++
			}
		}
		away += b2i(cites)
		if parts := web.links.parts(t.s.book.places[u].id); len(parts) > 0 && drawn < templatePages {
			drawn++
			for _, f := range parts {
				needing[f]++
			}
		}
	}
	t.stays[k] = home && float64(away) < citing*float64(w.linking)
	for f, n := range needing { // a single page has no template, but for the core's
		if (drawn > 1 || k == 0) && float64(n) >= template*float64(drawn) {
			t.files[k], t.drawn[f] = append(t.files[k], f), append(t.drawn[f], k)
		}
	}
}

// linked are the core, and the wards that links tie to it.
func (t *tying) linked() []uint32 {
	list := []uint32{0}
	for i := 1; i < len(t.w.list); i++ {
		if k := uint32(i); !t.isHome(k) && (t.stays[k] || t.half(0, k)) {
			list = append(list, k)
		}
	}
	return list
}

// tie ties wards to the core, and those that have half of their template, with a style sheet, of what
// is tied, in time linear in the files of templates.
func (t *tying) tie(list []uint32) {
	for _, k := range list {
		t.w.list[k].tied = true
	}
	for ; len(list) > 0; list = list[1:] {
		for _, f := range t.files[list[0]] {
			if !t.had[f] {
				t.had[f] = true
				list = append(list, t.drawnAlike(f)...)
			}
		}
	}
}

// drawnAlike ties the wards that a file of what is tied, which is new, makes like that.
func (t *tying) drawnAlike(f graph.ID) (list []uint32) {
	css := strings.HasSuffix(t.s.book.web.urls.text(f).Path(), ".css")
	for _, k := range t.drawn[f] {
		t.alike[k]++
		t.style[k] = t.style[k] || css
		if !t.w.list[k].tied && !t.isHome(k) && t.style[k] &&
			float64(t.alike[k]) >= template*float64(len(t.files[k])) {
			t.w.list[k].tied = true
			list = append(list, k)
		}
	}
	return list
}

// isHome reports a ward that is the home of a user.
func (t *tying) isHome(k uint32) bool { return t.s.book.web.dirs.isHome(t.w.list[k].dir) }

// gather marks the wards of a party.
func (t *tying) gather(k uint32, party []bool) {
	party[k] = true
	for queue := []uint32{k}; len(queue) > 0; queue = queue[1:] {
		for _, l := range t.near[queue[0]] {
			if !party[l] && !t.w.list[l].tied {
				party[l] = true
				queue = append(queue, l)
			}
		}
	}
}

// isHome reports a directory that is named as users' are, ~name: to be listed on a host's pages, or
// drawn by their style sheets, does not make it a part of theirs.
func (t *directories) isHome(d dirID) bool {
	return strings.HasPrefix(string(t.name(&t.nodes[d])), "~")
}
