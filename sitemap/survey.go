package sitemap

import (
	"fmt"
	"iter"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// Survey learns visits and says which pages it wants next, for several sites over one web. It is a
// fold: it does no input or output, and the same events in the same order leave the same state,
// byte for byte in the maps it gives. It is not safe for concurrent use.
type Survey struct {
	web   web
	sites []*boundary
	names map[string]int

	alpha float64 // of the options
	clock int     // epochs, of all sites
	kept  int     // links in settlements that are kept

	concerned []uint32   // for tell
	asked     []page.Key // for WantsBut
}

// NewSurvey begins a survey of some sites. The error tells which site or option is not valid.
func NewSurvey(sites []Site, opts Options) (*Survey, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	s := &Survey{names: make(map[string]int, len(sites))}
	opts = opts.WithDefaults()
	s.alpha = opts.Alpha
	s.web.payloads = newPayloads()
	if opts.HeedNoFollow {
		s.web.shunned = make(map[graph.ID][]graph.ID)
	}
	for i := range sites {
		if err := sites[i].validate(); err != nil {
			return nil, err
		}
		if _, twice := s.names[sites[i].Name]; twice {
			return nil, fmt.Errorf("two sites are named %q", sites[i].Name)
		}
		s.names[sites[i].Name] = i
		s.sites = append(s.sites, newBoundary(&s.web, i, sites[i], opts))
	}
	s.web.measured = !opts.NoEditDistance && opts.Preset == Shares &&
		slices.ContainsFunc(sites, func(x Site) bool { return x.Boundary == Logical })
	return s, nil
}

// Expect makes room for so many URLs in all, where the number is known beforehand.
func (s *Survey) Expect(urls int) { s.web.grow(urls) }

// Learn takes over a visit: whether it answered, and its links. The visit is not kept. A second
// visit to a URL replaces the first; if the links are the same, nothing happens. Visits that no
// site asked for are remembered, in case one will. Most calls cost O(links); one that makes an
// epoch of a site due costs that epoch. Sites that do not know the URL cost nothing.
func (s *Survey) Learn(v *page.Visit) {
	id, changed := s.web.learn(v)
	s.tell(id, changed)
}

// Miss tells that this crawl does not have a page of which an earlier one had a visit: its server was
// not reached, or said that it cannot answer now, or the page is left out, for the reason, as another
// one holds what it held. That is no evidence: the page stays in the graph as it was then, and maps
// tell it as failed, or as skipped for the reason. Else it is as Learn of that visit; a visit that is
// learned later takes its place.
func (s *Survey) Miss(before *page.Visit, reason string) {
	id, changed := s.web.miss(before, reason)
	s.tell(id, changed)
}

// tell tells the sites that know a page that it was learned, and whether that is new.
func (s *Survey) tell(id graph.ID, changed bool) {
	s.concerned = s.web.concerned(s.concerned[:0], id)
	for _, k := range s.concerned {
		b := s.sites[k]
		epochs := b.epochs
		b.told(id, changed)
		if b.epochs != epochs {
			s.forget(b)
		}
	}
}

// keptLinks bounds the links in the settlements that are kept from epoch to epoch, about 100 bytes
// each.
const keptLinks = 1 << 20

// forget lets go of the settlements that were not brought up to date for longest, as long as there
// are too many links in them, but for that of one site. They are computed from nothing when they
// are needed again.
func (s *Survey) forget(but *boundary) {
	s.clock++
	but.settledAt = s.clock
	s.kept -= but.keptLinks
	but.keptLinks = 0
	if but.news.kept {
		but.keptLinks = len(but.last.to)
	} else {
		but.last = nil
	}
	s.kept += but.keptLinks
	for s.kept > keptLinks {
		var oldest *boundary
		for _, b := range s.sites {
			if b != but && b.keptLinks > 0 && (oldest == nil || b.settledAt < oldest.settledAt) {
				oldest = b
			}
		}
		if oldest == nil {
			return
		}
		s.kept -= oldest.keptLinks
		oldest.keptLinks = 0
		oldest.unsettle()
		oldest.last = nil
	}
}

// URLs gives all URLs that the survey has met, those that no site knows too.
func (s *Survey) URLs() iter.Seq[page.URL] {
	return func(yield func(page.URL) bool) {
		for id := range s.web.len() {
			if !yield(s.web.text(graph.ID(id))) {
				return
			}
		}
	}
}

// Drop tells that a URL will not be fetched, and why, in a word or two: "robots", "host limit". It
// counts as an attempt; the page stays a vertex without known links. A URL that was visited is not
// dropped.
func (s *Survey) Drop(u page.URL, reason string) {
	id, changed := s.web.drop(u, reason)
	s.tell(id, changed)
}

// Postpone tells that a URL was not answered, and is tried again: nothing waits for it that could be wanted
// meanwhile. A visit that is learned later counts, and so does it that the URL is dropped.
func (s *Survey) Postpone(u page.URL) {
	id, changed := s.web.postpone(u)
	s.tell(id, changed)
}

// Wants gives the pages that came to be wanted since the last call, grouped by site, in the order
// in which they came to be wanted. It costs O(wants). A site wants each page once, though two sites
// may want one page; a page that was visited or dropped before is never in it.
func (s *Survey) Wants() []Want { return s.WantsBut(func([]page.Key) []bool { return nil }) }

// WantsBut is Wants without what known reports to be known, one by one, by the keys of the URLs;
// these URLs are not put together. known may give nil for none of them. A URL whose key is that of
// another one may be asked for under yet another key.
func (s *Survey) WantsBut(known func([]page.Key) []bool) (wants []Want) {
	slices.Sort(s.web.wanting)
	for _, k := range s.web.wanting {
		b := s.sites[k]
		s.asked = s.asked[:0]
		for _, w := range b.queue {
			s.asked = append(s.asked, page.Key(b.key(w.place)))
		}
		is := known(s.asked)
		for i, w := range b.queue {
			if !s.web.visited(b.places[w.place].id) && (is == nil || !is[i]) {
				wants = append(wants, b.spell(w))
			}
		}
		if b.queue = b.queue[:0]; cap(b.queue) > mostKept {
			b.queue, s.asked = nil, nil
		}
	}
	s.web.wanting = s.web.wanting[:0]
	return wants
}

// mostKept is how many wishes the memory of a list of them is kept for: most pages have fewer.
const mostKept = 4 << 10

// Open gives all pages that are wanted and not yet answered, Wants of earlier calls too. A crawl
// that goes on after an interruption makes sure with it that nothing was lost. It costs O(known
// pages).
func (s *Survey) Open() []Want {
	var wants []Want
	for _, b := range s.sites {
		want := func(p int, why Why) { wants = append(wants, b.spell(b.wish(uint32(p), why))) }
		for p := range b.places {
			pl := &b.places[p]
			if s.web.visited(pl.id) || pl.is(isExcluded) {
				continue
			}
			switch {
			case pl.is(isAsked):
				want(p, pl.why)
			case pl.is(isRequisite):
				want(p, WhyRequisite)
			case pl.is(isSitemap):
				want(p, WhySitemap)
			default:
				if _, waits := b.around.waiting[uint32(p)]; waits {
					want(p, WhyContext)
				}
			}
		}
	}
	return wants
}

// Progress of a site.
type Progress struct {
	Asked      int // pages asked for
	Open       int // of these, not yet answered
	Requisites int // requisites not yet answered
	Context    int // pages wanted as context and not yet answered
	Known      int // pages known, requisites apart
	Inside     int // pages inside at the last epoch, or within the predicate of the mode
	Epochs     int
	Settled    bool
	Limited    bool // MaxPages kept something from being asked for
}

// Progress tells how far a site is. It costs O(1).
func (s *Survey) Progress(site string) (Progress, bool) {
	b, err := s.boundary(site)
	if err != nil {
		return Progress{}, false
	}
	return Progress{
		Asked: b.asked, Open: b.open, Requisites: b.files.parts, Known: b.known,
		Context: len(b.around.waiting), Inside: b.members, Epochs: b.epochs,
		Settled: b.settled(), Limited: b.limited,
	}, true
}

// Belongs reports a page that belongs to a site as things stand. It costs O(sites that know it).
func (s *Survey) Belongs(u page.URL) bool {
	id := s.web.find(u)
	if id == graph.None {
		return false
	}
	s.concerned = s.web.concerned(s.concerned[:0], id)
	return slices.ContainsFunc(s.concerned, func(k uint32) bool {
		b := s.sites[k]
		p := b.find(id)
		return p != none && b.places[p].is(isMember)
	})
}

// Known is the number of URLs that the survey has heard of.
func (s *Survey) Known() int { return s.web.len() }

// told tells the boundary that a page was learned, and whether that is new.
func (b *boundary) told(id graph.ID, changed bool) {
	p := b.find(id)
	if p != none && b.places[p].is(isAsked|isRequisite|isSitemap) {
		b.answer(p, changed)
	}
	b.around.answer(p)
	if root := b.web.root(id); b.files.roots[root] && b.web.robots[root] == id {
		b.files.namedSitemaps(root)
	}
	b.advance()
}
