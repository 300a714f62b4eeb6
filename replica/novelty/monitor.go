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

// Monitor watches places. It is safe for concurrent use; a call costs O(segments of the path +
// features).
type Monitor struct {
	opts Options

	mu     sync.Mutex
	places map[string]*place // by the key of their names
	clock  uint64
	known  map[uint64]bool // requisites that pages have shown, by key, and what they were; paths of pages
	orders orders
	said   said
	values map[uint64]tells
	shown  map[uint64]int // by host and name of requisites: how much more often they were something new
}

// place is what the addresses that begin alike have brought.
type place struct {
	pages  int
	fresh  float64 // part of the last pages' text that was new, a mean that forgets
	words  float64 // part of the last pages with a word that no page had, likewise
	tells  float64 // part of the last pages whose lines, with their numbers, no page had together, likewise
	growth float64 // new addresses a page, a mean that forgets twice as fast
	found  int     // since the last page
	named  []named // the last pages that were the first to name addresses, and how many
	used   uint64
	seen   *filter
	stop   *Stop // nil while it may go on
	spared int   // times that places within it were stopped in place of it
	may    int   // pages that it may bring since it was stopped and let go on, 0 before; see grant
	denied bool  // some was refused by it since then
	name

	// Where this is the kind of pages: the part of the last pages' text that was new to their host, and
	// how many addresses of other kinds each was the first to name, by key.
	news    float64
	leads   map[string]lead
	refused bool // some since it was asked last whether they are to be fetched after all
	// trials is how many pages of kinds that are hardly known may still bring nothing, once stopped;
	// unmet of pages of whose path, with a query or without, none was fetched.
	trials, unmet int
	unread        int // pages of the kind that brought something: see Brings
}

type named struct{ page, found int }

// lead is how many addresses of a kind each of the last pages was the first to name, and the next one so far.
type lead struct {
	mean  float64
	found int
}

// mostNamed is of how many pages that name new addresses the last are known.
const mostNamed = 5

// tell takes over how many addresses the last page was the first to name.
func (p *place) tell() {
	if p.found > 0 {
		p.named = append(p.named[max(0, len(p.named)-mostNamed+1):], named{p.pages, p.found})
	}
	p.found = 0
}

// goesOn reports that not one page alone, such as a long list, has named what is new.
func (p *place) goesOn(growth float64) bool {
	if len(p.named) < mostNamed {
		return false
	}
	sum, most := 0, 0
	for _, n := range p.named {
		sum, most = sum+n.found, max(most, n.found)
	}
	return float64(sum-most) >= growth*float64(p.pages-p.named[0].page)
}

// New makes a Monitor that has seen nothing.
func New(o Options) *Monitor {
	o.Pages, o.Places = cmp.Or(o.Pages, 200), cmp.Or(o.Places, 4096)
	o.Least, o.Growth = cmp.Or(o.Least, .05), cmp.Or(o.Growth, .5)
	return &Monitor{
		opts: o, places: map[string]*place{}, known: map[uint64]bool{},
		shown: map[uint64]int{}, orders: orders{}, values: map[uint64]tells{},
	}
}

// name is a place of a URL.
type name struct {
	key  string // the text, each number in it as "#"
	text string // the beginning of the URL that the place is told by
}

// names are the places of a URL, the narrowest first: its kind, its path where it has a query, then its
// directories up to that of the host. Places that differ in numbers alone are one: each day of a
// calendar may have a directory, or a path, of its own.
//
// The kind is a path with the names of the query's arguments, a path that ends with a number, or the
// pages right in a directory.
func names(u page.URL) []name {
	root := len(u.Root())
	path, query, asks := strings.Cut(string(u), "?")
	whole := numberless(path, root)
	file := strings.TrimSuffix(path, "/")
	dir := max(strings.LastIndexByte(file, '/')+1, root)
	var list []name
	switch {
	case asks:
		args := arguments(query)
		list = append(list, name{whole + "?" + args, path + "?" + args}, name{whole + "?", path + "?"})
	case !strings.ContainsAny(path[min(dir, len(path)):], "0123456789"):
		list = append(list, name{numberless(path[:dir], root) + rightIn, "what lies right in " + path[:dir]})
	case file == path:
		list = append(list, name{whole, path})
	}
	key := whole
	for i := strings.LastIndexByte(path, '/'); i+1 >= root; i = strings.LastIndexByte(path[:i], '/') {
		key = key[:strings.LastIndexByte(key, '/')]
		list = append(list, name{key + "/", path[:i+1]})
	}
	return list
}

// rightIn ends the key of the kind that is the pages right in a directory.
const rightIn = "##"

// finer reports a kind that divides the pages of a directory, or of a path, once more.
func (n name) finer() bool {
	_, args, _ := strings.Cut(n.key, "?")
	return args != "" || strings.HasSuffix(n.key, rightIn)
}

