package mirror

import (
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// leastOf are the least of a set.
func leastOf(set []uint32) (l Least) {
	set = slices.Clone(set)
	slices.Sort(set)
	copy(l[:], slices.Compact(set))
	return l
}

// TestLeastResemblance compares with counting: of sets that fit, exactly; of larger ones, within
// what the sample allows. The resemblance of a text to itself is 1.
func TestLeastResemblance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Uint32Range(1, 40)
		most := leastSize / 2
		a := rapid.SliceOfN(number, 1, most).Draw(t, "a")
		b := rapid.SliceOfN(number, 1, most).Draw(t, "b")
		la, lb := leastOf(a), leastOf(b)
		all, both := map[uint32]bool{}, map[uint32]bool{}
		for _, x := range append(slices.Clone(a), b...) {
			all[x] = true
			both[x] = slices.Contains(a, x) && slices.Contains(b, x)
		}
		common := 0
		for _, x := range both {
			if x {
				common++
			}
		}
		want := float64(common) / float64(len(all))
		if got := la.resemblance(&lb); math.Abs(got-want) > 1e-12 || got != lb.resemblance(&la) {
			t.Fatalf("%v and %v: %g, want %g", a, b, got, want)
		}
		if la.resemblance(&la) != 1 {
			t.Fatalf("%v is not like itself", a)
		}
	})
	sum := 0.0
	for i := range 400 {
		var a, b []uint32
		for j := range 300 {
			x := uint32(draw(uint64(i), uint64(j)) >> 32)
			if j < 200 {
				a = append(a, x)
			}
			if j >= 100 {
				b = append(b, x)
			}
		}
		la, lb := leastOf(a), leastOf(b)
		sum += la.resemblance(&lb)
	}
	if mean := sum / 400; math.Abs(mean-1./3) > .03 {
		t.Errorf("the mean over 400 pairs of a third in common is %g", mean)
	}
}

// TestSamePages: of two pairs of hosts with the same paths, the one whose pages are alike comes
// first, and what is not known of a pair without arcs or pages is marked so.
func TestSamePages(t *testing.T) {
	in := web()
	var list []string
	var pages []Page
	for _, h := range []string{"a.org", "b.org", "c.org", "d.org"} {
		for i := range 20 {
			u := "http://" + h + "/x" + string(rune('a'+i)) + "/same.html"
			list = append(list, u)
			p := Page{URL: []byte(u)}
			for k := range p.Least {
				of := uint64(1)
				if h == "c.org" || h == "d.org" && k%2 == 0 {
					of = uint64(h[0])
				}
				p.Least[k] = uint32(draw(of, uint64(i), uint64(k))>>33) | 1
			}
			slices.Sort(p.Least[:])
			pages = append(pages, p)
		}
	}
	in.URLs, in.Pages, in.Links = urls(list...), seq(pages...), nil
	r := rank(t, in, Options{MinURLs: 5})
	fused := pairNames(r, Fused)
	if len(fused) < 6 || fused[0] != "a.org b.org" || fused[1] != "a.org d.org" && fused[1] != "b.org d.org" {
		t.Fatalf("fused: %v", fused)
	}
	value := func(i int, name string) float64 {
		for _, e := range r.Explain(r.Ranking(Fused)[i]) {
			if e.Name == name {
				return e.Value
			}
		}
		return 0
	}
	if same, against := value(0, "content.same"), value(0, "content.against"); math.Abs(same-20./22) > 1e-6 ||
		against != 0 {
		t.Errorf("alike pages: same %g, against %g", same, against)
	}
	if against := value(len(fused)-1, "content.against"); against < .7 {
		t.Errorf("other pages: against %g", against)
	}
	if value(0, "no.links") != 1 || value(0, "no.content") != 0 {
		t.Error("there are no links, and pages")
	}
}

// TestCollectionsHeading: a heading says where the columns are.
func TestCollectionsHeading(t *testing.T) {
	text := "#collection\tcardinality\tsize\thost\tprefix\tpages\n7\t2\t9\ta.org\thttp://a.org/\t9\n"
	var got []Place
	for p, err := range ReadCollections(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(text))), nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if !slices.Equal(got, []Place{{"7", "a.org", 9}}) {
		t.Error(got)
	}
}
