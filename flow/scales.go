package flow

import (
	"fmt"
	"math"
	"slices"

	"watershed/graph"
)

// Scale is one site of the nested family: the minimal source side for every toll in a range.
type Scale struct {
	Least, Most int64      // the side is this one for α in Least..Most, both included
	Size        int        // its vertices
	Cut         int64      // capacity of the arcs that leave it and of the sources it refuses
	Toll        int64      // Σ toll over its vertices: its cut costs Cut + α·Toll
	Joined      []graph.ID // the vertices that the next smaller site does not have, in order of number
}

// Scales is a family of sites, the smallest (the largest toll) first. Each contains those before
// it.
type Scales []Scale

// ScaleOptions are the range of tolls. α is a fixed-point number as capacities are: sites that differ
// only between two neighbouring millionths are not told apart.
type ScaleOptions struct {
	Least int64 // smallest α; 0 means 0.0001
	Most  int64 // largest α; 0 means 1
}

// Validate reports an empty range.
func (o ScaleOptions) Validate() error {
	if o = o.orDefault(); o.Least < 1 || o.Most < o.Least {
		return fmt.Errorf("tolls from %d to %d: no range of positive numbers", o.Least, o.Most)
	}
	return nil
}

func (o ScaleOptions) orDefault() ScaleOptions {
	if o.Least == 0 {
		o.Least = graph.Fixed(1e-4)
	}
	if o.Most == 0 {
		o.Most = graph.Unit
	}
	return o
}

// FindScales computes the minimal source side S(α) for every toll α of the range at once, where
// vertex u pays α·toll[u]. Arcs, sources and pins are those of n, which is only read and need not
// be solved; other sink capacities of n are ignored.
//
// Only the sink capacities depend on α, and they all grow with it, so S(α) shrinks as α grows
// (Gallo, Grigoriadis and Tarjan, A fast parametric maximum flow algorithm and applications, 1989).
// The least capacity κ(α) of a cut is concave and piecewise linear with slope Toll, one piece a
// scale.
//
// Between two tolls with different sides one cut is solved, at the toll where the two sides cost
// the same, in the network of only those vertices that are in one and not in the other (the rest is
// part of s or t); each side of that cut is then a smaller network of its own. That is at most two
// cuts a scale, each warm while its network is the same, and in all O(k) times the cost of one cut
// for k scales at worst, O(log k) when the cuts divide evenly.
func FindScales(n *Network, toll []int64, o ScaleOptions) (Scales, error) {
	o = o.orDefault()
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("find scales: %w", err)
	}
	if len(toll) != n.Len() {
		return nil, fmt.Errorf("find scales: %d tolls for %d vertices", len(toll), n.Len())
	}
	for u, k := range toll {
		if k < 0 || k > math.MaxInt64/max(1, o.Most) {
			return nil, fmt.Errorf("find scales: toll %d of vertex %d times %d: out of range", k, u, o.Most)
		}
	}
	f := family{Scales: Scales{{Most: o.Most}}}
	whole := wholeStretch(n, toll, o)
	core, rest := whole.ends()
	f.Scales[0].Joined = core
	f.divide(rest)
	f.Scales[len(f.Scales)-1].Least = o.Least
	f.measure(n, toll)
	return f.Scales, nil
}

// family collects the scales from the largest toll down.
type family struct{ Scales }

// join says that vertices are inside from toll alpha down.
func (f *family) join(alpha int64, vertices []graph.ID) {
	f.Scales[len(f.Scales)-1].Least = alpha + 1
	slices.Sort(vertices)
	f.Scales = append(f.Scales, Scale{Most: alpha, Joined: vertices})
}

// divide finds where the vertices of a stretch join, large tolls first.
func (f *family) divide(first *stretch) {
	todo := []*stretch{first}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch upper, lower := s.split(); {
		case len(s.vertices) == 0:
		case upper == nil:
			f.join(s.least, s.vertices)
		default:
			todo = append(todo, lower, upper)
		}
	}
}

// measure fills in sizes, cuts and tolls: an arc is cut from the scale in which its tail joins to
// the one before its head does.
func (f *family) measure(n *Network, toll []int64) {
	k := len(f.Scales)
	rank := slices.Repeat([]int{k}, n.Len()) // the first scale that has the vertex
	size := 0
	for i := range f.Scales {
		for _, u := range f.Scales[i].Joined {
			rank[u] = i
		}
		size += len(f.Scales[i].Joined)
		f.Scales[i].Size = size
	}
	change := make([]int64, k+1) // of the cut, from one scale to the next
	cut := func(from, to int, capacity int64) {
		if from < to {
			change[from] += capacity
			change[to] -= capacity
		}
	}
	for _, a := range n.arcs {
		cut(rank[a.from], rank[a.to], a.forward)
		cut(rank[a.to], rank[a.from], a.backward)
	}
	for u := range n.supply {
		if n.traits[u]&pinnedIn == 0 {
			cut(0, rank[u], n.supply[u])
		}
	}
	sum, paid := int64(0), int64(0)
	for i := range f.Scales {
		sum += change[i]
		for _, u := range f.Scales[i].Joined {
			paid += toll[u]
		}
		f.Scales[i].Cut, f.Scales[i].Toll = sum, paid
	}
}
