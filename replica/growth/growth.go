package growth

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"watershed/page"
	"watershed/replica/sketch"
)

// Kept of each page, all by the least: values of its sketch, which tell resemblance with a standard
// error of .07 at most; those by which it is looked for; and its links.
const (
	keptValues  = 48
	indexValues = 6
	keptLinks   = 24
)

// Grower grows collections. See the package.
type Grower struct {
	bounds
	pages  []visited
	number map[page.Key]uint32   // of the visited pages
	linked map[page.Key]struct{} // addresses that pages lead to
	index  map[uint64][]uint32   // pages by shingle; nil where too many have it
	under  map[string][]uint32   // pages of a directory, or of one below it, in the order of Add
	pairs  map[Candidate]*grown
	work   sketch.Sketch
}

// The least of each figure of a Copy by which a place is a copy of another.
const (
	leastTwins     = 10  // of its pages
	leastContained = .9  // Containment
	leastPure      = .9  // Purity
	leastShape     = .5  // Shape; links to what a copy has for itself differ
	leastAlike     = .8  // resemblance of twins
	mostCommon     = 100 // pages above which a shingle says nothing
)

// bounds keep the memory and the time.
type bounds struct {
	largest int // pages above which a place is not measured
	most    int // pages that are taken in, which take some 300 MB
}

// deepest bounds in how many directories a page is counted.
const deepest = 16

// visited is what is kept of a page.
type visited struct {
	url    page.URL
	gone   bool
	file   bool     // it has no text
	values []uint64 // ascending
	links  []uint64 // ascending
}

// Candidate is two places, in order, that are measured once they have pairs of twins enough.
type Candidate struct{ A, B string }

func (x Candidate) compare(y Candidate) int {
	return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
}

// grown counts the twins of two places.
type grown struct {
	twins int
	next  int // twins at which they are to be measured next
}

// Copy is a place that is a copy of another.
type Copy struct {
	Place, Of   string
	Pages       int // of the place, visited
	Twins       int // of them, with a twin
	Containment float64
	Purity      float64
	Shape       float64
	Resemblance float64 // mean of the twins

	shared string // the directory of both in which all twins lie
}

// New makes an empty Grower.
func New() *Grower {
	return &Grower{
		bounds: bounds{largest: 1000, most: 200_000},
		number: map[page.Key]uint32{}, linked: map[page.Key]struct{}{},
		index: map[uint64][]uint32{}, under: map[string][]uint32{}, pairs: map[Candidate]*grown{},
	}
}

// Add takes a visit in, once for each URL: a page with text, a file, or what was found to be gone. It
// gives the places that are to be measured now, in order: when their twins are enough, and again
// whenever these have grown by a quarter, mostMeasured at a time. Cost: the size of sketch and links,
// and at most mostCommon pages for each of a few shingles. It does nothing any more when
// most pages were added, or some linksAPage times as many addresses linked to.
func (g *Grower) Add(v *page.Visit) ([]Candidate, error) {
	if _, there := g.number[v.URL.Key()]; there || g.Full() || v.Undrawn() {
		return nil, nil
	}
	p := visited{url: v.URL, gone: !v.OK() && v.Status != 304 || v.SoftError, file: len(v.Sketch) == 0}
	if !p.gone && !p.file {
		if err := g.work.Decode(v.Sketch); err != nil {
			return nil, fmt.Errorf("sketch of %s: %w", v.URL, err)
		}
		p.values = slices.Clone(g.work.Values[:min(len(g.work.Values), keptValues)])
		p.links = linksOf(v)
		for i := range v.Links {
			g.linked[v.Links[i].URL.Key()] = struct{}{}
		}
	}
	n := uint32(len(g.pages))
	g.pages = append(g.pages, p)
	g.number[v.URL.Key()] = n
	depth := 0
	for dir := range v.URL.Directories() {
		if depth++; depth > deepest {
			break
		}
		g.under[dir] = append(g.under[dir], n)
	}
	if p.gone || p.file {
		return nil, nil
	}
	return g.meet(n), nil
}

// linksAPage is how many addresses there may be for each of the most pages.
const linksAPage = 16

// Full reports that no more is taken in.
func (g *Grower) Full() bool {
	return len(g.pages) >= g.most || len(g.linked) >= linksAPage*g.most
}

// mostMeasured is how many places a page has measured at most; the others' turn comes with a later one.
const mostMeasured = 4

