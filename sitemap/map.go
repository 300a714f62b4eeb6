package sitemap

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// Map is where a logical website ends, as far as a survey knows: the pages that belong, the
// requisites they need, the blocks that were weighed, the cut, and what was left out and why. It
// holds no reference to the survey. Lists are sorted, so that equal surveys give equal maps.
type Map struct {
	Site     string     `json:"site"`
	Boundary string     `json:"boundary"` // mode
	Seeds    []page.URL `json:"seeds"`    // as given and as redirected

	// Prefix are the directories that stand for the seeds, host and path: "site.example/docs/", with
	// "?site=ann" behind them where only the pages that have this in their query do. It is
	// nil where the boundary has no such directories, and in maps of versions that did not tell them.
	Prefix []string `json:"prefix,omitempty"`

	// Counterparts are those of the prefix to which pages of the seeds' directories redirect.
	Counterparts []Counterpart `json:"counterparts,omitempty"`

	// How the site is called: the title of an entry page as it was fetched; texts of links to an
	// entry page from outside the site; and the most telling terms of links into the site and of
	// its titles. Empty where there are no such texts, or all of them are said of every other site,
	// too.
	Title    string    `json:"title,omitempty"`
	Names    []string  `json:"names,omitempty"`
	Keywords []Keyword `json:"keywords,omitempty"`

	// Converged tells that nothing is open; otherwise the map is what is known so far, and Open
	// and Limited say what is missing: pages asked for and not answered, the site's MaxPages reached.
	Converged bool `json:"converged"`
	Open      int  `json:"open"`
	Limited   bool `json:"limited,omitempty"`
	Epochs    int  `json:"epochs"`

	// MaxPages kept pages of the context from being asked for
	ContextLimited bool `json:"contextLimited,omitempty"`

	Known   int `json:"known"`   // pages known to the site, requisites apart
	Fetched int `json:"fetched"` // of these, tried
	Pages   int `json:"pages"`   // members that were had, and that a reader opens: page.Visit.Page

	// Certificate is nil where the boundary is a simple predicate.
	Certificate *Certificate `json:"certificate,omitempty"`
	// Process is told where the process of figure 9 drew the boundary.
	Process *ProcessReport `json:"process,omitempty"`

	// Scale is the index of this boundary in Scales, where there are scales: of a logical boundary.
	Scale int `json:"scale"`

	Blocks     []Block     `json:"blocks"`
	Scales     []Scale     `json:"scales"`     // the narrowest first, the one with the largest α
	Members    Members     `json:"members"`    // by URL, as all lists of pages
	Requisites []Requisite `json:"requisites"` // not members themselves
	Outside    []Outsider  `json:"outside"`
	Context    []Neighbour `json:"context,omitempty"` // pages outside that are captured with the site
	Beside     []LeftBelow `json:"beside,omitempty"`  // places on other hosts that many pages of it name
	Cut        []CutEdge   `json:"cut"`
	Wider      Members     `json:"wider"`  // pages that belong at a wider scale
	Needed     []Requisite `json:"needed"` // what is a requisite at another scale, and not at this one

	// how URLs are spelled that are not spelled as their names; the files that are written of the map
	// have them so
	Spelled map[page.URL]page.Spelling `json:"-"`

	others packed // URLs known to the site, neither members nor failed
	vain   map[page.Key]Vain
	madeUp map[page.Key]bool // addresses that the survey made up and that no page names
}

// Certificate proves the boundary: no cut of the network is cheaper than the flow, and this one
// costs just that. All in units of link capacity, exact in millionths.
type Certificate struct {
	Alpha float64 `json:"alpha"` // the scale: capacity a page must be worth
	Toll  int64   `json:"toll"`  // what a page outside the prefix pays for it
	Flow  int64   `json:"flow"`  // value of the maximum flow
	Value int64   `json:"cut"`   // value of the cut: the sum of the next three
	Links int64   `json:"links"` // capacity of the links cut
	Tolls int64   `json:"tolls"` // paid by the pages inside
	Soft  int64   `json:"soft"`  // soft sources of pages left outside

	Pages int `json:"pages"` // vertices of the network that are pages
	Arcs  int `json:"arcs"`
}