// arguments are the names of a query's arguments, ordered: the order says nothing.
func arguments(query string) string {
	const longest = 256
	args := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	for i, a := range args {
		args[i], _, _ = strings.Cut(a, "=")
	}
	slices.Sort(args)
	all := numberless(strings.Join(slices.Compact(args), "&"), 0)
	return all[:min(len(all), longest)]
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
		case len(b) == 0 || b[len(b)-1] != '#':
			b = append(b, '#')
		}
	}
	return string(b)
}

// forgetting is the weight of the last page in a mean, for places of that many pages; of one that forgets
// so many times as fast.
func (m *Monitor) forgetting(pages int, fast float64) float64 {
	return max(1/float64(max(pages, 1)), fast*4/float64(m.opts.Pages))
}

// Learn takes over a page that was fetched: the features of its text, and the requisites that it
// shows.
func (m *Monitor) Learn(u page.URL, f Features, requisites []page.URL) {
	m.mu.Lock()
	defer m.mu.Unlock()
	features, shows := f.runs, m.shows(requisites)
	told := m.said.learn(u, f)
	var kind, stopped *place // stopped: the narrowest that is
	granted := false
	fresh, unmet, reordered := 1.0, m.unmet(u), m.orders.again(u, features)
	m.remember(pathOf(u))
	for _, n := range names(u) {
		p := m.place(n)
		kind = cmp.Or(kind, p)
		p.used = m.clock
		m.clock++
		p.pages++
		fresh = p.seen.learn(features)
		switch {
		case shows || told.rows:
			fresh = 1
		case reordered:
			fresh = 0
		}
		p.fresh += m.forgetting(p.pages, 1) * (fresh - p.fresh)
		p.words += m.forgetting(p.pages, 1) * (one(told.word && !reordered) - p.words)
		p.tells += m.forgetting(p.pages, 1) * (one(told.all && !reordered) - p.tells)
		p.growth += m.forgetting(p.pages, 2) * (float64(p.found) - p.growth)
		p.tell()
		switch {
		case stopped != nil || granted: // what a place within it brought says nothing of the rest
			p.again()
		case p.stop == nil && p.pages >= max(m.opts.Pages, p.may) && p.fresh < m.opts.Least &&
			p.growth >= m.opts.Growth && p.goesOn(m.opts.Growth) && m.leads(p) < leadsEnough:
			m.stop(p)
			stopped = p
		case p.stop != nil:
			stopped = p
		}
		granted = granted || p.may > 0
	}
	m.learnValues(u, fresh, told.line)
	w := m.forgetting(kind.pages, 1)
	kind.news += w * (fresh - kind.news)
	for key, l := range kind.leads {
		if l.mean += w * (float64(l.found) - l.mean); l.mean < min(leastLead, w/2) {
			delete(kind.leads, key)
			continue
		}
		kind.leads[key] = lead{mean: l.mean}
	}
	switch {
	case stopped == nil:
	case fresh < m.opts.Least && unmet && stopped.unmet > 0:
		stopped.unmet--
	case fresh < m.opts.Least && stopped != kind && kind.pages <= trialsOfKind:
		stopped.trials = max(stopped.trials-1, 0)
	case fresh >= m.opts.Least && unmet:
		stopped.unmet = min(stopped.unmet+trialsOfKind, m.trials())
		fallthrough
	case fresh >= m.opts.Least && stopped != kind:
		stopped.trials = min(stopped.trials+trialsOfKind, m.trials())
	}
}

// unmet reports an address with a query of whose path no page was fetched. A path that each link names
// with another number behind it, against caches or for statistics, is none of its own each time.
func (m *Monitor) unmet(u page.URL) bool {
	return strings.IndexByte(string(u), '?') >= 0 && !m.known[pathOf(u)]
}

// pathOf stands for the path of a page, whatever its query.
func pathOf(u page.URL) uint64 {
	path, _, _ := strings.Cut(string(u), "?")
	return uint64(page.URL("path " + path).Key())
}

// Brings takes over a page whose text was not read, and that brings something: a document, or a page that
// has not changed since an earlier run. That says nothing of the pages that lead to it: each day of a
// calendar may have a document.
func (m *Monitor) Brings(u page.URL) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kind := m.place(names(u)[0])
	kind.used = m.clock
	m.clock++
	kind.unread++
	m.remember(pathOf(u))
}

// trialsOfKind is how many pages of a kind are asked for where a place around it was stopped.
const trialsOfKind = 5

// leadsEnough is how many addresses of pages that bring something each page of a kind is the first to
// name that is a list of them, whatever its own text says. Below leastLead a kind is not known any more, and
// there is room for another one of mostLeads.
const (
	leadsEnough = .5
	leastLead   = .01
	mostLeads   = 8
)

// leads is how many addresses of pages that bring something, as far as is known by now, each page of a kind
// is the first to name.
func (m *Monitor) leads(kind *place) (sum float64) {
	for key, l := range kind.leads {
		if to := m.places[key]; to != nil && to.stop == nil && to.pages > 0 && to.news >= m.opts.Least {
			sum += l.mean
		}
	}
	return sum
}