// meet pairs a page with those before it that have shingles in common, and indexes it.
func (g *Grower) meet(n uint32) []Candidate {
	p := &g.pages[n]
	seen := map[uint32]bool{}
	for _, x := range p.values[:min(len(p.values), indexValues)] {
		list, known := g.index[x]
		if known && list == nil {
			continue
		}
		for _, q := range list {
			seen[q] = true
		}
		if list = append(list, n); len(list) > mostCommon {
			list = nil
		}
		g.index[x] = list
	}
	met := map[Candidate]bool{}
	for q := range seen {
		if x, ok := placesOf(p.url, g.pages[q].url); ok && alike(p, &g.pages[q]) >= leastAlike {
			met[x] = true
		}
	}
	var list []Candidate
	for _, x := range slices.SortedFunc(maps.Keys(met), Candidate.compare) {
		if g.pairs[x] == nil {
			g.pairs[x] = &grown{next: leastTwins}
		}
		now := g.pairs[x]
		if now.twins++; now.twins >= now.next && len(list) < mostMeasured {
			now.next = now.twins + max(now.twins/4, 1)
			list = append(list, x)
		}
	}
	return list
}

// alike is the resemblance of the texts of two pages.
func alike(p, q *visited) float64 { return share(p.values, q.values, keptValues) }

// share is the resemblance of two sets of which the least are known, most of each at most: that of
// what lies within the range that both know. 0 where nothing does.
func share(a, b []uint64, most int) float64 {
	limit := uint64(math.MaxUint64)
	for _, list := range [][]uint64{a, b} {
		if len(list) >= most {
			limit = min(limit, list[len(list)-1])
		}
	}
	union, both := 0, 0
	for len(a) > 0 || len(b) > 0 {
		left := len(b) == 0 || len(a) > 0 && a[0] <= b[0]
		right := len(a) == 0 || len(b) > 0 && b[0] <= a[0]
		if left && a[0] > limit || !left && b[0] > limit {
			break
		}
		if union++; left && right {
			both++
		}
		if left {
			a = a[1:]
		}
		if right {
			b = b[1:]
		}
	}
	if union == 0 {
		return 0
	}
	return float64(both) / float64(union)
}

// Rather says which of two places is the original, below 0 for the first; sure is false where that is
// no more than their order.
type Rather func(a, b string) (order int, sure bool)

// Measure tells whether one of two places is a copy of the other, or a directory of both is, as far as
// is known now; ok is false where none is, or where a place has more pages than are measured. The copy is
// the one that rather tells, or the directory of that in which all its twins lie. Where it is not sure,
// the original may be held for a copy that it lies in, and of two that nothing tells apart the one that
// was seen first is the original. It looks at all pages of both places, four times at most.
func (g *Grower) Measure(c Candidate, rather Rather) (found Copy, ok bool) {
	n, m := len(g.under[c.A]), len(g.under[c.B])
	if max(n, m) > g.largest || min(n, m) == 0 { // none are counted deeper than deepest
		return Copy{}, false
	}
	order, sure := rather(c.A, c.B)
	place, of := c.B, c.A
	if cmp.Or(order, cmp.Compare(g.under[c.A][0], g.under[c.B][0])) > 0 {
		place, of = c.A, c.B
	}
	x := g.measure(place, of)
	if x.shared != "" && !x.enough() {
		x = g.measure(place+x.shared, of+x.shared)
	}
	if x.enough() {
		return x, true
	}
	if sure {
		return Copy{}, false
	}
	x = g.measure(of, place)
	return x, x.enough()
}

// Has reports a place of which pages or files were added.
func (g *Grower) Has(place string) bool { return len(g.under[place]) > 0 }

// Under gives the pages and files of a place that were added, in that order.
func (g *Grower) Under(place string) (list []page.URL) {
	for _, n := range g.under[place] {
		list = append(list, g.pages[n].url)
	}
	return list
}

func (c *Copy) enough() bool {
	return c.Twins >= leastTwins && c.Containment >= leastContained && c.Purity >= leastPure &&
		c.Shape >= leastShape
}

// measure compares the pages of a place with those of another under the same paths.
func (g *Grower) measure(place, of string) Copy {
	c := Copy{Place: place, Of: of}
	compared, known := 0, 0
	for _, n := range g.under[place] {
		p := &g.pages[n]
		if p.gone || p.file {
			continue
		}
		path := strings.TrimPrefix(string(p.url), place)
		c.Pages++
		key := page.URL(of + path).Key()
		q, visited := g.number[key]
		if !visited {
			if _, linked := g.linked[key]; linked {
				known++
			}
			continue
		}
		compared++
		if g.pages[q].gone || g.pages[q].file {
			continue
		}
		known++
		if like := alike(p, &g.pages[q]); like >= leastAlike {
			if c.Twins++; c.Twins == 1 {
				c.shared = strings.TrimPrefix(p.url.Directory(), place)
			}
			for !strings.HasPrefix(path, c.shared) {
				c.shared = c.shared[:strings.LastIndexByte(c.shared[:len(c.shared)-1], '/')+1]
			}
			c.Resemblance += like
			c.Shape += shape(p, &g.pages[q])
		}
	}
	if compared > 0 {
		c.Containment = float64(c.Twins) / float64(compared)
	}
	if c.Pages > 0 {
		c.Purity = float64(known) / float64(c.Pages)
	}
	if c.Twins > 0 {
		c.Shape /= float64(c.Twins)
		c.Resemblance /= float64(c.Twins)
	}
	return c
}