// Member is a page of the site.
type Member struct {
	URL   page.URL `json:"url"`
	Why   Why      `json:"why"`
	State string   `json:"state"` // fetched, known (to be fetched), redirect, or skipped
	Note  string   `json:"note,omitempty"`
	Block int      `json:"block"`           // index in Blocks, -1 without
	Scale int      `json:"scale,omitempty"` // index in Scales of the first at which it belongs
}

// Requisite is a file without which a page of the site cannot be shown, wherever it lies.
type Requisite struct {
	URL   page.URL `json:"url"`
	For   page.URL `json:"for"`   // the page on which it was seen first
	State string   `json:"state"` // fetched, known, redirect, failed or skipped
	Note  string   `json:"note,omitempty"`
	Scale int      `json:"scale,omitempty"` // index in Scales of the first at which it is needed
}

// Outsider is a page that the site's pages link to, or its redirects lead to, and that does not
// belong; or a seed or a requisite that a rule keeps out.
type Outsider struct {
	URL    page.URL `json:"url"`
	Reason string   `json:"reason"` // outOfBoundary, rule, noFollow or failed
	Note   string   `json:"note,omitempty"`
	Block  int      `json:"block"` // index in Blocks, -1 without
	Links  int      `json:"links"` // pages of the site that link to it; 0 where only redirects lead to it
	From   page.URL `json:"from"`  // the first of them
	Cut    int64    `json:"cut"`   // capacity of these links, in millionths; 0 where the blocks share nothing
}

// Block is a set of pages that lie together, with the figures of its links. Block 0 is the prefix
// of the seeds.
type Block struct {
	Name    string `json:"name"` // host and directory
	Known   int    `json:"known"`
	Fetched int    `json:"fetched"` // tried, failed ones too
	Inside  int    `json:"inside"`  // pages of it that belong
	// σ, with the block inside (or the prefix) with which it shares most
	Share float64 `json:"share"`
	With  int     `json:"with"`  // index of that block, -1 for none
	From  float64 `json:"from"`  // weight of the links from that block
	To    float64 `json:"to"`    // and to it
	Links float64 `json:"links"` // capacity of one link between the two
	// part of its pages that pages of the prefix with a like name link to
	Kin float64 `json:"kin"`
	// part of its fetched pages that are copies of pages of the prefix
	Copied float64 `json:"copied,omitempty"`
	// part of its documents that the site alone leads to, where it is a bucket
	Owned float64 `json:"owned,omitempty"`
	Why   string  `json:"why"`
}

// CutEdge is a link that leads out of the site, or a bundle of all links of a block to a page
// outside.
type CutEdge struct {
	From     page.URL `json:"from,omitempty"` // "" for a block
	To       page.URL `json:"to,omitempty"`
	Block    int      `json:"block"` // the block that stands for From or To, -1 for none
	Capacity int64    `json:"capacity"`
}

// Map draws the map of a site. A boundary that is a minimum cut is certified
// (flow.Network.Certify): that the flow keeps to the capacities, that what a vertex receives it
// passes on or keeps, that the flow equals the cut, and that no minimum cut has a smaller inside.
// The error is for a site that the survey does not have, and for a cut that is refused. For a
// logical boundary the cost is an epoch, else O(known pages).
func (s *Survey) Map(site string) (*Map, error) {
	d, err := s.drawn(site)
	if err != nil {
		return nil, err
	}
	return d.m, nil
}

// drawn draws the map of a site.
func (s *Survey) drawn(site string) (*drawing, error) {
	b, err := s.boundary(site)
	if err != nil {
		return nil, err
	}
	d, err := b.drawn()
	if err != nil {
		return nil, fmt.Errorf("certify the map of site %q: %w", site, err)
	}
	return d, nil
}

// drawing is a map with the state from which it is drawn.
type drawing struct {
	b      *boundary
	m      *Map
	s      *settlement
	byURL  []uint32 // places, by their URLs
	barred []uint32 // requisites, site maps and feeds, and what these list, that a rule keeps out
	named  bitset   // vertices of the pages that the map names, requisites and context apart
}

