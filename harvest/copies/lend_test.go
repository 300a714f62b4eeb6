package copies

import (
	"slices"
	"testing"

	"watershed/page"
	"watershed/replica"
)

// TestSpellings: addresses of a copy are written as its pages write them, from the second one on that
// is seen so; pictures as pictures are.
func TestSpellings(t *testing.T) {
	e := replica.Entry{From: "m.example", To: "www.example"}
	visit := func(u page.URL, kind page.LinkKind, to ...page.URL) *page.Visit {
		v := &page.Visit{URL: u}
		for _, l := range to {
			v.Links = append(v.Links, page.Link{URL: l, Kind: kind})
		}
		return v
	}
	x := spellings{}
	learn := func(kind page.LinkKind, own, theirs page.URL) bool {
		return x.learn(&e, visit("http://m.example/", kind, own), visit("http://www.example/", kind, theirs))
	}
	want := func(plain page.URL, part bool, list ...page.URL) {
		t.Helper()
		if got := x.of(plain, part); !slices.Equal(got, list) {
			t.Errorf("%s is written %q, not %q", plain, got, list)
		}
	}
	learn(page.Navigation, "https://m.example/a?s=1", "http://www.example/a")
	learn(page.Navigation, "http://m.example/calendar?month=1", "http://www.example/calendar")
	want("http://m.example/b", false, "http://m.example/b")
	if learn(page.Navigation, "https://m.example/a?s=1", "http://www.example/a") {
		t.Error("a single address tells")
	}
	if !learn(page.Navigation, "https://m.example/b?s=1", "http://www.example/b") {
		t.Error("two addresses tell nothing")
	}
	want("http://m.example/c", false, "https://m.example/c?s=1")
	want("http://m.example/c?q=2", false, "http://m.example/c?q=2")
	want("https://m.example/c", false, "https://m.example/c")
	want("http://m.example/c.png", true, "http://m.example/c.png")
	learn(page.Navigation, "http://m.example/d", "http://www.example/d")
	learn(page.Navigation, "http://m.example/e", "http://www.example/e")
	want("http://m.example/c", false, "http://m.example/c", "https://m.example/c?s=1")
}
