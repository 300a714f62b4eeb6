package sitemap

import (
	"fmt"

	"watershed/graph"
	"watershed/page"
)

// Survey learns visits and says which pages it wants next, for several sites over one web. It is a fold: it does no input
// or output, and the same events in the same order leave the same state, byte for byte in the maps it gives. It is not safe
// for concurrent use.
type Survey struct {
	web   web
	sites []*boundary
	names map[string]int
}

// NewSurvey begins a survey of some sites. The error tells which site or option is not valid.
func NewSurvey(sites []Site, opts Options) (*Survey, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	s := &Survey{names: make(map[string]int, len(sites))}
	opts = opts.withDefaults()
	s.web.measured = opts.Similarity != Constant && opts.Preset == Shares
	for i := range sites {
		if err := sites[i].validate(); err != nil {
			return nil, err
		}
		if _, twice := s.names[sites[i].Name]; twice {
			return nil, fmt.Errorf("two sites are named %q", sites[i].Name)
		}
		s.names[sites[i].Name] = i
		s.sites = append(s.sites, newBoundary(&s.web, sites[i], opts))
	}
	return s, nil
}

// Learn takes over a visit: whether it answered, and its links. The visit is not kept. A URL that is visited again replaces
// what was known of it; if its links are the same, nothing happens. Visits that no site asked for are remembered, in case one will. Most calls cost O(links); one that
// makes an epoch of a site due costs that epoch.
func (s *Survey) Learn(v *page.Visit) {
	id, changed := s.web.learn(v)
	for _, b := range s.sites {
		b.told(id, changed)
	}
}

// Drop tells that a URL will not be fetched, and why, in a word or two: "robots", "host limit". It counts as an attempt; the
// page stays a vertex without known links. A URL that was visited is not dropped.
func (s *Survey) Drop(u page.URL, reason string) {
	id, changed := s.web.drop(u, reason)
	for _, b := range s.sites {
		b.told(id, changed)
	}
}

// Stop ends asking on behalf of a site, for the reason given; what is known by now is judged once more.
func (s *Survey) Stop(site, reason string) {
	if i, ok := s.names[site]; ok {
		s.sites[i].stop(reason)
	}
}

// Wants gives what came to be wanted since the last call, grouped by site, in the order in which it came to be wanted. It
// costs O(sites + wants). A site says once what it wants, though two sites may want one page; a page that was visited or
// dropped before is never in it.
func (s *Survey) Wants() []Want {
	var wants []Want
	for _, b := range s.sites {
		for _, w := range b.queue {
			if !s.web.visited(s.web.find(w.URL)) {
				wants = append(wants, w)
			}
		}
		b.queue = b.queue[:0]
	}
	return wants
}

// Open gives all that is wanted and not yet answered, Wants of earlier calls too. A crawl that goes on after an interruption
// makes sure with it that nothing was lost. It costs O(known pages).
func (s *Survey) Open() []Want {
	var wants []Want
	for _, b := range s.sites {
		for p := range b.places {
			pl := &b.places[p]
			if s.web.visited(pl.id) || pl.is(isExcluded) || b.stopped != "" {
				continue
			}
			switch {
			case pl.is(isAsked):
				wants = append(wants, b.wish(uint32(p), pl.why))
			case pl.is(isRequisite):
				wants = append(wants, b.wish(uint32(p), WhyRequisite))
			case pl.is(isSitemap):
				wants = append(wants, b.wish(uint32(p), WhySitemap))
			}
		}
	}
	return wants
}

// Settled reports that a site has nothing open and its boundary is final, or that no site has, for "".
func (s *Survey) Settled(site string) bool {
	for _, b := range s.sites {
		if (site == "" || site == b.Name) && !b.settled() {
			return false
		}
	}
	return true
}

// Progress of a site.
type Progress struct {
	Asked      int // pages asked for
	Open       int // of these, not yet answered
	Requisites int // requisites not yet answered
	Known      int // pages known, requisites apart
	Inside     int // pages inside at the last epoch, or within the predicate of the mode
	Epochs     int
	Settled    bool
	Limited    bool   // MaxPages kept something from being asked for
	Stopped    string // the reason given to Stop
}

// Progress tells how far a site is. It costs O(known pages).
func (s *Survey) Progress(site string) (Progress, bool) {
	i, ok := s.names[site]
	if !ok {
		return Progress{}, false
	}
	b := s.sites[i]
	p := Progress{Asked: b.asked, Open: b.open, Requisites: b.parts, Epochs: b.epochs, Settled: b.settled(), Limited: b.limited, Stopped: b.stopped}
	for i := range b.places {
		if b.counts(uint32(i)) {
			p.Known++
			if b.belongs(uint32(i)) {
				p.Inside++
			}
		}
	}
	return p, true
}

// Known is the number of URLs that the survey has heard of.
func (s *Survey) Known() int { return s.web.len() }

// told passes on what was learned of a page, and whether that is new.
func (b *boundary) told(id graph.ID, changed bool) {
	p := b.local.get(id)
	if p != none && b.places[p].is(isAsked|isRequisite|isSitemap) {
		b.answer(p, changed)
	}
	if root := b.web.dirs.nodes[b.web.dir[id]].root; b.roots[root] && b.web.robots[root] == id {
		b.namedSitemaps(root)
	}
	b.advance()
}

// belongs reports whether a page is of the site as things stand.
func (b *boundary) belongs(p uint32) bool {
	pl := &b.places[p]
	if !b.lives(p) {
		return false
	}
	if pl.is(isSeed | inPrefix) {
		return true
	}
	return b.Boundary == Logical && pl.is(isInside) && !pl.is(isVetoed)
}
