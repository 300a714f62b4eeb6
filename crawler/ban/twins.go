package ban

import (
	"slices"
	"strings"

	"watershed/page"
)

// Bounds of pages that are the same to the byte: a cache or a balancer that mixes up addresses gives now and
// then a page in place of another.
const (
	// Of mostSampled groups the last page is asked for once more, then the first one: both at a time might
	// be mixed up once more. A host that is in order gets twice as many requests, therefore.
	mostSampled = 3
	// mostTwinTries is how often a page is asked for: where each fifth answer is wrong, one page in 125
	// is wrong three times. A page that is still the same then counts as one with two
	// addresses.
	mostTwinTries = 3
	mostTwinAsks  = 50      // requests to an origin, all in all: what is left is told
	mostTwins     = 1 << 10 // pages of an origin that are kept, which are looked through for each visit
	mostAlike     = 8       // pages of a group that may be so by mistake; more have one text, as soft 404s do
)

// twins are the pages of an origin that are the same to the byte as another one, under another path.
type twins struct {
	groups []twinGroup      // in the order in which they came
	asked  map[page.URL]int // pages that Last gave, how often
	asks   int
	rounds int    // in which Last gave some
	came   [2]int // of those that had a new text then: the first of their groups, and others
	waits  bool   // for what Last gave
	told   bool
}

// twinGroup is pages of which the last answer had one payload. It stays when pages leave it.
type twinGroup struct {
	content uint64
	pages   []page.URL // in the order in which they came
}

// learn takes over a visit of a page.
func (t *twins) learn(v *page.Visit) {
	if !v.OK() || !text(v) || v.Content == 0 {
		return
	}
	to := slices.IndexFunc(t.groups, func(g twinGroup) bool { return g.content == v.Content })
	if t.leave(v, to) {
		return
	}
	path, _, _ := strings.Cut(string(v.URL), "?")
	other, _, _ := strings.Cut(string(v.Origin.URL), "?")
	itself := v.Origin.URL == v.URL
	switch {
	case !v.Revisit, t.pages() >= mostTwins,
		path == other && !itself, // with other arguments many pages are the same
		!strings.HasPrefix(other, string(v.URL.Root())), len(v.Origin.URL) > maxURL:
	case to >= 0:
		t.groups[to].pages = append(t.groups[to].pages, clone(v.URL))
	case !itself:
		both := []page.URL{clone(v.Origin.URL), clone(v.URL)}
		t.groups = append(t.groups, twinGroup{v.Content, both})
	}
}

// leave takes a page out of its group, unless that is the one to which it belongs by now: then it reports so.
func (t *twins) leave(v *page.Visit, to int) (stays bool) {
	for i := range t.groups {
		g := &t.groups[i]
		at := slices.Index(g.pages, v.URL)
		if at < 0 {
			continue
		}
		if i == to {
			return true
		}
		if len(g.pages) > 1 && !v.Revisit && t.asked[v.URL] > 0 {
			t.came[min(at, 1)]++
		}
		g.pages = slices.Delete(g.pages, at, at+1)
	}
	return false
}

func (t *twins) pages() (n int) {
	for _, g := range t.groups {
		n += len(g.pages)
	}
	return n
}

// sought are the pages to be asked for once more, of an origin that gave so many: of each group those that
// came later, unless the first ones were mistakes more often, and then the others.
func (t *twins) sought(gives int) (pages []page.URL) {
	switch came := t.came[0] + t.came[1]; {
	case came == 0 && t.rounds < 2 && 2*(t.pages()-len(t.groups)) <= gives:
		pages = t.side(t.rounds == 1, 1)
		if n := len(pages); n > mostSampled {
			pages = []page.URL{pages[0], pages[n/2], pages[n-1]}
		}
	case strange(came, t.asks-came):
		for i := 0; i < 2*mostTwinTries && len(pages) == 0; i++ {
			pages = t.side(i%2 == 0 == (t.came[0] > t.came[1]), i/2+1)
		}
	}
	pages = pages[:min(len(pages), mostTwinAsks-t.asks)]
	for _, u := range pages {
		if t.asked == nil {
			t.asked = map[page.URL]int{}
		}
		t.asked[u]++
	}
	if t.waits = len(pages) > 0; t.waits {
		t.rounds++
	}
	t.asks += len(pages)
	return pages
}

// side are the first pages of the groups, or the others, of which less than so many requests were made.
func (t *twins) side(first bool, asks int) (pages []page.URL) {
	for _, g := range t.groups {
		if len(g.pages) < 2 || len(g.pages) > mostAlike {
			continue
		}
		for i, u := range g.pages {
			if (i == 0) == first && t.asked[u] < asks {
				pages = append(pages, u)
			}
		}
	}
	return pages
}

// lost gives, once, where leastMissing pages had a text of their own when they were asked for once more,
// those of which nobody knows whether they would have.
func (t *twins) lost() (pages []page.URL) {
	if t.told || t.waits || !t.mixed() {
		return nil
	}
	t.told = true
	for i, came := range t.came {
		if came > 0 {
			pages = append(pages, t.side(i == 0, mostTwinTries)...)
		}
	}
	return pages
}

// mixed reports that the origin mixes up its pages.
func (t *twins) mixed() bool {
	came := t.came[0] + t.came[1]
	return came >= leastMissing && strange(came, t.asks-came)
}
