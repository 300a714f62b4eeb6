package sitemap

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/flow"
	"watershed/graph"
	"watershed/page"
)

// TestNameTokens: what separates tokens, and what is left out, told by distances of names.
func TestNameTokens(t *testing.T) {
	for _, c := range []struct {
		a, b page.URL
		want int
	}{
		{"http://a.example/package-lens-docs.html", "http://b.example/package/lens/docs.php", 0},
		{"http://a.example/a-b-c", "http://a.example/a-b-d", 1 + 2},
		{"http://a.example/a-b-c", "http://a.example/d-b-c", 1 + 6},
		{"http://a.example/a-b-c", "http://a.example/a", 2 + 2},
		{"http://a.example/Network-Socket.html", "http://a.example/src/network.socket", 1 + 5},
		{"http://a.example/9f3c", "http://a.example/77aa", 1 + 2},
		{"http://a.example/", "http://a.example/x_y~z", 3 + 3},
		{"http://a.example/v?id=7&page=3", "http://a.example/v?id=8&page=3", 1 + 6},
		{"http://a.example/v.1?page=a", "http://a.example/v", 3 + 3},
		{"http://a.example/%C3%A9t%C3%A9", "http://a.example/et", 4 + 5},
	} {
		b := newBoundary(&web{}, 0, Site{Name: "s", Seeds: []page.URL{"http://s.example/"}},
			Options{}.WithDefaults())
		l := b.namesOf([]uint32{
			b.know(b.web.intern(c.a, graph.None, 0)),
			b.know(b.web.intern(c.b, graph.None, 0)),
		})
		if got := l.fromLeft(0, 1); got != c.want {
			t.Errorf("%s to %s: %d, want %d: %v", c.a, c.b, got, c.want, l.of)
		}
	}
}

func TestEndsAlike(t *testing.T) {
	for _, c := range []struct {
		a, b page.URL
		want bool
	}{
		{"http://a.example/docs/Socket.html", "http://b.example/old/Socket.html", true}, // a copy
		// the same, flat
		{"http://a.example/docs-net-Socket.html", "http://b.example/src-net-Socket.html", true},
		{"http://a.example/Net-Socket.html", "http://b.example/src/Net.Socket.html", false}, // a listing
		// the same, flat
		{"http://a.example/p-Net-Socket.html", "http://b.example/p-Net.Socket.html", false},
		{"http://a.example/socket.html", "http://b.example/socket.c", false},
		// they have nothing in common that could be written otherwise
		{"http://a.example/one", "http://b.example/two", true},
		{"http://a.example/", "http://b.example/", true},
		{"http://a.example/a/b", "http://b.example/b", true},
	} {
		if got := endsAlike(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
		if endsAlike(c.a, c.b) != endsAlike(c.b, c.a) {
			t.Errorf("%s and %s: one way only", c.a, c.b)
		}
	}
}

// TestWeigh: near names weigh more; where all are equally far, all links weigh the same.
func TestWeigh(t *testing.T) {
	l := nameList{[][]uint32{{1, 2, 3}, {1, 2, 4}, {5, 6, 7}, {5, 6, 8}}, new(flow.Editor)}
	edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 2}}
	l.weigh(edges)
	if edges[0].Weight != edges[2].Weight || edges[1].Weight != edges[3].Weight ||
		!(edges[0].Weight > edges[1].Weight) || edges[1].Weight < leastWeight {
		t.Errorf("%v", edges)
	}
	hashed := nameList{[][]uint32{{1}, {2}, {3}}, new(flow.Editor)}
	edges = []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}
	hashed.weigh(edges)
	if edges[0].Weight != edges[1].Weight {
		t.Errorf("%v", edges)
	}
	same := nameList{[][]uint32{{1}, {1}}, new(flow.Editor)}
	edges = []graph.Edge{{From: 0, To: 1, Weight: 1}}
	same.weigh(edges)
	if edges[0].Weight != 1 {
		t.Errorf("%v", edges)
	}
}

// TestLiking: a cluster named like the set needs to lean half as much, one named otherwise twice as
// much.
func TestLiking(t *testing.T) {
	names := nameList{
		[][]uint32{{1, 2}, {1, 3}, {1, 4}, {1, 5}, {6, 7}, {6, 8}, {6, 9}, {6, 10}},
		new(flow.Editor),
	}
	l := &lean{
		in: []bool{true, false, false, false}, joined: 1,
		clusters: [][]graph.ID{{0, 1}, {2, 3}, {4, 5}, {6, 7}},
		names:    names, factor: make([]float64, 4), judged: make([]int, 4),
	}
	var got []float64
	for c := range int32(3) {
		got = append(got, l.liking(c+1))
	}
	if diff := cmp.Diff([]float64{2, .5, .5}, got); diff != "" {
		t.Error(diff)
	}
	l.names = nameList{}
	if got := l.liking(1); got != 1 {
		t.Errorf("without names %v", got)
	}
}
