package sitemap

import (
	"slices"
	"strings"

	"watershed/graph"
)

// Distinct pages tell whether a ward is tied to the core, or to other wards, and not numbers of
// links: a link that a template repeats on every page, or a list of members on one, counts once. A
// ward that a site cites by its entry page, and that cites the site's entry page, has no tie to it;
// one that is a part of the site has deep ones, both ways, or is in its navigation.
//
// Nor has a part whose pages name nothing but each other a tie by links: the photographs of a
// journey, a book, a subject of a forum. That its pages are drawn by the site's style sheets tells
// it from what others keep on the host. It does not of users' homes, which a host may draw all alike.

const (
	// freeTies is how many ties are no evidence: any two sites of a host may cite a page of each
	// other.
	freeTies = 1
	// tiesOfAPage is how many more a ward must have for each of its pages that link anywhere.
	tiesOfAPage = 0.1
	// deepTies, in each direction, tie a ward of whatever size.
	deepTies = 4
	// navigation is the part of the core's pages that tie a ward if they link to it, or it to them.
	navigation = 0.5
	// fewestLinking is how many pages with links a ward must have to be a party.
	fewestLinking = 4
	// template is the part of a ward's pages that need a file which is of their template, and the part
	// of a ward's template that ties it to the core, or to what is tied to that, if both have it, a
	// style sheet among it.
	template      = 0.5
	templatePages = 64 // pages by which a template is told
	// citing is the part of a ward's pages that cite other hosts from which on it may be a site of its own.
	citing = 0.25
	// cohesion is how many links to pages that are no seeds a page of the core has on average,
	// where the core is a site of its own, and not only a door in front of the site.
	cohesion = 2
)

