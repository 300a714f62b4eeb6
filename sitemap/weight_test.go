package sitemap

import (
	"fmt"
	"runtime"
	"testing"

	"watershed/page"
)

// mazeURL is a URL of 62 bytes, a few hundred in a directory.
func mazeURL(n int) page.URL {
	if n == 0 {
		return "http://h00.maze.example/"
	}
	const format = "http://h%02d.maze.example/section-%d/article-%d-of-the-maze.html"
	return page.URL(fmt.Sprintf(format, n%16, n/4096, n))
}

// maze surveys visits to pages of one site, each of which is the first to name some links.
func maze(t *testing.T, visits, links int) *Survey {
	t.Helper()
	s, err := NewSurvey([]Site{{Name: "maze", Seeds: []page.URL{mazeURL(0)}, Boundary: Domain}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range visits {
		v := &page.Visit{URL: mazeURL(n), Status: 200}
		for i := range links {
			v.Links = append(v.Links, page.Link{URL: mazeURL(n*links + 1 + i), Kind: page.Navigation})
		}
		s.Learn(v)
		s.Wants()
	}
	if s.Known() != visits*links+1 {
		t.Fatalf("%d URLs are known", s.Known())
	}
	return s
}

// TestKnownURLsAreLight: a URL that is only known takes 100 bytes at most, its text of 62 bytes,
// its place in the site and its share of links included.
func TestKnownURLsAreLight(t *testing.T) {
	before := held()
	s := maze(t, 30_000, 10)
	each := float64(held()-before) / float64(s.Known())
	if each > 100 {
		t.Errorf("%.1f bytes each", each)
	}
	t.Logf("%.1f bytes each", each)
	runtime.KeepAlive(s)
}

// TestMembersAreLight: a page on a map takes 45 bytes at most, its text of 62 bytes included.
func TestMembersAreLight(t *testing.T) {
	s := maze(t, 30_000, 10)
	first, _ := s.Map("maze") // what the survey makes at the first one stays
	before := held()
	m, err := s.Map("maze")
	each := float64(held()-before) / float64(m.Members.Len())
	if err != nil || m.Members.Len() != s.Known() || !m.Members.Equal(first.Members) || each > 45 {
		t.Errorf("%d members, %.1f bytes each", m.Members.Len(), each)
	}
	t.Logf("%.1f bytes each", each)
	runtime.KeepAlive(s)
	runtime.KeepAlive(first)
}

// held is what is held, in bytes.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
