package mirror

import (
	"math"
	"slices"
	"testing"
)

// featuresOf are those of the first pair of a ranking.
func featuresOf(t *testing.T, r *Result, a, b string) Features {
	t.Helper()
	for _, p := range r.Ranking(Fused) {
		if n := []string{r.Hosts[p.A], r.Hosts[p.B]}; slices.Contains(n, a) && slices.Contains(n, b) {
			return r.e.features(r.e.index(), p.key(), true)
		}
	}
	t.Fatalf("%s and %s are no pair", a, b)
	return Features{}
}

// TestTelling: what three hosts have in common tells less than what two have, by the weights of
// section 3.2.2 of A comparison of techniques, though the part that is common is the same.
func TestTelling(t *testing.T) {
	in := web()
	three := featuresOf(t, rank(t, Input{URLs: in.URLs}, Options{MinURLs: 5}), "a.one.org", "b.two.org")
	var list []string
	for u := range in.URLs {
		if host, _, _ := SplitURL(u); string(host) != "look.alike.org" {
			list = append(list, string(u))
		}
	}
	two := featuresOf(t, rank(t, Input{URLs: urls(list...)}, Options{MinURLs: 5}), "a.one.org", "b.two.org")
	less := math.Pow((1+math.Log(100./3))/(1+math.Log(100./2)), 2)
	for _, f := range []feature{pathsTelling, prefixTelling, shinglesTelling} {
		if x, y := two[f.alone()], three[f.alone()]; math.Abs(x-1) > 1e-4 || math.Abs(y-less) > 1e-4 {
			t.Errorf("%s: %v for two, want 1; %v for three, want %v", names[f], x, y, less)
		}
	}
	if min(two[pathsCover.alone()], three[pathsCover.alone()]) < 1-1e-4 {
		t.Error("all that counts is common, of two or of three")
	}
}

// TestAlone: what URLs say is in features of its own where nothing else is known of a pair, and
// only there.
func TestAlone(t *testing.T) {
	all := web()
	for name, c := range map[string]struct {
		in    Input
		alone bool
	}{
		"URLs":                  {Input{URLs: all.URLs}, true},
		"URLs and addresses":    {Input{URLs: all.URLs, Addresses: all.Addresses}, true},
		"URLs and declarations": {Input{URLs: all.URLs, Declared: all.Declared}, true},
		"URLs and links":        {Input{URLs: all.URLs, Links: all.Links}, false},
		"URLs and pages":        {Input{URLs: all.URLs, Pages: all.Pages}, false},
		"links of no page of it": {Input{
			URLs:  all.URLs,
			Links: seq(Link{[]byte("http://else.org/"), []byte("http://a.one.org/")}),
		}, true},
	} {
		f := featuresOf(t, rank(t, c.in, Options{MinURLs: 5}), "a.one.org", "b.two.org")
		here, there := f[pathsCosine:graphCosine], f[pathsCosine.alone():graphCosine.alone()]
		if c.alone {
			here, there = there, here
		}
		if slices.Max(here) == 0 || slices.Max(there) != 0 {
			t.Errorf("%s: %v, and %v", name, here, there)
		}
	}
}
