package collection

import (
	"cmp"
	"slices"
)

// core is a cluster grown from trivial clusters (section 3.1): replica r holds slots[i].pages[r]
// for every slot i.
//
// Invariants:
//  1. every slot has as many pages as the core has replicas, none where the replica lacks the page
//     (a virtual member, section 4);
//  2. the pages of a slot that are there are distinct and similar; each page is in one slot of one
//     core;
//  3. of every slot that was grown from another one, each page that is there is linked from the
//     page of its replica in that slot, or in faithful mode links to it.
type core struct {
	slots    []slot
	replicas int
}

type slot struct {
	rid    uint32
	parent int // slot it was grown from; -1 for a start, also of a core that was attached
	pages  []uint32
}

// pages counts those that are there.
func (c *core) pages() (n int) {
	for _, s := range c.slots {
		for _, p := range s.pages {
			if p != none {
				n++
			}
		}
	}
	return n
}

// grow merges the components of the trivial cluster graph: first by the strict condition; then,
// unless the option asks for the strict condition alone, it attaches the cores that the extended
// condition allows. So every core of the strict condition is part of a core of both.
//
// A component is grown from a node that reaches all others, among several from that whose best page
// most links of other sites lead to (Fig. 7); where no node reaches all, what the first start
// leaves is grown from the next. Cores of a single trivial cluster are among the result; trivial
// clusters of a single page are not. Ways round a cycle of the graph may pair pages in another way
// than the tree does; the tree counts (invariant 3).
func (w *web) grow(t *groups, edges []edge, o Options, stats *Stats) []core {
	attraction := make([]uint32, t.len())
	for v, k := range w.inward {
		attraction[t.of[v]] = max(attraction[t.of[v]], k)
	}
	strict := edges
	if !o.Faithful {
		strict = slices.DeleteFunc(slices.Clone(edges), func(e edge) bool {
			return t.size(e.from) != t.size(e.to)
		})
	}
	g := newTCG(t.len(), strict, o.Faithful)
	var cores []core
	taken := make([]bool, t.len())
	for _, rid := range g.starts(t, attraction) {
		if taken[rid] || t.size(rid) < 2 {
			continue
		}
		cores = append(cores, w.tree(t, g, rid, taken, o))
	}
	if !o.Faithful && o.Condition == Extended {
		cores = w.attach(t, cores, edges, o)
	}
	stats.Cores = len(cores)
	slices.SortFunc(cores, func(a, b core) int { return cmp.Compare(a.slots[0].rid, b.slots[0].rid) })
	return cores
}

// attach merges cores by the extended condition: a link from a trivial cluster of one to a smaller
// one of the other pairs the replicas of both (section 4). Cores come in the order of starts: the
// largest cardinality takes what it reaches.
func (w *web) attach(t *groups, cores []core, edges []edge, o Options) []core {
	of := make([]uint32, t.len())
	for k, c := range cores {
		for _, s := range c.slots {
			of[s.rid] = uint32(k)
		}
	}
	next := make([][]edge, len(cores))
	for _, e := range edges {
		if t.size(e.from) > t.size(e.to) {
			next[of[e.from]] = append(next[of[e.from]], e)
		}
	}
	order := make([]uint32, len(cores))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(cores[b].replicas, cores[a].replicas)
	})
	taken := make([]bool, len(cores))
	var merged []core
	for _, k := range order {
		if taken[k] {
			continue
		}
		g := newGathering(cores, k, taken)
		for len(g.queue) > 0 {
			x := g.pop()
			for _, e := range next[x] {
				if y := of[e.to]; !taken[y] {
					g.add(x, y, w.replicaPairs(t, &cores[x], &cores[y], e, o))
				}
			}
		}
		merged = append(merged, g.core())
	}
	return merged
}

// replicaPairs gives for each replica of x the one of y that an edge between two of their slots
// pairs it with, or none.
func (w *web) replicaPairs(t *groups, x, y *core, e edge, o Options) []uint32 {
	at := make(map[uint32]uint32) // of a page of the edge's second trivial cluster: its replica in y
	for _, s := range y.slots {
		if s.rid == e.to {
			for r, v := range s.pages {
				at[v] = uint32(r)
			}
		}
	}
	for _, s := range x.slots {
		if s.rid == e.from {
			pairs := w.carry(t, s, step{to: e.to}, o)
			for r, v := range pairs {
				if v != none {
					pairs[r] = at[v]
				}
			}
			return pairs
		}
	}
	return nil
}

// tree grows one core from a start, over local edges first.
func (w *web) tree(t *groups, g *tcg, start uint32, taken []bool, o Options) core {
	first := slices.Clone(t.members(start))
	c := core{replicas: len(first), slots: []slot{{rid: start, parent: -1, pages: first}}}
	taken[start] = true
	var local, other []step
	visit := func(i int) {
		for _, e := range g.edges(c.slots[i].rid) {
			if s := (step{from: i, to: e.to, back: e.back}); e.local {
				local = append(local, s)
			} else {
				other = append(other, s)
			}
		}
	}
	visit(0)
	for len(local)+len(other) > 0 {
		var s step
		if len(local) > 0 {
			s, local = local[0], local[1:]
		} else {
			s, other = other[0], other[1:]
		}
		if taken[s.to] {
			continue
		}
		taken[s.to] = true
		c.slots = append(c.slots, slot{rid: s.to, parent: s.from, pages: w.carry(t, c.slots[s.from], s, o)})
		visit(len(c.slots) - 1)
	}
	return c
}

// step leads from a slot to a trivial cluster, against the link if back.
type step struct {
	from int
	to   uint32
	back bool
}

// carry gives the pages of a trivial cluster in the order of the replicas of the slot that leads to
// it.
func (w *web) carry(t *groups, from slot, s step, o Options) []uint32 {
	pages := make([]uint32, len(from.pages))
	partner := make(map[uint32]uint32)
	ri, rj := from.rid, s.to
	if s.back {
		ri, rj = rj, ri
	}
	pairs, _ := w.match(t, ri, rj, o)
	for i, u := range pairs {
		v := t.members(ri)[i]
		switch {
		case u == none:
		case s.back:
			partner[u] = v
		default:
			partner[v] = u
		}
	}
	for r, v := range from.pages {
		u, ok := partner[v]
		if v == none || !ok {
			u = none
		}
		pages[r] = u
	}
	return pages
}
