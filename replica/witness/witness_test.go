package witness

import (
	"maps"
	"slices"
	"testing"
	"unsafe"

	"watershed/page"
	"watershed/replica/mirror"
	"watershed/replica/sketch"
)

// TestWitness gives visits that say what is to be found: equal text, no text and equal bytes, soft
// errors, and links of each kind.
func TestWitness(t *testing.T) {
	text := func(words string) []byte {
		b, err := sketch.NewBuilder(sketch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b.Text([]byte(words))
		made := b.Sketch()
		return made.AppendEncode(nil)
	}
	one, other := text("an atlas of the sea and of the land with maps"),
		text("what is new this week in the harbour of the town")
	digest := page.SumDigest([]byte("robots"))
	link := func(kind page.LinkKind, to page.URL) []page.Link { return []page.Link{{URL: to, Kind: kind}} }
	w := New()
	for _, v := range []page.Visit{
		{URL: "http://a.example/x", Status: 200, Sketch: one},
		{
			URL: "http://b.example/x", Status: 200, Sketch: one,
			Links: link(page.Canonical, "http://a.example/x"),
		},
		{
			URL: "http://b.example/y", Status: 200, Sketch: other,
			Links: link(page.Canonical, "http://a.example/x"),
		},
		{URL: "http://b.example/z", Status: 200, Sketch: one, SoftError: true},
		{URL: "http://c.example/x", Status: 404, Sketch: one},
		{URL: "http://a.example/robots.txt", Status: 200, Size: 6, Digest: digest},
		{URL: "http://d.example/", Status: 301, Links: link(page.Redirect, "http://a.example/")},
		{URL: "http://d.example/x", Status: 308, Links: link(page.Redirect, "https://a.example/x")},
		{URL: "http://e.example/", Status: 302, Links: link(page.Redirect, "http://a.example/")},
		{URL: "http://f.example/x", Status: 301, Links: link(page.Redirect, "http://a.example/")},
		{
			URL: "http://g.example/x", Status: 200, Sketch: other,
			Links: append(link(page.Alternate, "http://a.example/x"),
				link(page.Alternate, "http://a.example/x")...),
		},
		{URL: "http://g.example/y", Status: page.StatusDNS},
	} {
		lend(v, w.Learn)
	}
	clusters := map[uint64][]string{}
	for p, err := range w.Pages {
		if err != nil {
			t.Fatal(err)
		}
		clusters[p.Cluster] = append(clusters[p.Cluster], string(p.URL))
	}
	var got [][]string
	for _, list := range clusters {
		slices.Sort(list)
		got = append(got, list)
	}
	slices.SortFunc(got, slices.Compare)
	want := [][]string{
		{"http://a.example/x", "http://b.example/x"},
		{"http://b.example/y", "http://g.example/x"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("alike: %v, want %v", got, want)
	}
	said := map[mirror.Declaration]bool{}
	for d, err := range w.Declared {
		if err != nil {
			t.Fatal(err)
		}
		said[d] = true
	}
	declared := map[mirror.Declaration]bool{
		{Kind: mirror.Canonical, Host: "b.example", Target: "a.example", Pages: 1}: true,
		{Kind: mirror.Robots, Host: "a.example", Target: digest.String()}:          true,
		{Kind: mirror.Redirect, Host: "d.example", Target: "a.example"}:            true, // as a whole
		{Kind: mirror.Hreflang, Host: "g.example", Target: "a.example"}:            true, // of the one answer
	}
	if !maps.Equal(said, declared) {
		t.Errorf("declared: %v, want %v", said, declared)
	}
}

// lend has a visit learnt whose URLs are in memory that is written over afterwards.
func lend(v page.Visit, learn func(*page.Visit)) {
	var lent [][]byte
	move := func(u *page.URL) {
		b := []byte(*u)
		lent = append(lent, b)
		*u = page.URL(unsafe.String(unsafe.SliceData(b), len(b)))
	}
	move(&v.URL)
	v.Links = slices.Clone(v.Links)
	for i := range v.Links {
		move(&v.Links[i].URL)
	}
	learn(&v)
	for _, b := range lent {
		clear(b)
	}
}
