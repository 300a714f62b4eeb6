package sitemap

import (
	"fmt"
	"testing"

	"watershed/page"
)

// TestHomePageAboveItsPages: a second place comes in whole where other hosts lead to its home page
// alone and its pages, in a directory below that, mostly to each other.
func TestHomePageAboveItsPages(t *testing.T) {
	const n = 30
	for _, c := range []struct{ name, home, pages string }{
		{"a wiki", "http://pedia.example/", "http://pedia.example/wiki/p"},
		{"a help desk", "http://help.example/acme/", "http://help.example/acme/articles/p"},
		{"a repository", "http://code.example/acme/acme", "http://code.example/acme/acme/issues/p"},
		{"pages beside their home page", "http://help.example/acme/", "http://help.example/acme/p"},
	} {
		b := builder{t, testWeb{}}
		const home = "http://www.acme.example/"
		for i := range n {
			own := func(i int) string { return fmt.Sprint(home, "a", i%n) }
			b.page(page.URL(own(i)), home, own(i+1), own(7*i), c.home)
			b.page(home, own(i), c.home)
			second := func(i int) string { return fmt.Sprint(c.pages, i%n) }
			b.page(page.URL(second(i)), home, c.home, second(i+1), second(i+2),
				second(7*i), second(11*i), second(13*i), "http://help.example/other/")
			b.page(page.URL(c.home), home, second(i))
		}
		b.page("http://help.example/other/", "http://help.example/other/p1")
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{home}}, Options{})
		for what, in := range map[string]int{
			"own pages": inside(m, "www.acme.example/"), "second pages": inside(m, c.pages[len("http://"):]),
		} {
			if in < n {
				t.Errorf("%s: %d of %d %s are inside", c.name, in, n, what)
			}
		}
		if in := inside(m, "help.example/other/"); in > 0 {
			t.Errorf("%s: %d pages of a stranger are inside", c.name, in)
		}
	}
}
