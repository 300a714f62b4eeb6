package flow_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
)

// TestScales compares the family with direct solutions at drawn tolls and at both ends of every
// plateau.
func TestScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t, 25, 0, 1, 30)
		n := w.network()
		n.SetSource(graph.ID(rapid.IntRange(0, n.Len()-1).Draw(t, "soft")), rapid.Int64Range(0, 300).Draw(t,
			"soft source"))
		outside := graph.ID(rapid.IntRange(0, n.Len()-1).Draw(t, "outside"))
		n.SetSink(outside, flow.Infinite)
		toll := rapid.SliceOfN(rapid.Int64Range(0, 3), n.Len(), n.Len()).Draw(t, "tolls")
		o := flow.ScaleOptions{
			Least: rapid.Int64Range(1, 20).Draw(t, "least"), Toll: 20,
			Most: 20 + rapid.Int64Range(0, 300).Draw(t, "most"),
		}
		scales, err := flow.FindScales(n, toll, o)
		if err != nil {
			t.Fatal(err)
		}
		checkFamily(t, scales, o)
		alphas := rapid.SliceOfN(rapid.Int64Range(o.Least, o.Most), 3, 3).Draw(t, "α")
		for _, s := range scales {
			alphas = append(alphas, s.Least, s.Most)
		}
		for _, alpha := range alphas {
			for u := range graph.ID(n.Len()) {
				if u != outside {
					n.SetSink(u, alpha*toll[u])
				}
			}
			n.Solve()
			certify(t, n)
			i := scales.Index(alpha)
			if d := cmp.Diff(n.Side(), scales.Side(i), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("α=%d: side (-direct +family):\n%s", alpha, d)
			}
			if want, got := n.Cut(), scales[i]; want.Arcs+want.Sources != got.Cut ||
				!n.Inside(outside) && want.Sinks != alpha*got.Toll {
				t.Fatalf("α=%d: cut of %d with tolls of %d, direct %+v", alpha, got.Cut, alpha*got.Toll, want)
			}
		}
	})
}

// checkFamily checks that the plateaus tile the range, that sizes grow, and that the cost of the
// cut is concave.
func checkFamily(t *rapid.T, scales flow.Scales, o flow.ScaleOptions) {
	if scales[0].Most != o.Most || scales[len(scales)-1].Least != o.Least {
		t.Fatalf("family from %d to %d, want %d to %d", scales[0].Most, scales[len(scales)-1].Least,
			o.Most, o.Least)
	}
	length := 0.0
	for i, s := range scales {
		length += s.Persistence()
		if s.Size != len(scales.Side(i)) || s.Least > s.Most {
			t.Fatalf("scale %d: %+v", i, s)
		}
		if i == 0 {
			continue
		}
		if big := scales[i-1]; s.Most != big.Least-1 || s.Size <= big.Size || s.Toll <= big.Toll {
			t.Fatalf("scale %+v after %+v", s, big)
		}
	}
	if want := math.Log(float64(o.Most+1) / float64(o.Least)); math.Abs(length-want) > 1e-9 {
		t.Fatalf("persistences add up to %v, want %v", length, want)
	}
}

func TestChoose(t *testing.T) {
	s := flow.Scales{
		{Least: 500_000, Most: 1_000_000},
		{Least: 300_000, Most: 499_999},
		{Least: 5_000, Most: 299_999},
		{Least: 4_000, Most: 4_999},
		{Least: 100, Most: 3_999},
	}
	for _, test := range []struct {
		name string
		o    flow.ScaleOptions
		want int
	}{
		{"the default toll", flow.ScaleOptions{}, 2},
		{"a toll", flow.ScaleOptions{Toll: 4_500}, 3},
		{"the longest plateau", flow.ScaleOptions{Rule: flow.MostPersistent, Toll: 4_500}, 2},
	} {
		if got := s.Choose(test.o); got != test.want {
			t.Errorf("%s: scale %d, want %d", test.name, got, test.want)
		}
	}
	two := flow.Scales{{Least: 50, Most: 90}, {Least: 1, Most: 49}}
	if got := two.Choose(flow.ScaleOptions{Rule: flow.MostPersistent, Least: 1, Most: 90, Toll: 60}); got !=
		0 {
		t.Errorf("no plateau inside the range: scale %d, want the one at the toll", got)
	}
}

func TestScaleErrors(t *testing.T) {
	n := flow.New(flow.Options{})
	n.AddVertex()
	for name, test := range map[string]struct {
		toll []int64
		o    flow.ScaleOptions
	}{
		"too few tolls":    {},
		"negative toll":    {toll: []int64{-1}},
		"overflowing toll": {toll: []int64{math.MaxInt64 / 2}},
		"empty range":      {toll: []int64{1}, o: flow.ScaleOptions{Least: 5, Most: 4}},
		"toll outside":     {toll: []int64{1}, o: flow.ScaleOptions{Least: 5, Most: 9, Toll: 10}},
		"unknown rule":     {toll: []int64{1}, o: flow.ScaleOptions{Rule: 7}},
	} {
		if _, err := flow.FindScales(n, test.toll, test.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