// drawn draws the map as things stand.
func (b *boundary) drawn() (*drawing, error) {
	m := &Map{
		Site: b.Name, Boundary: b.Boundary.String(),
		Converged: b.settled() && !b.limited,
		Open:      b.open, Limited: b.limited, Epochs: b.epochs,
	}
	for _, p := range b.seeds {
		m.Seeds = append(m.Seeds, b.web.text(b.places[p].id))
	}
	for _, d := range b.prefix {
		if b.stands[d] {
			m.Prefix = append(m.Prefix, b.web.dirs.path(d))
		}
		for _, part := range b.tenants[d] {
			m.Prefix = append(m.Prefix, b.web.dirs.path(d)+"?"+part)
		}
	}
	slices.Sort(m.Prefix)
	m.Counterparts = b.moves.counterparts
	d := &drawing{b: b, m: m, s: &settlement{linkage: linkage{book: b.book}}, byURL: b.byURL()}
	inside := b.belongs
	ranks := slices.Repeat(ranks{noRank}, len(b.places))
	if b.computed() {
		d.s = settle(b.book, false)
		inside = d.s.belongs
		if err := d.certify(); err != nil {
			return nil, err
		}
		d.addBlocks()
		d.addCut()
		f := d.s.family()
		for p := range ranks {
			ranks[p] = f.rank(d.s, uint32(p))
		}
		d.s.owned(ranks, f.own)
		d.addScales(&f, ranks)
	} else {
		if b.process != nil {
			report := b.process.report
			m.Process = &report
		}
		b.arrange()
		d.s.plain = true
		for p := range ranks {
			if b.why(uint32(p), inside) != WhyNothing {
				ranks[p] = 0
			}
		}
	}
	d.addPages(inside, ranks)
	m.addNames(b.book, func(p uint32) bool { return b.why(p, inside) != WhyNothing })
	d.addOutside(inside)
	d.addLeft(inside)
	d.addContext(inside)
	m.sort()
	return d, nil
}

// byURL gives the places in the order of their URLs.
func (b *book) byURL() []uint32 {
	order, urls := make([]uint32, len(b.places)), make([]page.URL, len(b.places))
	for p := range order {
		order[p], urls[p] = uint32(p), b.web.text(b.places[p].id)
	}
	slices.SortFunc(order, func(p, q uint32) int { return cmp.Compare(urls[p], urls[q]) })
	return order
}

// belongs is book.belongs by the cut of this settlement.
func (s *settlement) belongs(p uint32) bool {
	return s.book.lives(p) && s.book.holds(p, s.inside(p))
}

// certify proves the cut that the map draws, from the capacities and without trust in the solver,
// and tells its figures.
func (d *drawing) certify() error {
	m, s := d.m, d.s
	if err := s.net.Certify(); err != nil {
		return err
	}
	cut := s.net.Cut()
	c := &Certificate{
		Alpha: d.b.opts.Alpha, Toll: d.b.opts.Toll(),
		Flow: s.net.Value(), Value: cut.Value(),
		Links: cut.Arcs, Tolls: cut.Sinks, Soft: cut.Sources, Pages: s.net.Len(), Arcs: s.net.Arcs(),
	}
	m.Certificate = c
	return nil
}

// block gives the index of a place's block, -1 for none.
func (s *settlement) block(p uint32) int {
	if int(p) >= len(s.blocks.of) || s.blocks.of[p] == noBlock {
		return -1
	}
	return int(s.blocks.of[p])
}