// worth reports a kind whose pages bring something, unless it was stopped for itself, or lead to what does.
func (m *Monitor) worth(kind *place) bool {
	return kind != nil && (m.leads(kind) >= leadsEnough || kind.stop == nil &&
		(kind.unread > kind.pages || kind.pages > 0 && kind.news >= m.opts.Least))
}

// mostGranted is how many times Options.Pages a place may bring of whose pages some have a word that is
// new, or tellsSome say something new, if only by a number, as a chain of short records does, and a
// calendar that shows prices. Each may be the first to name mostNaming addresses: a list that can be
// filtered names more.
const (
	mostGranted = 10
	tellsSome   = .3
	mostNaming  = 5
)

// grant lets a stopped place bring twice as many pages as it has, if its last ones said something, or some
// led to pages that bring something, as the few days of a diary do that have events.
func (m *Monitor) grant(p *place) bool {
	most := mostGranted * m.opts.Pages
	says := p.words >= m.opts.Least || p.tells >= tellsSome || m.leads(p) > 0
	if p.stop == nil || !p.denied || !says || p.growth >= mostNaming || p.pages >= most {
		return false
	}
	p.stop, p.denied, p.may = nil, false, min(2*p.pages, most)
	return true
}

// Reconsiders reports, once, that pages were refused that are to be fetched now that nothing else is left:
// those whose kind brings something, or leads to what does, as is known by now, since where a page leads to
// may be fetched long after it; and those of places that say little.
func (m *Monitor) Reconsiders() (some bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.places {
		some = m.grant(p) || some
		if p.refused && m.worth(p) {
			p.refused, some = false, true
		}
	}
	return some
}

// trials is how many pages of hardly known kinds may bring nothing where a place was stopped.
func (m *Monitor) trials() int { return m.opts.Pages / 4 }

// stop stops an endless place; or, where some places right within it brought most of its pages and
// nothing new, those: the rest of it goes on, as if it had brought nothing yet.
func (m *Monitor) stop(p *place) {
	const mostSpared = 5
	var dull []*place
	sum := 0
	for key, in := range m.places {
		rest, ok := strings.CutPrefix(key, p.key)
		within := ok && rest != "" && !strings.Contains(rest[:len(rest)-1], "/") && !in.finer()
		if within && strings.HasSuffix(p.key, "/") && in.stop == nil && in.fresh < m.opts.Least &&
			10*in.pages >= m.opts.Pages {
			dull = append(dull, in)
			sum += in.pages
		}
	}
	if 2*sum <= p.pages || p.spared == mostSpared {
		p.stop = &Stop{p.text, p.pages, p.fresh, strings.Contains(strings.TrimSuffix(p.key, rightIn), "#")}
		p.trials, p.unmet = m.trials(), m.trials()
		return
	}
	p.spared++
	p.again()
	for _, in := range dull {
		m.stop(in)
	}
}

// again lets a place begin once more, with what it remembers of texts.
func (p *place) again() { p.pages, p.fresh, p.words, p.tells, p.growth, p.named = 0, 1, 1, 1, 0, nil }

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

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
// in common, and for the page's kind where it leads to another one that brings something.
func (m *Monitor) Found(u, by page.URL) {
	if u.Host() != by.Host() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	of, list := names(by), names(u)
	for _, n := range list {
		p := m.places[n.key]
		if p != nil && slices.ContainsFunc(of, func(o name) bool { return o.key == n.key }) {
			p.found++
		}
	}
	from, to := m.places[of[0].key], list[0].key
	if from == nil || from.key == to {
		return
	}
	if l, ok := from.leads[to]; ok || len(from.leads) < mostLeads {
		if from.leads == nil {
			from.leads = map[string]lead{}
		}
		from.leads[to] = lead{l.mean, l.found + 1}
	}
}

// Stop is a place that was stopped.
type Stop struct {
	Place string // a directory or what lies right in it, a path, or one with the names of arguments
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

// Refuses tells by which stopped place a URL is kept out; ok is false for one that is not. Nothing is kept
// out whose kind brings what is new to the host or leads to it, nor, by a wider place than that, the first
// pages of a kind, as long as some of such first pages bring something. Likewise no
// place keeps out an address with a query of whose path nothing was fetched, as long as some of those do, nor
// one with a value that no page had, of an argument whose new values brought something.
func (m *Monitor) Refuses(u page.URL) (by Stop, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var kind *place
	unmet := m.unmet(u)
	for i, n := range names(u) {
		p := m.places[n.key]
		if i == 0 {
			kind = p
		}
		switch {
		case p == nil || p.stop == nil:
		case unmet && p.unmet > 0, m.bringsValue(u):
		case m.worth(kind):
		case p != kind && (kind == nil || kind.pages < trialsOfKind) && p.trials > 0:
		default:
			p.denied = true
			if kind != nil {
				kind.refused = true
			}
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
	p := &place{fresh: 1, words: 1, tells: 1, seen: new(filter), name: name{n.key, strings.Clone(n.text)}}
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
