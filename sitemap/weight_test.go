package sitemap

import (
	"fmt"
	"runtime"
	"testing"

	"watershed/page"
)

// TestKnownURLsAreLight: a URL that is only known takes 100 bytes at most, its text of 62 bytes,
// its place in the site and its share of links included.
func TestKnownURLsAreLight(t *testing.T) {
	const visits, links = 30_000, 10
	seed := page.URL("http://h00.maze.example/")
	s, err := NewSurvey([]Site{{Name: "maze", Seeds: []page.URL{seed}, Boundary: Domain}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	url := func(n int) page.URL {
		if n == 0 {
			return seed
		}
		const format = "http://h%02d.maze.example/section-%d/article-%d-of-the-maze.html"
		return page.URL(fmt.Sprintf(format, n%16, n/4096, n))
	}
	before := held()
	for n := range visits {
		v := &page.Visit{URL: url(n), Status: 200}
		for i := range links {
			v.Links = append(v.Links, page.Link{URL: url(n*links + 1 + i), Kind: page.Navigation})
		}
		s.Learn(v)
		s.Wants()
	}
	each := float64(held()-before) / float64(s.Known())
	runtime.KeepAlive(s)
	if s.Known() != visits*links+1 || each > 100 {
		t.Errorf("%d URLs known, %.1f bytes each", s.Known(), each)
	}
	t.Logf("%.1f bytes each", each)
}

// held is what is held, in bytes.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
