package questions

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"watershed/page"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// pair is what is known of two documents.
type pair struct {
	Relation    cluster.Relation
	Common      int             // shingles in common
	Resemblance sketch.Estimate // of the two
	Contained   sketch.Estimate // the part of the first that is in the second
	Containing  sketch.Estimate // the part of the second that is in the first
}

// best is the greatest of the three estimates.
func (p *pair) best() float64 {
	return max(p.Resemblance.Value, p.Contained.Value, p.Containing.Value)
}

// between is what is known of two documents.
func between(a, b *Document) pair {
	common := 0
	for i, j := 0, 0; i < len(a.Shingles) && j < len(b.Shingles); {
		switch x, y := a.Shingles[i], b.Shingles[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	of := func(d *Document) sample { return sample{float64(len(d.Shingles)), cmp.Or(float64(d.Rate), 1)} }
	p := estimates(common, of(a), of(b))
	p.Relation = relate(a, b)
	return p
}

// sample is what is compared of a document.
type sample struct{ shingles, rate float64 }

// estimates tells how alike two documents with so many shingles in common are. Where the rates
// differ, the sketch of the greater rate is taken to have, in proportion, as many shingles as it
// would have at the lesser. Source for equal rates: section 4.1 of the paper.
func estimates(common int, a, b sample) pair {
	c := float64(common)
	n, m := max(a.shingles*min(1, b.rate/a.rate), c), max(b.shingles*min(1, a.rate/b.rate), c)
	of := func(n float64) sketch.Estimate {
		least := min(a.rate, b.rate)
		return sketch.EstimateOf(common, int(math.Round(n)), n/least, least >= 1)
	}
	p := pair{Common: common, Resemblance: of(n + m - c)}
	p.Contained, p.Containing = of(a.shingles), of(b.shingles)
	if c > 0 {
		p.Contained, p.Containing = of(n), of(m)
	}
	return p
}

func relate(a, b *Document) cluster.Relation {
	return relation([3]uint64{a.Digest, a.Lexical, a.set}, [3]uint64{b.Digest, b.Lexical, b.set})
}

// relation is how two documents of such digests, words and sketches are alike; 0 stands for none.
func relation(a, b [3]uint64) cluster.Relation {
	for r := range a {
		if a[r] != 0 && a[r] == b[r] {
			return cluster.Relation(r)
		}
	}
	return cluster.Similar
}

// Related is a relation in words.
func Related(r cluster.Relation) string {
	return [...]string{"identical", "lexically equivalent", "shingle-equivalent", "similar"}[r]
}

// Match is a document that is like another one.
type Match struct {
	cluster.Info
	URL page.URL
	pair
}

// ClusterOf is the cluster of a page as it was last: its number, 0 for a page that is like no
// other, and its documents of all sweeps, the representative first. The error is ErrUnknown where
// no sweep has the page.
func (c *Collection) ClusterOf(u page.URL) (uint32, []Match, error) {
	d, err := c.alive(u.Key())
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", u, err)
	}
	var list []Match
	members := c.members(d)
	for _, m := range members {
		list = append(list, Match{m.Info, m.URL, between(members[0], m)})
	}
	list[0].Relation = cluster.Identical
	return d.cluster, list, nil
}

// members are the documents of the cluster of a document, or it alone.
func (c *Collection) members(d *Document) []*Document {
	if d.cluster == 0 {
		return []*Document{d}
	}
	return c.clusters[d.cluster-1]
}

// Found answers where a page is now: the documents of its cluster in the latest sweep that has any
// of them, best first: the page itself, then those most like its latest version, of its own server
// before others. Nothing but the page's own latest version there says that it was not seen to
// move. The error is ErrUnknown where no sweep has the page. Source: section 6.2.
func (c *Collection) Found(u page.URL) ([]Match, error) { return c.found(u.Key()) }

func (c *Collection) found(k page.Key) ([]Match, error) {
	last, err := c.alive(k)
	if err != nil {
		return nil, err
	}
	members := c.members(last)
	sweep := uint32(0)
	for _, m := range members {
		sweep = max(sweep, m.Sweep)
	}
	var list []Match
	for _, m := range members {
		if m.Sweep == sweep {
			p := between(last, m)
			if m == last {
				p.Relation = cluster.Identical
			}
			list = append(list, Match{m.Info, m.URL, p})
		}
	}
	slices.SortFunc(list, func(a, b Match) int {
		return cmp.Or(
			falseFirst(a.Page != last.Page, b.Page != last.Page), cmp.Compare(a.Relation, b.Relation),
			cmp.Compare(b.Resemblance.Value, a.Resemblance.Value),
			falseFirst(a.Host != last.Host, b.Host != last.Host), compareKeys(a.Key, b.Key),
		)
	})
	return list, nil
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
