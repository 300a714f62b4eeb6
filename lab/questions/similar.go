package questions

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"watershed/page"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// Relation is how two documents are alike.
type Relation uint8

// The relations, from the closest; each of the first three includes those before it.
const (
	Identical Relation = iota
	LexicallyEquivalent
	ShingleEquivalent
	Similar // linked, directly or by others
)

// pair is what is known of two documents.
type pair struct {
	Relation    Relation
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

// relate is how two documents are alike by their digests, words and sketches; 0 stands for none.
func relate(a, b *Document) Relation {
	y := [...]uint64{b.Digest, b.Lexical, b.set}
	for r, x := range [...]uint64{a.Digest, a.Lexical, a.set} {
		if x != 0 && x == y[r] {
			return Relation(r)
		}
	}
	return Similar
}

// String is the relation in words.
func (r Relation) String() string {
	return [...]string{"identical", "lexically equivalent", "shingle-equivalent", "similar"}[r]
}

// Match is a document that is like another one.
type Match struct {
	*Document
	pair
}

// SimilarOptions say which documents are presented as similar. The zero value means the defaults.
type SimilarOptions struct {
	// Threshold is the least estimate, of resemblance or of either containment, that is presented.
	// Default 0.5.
	Threshold float64
	// Limit is the greatest number of documents presented. Default 100.
	Limit int
}

// Validate tells the first field that has no meaning.
func (o SimilarOptions) Validate() error {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return fmt.Errorf("threshold %g: must be above 0, at most 1", o.Threshold)
	case o.Limit < 0:
		return fmt.Errorf("limit %d: must not be negative", o.Limit)
	}
	return nil
}

// Similar finds the documents that equal, resemble, contain, or are contained in a document, which
// need not be there; those most alike come first. Of documents of one page that no sweep saw change,
// the latest is told. Each document is looked at. The error is ErrSketch for a document without words
// and digest, or that of the options. Source: section 6.1.
func (c *Collection) Similar(asked *cluster.Document, o SimilarOptions) ([]Match, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	threshold, limit := cmp.Or(o.Threshold, .5), cmp.Or(o.Limit, 100)
	if asked.Digest == 0 && len(asked.Shingles) == 0 {
		return nil, ErrSketch
	}
	q := &Document{Document: *asked, set: asked.Set()}
	q.Shingles = c.telling(asked.Shingles)
	type version struct{ page, digest, lexical uint64 }
	latest := map[version]Match{}
	for _, d := range c.docs { // sweeps of a page ascend
		if d.Gone {
			continue
		}
		p := between(q, d)
		if alike := p.Common > 0 && p.best() >= threshold; alike || p.Relation < Similar {
			latest[version{d.Page, d.Digest, d.Lexical}] = Match{d, p}
		}
	}
	found := slices.SortedFunc(maps.Values(latest), func(a, b Match) int {
		return cmp.Or(
			cmp.Compare(a.Relation, b.Relation), cmp.Compare(b.Resemblance.Value, a.Resemblance.Value),
			cmp.Compare(b.best(), a.best()), compareKeys(a.Key, b.Key),
		)
	})
	return found[:min(len(found), limit)], nil
}

// SimilarTo is Similar for a page of some sweep, as it was last. The error is ErrUnknown, too.
func (c *Collection) SimilarTo(u page.URL, o SimilarOptions) ([]Match, error) {
	d, err := c.alive(u.Key())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u, err)
	}
	asked := d.Document
	asked.Shingles = d.all
	return c.Similar(&asked, o)
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
		list = append(list, Match{m, between(members[0], m)})
	}
	list[0].Relation = Identical
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
				p.Relation = Identical
			}
			list = append(list, Match{m, p})
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
