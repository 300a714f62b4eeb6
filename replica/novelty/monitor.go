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
	places map[string]*place // by the key of their names
	clock  uint64
	known  map[uint64]bool // requisites that pages have shown, by key, and what they were
	shown  map[uint64]int  // by host and name of requisites: how much more often they were something new
}

// place is what the addresses that begin alike have brought.
type place struct {
	pages  int
	fresh  float64 // part of the last pages' text that was new, a mean that forgets
	growth float64 // new addresses a page, the same
	found  int     // since the last page
	used   uint64
	seen   *filter
	stop   *Stop // nil while it may go on
	spared int   // times that places within it were stopped in place of it
	name
}

// New makes a Monitor that has seen nothing. The error is that of Options.Validate.
func New(o Options) (*Monitor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Monitor{
		opts: o.withDefaults(), places: map[string]*place{}, known: map[uint64]bool{},
		shown: map[uint64]int{},
	}, nil
}

// name is a place of a URL.
type name struct {
	key  string // the text, each number in it as "#"
	text string // the beginning of the URL that the place is told by
}

// names are the places of a URL, the narrowest first: its path where it has a query or a number, then
// its directories up to that of the host. Places that differ in numbers alone are one: each day of a
// calendar may have a directory, or a path, of its own.
func names(u page.URL) []name {
	root := len(u.Root())
	path, _, query := strings.Cut(string(u), "?")
	whole := numberless(path, root)
	var list []name
	switch {
	case query:
		list = append(list, name{whole + "?", path + "?"})
	case whole != path && !strings.HasSuffix(path, "/"):
		list = append(list, name{whole, path})
	}
	key := whole
	for i := strings.LastIndexByte(path, '/'); i+1 >= root; i = strings.LastIndexByte(path[:i], '/') {
		key = key[:strings.LastIndexByte(key, '/')]
		list = append(list, name{key + "/", path[:i+1]})
	}
	return list
}

// numberless is a path with "#", which no URL has, for each number behind the first bytes.
func numberless(path string, first int) string {
	if !strings.ContainsAny(path[first:], "0123456789") {
		return path
	}
	b := append(make([]byte, 0, len(path)), path[:first]...)
	for i := first; i < len(path); i++ {
		switch {
		case path[i] < '0' || path[i] > '9':
			b = append(b, path[i])
		case b[len(b)-1] != '#':
			b = append(b, '#')
		}
	}
	return string(b)
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
	stopped := false
	for _, n := range names(u) {
		p := m.place(n)
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
		case stopped: // what a place within it brought says nothing of the rest
			p.again()
		case p.stop == nil && p.pages >= m.opts.Pages && p.fresh < m.opts.Least &&
			p.growth >= m.opts.Growth:
			m.stop(p)
			stopped = true
		case p.stop != nil:
			stopped = true
		}
	}
}

// stop stops an endless place; or, where some places right within it brought most of its pages and
// nothing new, those: the rest of it goes on, as if it had brought nothing yet.
func (m *Monitor) stop(p *place) {
	const mostSpared = 5
	var dull []*place
	sum := 0
	for key, in := range m.places {
		rest, ok := strings.CutPrefix(key, p.key)
		within := ok && rest != "" && !strings.Contains(rest[:len(rest)-1], "/")
		if within && strings.HasSuffix(p.key, "/") && in.stop == nil && in.fresh < m.opts.Least &&
			10*in.pages >= m.opts.Pages {
			dull = append(dull, in)
			sum += in.pages
		}
	}
	if 2*sum <= p.pages || p.spared == mostSpared {
		p.stop = &Stop{p.text, p.pages, p.fresh, p.key != p.text}
		return
	}
	p.spared++
	p.again()
	for _, in := range dull {
		m.stop(in)
	}
}

// again lets a place begin once more, with what it remembers of texts.
func (p *place) again() { p.pages, p.fresh, p.growth = 0, 1, 0 }

// maxRequisites bounds what is remembered of requisites; then all is forgotten, so that pages look
// newer than they are.
const maxRequisites = 1 << 20

// shows reports whether any requisite was never shown before, and remembers them. Requisites of a name
// that was in vain before do not count: where any path is answered, a relative address of a picture is
// another one on each page.
func (m *Monitor) shows(requisites []page.URL) (fresh bool) {
	for _, u := range requisites {
		k := uint64(withoutStamp(u).Key())
		fresh = fresh || !m.known[k] && m.shown[nameOf(u)] >= 0
		m.remember(k)
	}
	return fresh
}

func (m *Monitor) remember(key uint64) {
	if len(m.known) >= maxRequisites {
		clear(m.known)
	}
	m.known[key] = true
}

// withoutStamp is a requisite without its query where its name is that of a file, as pages have it that
// give each visitor, or each page, another address against caches.
func withoutStamp(u page.URL) page.URL {
	path, _, _ := strings.Cut(string(u), "?")
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "css", "js", "gif", "jpg", "jpeg", "png", "webp", "svg", "ico", "woff", "woff2":
		return page.URL(path)
	}
	return u
}

// Had tells what a requisite was that pages show: a digest of its content, 0 for an error or a page in
// its place.
func (m *Monitor) Had(u page.URL, content uint64) {
	const mostNames, mostCounted = 1 << 16, 16
	m.mu.Lock()
	defer m.mu.Unlock()
	name := nameOf(u)
	if _, ok := m.shown[name]; !ok && len(m.shown) >= mostNames {
		clear(m.shown)
	}
	step := 1
	if content == 0 || m.known[content] {
		step = -1
	}
	m.shown[name] = min(max(m.shown[name]+step, -mostCounted), mostCounted)
	m.remember(content)
}

// nameOf stands for the host of a requisite and the last part of its path.
func nameOf(u page.URL) uint64 {
	path := u.Path()
	return uint64(page.URL(string(u.Host()) + path[strings.LastIndexByte(path, '/'):]).Key())
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
	for _, n := range names(u) {
		p := m.places[n.key]
		if p != nil && slices.ContainsFunc(of, func(o name) bool { return o.key == n.key }) {
			p.found++
		}
	}
}

// Stop is a place that was stopped.
type Stop struct {
	Place string // a directory, a path, or a path that ends with "?"
	Pages int    // that it had brought then
	Fresh float64
	Alike bool // so were all whose addresses differ from it in numbers alone
}

// String tells it as the rule that keeps a URL out.
func (s Stop) String() string {
	format := "%s has no end: after %d pages %.1f%% of the text is new"
	if s.Alike {
		format = "%s and those with other numbers have no end: after %d pages %.1f%% of the text is new"
	}
	return fmt.Sprintf(format, s.Place, s.Pages, 100*s.Fresh)
}

// Refuses tells by which stopped place a new address is kept out; ok is false for one that is not.
func (m *Monitor) Refuses(u page.URL) (by Stop, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range names(u) {
		if p := m.places[n.key]; p != nil && p.stop != nil {
			return *p.stop, true
		}
	}
	return Stop{}, false
}

// place finds a place, or begins to watch it.
func (m *Monitor) place(n name) *place {
	if p := m.places[n.key]; p != nil {
		return p
	}
	if len(m.places) >= m.opts.Places {
		m.forget()
	}
	p := &place{fresh: 1, seen: new(filter), name: name{n.key, strings.Clone(n.text)}}
	m.places[n.key] = p
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
	for key, p := range m.places {
		if p.stop == nil && p.used <= middle {
			delete(m.places, key)
		}
	}
}
