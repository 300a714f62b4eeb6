package sitemap

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// TestShortestIsAShortestPath compares with the lengths of all paths (Floyd and Warshall), from the
// nearer of two vertices.
func TestShortestIsAShortestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "vertices")
		hops, length := make([][]hop, n), make([][]int, n)
		for u := range length {
			length[u] = slices.Repeat([]int{n}, n)
			length[u][u] = 0
		}
		for range rapid.IntRange(0, 25).Draw(t, "arcs") {
			u, v := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			hops[u] = append(hops[u], hop{uint32(v), rapid.Int64Range(1, 9).Draw(t, "capacity"), 0})
			length[u][v] = min(length[u][v], 1)
		}
		for k := range n {
			for u := range n {
				for v := range n {
					length[u][v] = min(length[u][v], length[u][k]+length[k][v])
				}
			}
		}
		draw := func(what string) uint32 { return uint32(rapid.IntRange(0, n-1).Draw(t, what)) }
		a, b, to := draw("source"), draw("other source"), draw("target")
		want := min(length[a][to], length[b][to])
		way := shortest(hops, []uint32{a, b}, to, false)
		if (way == nil) != (want == n) {
			t.Fatalf("path %v, length %d", way, want)
		}
		if way == nil {
			return
		}
		for i, x := range way[1:] {
			if x.from != way[i].vertex || !slices.Contains(hops[x.from], x.by) || x.by.to != x.vertex {
				t.Fatalf("no path: %v", way)
			}
		}
		if first := way[0].vertex; len(way)-1 != want || first != a && first != b || way[want].vertex != to {
			t.Fatalf("from %d or %d to %d, want %d hops: %v", a, b, to, want, way)
		}
	})
}

// TestExplainsUnknownURLs tells of URLs that no page names the same as the whole map, for which no map
// need be drawn where their host is unknown.
func TestExplainsUnknownURLs(t *testing.T) {
	for _, mode := range []Mode{Logical, Prefix, HostOnly, Domain, List} {
		s, m := parseWeb(t, twoHosts).surveyed(t, Site{
			Seeds: []page.URL{"http://www.site.example/"}, Boundary: mode,
		}, Options{})
		for _, u := range []page.URL{
			"http://www.site.example/never", "http://docs.site.example/never",
			"http://other.site.example/never", "http://www.site.example:8080/", "http://never.example/",
		} {
			got, err := s.Explain("site", u, 0)
			if want := m.Explain(u); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %s: %+v %v, want %+v", mode, u, got, err, want)
			}
		}
	}
}

// TestPathsOfFlow: every page that the cut takes in outside the prefix is told a path from the seed
// or from a page that is fed, along links of the web one way or the other.
func TestPathsOfFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSurvey(t)
		b := s.sites[0]
		d, err := b.drawn()
		if err != nil {
			t.Fatal(err)
		}
		m, settled := d.m, d.s
		for _, list := range []Members{m.Members, m.Wider} {
			for _, x := range list.All() {
				e, err := s.Explain("site", x.URL, 0)
				if err != nil {
					t.Fatal(err)
				}
				if e.Inside != (m.Members.Has(x.URL) || e.Why == WhyRequisite) {
					t.Fatalf("%s: inside %v", x.URL, e.Inside)
				}
				// one that is taken in at a wider scale may be a requisite at this one
				if e.Why == WhyFlow && len(e.Path) == 0 {
					t.Fatalf("%s has no path", x.URL)
				}
				for i, step := range e.Path {
					if i == 0 {
						continue
					}
					from, to := b.find(s.web.find(e.Path[i-1].URL)), b.find(s.web.find(step.URL))
					if step.Against {
						from, to = to, from
					}
					if !slices.Contains(settled.links(from), to) || step.Capacity <= 0 ||
						step.Flow > step.Capacity {
						t.Fatalf("step %+v after %s", step, e.Path[i-1].URL)
					}
				}
				if n := len(e.Path); n > 0 && e.Path[n-1].URL != x.URL {
					t.Fatalf("%s: path to %s", x.URL, e.Path[n-1].URL)
				}
			}
		}
	})
}

func TestExplainTellsAll(t *testing.T) {
	w := parseWeb(t, guide)
	s, _ := w.surveyed(t, Site{Seeds: []page.URL{"http://www.site.example/"}}, Options{})
	var b strings.Builder
	for _, x := range []struct {
		url   page.URL
		alpha float64
	}{
		{"http://www.site.example/", 0},
		{"http://www.site.example/a", 0},
		{"http://docs.site.example/4", 0},
		{"http://docs.site.example/4", 0.9},
		{"http://www.site.example/old", 0},
		{"http://stranger.example/", 0},
		{"http://nowhere.example/", 0},
	} {
		e, err := s.Explain("site", x.url, x.alpha)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(e.String() + "\n")
		for _, line := range e.Details() {
			b.WriteString("  " + line + "\n")
		}
	}
	golden(t, "details.txt", []byte(b.String()))
	if _, err := s.Explain("other", "http://www.site.example/", 0); err == nil {
		t.Error("a site that is none is explained")
	}
	if _, err := s.Explain("site", "http://www.site.example/", 50); err == nil {
		t.Error("a scale out of range is explained")
	}
}
