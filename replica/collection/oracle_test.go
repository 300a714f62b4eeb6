package collection

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// bijection reports whether every q has a p of its own that links to it, by trying every order.
func bijection(ps, qs []uint32, linked func(p, q uint32) bool) bool {
	if len(qs) == 0 {
		return true
	}
	for i, p := range ps {
		if linked(p, qs[0]) && bijection(slices.Delete(slices.Clone(ps), i, i+1), qs[1:], linked) {
			return true
		}
	}
	return false
}

// TestMergesOracle compares the merges and rejections of the link summary with the definitions,
// read literally.
func TestMergesOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWeb(t)
		in := d.input(identity(len(d.clusters)))
		o := small
		o.Condition = Condition(rapid.IntRange(0, 1).Draw(t, "condition"))
		o = o.withDefaults()
		w, err := newWeb(context.Background(), &in, o)
		if err != nil {
			t.Fatal(err)
		}
		var stats Stats
		g, err := w.trivialClusters(context.Background(), &in, o, &stats)
		if err != nil {
			t.Fatal(err)
		}
		edges, err := w.summarize(context.Background(), g, o, &stats)
		if err != nil {
			t.Fatal(err)
		}
		got, rejected := make(map[[2]uint32]bool), make(map[[2]uint32]bool)
		for _, e := range edges {
			got[[2]uint32{e.from, e.to}] = true
		}
		for _, s := range stats.Rejected {
			rejected[[2]uint32{s.From, s.To}] = true
		}
		for i := range uint32(g.len()) {
			for j := range uint32(g.len()) {
				ri, rj := g.members(i), g.members(j)
				s, dd := 0, 0
				for _, p := range ri {
					if slices.ContainsFunc(rj, func(q uint32) bool { return w.linked(p, q) }) {
						s++
					}
				}
				for _, q := range rj {
					if slices.ContainsFunc(ri, func(p uint32) bool { return w.linked(p, q) }) {
						dd++
					}
				}
				fits := i != j && len(rj) > 1 && len(ri) == s && dd == len(rj) &&
					(s == dd || o.Condition == Extended && s >= dd)
				matched := bijection(ri, rj, w.linked)
				if got[[2]uint32{i, j}] != (fits && matched) ||
					rejected[[2]uint32{i, j}] != (fits && !matched) {
					t.Fatalf("%v to %v: s %d, d %d, a matching %v; merged %v, rejected %v",
						ri, rj, s, dd, matched, got[[2]uint32{i, j}], rejected[[2]uint32{i, j}])
				}
			}
		}
	})
}

// TestCores checks Definition 5 and the invariants of core on what grows.
func TestCores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWeb(t)
		in := d.input(identity(len(d.clusters)))
		o := small
		o.Condition = Condition(rapid.IntRange(0, 1).Draw(t, "condition"))
		o.AcrossSites = rapid.Bool().Draw(t, "across")
		o = o.withDefaults()
		f := finderOf(t, in, o)
		edges, err := f.summarize(context.Background(), f.trivial, o, f.stats)
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[uint32]bool)
		for _, c := range f.grow(f.trivial, edges, o, f.stats) {
			for i, s := range c.slots {
				if len(s.pages) != c.replicas {
					t.Fatalf("slot of %d pages in a core of %d replicas", len(s.pages), c.replicas)
				}
				for r, v := range s.pages {
					switch {
					case v == none && (o.Condition == Strict || i == 0):
						t.Fatal("a virtual member where there is none")
					case v == none:
						continue
					case seen[v] || f.trivial.of[v] != s.rid:
						t.Fatalf("page %d is in two slots, or not of the slot's cluster", v)
					}
					seen[v] = true
					if s.parent < 0 {
						continue
					}
					p := c.slots[s.parent].pages[r]
					if p == none || !f.linked(p, v) {
						t.Fatalf("page %d is not linked from its replica's parent", v)
					}
					if !o.AcrossSites && f.host[p] != f.host[v] {
						t.Fatal("a replica over two sites")
					}
				}
			}
		}
		for v, k := range f.trivial.of {
			if f.trivial.size(k) > 1 && !seen[uint32(v)] {
				t.Fatalf("page %d is similar to another one, but in no core", v)
			}
		}
	})
}

