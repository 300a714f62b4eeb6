package growth

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

// manual is the visits of a copy of a work: page i links to the next ones; change makes its text, and
// "" leaves it out.
func manual(t *testing.T, dir string, n int, change func(i int, text string) string) (list []*page.Visit) {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		var words strings.Builder
		for k := range 150 {
			fmt.Fprintf(&words, "w%d ", (k*k+i*7919+k*i)%9973)
		}
		text := words.String()
		if change != nil {
			text = change(i, text)
		}
		if text == "" {
			continue
		}
		b.Text([]byte(text))
		s := b.Sketch()
		u := page.URL(fmt.Sprintf("%sp%d.html", dir, i))
		v := &page.Visit{URL: u, Status: 200, Sketch: s.AppendEncode(nil)}
		for k := range 3 {
			v.Links = append(v.Links, page.Link{
				URL: page.URL(fmt.Sprintf("%sp%d.html", dir, (i+k+1)%n)), Kind: page.Navigation,
			})
		}
		list = append(list, v)
	}
	return list
}

func grow(t *testing.T, visits []*page.Visit) *Grower {
	t.Helper()
	g := New()
	for _, v := range visits {
		if _, err := g.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// A copy is known from its tenth twin on, whatever lies beside it; the copy is that which was seen
// later.
func TestCopies(t *testing.T) {
	other := func(i int, s string) string { return strings.ReplaceAll(s, "w", fmt.Sprintf("x%dx", i)) }
	original := manual(t, "http://a.example/manual/", 30, nil)
	for name, c := range map[string]struct {
		visits []*page.Visit
		want   string
	}{
		"nine pages":               {manual(t, "http://b.example/copy/", 9, nil), ""},
		"ten pages":                {manual(t, "http://b.example/copy/", 10, nil), "http://b.example/copy/"},
		"other pages at the paths": {manual(t, "http://b.example/copy/", 30, other), ""},
		"a host":                   {manual(t, "http://b.example/manual/", 20, nil), "http://b.example/"},
		"a fifth of other contents": {manual(t, "http://b.example/copy/", 30, func(i int, s string) string {
			if i%5 == 0 {
				return other(i, s)
			}
			return s
		}), ""},
		"a host of many things": {slices.Concat(manual(t, "http://b.example/copy/", 20, nil),
			manual(t, "http://b.example/own/", 40, other)), "http://b.example/copy/"},
	} {
		got := grow(t, slices.Concat(original, c.visits)).copies()
		switch {
		case c.want == "" && len(got) > 0, c.want != "" && (len(got) != 1 || got[0].Place != c.want):
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Of two hosts of which the mirror has more, the directory that it mirrors is its copy, and the original
// is none, whatever the mirror holds, where something tells which is which.
func TestMirrorThatHoldsMore(t *testing.T) {
	other := func(i int, s string) string { return strings.ReplaceAll(s, "w", fmt.Sprintf("x%dx", i)) }
	g := grow(t, slices.Concat(manual(t, "http://mirror.example/own/", 40, other),
		manual(t, "http://mirror.example/manual/", 30, nil),
		manual(t, "http://www.example/manual/", 30, nil)[:28]))
	const www, mirror = "http://www.example/", "http://mirror.example/"
	for name, rather := range map[string]struct {
		order int
		sure  bool
		want  string
	}{
		"told":          {-1, true, mirror + "manual/"},
		"by order":      {-1, false, mirror + "manual/"},
		"the other way": {1, true, www},
	} {
		c, ok := g.Measure(Candidate{www, mirror}, func(a, _ string) (int, bool) {
			if a == www {
				return rather.order, rather.sure
			}
			return -rather.order, rather.sure
		})
		if !ok || c.Place != rather.want {
			t.Errorf("%s: %+v, %v", name, c, ok)
		}
	}
}

// Places below more directories than pages are counted in are not measured.
func TestDeep(t *testing.T) {
	deep := strings.Repeat("d/", deepest)
	visits := slices.Concat(manual(t, "http://a.example/"+deep+"x/", 20, nil),
		manual(t, "http://b.example/"+deep+"y/", 20, nil))
	if got := grow(t, visits).copies(); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

// A page that the other place was found not to have speaks against it.
func TestGone(t *testing.T) {
	visits := slices.Concat(manual(t, "http://a.example/m/", 12, nil),
		manual(t, "http://b.example/c/", 30, nil))
	for i := 12; i < 30; i++ {
		u := page.URL(fmt.Sprintf("http://a.example/m/p%d.html", i))
		visits = append(visits, &page.Visit{URL: u, Status: 404})
	}
	got := grow(t, visits).copies()
	if len(got) != 1 || got[0].Place != "http://a.example/m/" { // which the other holds whole
		t.Errorf("%+v", got)
	}
}

// The copies do not depend on the order of the visits, but for which of two equal places is the copy.
func TestOrder(t *testing.T) {
	visits := slices.Concat(manual(t, "http://a.example/m/", 30, nil),
		manual(t, "http://b.example/c/", 25, nil),
		manual(t, "http://c.example/own/", 40, func(i int, s string) string {
			return strings.ReplaceAll(s, "w", fmt.Sprintf("y%dy", i))
		}), manual(t, "http://c.example/x/", 14, nil))
	tell := func(visits []*page.Visit) (list []string) {
		for _, c := range grow(t, visits).copies() {
			a, b := min(c.Place, c.Of), max(c.Place, c.Of)
			list = append(list, fmt.Sprint(a, b, c.Twins, c.Containment, c.Shape))
		}
		return list
	}
	want := tell(visits)
	if len(want) != 3 {
		t.Fatalf("%q", want)
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(visits), func(i, k int) { visits[i], visits[k] = visits[k], visits[i] })
		if got := tell(visits); !slices.Equal(got, want) {
			t.Errorf("seed %d: %q, not %q", seed, got, want)
		}
	}
}

// copies gives all copies that are known, in the order of their places.
func (g *Grower) copies() []Copy {
	var list []Copy
	for x, grown := range g.pairs {
		if grown.twins < leastTwins {
			continue
		}
		if c, ok := g.Measure(x, func(_, _ string) (int, bool) { return 0, false }); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y Copy) int {
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Of, y.Of))
	})
	return list
}

func TestPlaces(t *testing.T) {
	for _, c := range [][4]string{
		{"http://a.example/m/x.html", "http://b.example/m/x.html", "http://a.example/", "http://b.example/"},
		{
			"http://a.example/m/x.html", "http://b.example/c/x.html", "http://a.example/m/",
			"http://b.example/c/",
		},
		{"http://a.example/x.html", "http://b.example/c/x.html", "http://a.example/", "http://b.example/c/"},
		{"http://a.example/x.html", "http://a.example/c/x.html", "http://a.example/", "http://a.example/c/"},
		{"http://a.example/m/ax.html", "http://b.example/m/bx.html", "", ""},
		{"http://a.example/", "http://b.example/", "", ""},
		{"http://a.example/m/", "http://b.example/c/", "", ""},
	} {
		x, ok := placesOf(page.URL(c[0]), page.URL(c[1]))
		if ok != (c[2] != "") || x.A != c[2] || x.B != c[3] {
			t.Errorf("%s, %s: %+v %v", c[0], c[1], x, ok)
		}
	}
}

// Places of more pages than Largest are not measured, and no more than Most pages are taken in; files
// lie under their places, and are no twins.
func TestBounds(t *testing.T) {
	visits := slices.Concat(manual(t, "http://a.example/m/", 30, nil),
		manual(t, "http://b.example/c/", 30, nil))
	for i := range 20 {
		u := page.URL(fmt.Sprintf("http://b.example/c/i%d.png", i))
		visits = append(visits, &page.Visit{URL: u, Status: 200})
	}
	for _, c := range []struct {
		name   string
		bounds bounds
		copies int
		under  int
	}{
		{"none", bounds{}, 1, 50},
		{"few pages of a place", bounds{largest: 49}, 0, 50},
		{"just enough", bounds{largest: 50}, 1, 50},
		{"few pages", bounds{most: 45}, 1, 15},
		{"too few", bounds{most: 39}, 0, 9},
	} {
		g := New()
		g.largest, g.most = cmp.Or(c.bounds.largest, g.largest), cmp.Or(c.bounds.most, g.most)
		for _, v := range visits {
			if _, err := g.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		list := g.copies()
		if n := len(g.Under("http://b.example/c/")); len(list) != c.copies || n != c.under {
			t.Errorf("%s: %+v, %d pages under the copy, not %d copies and %d", c.name, list, n, c.copies,
				c.under)
		}
		if c.copies > 0 && list[0].Twins > 30 {
			t.Errorf("%s: files are twins: %+v", c.name, list)
		}
	}
}

// A page has no more than mostMeasured places measured, however many it is alike with.
func TestMeasured(t *testing.T) {
	g := New()
	most := 0
	for i := range 20 {
		for _, v := range manual(t, fmt.Sprintf("http://h%d.example/m/", i), 12, nil) {
			list, err := g.Add(v)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, len(list))
		}
	}
	if most != mostMeasured {
		t.Errorf("%d places were to be measured at a time, not %d", most, mostMeasured)
	}
}
