package sitemap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

// sketchOf is the sketch of n words of which the first are those of a common template, the others
// drawn by seed.
func sketchOf(t *testing.T, template, n int, seed uint64) []byte {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	draw := func(n int, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 7))
		for range n {
			b.Text(fmt.Appendf(nil, "word%d ", r.IntN(5000)))
		}
	}
	draw(template, 0)
	draw(n-template, seed)
	s := b.Sketch()
	return s.AppendEncode(nil)
}

func TestCanonicalIsBelieved(t *testing.T) {
	same, alike, other := sketchOf(t, 0, 400, 1), sketchOf(t, 0, 400, 1), sketchOf(t, 150, 400, 2)
	for _, tt := range []struct {
		name   string
		from   page.URL
		names  []page.URL // canonical links
		to     page.URL   // what is asked about
		sketch []byte     // of the page; that of the other is same
		status int        // of the other
		third  page.URL   // that the other names
		want   bool
	}{
		{name: "query", from: "http://h.example/list?sort=2", to: "http://h.example/list", want: true},
		{name: "case", from: "http://h.example/List.html", to: "http://h.example/list.html", want: true},
		{name: "index", from: "http://h.example/d/index.php", to: "http://h.example/d/", want: true},
		{name: "extension", from: "http://h.example/d/a.html", to: "http://h.example/d/a", want: true},
		{name: "scheme", from: "http://h.example/a", to: "https://h.example/a", want: true},
		{name: "www", from: "http://h.example/a", to: "http://www.h.example/a", want: true},
		{name: "another path, no text", from: "http://h.example/print/a", to: "http://h.example/a"},
		{
			name: "another path, same text", from: "http://h.example/print/a", to: "http://h.example/a",
			sketch: alike, want: true,
		},
		{
			name: "another path, other text below one template", from: "http://h.example/print/a",
			to: "http://h.example/a", sketch: other,
		},
		{name: "home page of everything", from: "http://h.example/a", to: "http://h.example/", sketch: other},
		{name: "another host", from: "http://thief.example/a", to: "http://h.example/a", sketch: alike},
		{name: "gone", from: "http://h.example/a?x", to: "http://h.example/a", status: 404},
		{
			name: "two names", from: "http://h.example/a?x", to: "http://h.example/a",
			names: []page.URL{"http://h.example/a", "http://h.example/b"},
		},
		{
			name: "names a third", from: "http://h.example/a?x", to: "http://h.example/a",
			third: "http://h.example/A",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.names == nil {
				tt.names = []page.URL{tt.to}
			}
			visit := func(u page.URL, sketch []byte, names ...page.URL) *page.Visit {
				v := &page.Visit{URL: u, Status: 200, Sketch: sketch}
				for _, to := range names {
					v.Links = append(v.Links, page.Link{URL: to, Kind: page.Canonical})
				}
				return v
			}
			third := tt.third
			if third == "" {
				third = tt.to
			}
			w := testWeb{
				tt.from: visit(tt.from, tt.sketch, tt.names...),
				tt.to:   visit(tt.to, same, third),
				third:   visit(third, same, third),
			}
			if tt.status != 0 {
				w[tt.to].Status = tt.status
			}
			seed := page.URL("http://seed.example/")
			w[seed] = &page.Visit{
				URL: seed, Status: 200,
				Links: []page.Link{
					{URL: tt.from, Kind: page.Navigation},
					{URL: tt.to, Kind: page.Navigation},
				},
			}
			rules := []page.Rule{
				mustRule(t, "prefix:"+string(tt.from)), mustRule(t, "prefix:"+string(tt.to)),
				mustRule(t, "prefix:"+string(third)),
			}
			for _, order := range [][]page.URL{{tt.from, tt.to}, {tt.to, tt.from}} {
				s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{seed}, Include: rules}},
					Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, u := range append([]page.URL{seed}, order...) {
					s.Learn(w.visit(u))
				}
				b := s.sites[0]
				settle(b.book, true)
				if got := b.isCopy(b.find(s.web.find(tt.from))); got != tt.want {
					t.Errorf("in the order %v: folded is %v, want %v", order, got, tt.want)
				}
			}
		})
	}
}

// A shop that lists its goods in twelve orders has thirteen addresses a page, which are one.
func TestCanonicalFoldsVariants(t *testing.T) {
	w := testWeb{}
	add := func(u page.URL, canonical page.URL, links ...string) {
		v := &page.Visit{URL: u, Status: 200, Links: []page.Link{{URL: canonical, Kind: page.Canonical}}}
		for _, ref := range links {
			to, err := u.Resolve(ref)
			if err != nil {
				t.Fatal(err)
			}
			v.Links = append(v.Links, page.Link{URL: to, Kind: page.Navigation})
		}
		w[u] = v
	}
	const pages, orders = 8, 12
	for i := range pages {
		u := page.URL(fmt.Sprintf("http://shop.example/p%d", i))
		var links []string
		for o := range orders {
			links = append(links, fmt.Sprintf("p%d?order=%d", (i+1)%pages, o))
		}
		links = append(links, "/p0")
		add(u, u, append(links, fmt.Sprintf("http://goods.example/g%d", i))...)
		for o := range orders {
			add(u+page.URL(fmt.Sprintf("?order=%d", o)), u,
				append(links, fmt.Sprintf("http://ads.example/%d-%d", i, o))...)
		}
		g := page.URL(fmt.Sprintf("http://goods.example/g%d", i))
		add(g, g, fmt.Sprintf("g%d", (i+1)%pages), fmt.Sprintf("http://shop.example/p%d", i))
	}
	for _, off := range []bool{false, true} {
		_, m := w.surveyed(t, Site{Seeds: []page.URL{"http://shop.example/p0"}}, Options{NoCanonical: off})
		copies := 0
		for _, x := range m.Members.All() {
			copies += b2i(strings.HasPrefix(x.Note, "same as "))
		}
		if want := b2i(!off) * pages * orders; copies != want {
			t.Errorf("off is %v: %d pages are told as others, want %d", off, copies, want)
		}
	}
}
