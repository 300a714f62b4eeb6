package sketchbench

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/replica/sketch"
)

// TestCommon compares with counting all.
func TestCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		capacity := rapid.IntRange(1, 60).Draw(t, "capacity")
		truth := make(map[uint64]int)
		features := 0
		c, err := newCommon(capacity)
		if err != nil {
			t.Fatal(err)
		}
		for range r.IntN(240) {
			var s sketch.Sketch
			for range r.IntN(20) {
				s.Values = append(s.Values, uint64(r.ExpFloat64()*float64(r.IntN(400))))
			}
			slices.Sort(s.Values)
			s.Values = slices.Compact(s.Values)
			for _, v := range s.Values {
				truth[v]++
			}
			features += len(s.Values)
			c.Add(&s)
		}
		slack := int(c.slack)
		if len(c.counts) > 2*capacity || slack > features/capacity {
			t.Fatalf("%d held, slack %d of %d features, capacity %d", len(c.counts), slack,
				features, capacity)
		}
		for v, n := range truth {
			if got := int(c.counts[v]); got > n || got+slack < n {
				t.Fatalf("feature %d in %d documents: counted %d, slack %d", v, n, got, slack)
			}
		}
		if !slices.IsSorted(c.features(1)) {
			t.Fatal("not in order")
		}
	})
	if _, err := newCommon(0); err == nil {
		t.Error("no capacity: no error")
	}
}

// TestTemplate: pages of one template that say different things are alike with it and not without.
func TestTemplate(t *testing.T) {
	for _, o := range []sketch.Options{{}, {Selection: sketch.Mod, Modulus: 4}, {Selection: sketch.ModSize}} {
		b, err := sketch.NewBuilder(o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCommon(4096)
		if err != nil {
			t.Fatal(err)
		}
		pageOf := func(i int) sketch.Sketch {
			for j := range 1200 {
				b.Feature(uint64(j))
			}
			for j := range 300 {
				b.Feature(uint64(1e6 + i*1000 + j))
			}
			return b.Sketch()
		}
		if c.template(.2) != nil {
			t.Error("a template of nothing")
		}
		for i := range 40 {
			s := pageOf(i)
			c.Add(&s)
		}
		template := c.template(.2)
		x, y := pageOf(50), pageOf(51)
		full, err := sketch.Resemblance(&x, &y)
		if err != nil {
			t.Fatal(err)
		}
		mainX, mainY := x.Without(template), y.Without(template)
		main, err := sketch.Resemblance(&mainX, &mainY)
		if err != nil {
			t.Fatal(err)
		}
		same, _ := sketch.Resemblance(&mainX, &mainX)
		if verdictOf(full, .5) != reached || verdictOf(main, .5) != below ||
			verdictOf(same, .5) != reached {
			t.Errorf("%+v: with template %+v, without %+v, itself %+v", o, full, main, same)
		}
	}
}
