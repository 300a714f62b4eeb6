package flow_test

import (
	"slices"
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
			Least: rapid.Int64Range(1, 20).Draw(t, "least"),
			Most:  20 + rapid.Int64Range(0, 300).Draw(t, "most"),
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
			i := slices.IndexFunc(scales, func(s flow.Scale) bool { return alpha >= s.Least })
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
	for i, s := range scales {
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
}
