package collection

import "watershed/page"

// Result of a search.
type Result struct {
	Collections []Collection // by cardinality, then size, both descending, then the representative's prefix
	// Replication is the number of similar pages that each page has, itself included, by index in
	// Input.Pages: the size of its trivial cluster.
	Replication []uint32
	Stats       Stats
}

// Collection is a cluster of similar collections in the paper's words.
type Collection struct {
	ID       int // from 1, the place in Result.Collections
	Size     int // pages of the representative that another replica has a mapped page for
	Replicas []Replica
	Origin   Origin
}

// Cardinality is the number of replicas.
func (c *Collection) Cardinality() int { return len(c.Replicas) }

// Representative is the replica that stands for the others: the first one.
func (c *Collection) Representative() *Replica { return &c.Replicas[0] }

// Origin says how a collection was found.
type Origin uint8

const (
	Grown  Origin = iota // by the links between trivial clusters (section 3)
	Placed               // by directories that hold similar pages under the same relative paths (section 6)
)

func (o Origin) String() string {
	if o == Placed {
		return "placed"
	}
	return "grown"
}

// Replica is one copy of a collection.
type Replica struct {
	Host   page.Host // of most of its pages
	Prefix string    // the directory that it fills: scheme, host and path up to a slash
	// Pairs are its mapped pages in URL order, with the page for which each stands. In the
	// representative each page stands for itself.
	Pairs    []Pair
	Evidence Evidence
}

// Evidence of a replica against the representative.
type Evidence struct {
	Similar, Moved, Nearby int // pairs by likeness

	Links       int // within the replica, between mapped pages
	LinksCommon int // those of them that the representative has between the pages they stand for
	Known       int // pages of the input under the prefix, mapped or not
	InLinks     int // from other sites to mapped pages
	// Whole is the number of the collection's pages; Coverage is relative to it.
	Whole int
}

// mapped is the number of mapped pages.
func (e Evidence) mapped() int { return e.Similar + e.Moved + e.Nearby }

// Coverage is the share of the collection's pages that the replica has.
func (e Evidence) Coverage() float64 { return ratio(e.mapped(), e.Whole) }

// containment is the share of the known pages under the prefix that have a similar page in the
// representative.
func (e Evidence) containment() float64 { return ratio(e.Similar+e.Moved, e.Known) }

// Purity is the share of the known pages under the prefix that are mapped: the share for which a
// rule by prefix would be right.
func (e Evidence) Purity() float64 { return ratio(e.mapped(), e.Known) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Stats count the work of a search.
type Stats struct {
	Pages, Links int
	Trivial      int // clusters of two or more pages
	SimilarPages int // in them
	// Rejected are the pairs of trivial clusters that may merge by their numbers, but whose pages
	// cannot be paired one by one.
	Rejected []Summary
	Cores    int // of one trivial cluster or more
	Chapters int // placed collections of which parts of other works were taken out
}
