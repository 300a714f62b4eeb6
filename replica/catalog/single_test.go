package catalog

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

func found(t testing.TB, c *Catalog) *Finding {
	t.Helper()
	f, err := c.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSingles: a page is left out when it had the text of another in two sweeps, for as long as
// that has this text; the fullest host stands.
func TestSingles(t *testing.T) {
	c := open(t, t.TempDir())
	own := visit(t, "http://full.example/own", text(50), "http://full.example/c", "http://twin.example/c",
		"http://edition.example/c")
	stand := visit(t, "http://full.example/c", text(1))
	twin := visit(t, "http://twin.example/c", text(1)+"  ", "http://twin.example/next",
		"http://twin.example/c")
	other := visit(t, "http://twin.example/next", text(2))
	edition := visit(t, "http://edition.example/c", text(1)+text(9)[:60])
	add(t, c, own, stand, twin, other, edition)
	rule := SingleRule{Resemblance: 1}
	check := func(name string, rule SingleRule, want []Single) {
		t.Helper()
		f := found(t, c)
		list, err := f.Singles(t.Context(), rule)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			if list[i].Resemblance < rule.Resemblance {
				t.Errorf("%s: resemblance %g", name, list[i].Resemblance)
			}
			list[i].Resemblance = 0
		}
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("one sweep", rule, nil)
	one := rule
	one.Sweeps = 1
	left := Single{URL: twin.URL, Stand: stand.URL, Sweeps: 1}
	check("one is enough", one, []Single{left})
	one.Resemblance = .5
	check("editions, too", one, []Single{{URL: edition.URL, Stand: stand.URL, Sweeps: 1}, left})
	add(t, c, own, stand, twin, other, edition)
	left.Sweeps = 2
	check("two sweeps", rule, []Single{left})
	held := rule
	held.Held = func(u page.URL) bool { return u == stand.URL }
	check("its stand is left out", held, nil)
	late := rule
	late.Oldest = 2e9
	check("not seen for too long", late, nil)
	fixed := rule
	fixed.Fixed = map[page.URL]bool{twin.URL: true}
	check("both stay or the other goes", fixed, []Single{{URL: stand.URL, Stand: twin.URL, Sweeps: 2}})
	bound := one
	bound.Bound = map[page.URL]bool{twin.URL: true, edition.URL: true, stand.URL: true}
	check("what stands for others goes for the same text", bound,
		[]Single{{URL: twin.URL, Stand: stand.URL, Sweeps: 1}})
	bound.Bound = map[page.URL]bool{twin.URL: true}
	check("what stands for others stands", bound, []Single{
		{URL: edition.URL, Stand: twin.URL, Sweeps: 1},
		{URL: stand.URL, Stand: twin.URL, Sweeps: 1},
	})
	turned := rule
	turned.Stands = map[page.URL]bool{twin.URL: true}
	check("who stood goes on", turned, []Single{{URL: stand.URL, Stand: twin.URL, Sweeps: 2}})
	add(t, c, own, visit(t, string(stand.URL), text(70)))
	check("the stand has changed", rule, nil)
	if _, err := found(t, c).Singles(t.Context(), SingleRule{Resemblance: .4}); err == nil {
		t.Error("a resemblance of .4 is none")
	}
}

// TestSinglesWhole: whatever is left out, its stand is not, and is as like it as asked for; and
// what it links to is asked for.
func TestSinglesWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for range 12 {
		c := open(t, t.TempDir())
		all := []*page.Visit{visit(t, "http://h0.example/", text(0))}
		for i := range 12 {
			body := text(rng.IntN(3))
			u := fmt.Sprintf("http://h%d.example/p%d", rng.IntN(4), i)
			from := all[rng.IntN(len(all))]
			from.Links = append(from.Links, page.Link{URL: page.URL(u), Kind: page.Navigation})
			all = append(all, visit(t, u, body[:len(body)-rng.IntN(200)*rng.IntN(2)]))
		}
		add(t, c, all...)
		checkSingles(t, found(t, c), all, SingleRule{Resemblance: .5 + .5*rng.Float64(), Sweeps: 1})
	}
}

func checkSingles(t *testing.T, f *Finding, all []*page.Visit, rule SingleRule) {
	list, err := f.Singles(t.Context(), rule)
	if err != nil {
		t.Fatal(err)
	}
	out := map[page.URL]bool{}
	for _, x := range list {
		out[x.URL] = true
	}
	delete(out, all[0].URL)
	if len(out) == 0 {
		t.Error("nothing is left out")
	}
	for _, x := range list {
		p, _ := f.Lookup(x.URL)
		q, _ := f.Lookup(x.Stand)
		if r, err := f.Resemblance(p, q); err != nil || out[x.Stand] || r < rule.Resemblance {
			t.Errorf("%+v: its stand is left out: %v, resemblance %g, %v", x, out[x.Stand], r, err)
		}
	}
}
