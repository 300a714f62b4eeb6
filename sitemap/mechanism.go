package sitemap

// mechanism is one way by which blocks prove that they belong to a site, or by which a site finds
// the pages that prove it, beside the links that blocks share. The mechanisms of a site are a list:
// the method without one of them is the list without it, and a new one is a type more.
type mechanism interface {
	// evidence gives, by block, the share with the prefix that the mechanism proves; nil where it
	// proves none.
	evidence(s *settlement) []float64
	// ask wants the pages that would tell more, by the last cut, and has the boundary drawn again
	// where that is no longer right.
	ask(b *boundary, at turn)
	// explain tells the figures that the mechanism has of a block, and why the block is inside or
	// outside where the mechanism decided it; else "".
	explain(s *settlement, k blockID, x *Block) (why string)
}

// turn is the part of an epoch in which a mechanism is asked.
type turn uint8

const (
	dividing turn = iota // in each epoch, before it is noted what the cut has inside
	resting              // as long as no page is open that can change the boundary
	sampling             // when none was open before the first was asked
)

// mechanisms are those that some options leave in, in the order in which they are asked and
// explain.
func (b *boundary) mechanisms() (list []mechanism) {
	o := &b.opts
	for _, x := range []struct {
		on bool
		m  mechanism
	}{
		{o.WardSample > 0, &b.wards},
		{true, &b.crowds},
		{true, copies{}},
		{o.Lean > 0 && !o.NoClusters, &b.flat},
		{!o.NoClusters, &b.clusters},
		{o.ListSample > 0, listing{}},
		{o.Documents > 0, &b.buckets},
		{o.Kinship > 0, likeNames{}},
		{true, claims{}},
	} {
		if x.on {
			list = append(list, x.m)
		}
	}
	return list
}

// round asks all mechanisms.
func (b *boundary) round(at turn) {
	for _, m := range b.list {
		if at != resting || b.idle() {
			m.ask(b, at)
		}
	}
}

// witness is a mechanism that asks for nothing; scout is one that proves nothing by itself.
type (
	witness struct{}
	scout   struct{}
)

func (witness) ask(*boundary, turn) {}

func (scout) evidence(*settlement) []float64              { return nil }
func (scout) explain(*settlement, blockID, *Block) string { return "" }
