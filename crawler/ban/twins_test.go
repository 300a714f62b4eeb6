package ban

import (
	"fmt"
	"testing"

	"watershed/page"
)

// TestTwins: pages that are the same to the byte are asked for once more, few where that is in vain, and a
// bounded number where it is not; those of which nobody knows the right text by then are lost.
func TestTwins(t *testing.T) {
	const own = 200 // pages with texts of their own
	for _, c := range []struct {
		name              string
		twins             int
		first             bool // the first of two is the wrong one
		one               bool // all have one text
		comes             bool // the right text, when it is asked for once more
		asked, left, lost int
	}{
		{"none", 0, false, false, true, 0, 0, 0},
		{"pages with two addresses", 30, false, false, false, 2 * mostSampled, 30, 0},
		{"one page with two addresses", 1, false, false, false, 2, 1, 0},
		{"the second is wrong, and comes", 30, false, false, true, 30, 0, 0},
		{"the first is wrong, and comes", 30, true, false, true, 30 + mostSampled, 0, 0},
		{"more than are asked for", 90, false, false, true, mostTwinAsks, 40, 40},
		{"many of one text", 30, false, true, true, 0, 30, 0},
		{"more of one text than of others", 2 * own, false, true, true, 0, 2 * own, 0},
	} {
		w, asked, wrong := New(), 0, map[page.URL]bool{}
		texts := map[page.URL]uint64{}
		for i := range own {
			w.Learn(visit(fmt.Sprintf("http://a.example/own/%d", i), 200, fmt.Sprint(i), 9))
		}
		for i := range c.twins {
			first := visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint("t", i), 9)
			if c.one {
				first.URL = "http://a.example/one"
			}
			first.Content = uint64(1 + i)
			if c.one {
				first.Content = 1
			}
			v := visit(fmt.Sprintf("http://a.example/%d/twin", i), 200, first.Title, 9)
			v.Content = first.Content
			texts[first.URL], texts[v.URL] = v.Content, v.Content
			v.Revisit, v.Origin.URL = true, first.URL
			if wrong[v.URL] = true; c.first {
				delete(wrong, v.URL)
				wrong[first.URL] = true
			}
			w.Learn(first)
			w.Learn(v)
		}
		for pages := w.Last(); len(pages) > 0; pages = w.Last() {
			for _, u := range pages {
				asked++
				v := visit(string(u), 200, string(u), 9)
				if v.Revisit, v.Content = true, texts[u]; wrong[u] && c.comes {
					v.Revisit, v.Content = false, uint64(1000+asked)
					delete(wrong, u)
				}
				v.Origin.URL = u
				w.Learn(v)
			}
		}
		lost := w.Lost()
		if asked != c.asked || len(wrong) != c.left || len(lost) != c.lost || len(w.Lost()) > 0 {
			t.Errorf("%s: %d asked, %d left, %d lost", c.name, asked, len(wrong), len(lost))
		}
	}
}

// TestTwinsMove: pages that have texts of their own by now are not asked for, even where the text of one came
// in place of the other first.
func TestTwinsMove(t *testing.T) {
	w := New()
	gives := func(u page.URL, content uint64, origin page.URL) {
		v := visit(string(u), 200, fmt.Sprint(content), 9)
		v.Content, v.Revisit, v.Origin.URL = content, origin != "", origin
		w.Learn(v)
	}
	for i := range 40 {
		gives(page.URL(fmt.Sprint("http://a.example/own/", i)), uint64(100+i), "")
	}
	const a, b = "http://a.example/a", "http://a.example/b"
	gives(a, 2, "") // the text of b
	gives(b, 2, a)
	gives(b, 103, "http://a.example/own/3") // is mixed up once more
	gives(a, 1, "")
	gives(b, 2, a)
	if asked := w.Last(); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
}