// parties ties wards to the core, with their variants, then the other wards to each other, and
// counts the parties whose sites the prefix holds: wards that are tied to each other or are
// variants of one work are one party, and the core is another where it could stand on its own.
// Before a single ward a core of a page or two is only the entry to it, and so is one whose seed
// leads to it.
func (r *warding) parties(s *settlement, w *wards) int {
	t := newTying(s, w)
	works := make([]work, len(w.list)) // of the core, the first, none
	for i := 1; i < len(w.list); i++ {
		works[i] = workOf(r.b.web.dirs.path(w.list[i].dir))
	}
	for party := []uint32{0}; len(party) > 0; party = w.variants(works) {
		t.join(party, true)
	}
	n, alone, last := 0, 0, 0
	met := make(map[string]bool)
	for i := range w.list {
		if w.list[i].tied || t.member[i] || w.list[i].linking < fewestLinking {
			continue
		}
		t.join([]uint32{uint32(i)}, false)
		if name := works[i].name; name == "" || !met[name] {
			n++
		}
		met[works[i].name] = true
		alone, last = alone+1, i
	}
	if n == 1 && alone == 1 && !t.staysHome(&w.list[last]) && r.standsAlone(s, w) {
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

// tying finds the wards that are tied to some, in time linear in the links from and to these and
// those that are found.
type tying struct {
	s      *settlement
	w      *wards
	member []bool // by ward: of a party that was found
	found  []ties // by ward: with the party under way
	joined []int  // by ward: number of the party for which found counts
	party  int    // number of the party under way

	seen    []int    // by place: number of the party by which it was counted
	changed []uint32 // wards that are to be judged anew
	listed  []bool   // by ward: in changed

	// the wards that link to a place: linkers[first[p]:first[p+1]], each once
	first   []uint32
	linkers []uint32

	files [][]graph.ID          // by ward: the files of its template
	cited map[uint32]bool       // pages that the core links to
	drawn map[graph.ID][]uint32 // by file: the wards in whose template it is
	had   map[graph.ID]int      // by file: number of the last party that had it
}

// ties between a ward and a party.
type ties struct {
	in, out int    // distinct pages of either that the other links to
	to      int    // of the latter, those of the core
	from    int    // pages of the core that link to the ward
	last    uint32 // 1 + the last of these that was counted
	files   int    // files of the ward's template that are in one of the party's
	styled  bool   // a style sheet is among them
}

func newTying(s *settlement, w *wards) *tying {
	n := len(w.list)
	t := &tying{
		s: s, w: w, member: make([]bool, n), found: make([]ties, n), joined: make([]int, n),
		listed: make([]bool, n), seen: make([]int, len(w.of)), first: make([]uint32, len(w.of)+1),
		files: make([][]graph.ID, n), drawn: make(map[graph.ID][]uint32),
		had: make(map[graph.ID]int), cited: make(map[uint32]bool),
	}
	for _, u := range w.list[0].pages {
		for _, v := range s.links(u) {
			t.cited[v] = true
		}
	}
	for k := range w.list {
		t.readTemplate(uint32(k))
	}
	last := make([]uint32, len(w.of)) // 1 + ward that links to the place and was met last
	each := func(do func(k, v uint32)) {
		clear(last)
		for k := range w.list {
			for _, u := range w.list[k].pages {
				for _, v := range s.links(u) {
					if w.of[v] != none && last[v] != uint32(k)+1 {
						last[v] = uint32(k) + 1
						do(uint32(k), v)
					}
				}
			}
		}
	}
	each(func(_, v uint32) { t.first[v+1]++ })
	for p := range w.of {
		t.first[p+1] += t.first[p]
	}
	t.linkers = make([]uint32, t.first[len(w.of)])
	next := slices.Clone(t.first)
	each(func(k, v uint32) {
		t.linkers[next[v]] = k
		next[v]++
	})
	return t
}

// join finds the party of some wards. That of the core is tied, with them.
func (t *tying) join(party []uint32, core bool) {
	t.party++
	for len(party) > 0 {
		for _, k := range party {
			t.member[k], t.w.list[k].tied = true, core
		}
		for _, k := range party {
			t.countIn(k)
			t.countOut(k)
			if core {
				t.countFiles(k)
			}
		}
		party = party[:0:0]
		for _, k := range t.changed {
			t.listed[k] = false
			if !t.member[k] && t.tied(k, t.found[k], core) {
				party = append(party, k)
			}
		}
		t.changed = t.changed[:0]
	}
}

// ties are those of a ward with the party under way, which are about to change.
func (t *tying) ties(k uint32) *ties {
	if t.joined[k] != t.party {
		t.joined[k], t.found[k] = t.party, ties{}
	}
	if !t.listed[k] {
		t.listed[k] = true
		t.changed = append(t.changed, k)
	}
	return &t.found[k]
}

// tied decides.
func (t *tying) tied(k uint32, x ties, core bool) bool {
	w := &t.w.list[k]
	deep := max(0, x.in-1) + max(0, x.out-1)
	if deep > 0 && float64(deep) >= freeTies+tiesOfAPage*float64(w.linking) ||
		min(x.in, x.out) > deepTies {
		return true
	}
	if !core || t.s.book.web.dirs.isHome(w.dir) {
		return false
	}
	if x.styled && float64(x.files) >= template*float64(len(t.files[k])) || t.staysHome(w) {
		return true
	}
	most := max(x.from, x.to)
	return most > 0 && float64(most) >= navigation*float64(t.w.list[0].linking)
}

// staysHome reports a ward of which a page names the core and few cite other hosts, but for what
// the core cites, too: an exhibition of a museum, a class of a school, an issue of a journal.
func (t *tying) staysHome(w *ward) bool {
	web, home, away := t.s.book.web, false, 0
	for _, u := range w.pages {
		cites := false
		root := web.root(t.s.book.places[u].id)
		for _, v := range t.s.links(u) {
			home = home || t.w.of[v] == 0
			cites = cites || !t.cited[v] && web.root(t.s.book.places[v].id) != root
		}
		away += b2i(cites)
	}
	return home && float64(away) < citing*float64(w.linking)
}

// countIn counts the pages of wards that a ward of the party links to, each once, and the pages of
// the core that do.
func (t *tying) countIn(k uint32) {
	for _, u := range t.w.list[k].pages {
		for _, v := range t.s.links(u) {
			l := t.w.of[v]
			if l == none || t.member[l] {
				continue
			}
			x := t.ties(l)
			if t.seen[v] != t.party {
				t.seen[v] = t.party
				x.in++
			}
			if k == 0 && x.last != u+1 {
				x.last = u + 1
				x.from++
			}
		}
	}
}

// countOut counts the pages of a ward of the party that other wards link to, for each of these once.
func (t *tying) countOut(k uint32) {
	for _, v := range t.w.list[k].pages {
		for _, l := range t.linkers[t.first[v]:t.first[v+1]] {
			if !t.member[l] {
				x := t.ties(l)
				x.out++
				x.to += b2i(k == 0)
			}
		}
	}
}

// readTemplate notes the files that the pages of a ward have in common. A single page has no template,
// but for the core's.
func (t *tying) readTemplate(k uint32) {
	b := t.s.book
	needing, pages := make(map[graph.ID]int), 0
	for _, u := range t.w.list[k].pages {
		if pages == templatePages {
			break
		}
		parts := b.web.links.parts(b.places[u].id)
		for _, f := range parts {
			needing[f]++
		}
		pages += b2i(len(parts) > 0)
	}
	for f, n := range needing {
		if (pages > 1 || k == 0) && float64(n) >= template*float64(pages) {
			t.files[k] = append(t.files[k], f)
			t.drawn[f] = append(t.drawn[f], k)
		}
	}
}

// countFiles counts the files of a ward of the core's party that are of the templates of other wards,
// too, for each party once.
func (t *tying) countFiles(k uint32) {
	for _, f := range t.files[k] {
		if t.had[f] == t.party {
			continue
		}
		t.had[f] = t.party
		styles := strings.HasSuffix(t.s.book.web.urls.text(f).Path(), ".css")
		for _, l := range t.drawn[f] {
			if !t.member[l] {
				x := t.ties(l)
				x.files++
				x.styled = x.styled || styles
			}
		}
	}
}

// isHome reports a directory that is named as users' are, ~name: to be listed on a host's pages, or
// drawn by their style sheets, does not make it a part of theirs.
func (t *directories) isHome(d dirID) bool {
	return strings.HasPrefix(string(t.name(&t.nodes[d])), "~")
}
