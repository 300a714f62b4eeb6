package novelty

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"watershed/page"
)

// Options say when a place is stopped. The zero value has the documented defaults.
type Options struct {
	// Pages is how many pages a place must have brought before it can be stopped. Default 200.
	Pages int
	// Least is the part of the text of the last pages that must be new. Default 0.05.
	Least float64
	// Growth is how many addresses of the place each of the last pages must have been the first to
	// name for the place to count as endless. Default 0.5.
	Growth float64
	// Places is how many places are watched; the place that brought nothing for longest is
	// forgotten for a new one. A place takes about 9 KiB once it has brought some pages. Default
	// 4096.
	Places int
}

// Validate reports a value outside its range.
func (o Options) Validate() error {
	if o.Pages < 0 || o.Places < 0 || !(o.Least >= 0 && o.Least <= 1) || !(o.Growth >= 0) {
		return fmt.Errorf("novelty: pages %d, places %d, least %g, growth %g: none may be below 0, nor "+
			"least above 1", o.Pages, o.Places, o.Least, o.Growth)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Pages, o.Places = cmp.Or(o.Pages, 200), cmp.Or(o.Places, 4096)
	o.Least, o.Growth = cmp.Or(o.Least, .05), cmp.Or(o.Growth, .5)
	return o
}

// Monitor watches places. It is safe for concurrent use; a call costs O(segments of the path +
// features).
type Monitor struct {
	opts Options

	mu     sync.Mutex
	places map[string]*place
	clock  uint64
	known  map[uint64]bool // requisites that pages have shown, by key
}

// place is what a path, or a directory, has brought.
type place struct {
	pages  int
	fresh  float64 // part of the last pages' text that was new, a mean that forgets
	growth float64 // new addresses a page, the same
	found  int     // since the last page
	used   uint64
	seen   *filter
	stop   *Stop // nil while it may go on
}

// New makes a Monitor that has seen nothing. The error is that of Options.Validate.
func New(o Options) (*Monitor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Monitor{opts: o.withDefaults(), places: map[string]*place{}, known: map[uint64]bool{}}, nil
}

// names are the places of a URL, the narrowest first: its path where it has a query, then its
// directories up to that of the host.
func names(u page.URL) []string {
	text := string(u)
	var list []string
	path, _, query := strings.Cut(text, "?")
	if query {
		list = append(list, path+"?")
	}
	root := len(u.Root())
	for i := strings.LastIndexByte(path, '/'); i+1 >= root; i = strings.LastIndexByte(path[:i], '/') {
		list = append(list, path[:i+1])
	}
	return list
}

// forgetting is the weight of the last page in the means, for places of that many pages.
func (m *Monitor) forgetting(pages int) float64 {
	return max(1/float64(pages), 4/float64(m.opts.Pages))
}

// Learn takes over a page that was fetched: the features of its text, and the requisites that it
// shows.
func (m *Monitor) Learn(u page.URL, features []uint64, requisites []page.URL) {
	m.mu.Lock()
	defer m.mu.Unlock()
	shows := m.shows(requisites)
	var stopped string
	for _, name := range names(u) {
		p := m.place(name)
		p.used = m.clock
		m.clock++
		p.pages++
		fresh := p.seen.learn(features)
		if shows {
			fresh = 1
		}
		w := m.forgetting(p.pages)
		p.fresh += w * (fresh - p.fresh)
		p.growth += w * (float64(p.found) - p.growth)
		p.found = 0
		switch {
		case stopped != "": // what a place within it brought says nothing of the rest
			p.pages, p.fresh, p.growth = 0, 1, 0
		case p.stop == nil && p.pages >= m.opts.Pages && p.fresh < m.opts.Least && p.growth >= m.opts.Growth:
			p.stop = &Stop{name, p.pages, p.fresh}
			stopped = name
		case p.stop != nil:
			stopped = name
		}
	}
}

// maxRequisites bounds what is remembered of requisites; then all is forgotten, so that pages look
// newer than they are.
const maxRequisites = 1 << 20

// shows reports whether any requisite was never shown before, and remembers them.
func (m *Monitor) shows(requisites []page.URL) (fresh bool) {
	if len(m.known)+len(requisites) > maxRequisites {
		clear(m.known)
	}
	for _, u := range requisites {
		k := uint64(u.Key())
		fresh = fresh || !m.known[k]
		m.known[k] = true
	}
	return fresh
}

// Found notes that a page was the first to name an address. It counts for the places that both have
// in common.
func (m *Monitor) Found(u, by page.URL) {
	if u.Host() != by.Host() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	of := names(by)
	for _, name := range names(u) {
		if p := m.places[name]; p != nil && slices.Contains(of, name) {
			p.found++
		}
	}
}

// Stop is a place that was stopped.
type Stop struct {
	Place string // a directory, or a path that ends with "?"
	Pages int    // that it had brought then
	Fresh float64
}

// String tells it as the rule that keeps a URL out.
func (s Stop) String() string {
	return fmt.Sprintf("%s has no end: after %d pages %.1f%% of the text is new", s.Place,
		s.Pages, 100*s.Fresh)
}

// Refuses tells by which stopped place a new address is kept out; ok is false for one that is not.
func (m *Monitor) Refuses(u page.URL) (by Stop, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names(u) {
		if p := m.places[name]; p != nil && p.stop != nil {
			return *p.stop, true
		}
	}
	return Stop{}, false
}

// place finds a place, or begins to watch it.
func (m *Monitor) place(name string) *place {
	if p := m.places[name]; p != nil {
		return p
	}
	if len(m.places) >= m.opts.Places {
		m.forget()
	}
	p := &place{fresh: 1, seen: new(filter)}
	m.places[name] = p
	return p
}

// forget drops the half of the places that brought nothing for longest; stopped ones stay.
func (m *Monitor) forget() {
	var ages []uint64
	for _, p := range m.places {
		if p.stop == nil {
			ages = append(ages, p.used)
		}
	}
	if len(ages) == 0 {
		clear(m.places)
		return
	}
	slices.Sort(ages)
	middle := ages[len(ages)/2]
	for name, p := range m.places {
		if p.stop == nil && p.used <= middle {
			delete(m.places, name)
		}
	}
}
