package collection

import (
	"cmp"
	"context"
	"slices"
)

// maxFan bounds the replicas on either side of a break point that are looked at: a page that leads
// from or to more than that is a directory of things, not a part of one.
const maxFan = 32

// bridge pairs replicas of two cores: pages[i] of Y for replica i of X.
type bridge struct {
	x, y    uint32
	partner []uint32 // by replica of x: replica of y, or none
	size    int
}

// join unites cores across short segments (section 6, a): a segment is one page that is like no
// other, to which a replica of one core links and which links to a replica of the other, all on one
// site; or a link between the two, which the merge condition refused for a few pages. Cores are
// joined if such segments pair JoinShare of the replicas of both, one by one. The page between
// stays unmapped.
func (w *web) join(ctx context.Context, t *groups, cores []core, o Options) ([]core, error) {
	bridges, err := w.bridges(ctx, t, cores, o)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(bridges, func(a, b bridge) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	next := make([][]bridge, len(cores))
	for _, b := range bridges {
		next[b.x] = append(next[b.x], b)
		next[b.y] = append(next[b.y], b.reverse(cores[b.y].replicas))
	}
	order := make([]uint32, len(cores))
	pages := make([]int, len(cores))
	for i := range order {
		order[i], pages[i] = uint32(i), cores[i].pages()
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(pages[b], pages[a]) })
	taken := make([]bool, len(cores))
	var joined []core
	for _, k := range order {
		if taken[k] {
			continue
		}
		joined = append(joined, gather(cores, next, k, taken))
	}
	return joined, nil
}

func (b bridge) reverse(replicas int) bridge {
	r := bridge{x: b.y, y: b.x, size: b.size, partner: slices.Repeat([]uint32{none}, replicas)}
	for i, j := range b.partner {
		if j != none {
			r.partner[j] = uint32(i)
		}
	}
	return r
}

// gather joins the cores to which bridges lead from core k, breadth first.
func gather(cores []core, next [][]bridge, k uint32, taken []bool) core {
	g := newGathering(cores, k, taken)
	for len(g.queue) > 0 {
		x := g.pop()
		for _, b := range next[x] {
			if !taken[b.y] {
				g.add(x, b.y, b.partner)
			}
		}
	}
	return g.core()
}

// gathering is several cores that become one: the first, and the pages added to it.
type gathering struct {
	cores    []core
	taken    []bool
	replicas int
	ids      []uint32            // of the cores, in the order of adding
	place    map[uint32][]uint32 // of a core's replicas: their numbers in the whole
	queue    []uint32
}

func newGathering(cores []core, k uint32, taken []bool) *gathering {
	g := &gathering{cores: cores, taken: taken, place: make(map[uint32][]uint32)}
	g.add(none, k, nil)
	return g
}

func (g *gathering) pop() uint32 {
	k := g.queue[0]
	g.queue = g.queue[1:]
	return k
}

// add adds core y, whose replicas partner gives for those of x, which is in. A replica that has no
// partner becomes one of its own.
func (g *gathering) add(x, y uint32, partner []uint32) {
	g.taken[y] = true
	at := slices.Repeat([]uint32{none}, g.cores[y].replicas)
	for i, j := range partner {
		if j != none {
			at[j] = g.place[x][i]
		}
	}
	for i := range at {
		if at[i] == none {
			at[i] = uint32(g.replicas)
			g.replicas++
		}
	}
	g.place[y] = at
	g.ids, g.queue = append(g.ids, y), append(g.queue, y)
}

// core is the whole.
func (g *gathering) core() core {
	if len(g.ids) == 1 {
		return g.cores[g.ids[0]]
	}
	whole := core{replicas: g.replicas}
	for _, id := range g.ids {
		base := len(whole.slots)
		for _, s := range g.cores[id].slots {
			pages := slices.Repeat([]uint32{none}, whole.replicas)
			for i, p := range s.pages {
				pages[g.place[id][i]] = p
			}
			parent := s.parent
			if parent >= 0 {
				parent += base
			}
			whole.slots = append(whole.slots, slot{rid: s.rid, parent: parent, pages: pages})
		}
	}
	return whole
}

// bridges finds the pairs of cores that segments connect well enough.
func (w *web) bridges(ctx context.Context, t *groups, cores []core, o Options) ([]bridge, error) {
	coreOf, replicaOf := slices.Repeat([]uint32{none}, len(w.urls)), make([]uint32, len(w.urls))
	for k, c := range cores {
		for _, s := range c.slots {
			for r, p := range s.pages {
				if p != none {
					coreOf[p], replicaOf[p] = uint32(k), uint32(r)
				}
			}
		}
	}
	fill := func(add func(record) error) error {
		return w.segments(t, coreOf, func(v, u uint32) error {
			return add(record{
				uint64(coreOf[v])<<32 | uint64(coreOf[u]),
				uint64(replicaOf[v])<<32 | uint64(replicaOf[u]),
			})
		})
	}
	var list []bridge
	err := sorted(ctx, o, fill, func(run []record, _ []uint32) error {
		x, y := uint32(run[0][0]>>32), uint32(run[0][0])
		need := o.JoinShare * float64(max(cores[x].replicas, cores[y].replicas))
		if need = max(need, 2); float64(len(run)) < need {
			return nil
		}
		m := newMatching(cores[x].replicas, cores[y].replicas)
		for _, r := range run {
			m.edge(uint32(r[1]>>32), uint32(r[1]))
		}
		if size := m.run(); float64(size) >= need {
			list = append(list, bridge{x, y, m.left, size})
		}
		return nil
	})
	return list, err
}

// segments calls fn with the two ends of every short segment within a site, in different cores.
func (w *web) segments(t *groups, coreOf []uint32, fn func(v, u uint32) error) error {
	n := uint32(len(w.urls))
	// of a page that is like no other: up to maxFan pages of cores that link to it
	into := make([][]uint32, n)
	for v := range n {
		if coreOf[v] == none {
			continue
		}
		for _, u := range w.links(v) {
			switch {
			case w.host[u] != w.host[v]:
			case coreOf[u] == none && t.size(t.of[u]) == 1:
				if len(into[u]) < maxFan {
					into[u] = append(into[u], v)
				}
			case coreOf[u] != none && coreOf[u] != coreOf[v]:
				if err := fn(v, u); err != nil {
					return err
				}
			}
		}
	}
	for m, in := range into {
		if len(in) == 0 {
			continue
		}
		out := 0
		for _, u := range w.links(uint32(m)) {
			if coreOf[u] == none || w.host[u] != w.host[m] {
				continue
			}
			if out++; out > maxFan {
				break
			}
			for _, v := range in {
				if coreOf[v] != coreOf[u] {
					if err := fn(v, u); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
