package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/page"
)

// chain lists the directories of a URL, deepest first, as text without the scheme.
func chain(u page.URL) (list []string) {
	text, _, _ := strings.Cut(schemeless(u), "?")
	for i := strings.LastIndexByte(text, '/'); i >= 0; i = strings.LastIndexByte(text[:i], '/') {
		list = append(list, text[:i+1])
	}
	return list
}

func drawURL(t *rapid.T) page.URL {
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"http://a.example", "https://a.example", "http://b.example:81"}).
		Draw(t, "host"))
	for range rapid.IntRange(0, 4).Draw(t, "depth") {
		b.WriteString("/" + rapid.SampledFrom([]string{"x", "y", "", "~u"}).Draw(t, "segment"))
	}
	b.WriteString("/" + rapid.SampledFrom([]string{"", "p", "q?r=/s/t"}).Draw(t, "name"))
	return page.URL(b.String())
}

// TestPrefixOf compares with a look at all directories of the prefix, of which a site with many seeds
// has thousands.
func TestPrefixOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w web
		b := newScope(&w, Site{Boundary: Prefix})
		for range rapid.IntRange(0, 4).Draw(t, "seeds") {
			b.widen(drawURL(t))
		}
		d, _ := w.dirs.add(drawURL(t))
		want, on := noDir, false
		for _, a := range b.prefix {
			on = on || w.dirs.host(a) == w.dirs.host(d)
			if strings.HasPrefix(w.dirs.path(d), w.dirs.path(a)) &&
				(want == noDir || w.dirs.nodes[a].depth > w.dirs.nodes[want].depth) {
				want = a
			}
		}
		if got := b.prefixOf(d); got != want || b.onSeedHost(w.dirs.nodes[d].root) != on {
			t.Fatalf("%s: %d, want %d", w.dirs.path(d), got, want)
		}
	})
}

// TestDeepPaths: a link of 16 KiB cannot make thousands of directories, and what lies below the deepest
// is told apart by its name.
func TestDeepPaths(t *testing.T) {
	var w urls
	base := "http://a.example" + strings.Repeat("/a", deepest)
	for _, end := range []string{
		"", "/", "/a", "/a/", "/a/b", "/a?b=/c", "/b/x/y/z", strings.Repeat("/x", 8000),
	} {
		id, fresh := addURL(&w, page.URL(base+end))
		if !fresh || w.text(id) != page.URL(base+end) || !w.is(id, page.URL(base+end)) {
			t.Errorf("%.20q is %s", end, w.text(id)[len(base):])
		}
	}
	if n := len(w.dirs.nodes); n != deepest+1 {
		t.Errorf("%d directories", n)
	}
}

// TestDirectoriesAgreeWithTheirText compares the tree with what the texts of the URLs say.
func TestDirectoriesAgreeWithTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w urls
		var ids []graph.ID
		for range rapid.IntRange(2, 8).Draw(t, "urls") {
			id, _ := addURL(&w, drawURL(t))
			ids = append(ids, id)
		}
		for _, u := range ids {
			d, dirs := w.dir[u], chain(w.text(u))
			if got := w.dirs.path(d); got != dirs[0] {
				t.Fatalf("%s lies in %s, want %s", w.text(u), got, dirs[0])
			}
			if got := w.dirs.host(d); got != w.text(u).Host() {
				t.Fatalf("%s is on %s", w.text(u), got)
			}
			for _, v := range ids {
				a, other := w.dir[v], chain(w.text(v))
				if w.text(u).Host() != w.text(v).Host() {
					continue
				}
				if got, want := w.dirs.contains(a, d), strings.HasPrefix(dirs[0], other[0]); got != want {
					t.Fatalf("%s contains %s: %v", other[0], dirs[0], got)
				}
				common := 0
				for common < min(len(dirs), len(other)) &&
					dirs[len(dirs)-1-common] == other[len(other)-1-common] {
					common++
				}
				if got := w.dirs.common(a, d); got != common-1 {
					t.Fatalf("common depth of %s and %s: %d, want %d", other[0], dirs[0], got, common-1)
				}
				beside := dirs[max(0, len(dirs)-1-common)]
				if got := w.dirs.path(w.dirs.beside(a, d)); got != beside {
					t.Fatalf("%s beside %s: %s, want %s", dirs[0], other[0], got, beside)
				}
			}
		}
	})
}

func TestURLsAreFoundAgain(t *testing.T) {
	var w urls
	for i := range 10_000 {
		u := page.URL(fmt.Sprintf("http://h%d.example/%d", i%7, i))
		id, fresh := addURL(&w, u)
		if again, second := addURL(&w, u); !fresh || second || again != id || w.find(u) != id ||
			w.text(id) != u || int(id) != i {
			t.Fatalf("%s: vertex %d, then %d", u, id, again)
		}
	}
	if w.find("http://never.example/") != graph.None {
		t.Error("found what was never added")
	}
	long := page.URL("https://h.example/" + strings.Repeat("x", 2*chunkBytes))
	for _, u := range []page.URL{long, "http://h.example/after", long + "/y"} {
		if id, _ := addURL(&w, u); w.text(id) != u || w.find(u) != id {
			t.Errorf("a URL of %d bytes, more than a chunk has, is not kept", len(u))
		}
	}
}

func TestLinksAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l links
		want := map[graph.ID]lists{}
		ids := rapid.SliceOfN(rapid.Map(rapid.Uint32Range(0, 50), func(n uint32) graph.ID {
			return graph.ID(n)
		}), 0, 30)
		for range rapid.IntRange(0, 20).Draw(t, "sets") {
			id := graph.ID(rapid.Uint32Range(0, 9).Draw(t, "id"))
			x := lists{
				distinct(ids.Draw(t, "pages")), distinct(ids.Draw(t, "parts")),
				distinct(ids.Draw(t, "leads")),
			}
			l.set(id, x)
			l.measure(id, func(to graph.ID) uint8 { return uint8(to) })
			want[id] = x
		}
		for id := range graph.ID(12) {
			if !l.of(id).equal(want[id]) {
				t.Fatalf("%d: %v, want %v", id, l.of(id), want[id])
			}
			for i, d := range l.distances(id) {
				if graph.ID(d) != want[id].pages[i] {
					t.Fatalf("%d: distances %v of %v", id, l.distances(id), want[id].pages)
				}
			}
		}
	})
}

func addURL(w *urls, u page.URL) (id graph.ID, fresh bool) { return w.add(u, uint64(u.Key())) }