// addPages lists the members and the requisites, with those of wider scales. first are the scales
// of all places.
func (d *drawing) addPages(inside func(uint32) bool, first ranks) {
	m, s, b := d.m, d.s, d.b
	needs := s.needs(first)
	var text []byte
	for _, p := range d.byURL {
		pl := &b.places[p]
		if b.counts(p) {
			m.Known++
			m.Fetched += b2i(pl.is(isAnswered))
		}
		text = b.web.appendText(text[:0], pl.id)
		x := Member{Why: b.why(p, inside), Block: s.block(p), Scale: int(first[p])}
		x.State, x.Note = b.state(p)
		need, needed := needs[pl.id]
		needed = needed && pl.is(isRequisite)
		if pl.is(isExcluded) && (needed && int(need) <= m.Scale || b.listed(p)) {
			d.barred = append(d.barred, p)
		}
		needed = needed && !pl.is(isExcluded)
		d.addVain(p, page.URL(text), &x, needed && int(need) <= m.Scale)
		if b.web.kind[pl.id] == page.Inferred {
			if m.madeUp == nil {
				m.madeUp = make(map[page.Key]bool)
			}
			m.madeUp[page.URL(text).Key()] = true
		}
		if needed && (x.Why == WhyNothing || int(need) < x.Scale) {
			d.addRequisite(pl.id, &x, int(need))
		}
		if x.Why != WhyNothing {
			if x.Why == WhyRule && x.Note == "" {
				x.Note = b.ruleOf(page.URL(text)).String()
			}
			d.named.put(pl.id, true)
			m.Members.add(text, &x)
			m.Pages += b2i(x.State == "fetched" && !b.web.files.has(pl.id))
			continue
		}
		if (!needed || int(need) > m.Scale) && pl.is(isVertex|isExcluded) && x.State != "failed" {
			m.others.add(text)
		}
		if first[p] != noRank {
			x.Why = b.wouldBe(p, x.State)
			d.named.put(pl.id, true)
			m.Wider.add(text, &x)
		}
	}
}

// addRequisite lists a page that is needed from a scale on; x is its member's entry.
func (d *drawing) addRequisite(id graph.ID, x *Member, need int) {
	m, w := d.m, d.b.web
	r := Requisite{URL: w.text(id), State: x.State, Note: x.Note, Scale: need}
	if via := w.via[id]; via != graph.None {
		r.For = w.text(via)
	}
	if x.Why == WhyNothing && need <= m.Scale {
		m.Requisites = append(m.Requisites, r)
	} else {
		m.Needed = append(m.Needed, r)
	}
}

// wouldBe is the reason for which a page of a wider scale belongs there.
func (b *book) wouldBe(p uint32, state string) Why {
	switch {
	case state == "redirect":
		return WhyRedirect
	case b.isCopy(p):
		return WhyCopy
	}
	return WhyFlow
}

// sort puts all lists in their order: the prefix, then blocks and places by name; pages by URL.
func (m *Map) sort() {
	m.sortBlocks()
	m.sortPages()
	slices.SortFunc(m.Beside, func(a, b LeftBelow) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Cut, func(a, b CutEdge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Block, b.Block),
			cmp.Compare(a.Capacity, b.Capacity))
	})
}

// sortPages puts the lists of pages in their order, members apart.
func (m *Map) sortPages() {
	slices.SortFunc(m.Requisites, func(a, b Requisite) int { return cmp.Compare(a.URL, b.URL) })
	slices.SortFunc(m.Needed, func(a, b Requisite) int { return cmp.Compare(a.URL, b.URL) })
	slices.SortStableFunc(m.Outside, func(a, b Outsider) int { return cmp.Compare(a.URL, b.URL) })
	// what context needs may have been found otherwise, too
	m.Outside = slices.CompactFunc(m.Outside, func(a, b Outsider) bool { return a.URL == b.URL })
	slices.SortFunc(m.Context, func(a, b Neighbour) int { return cmp.Compare(a.URL, b.URL) })
}

// sortBlocks renumbers blocks wherever a list names one.
func (m *Map) sortBlocks() {
	if len(m.Blocks) == 0 {
		return
	}
	order := make([]int, len(m.Blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order[1:], func(a, b int) int { return cmp.Compare(m.Blocks[a].Name, m.Blocks[b].Name) })
	rank := make([]int, len(order))
	blocks := make([]Block, len(order))
	for i, k := range order {
		rank[k], blocks[i] = i, m.Blocks[k]
	}
	renumber := func(k *int) {
		if *k >= 0 {
			*k = rank[*k]
		}
	}
	number := func(k int) int { renumber(&k); return k }
	for i := range blocks {
		renumber(&blocks[i].With)
	}
	m.Members.renumber(number)
	m.Wider.renumber(number)
	for i := range m.Scales {
		for j := range m.Scales[i].Blocks {
			renumber(&m.Scales[i].Blocks[j])
		}
		slices.Sort(m.Scales[i].Blocks)
	}
	for i := range m.Outside {
		renumber(&m.Outside[i].Block)
	}
	for i := range m.Cut {
		renumber(&m.Cut[i].Block)
	}
	m.Blocks = blocks
}