func finderOf(t interface{ Fatal(...any) }, in Input, o Options) *finder {
	w, err := newWeb(context.Background(), &in, o)
	if err != nil {
		t.Fatal(err)
	}
	f := &finder{web: w, options: o, result: &Result{}}
	f.stats = &f.result.Stats
	if f.trivial, err = w.trivialClusters(context.Background(), &in, o, f.stats); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestExtendedHoldsStrict: slots that the strict condition puts into one core, the extended one
// does, with the same pages in one replica.
func TestExtendedHoldsStrict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWeb(t)
		in := d.input(identity(len(d.clusters)))
		together := func(c Condition) map[[2]uint32]bool {
			o := small
			o.Condition = c
			o = o.withDefaults()
			f := finderOf(t, in, o)
			edges, err := f.summarize(context.Background(), f.trivial, o, f.stats)
			if err != nil {
				t.Fatal(err)
			}
			pairs := make(map[[2]uint32]bool)
			for _, c := range f.grow(f.trivial, edges, o, f.stats) {
				for r := range c.replicas {
					pages := c.column(r)
					for _, v := range pages {
						for _, u := range pages {
							pairs[[2]uint32{v, u}] = true
						}
					}
				}
			}
			return pairs
		}
		extended := together(Extended)
		for p := range together(Strict) {
			if !extended[p] {
				t.Fatalf("pages %v are in one strict replica, but not in one extended", p)
			}
		}
	})
}

// TestChunksOracle compares trivial clusters with the definition: pairs of pages that share more
// than T chunks, transitively.
func TestChunksOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "pages")
		in := Input{}
		chunks := make([][]uint64, n)
		for p := range n {
			in.Pages = append(in.Pages, Page{
				URL:   page.URL(fmt.Sprintf("http://h%d.example/", p)),
				Whole: uint64(rapid.IntRange(0, 9).Draw(t, "whole")),
			})
			for range rapid.IntRange(0, 6).Draw(t, "chunks") {
				chunks[p] = append(chunks[p], uint64(rapid.IntRange(1, 6).Draw(t, "chunk")))
			}
		}
		for p := range n { // equal texts have equal chunks
			for q := range p {
				if in.Pages[p].Whole != 0 && in.Pages[p].Whole == in.Pages[q].Whole {
					chunks[p] = chunks[q]
				}
			}
		}
		in.Chunks = func(add func(uint32, uint64) error) error {
			for p, l := range chunks {
				for _, c := range l {
					if err := add(uint32(p), c); err != nil {
						return err
					}
				}
			}
			return nil
		}
		o := Options{Threshold: rapid.IntRange(1, 3).Draw(t, "T")}.withDefaults()
		f := finderOf(t, in, o)
		similar := make([][]bool, n)
		for p := range n {
			similar[p] = make([]bool, n)
			for q := range n {
				shared := make(map[uint64]bool)
				for _, c := range chunks[p] {
					if slices.Contains(chunks[q], c) {
						shared[c] = true
					}
				}
				similar[p][q] = p == q || len(shared) > o.Threshold ||
					in.Pages[p].Whole != 0 && in.Pages[p].Whole == in.Pages[q].Whole
			}
		}
		for k := range n { // closure
			for p := range n {
				for q := range n {
					similar[p][q] = similar[p][q] || similar[p][k] && similar[k][q]
				}
			}
		}
		for p := range n {
			for q := range n {
				if got := f.trivial.of[f.rank[p]] == f.trivial.of[f.rank[q]]; got != similar[p][q] {
					t.Fatalf("pages %d and %d: similar %v, want %v", p, q, got, similar[p][q])
				}
			}
		}
	})
}
