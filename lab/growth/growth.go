package growth

import (
	"cmp"
	"fmt"
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
	opts   Options
	pages  []visited
	number map[page.Key]uint32    // of the visited pages
	linked map[page.Key]bool      // addresses that pages lead to
	index  map[uint64][]uint32    // pages by shingle; nil where too many have it
	under  map[page.Host][]uint32 // pages of a host
	pairs  map[pair]*grown
	work   sketch.Sketch
}

// visited is what is kept of a page.
type visited struct {
	url    page.URL
	gone   bool
	values []uint64 // ascending
	links  []uint64 // ascending
}

// pair is two places, in order.
type pair struct{ a, b string }

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
}

// New makes an empty Grower.
func New(o Options) (*Grower, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Grower{
		opts: o.withDefaults(), number: map[page.Key]uint32{}, linked: map[page.Key]bool{},
		index: map[uint64][]uint32{}, under: map[page.Host][]uint32{}, pairs: map[pair]*grown{},
	}, nil
}

// Add takes a visit in: a page with text, or one that was found to be gone. It is to be called once
// for each URL, and gives the places that are to be measured now, in order: when their twins are
// enough, and again whenever these have grown by a quarter. Cost: the size of sketch and links, and
// at most Options.Common pages for each of a few shingles.
func (g *Grower) Add(v *page.Visit) ([]Candidate, error) {
	if _, there := g.number[v.URL.Key()]; there {
		return nil, nil
	}
	p := visited{url: v.URL, gone: !v.OK() || v.SoftError}
	if !p.gone {
		if len(v.Sketch) == 0 {
			return nil, nil
		}
		if err := g.work.Decode(v.Sketch); err != nil {
			return nil, fmt.Errorf("sketch of %s: %w", v.URL, err)
		}
		p.values = slices.Clone(g.work.Values[:min(len(g.work.Values), keptValues)])
		p.links = linksOf(v)
		for i := range v.Links {
			g.linked[v.Links[i].URL.Key()] = true
		}
	}
	n := uint32(len(g.pages))
	g.pages = append(g.pages, p)
	g.number[v.URL.Key()] = n
	g.under[v.URL.Host()] = append(g.under[v.URL.Host()], n)
	if p.gone {
		return nil, nil
	}
	return g.meet(n), nil
}

// Candidate is two places that have pairs of twins enough to be measured.
type Candidate struct{ A, B string }

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
		if list = append(list, n); len(list) > g.opts.Common {
			list = nil
		}
		g.index[x] = list
	}
	met := map[pair]bool{}
	for q := range seen {
		if x, ok := placesOf(p.url, g.pages[q].url); ok && g.alike(p, &g.pages[q]) {
			met[x] = true
		}
	}
	var list []Candidate
	for x := range met {
		if g.pairs[x] == nil {
			g.pairs[x] = &grown{next: g.opts.Pages}
		}
		now := g.pairs[x]
		if now.twins++; now.twins >= now.next {
			now.next += max(now.next/4, 1)
			list = append(list, Candidate{x.a, x.b})
		}
	}
	slices.SortFunc(list, func(x, y Candidate) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return list
}

// alike reports two pages of similar text.
func (g *Grower) alike(p, q *visited) bool {
	return share(p.values, q.values, keptValues) >= g.opts.Similar
}

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

// Measure tells whether one of two places is a copy of the other, as far as is known now; ok is false
// where none is. Where each is a copy of the other, the one that was seen later is. It looks at all
// pages of both hosts.
func (g *Grower) Measure(c Candidate) (found Copy, ok bool) {
	x, y := g.measure(c.B, c.A), g.measure(c.A, c.B)
	switch good, other := g.enough(&x), g.enough(&y); {
	case good && other && g.first(c.A) > g.first(c.B), !good && other:
		return y, true
	case good:
		return x, true
	}
	return Copy{}, false
}

// first is the number of the first page of a place.
func (g *Grower) first(place string) uint32 {
	for _, n := range g.under[page.URL(place).Host()] {
		if strings.HasPrefix(string(g.pages[n].url), place) {
			return n
		}
	}
	return uint32(len(g.pages))
}

func (g *Grower) enough(c *Copy) bool {
	return c.Twins >= g.opts.Pages && c.Containment >= g.opts.Containment && c.Purity >= g.opts.Purity &&
		c.Shape >= g.opts.Shape
}

// measure compares the pages of a place with those of another under the same paths.
func (g *Grower) measure(place, of string) Copy {
	c := Copy{Place: place, Of: of}
	compared, known := 0, 0
	for _, n := range g.under[page.URL(place).Host()] {
		p := &g.pages[n]
		path, inside := strings.CutPrefix(string(p.url), place)
		if !inside || p.gone {
			continue
		}
		c.Pages++
		key := page.URL(of + path).Key()
		q, visited := g.number[key]
		if !visited {
			if g.linked[key] {
				known++
			}
			continue
		}
		compared++
		if g.pages[q].gone {
			continue
		}
		known++
		if g.alike(p, &g.pages[q]) {
			c.Twins++
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
	}
	return c
}

// Copies gives all copies that are known, in the order of their places.
func (g *Grower) Copies() []Copy {
	var list []Copy
	for x, grown := range g.pairs {
		if grown.twins < g.opts.Pages {
			continue
		}
		if c, ok := g.Measure(Candidate{x.a, x.b}); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y Copy) int {
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Of, y.Of))
	})
	return list
}

// Has reports a page that was added.
func (g *Grower) Has(u page.URL) bool {
	_, there := g.number[u.Key()]
	return there
}
