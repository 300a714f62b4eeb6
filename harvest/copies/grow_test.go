package copies

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// TestOriginalOfGrowth: of two hosts of which nothing else tells the original it is the earlier seed,
// whichever of the two answers first.
func TestOriginalOfGrowth(t *testing.T) {
	const first, second = "http://b.example/", "http://a.example/"
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := newFinds(&Parts{
		Table: new(replica.Table), Began: time.Unix(1, 0),
		Sites: []sitemap.Site{{Seeds: []page.URL{first}}, {Seeds: []page.URL{second}}},
	})
	copied := ""
	for _, host := range []string{second, first} {
		for i := range 20 {
			var words strings.Builder
			for k := range 150 {
				fmt.Fprintf(&words, "w%d ", (k*k+i*7919+k*i)%9973)
			}
			b.Text([]byte(words.String()))
			s := b.Sketch()
			found, err := x.grow(&page.Visit{
				URL: page.URL(fmt.Sprintf("%sp%d.html", host, i)), Status: 200, Sketch: s.AppendEncode(nil),
				Links: []page.Link{{URL: page.URL(host), Kind: page.Navigation}},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				copied = c.Place
			}
		}
	}
	if copied != second {
		t.Errorf("%q is taken for the copy, not %q", copied, second)
	}
}
