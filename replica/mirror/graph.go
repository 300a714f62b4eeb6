package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"watershed/internal/extsort"
)

// edge is an arc of the host graph: from, to, how many links.
type edge [3]uint64

// outside marks a host that is not looked at, by its hash.
const outside = 1 << 63

// linkOf is a link of a page of a kept host: path of the page, host, where it leads.
type linkOf [3]uint64

// linkRankings makes conn, hconn1 and hconn2 (sections 3.3, 3.4) in one pass over the links.
func (e *engine) linkRankings(ctx context.Context) (err error) {
	if e.input.Links == nil {
		return nil
	}
	edges, err := extsort.NewSorter(e.spill, extsort.Options[edge]{
		MemoryBytes: e.o.Memory / 4, Key: 2,
		Combine: extsort.AddUp[edge],
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, edges.Close()) }()
	links, err := extsort.NewSorter(e.spill, extsort.Options[linkOf]{
		MemoryBytes: e.o.Memory / 2,
		Combine:     extsort.KeepFirst[linkOf],
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, links.Close()) }()
	tested := newTests(e)
	n := 0
	for l, err := range e.input.Links {
		if err != nil {
			return fmt.Errorf("read links: %w", err)
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := e.addLink(l, tested, edges, links); err != nil {
			return err
		}
	}
	if err := tested.run(ctx, links); err != nil {
		return err
	}
	return e.graphRankings(ctx, edges)
}

func (e *engine) addLink(l Link, tested *tests, edges *extsort.Sorter[edge],
	links *extsort.Sorter[linkOf],
) error {
	host, path, ok := SplitURL(l.From)
	if !ok {
		return nil
	}
	from, ok := e.hosts.find(host)
	if !ok {
		return nil
	}
	host, target, ok := SplitURL(l.To)
	if !ok {
		return nil
	}
	to, known := e.hosts.find(host)
	if known && to == from {
		if tested.of[from] == nil {
			return nil
		}
		return links.Add(linkOf{hashOf(path), uint64(from), hashOf(target)})
	}
	if tested.of[from] != nil {
		if err := links.Add(linkOf{hashOf(path), uint64(from), mix(hashOf(host) + hashOf(target))}); err !=
			nil {
			return err
		}
	}
	switch {
	case known:
		return edges.Add(edge{uint64(from), uint64(to), 1})
	case e.o.Graph.Outside:
		return edges.Add(edge{uint64(from), hashOf(host) | outside, 1})
	}
	return nil
}

// graphRankings makes hconn1 and hconn2 of the arcs of each host that have the most links.
func (e *engine) graphRankings(ctx context.Context, edges *extsort.Sorter[edge]) (err error) {
	var sorters [2]*extsort.Sorter[posting]
	for i := range sorters {
		s, err := extsort.NewSorter(e.spill, extsort.Options[posting]{MemoryBytes: e.o.Memory / 8})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		sorters[i] = s
	}
	c, err := edges.Sort(ctx)
	if err != nil {
		return err
	}
	var from uint64
	var out []edge
	end := func() error {
		for _, x := range e.heaviest(from, out) {
			for _, s := range sorters {
				if err := s.Add(posting{x[1], x[0]}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = c.Each(ctx, func(x edge) error {
		if x[0] != from {
			if err := end(); err != nil {
				return err
			}
			from, out = x[0], out[:0]
		}
		out = append(out, x)
		return nil
	})
	if err == nil {
		err = end()
	}
	if err != nil {
		return fmt.Errorf("host graph: %w", err)
	}
	one := e.graphScheme(HConn1)
	if err := e.rank(ctx, HConn1, sorters[0], one); err != nil {
		return err
	}
	two := e.graphScheme(HConn2)
	most := float64(e.report.Terms[HConn1].MaxHosts)
	two.weight = func(_ uint64, in int) float64 { return e.o.Terms.square(1 + math.Log(most/float64(in))) }
	return e.rank(ctx, HConn2, sorters[1], two)
}

// heaviest gives the arcs of a host with the most links, ties by a hash.
func (e *engine) heaviest(from uint64, out []edge) []edge {
	if len(out) == 0 {
		return nil
	}
	n := e.o.Terms.cap(e.hosts.list[from].URLs)
	if len(out) <= n {
		return out
	}
	slices.SortFunc(out, func(a, b edge) int {
		return cmp.Or(cmp.Compare(b[2], a[2]), cmp.Compare(mix(a[1]^e.o.Seed), mix(b[1]^e.o.Seed)))
	})
	return out[:n]
}

// graphScheme is the sampling form of hconn1 (section 3.4): 1 in so many hosts that the chance to
// count is the weight, which over two hosts realises its square.
func (e *engine) graphScheme(m Method) scheme {
	o := e.o.Graph
	s := scheme{
		seed: draw(e.o.Seed, uint64(m)),
		keep: func(in int) int {
			switch {
			case in <= o.Full:
				return in
			case in <= 5*o.Full:
				return o.Full
			}
			return min(o.Most, in/5)
		},
		weight: func(uint64, int) float64 { return 1 },
	}
	if o.Norm {
		s.norm = e.normal
	}
	return s
}
