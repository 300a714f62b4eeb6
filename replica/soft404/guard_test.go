package soft404

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

func visit(t *testing.T, u page.URL, status int, text string) *page.Visit {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Text([]byte(text))
	s := b.Sketch()
	return &page.Visit{URL: u, Hops: "L", Status: status, Sketch: s.AppendEncode(nil)}
}

func words(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", prefix, i)
	}
	return b.String()
}

func TestGuard(t *testing.T) {
	sorry := func(path string) string { return "sorry there is no " + path + " " + words("apology", 200) }
	for _, c := range []struct {
		name   string
		answer int    // status of the random sibling
		text   string // and what it says
		soft   bool   // whether a later page of that text is an error
	}{
		{"every path answers", 200, sorry("random"), true},
		{"the server says so", 404, sorry("random"), false},
		{"the siblings are another page", 200, words("shop", 300), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := New(Options{})
			for i := range 3 {
				if g.Learn(visit(t, page.URL(fmt.Sprintf("http://a.example/d/%d", i)), 200,
					words(fmt.Sprint("real", i, "x"), 300))) {
					t.Error("a page unlike all others is taken for an error")
				}
			}
			if w := g.Wants(); len(w) != 0 {
				t.Errorf("asked %v although no pages are alike", w)
			}
			g.Learn(visit(t, "http://a.example/d/gone1", 200, sorry("gone1")))
			g.Learn(visit(t, "http://a.example/d/gone2", 200, sorry("gone2")))
			w := g.Wants()
			if len(w) != 2 || !strings.HasPrefix(string(w[0]), "http://a.example/d/") {
				t.Fatalf("wants %v, want two siblings", w)
			}
			for i, u := range w {
				g.Learn(visit(t, u, c.answer, strings.ReplaceAll(c.text, "random", fmt.Sprint("random", i))))
			}
			for _, u := range []page.URL{"http://a.example/d/gone3", "http://a.example/d/sub/gone4"} {
				if got := g.Learn(visit(t, u, 200, sorry("gone"))); got != c.soft {
					t.Errorf("%s: error %v, want %v", u, got, c.soft)
				}
			}
			seed := visit(t, "http://a.example/d/seed", 200, sorry("random"))
			seed.Hops = "R"
			if g.Learn(seed) || g.Learn(visit(t, "http://a.example/", 200, sorry("random"))) {
				t.Error("a page that is given in place of any is taken for an error")
			}
			if g.Learn(visit(t, "http://a.example/d/real", 200, words("another", 300))) ||
				g.Learn(visit(t, "http://a.example/other", 200, words("third", 300))) {
				t.Error("a real page is taken for an error")
			}
			if g.Learn(visit(t, "http://a.example/d/gone5", 404, sorry("gone5"))) {
				t.Error("an honest 404 is no soft one")
			}
			if again := g.Wants(); len(again) != 0 && again[0] == w[0] {
				t.Errorf("asked twice: %v", again)
			}
		})
	}
}

// TestSeeds: the page of the first seed of a directory may be given in place of any there, and is no
// error; those of other seeds, as of a list, are judged as all pages are.
func TestSeeds(t *testing.T) {
	text := words("apology", 200)
	seed := func(path string, status int) *page.Visit {
		v := visit(t, page.URL("http://a.example"+path), status, text)
		v.Hops = ""
		return v
	}
	g := New(Options{})
	g.Learn(seed("/d/moved", 301))
	first := seed("/d/first", 200)
	first.Hops = "R"
	g.Learn(first)
	g.Learn(visit(t, "http://a.example/d/gone", 200, text))
	for _, u := range g.Wants() {
		g.Learn(visit(t, u, 200, text))
	}
	for _, c := range []struct {
		path string
		soft bool
	}{
		{"/d/first", false},
		{"/d/second", true},
		{"/d/moved", true},
		{"/d/", true},
		{"/d/third/", true},
	} {
		if got := g.Learn(seed(c.path, 200)); got != c.soft {
			t.Errorf("%s: error %v, want %v", c.path, got, c.soft)
		}
	}
}

// A host of many directories whose pages are alike is asked for a bounded number of siblings.
func TestProbesAreBounded(t *testing.T) {
	g := New(Options{Probes: 5})
	n := 0
	for i := range 200 {
		g.Learn(visit(t, page.URL(fmt.Sprintf("http://a.example/%d/%d", i/4, i)), 200, words("same", 50)))
		n += len(g.Wants())
	}
	if n != 10 {
		t.Errorf("%d siblings were wanted, want those of 5 directories", n)
	}
}

// However many directories there are, sketches of no more are kept than the options say, and a
// directory that goes on is asked though others came meanwhile.
func TestDirectoriesAreForgotten(t *testing.T) {
	g := New(Options{Directories: 10})
	text := words("template", 300)
	g.Learn(visit(t, "http://a.example/first/1", 200, text))
	for i := range 100 {
		u := page.URL(fmt.Sprintf("http://h%d.example/d%d/x", i, i))
		g.Learn(visit(t, u, 200, words(fmt.Sprint("other", i, "x"), 300)))
		if n := len(g.recent) + len(g.older); n > 10 {
			t.Fatalf("%d directories are kept after %d", n, i+1)
		}
		if i == 3 {
			g.Learn(visit(t, "http://a.example/first/2", 200, text))
		}
	}
	if n := len(g.Wants()); n != 2 {
		t.Errorf("%d random siblings are wanted, not the two of the directory that went on", n)
	}
}

// A directory that was asked, and those of a host of which enough were, cost no more sketches.
func TestSpentHostsKeepNothing(t *testing.T) {
	g := New(Options{Probes: 2})
	text := words("template", 300)
	for i := range 20 {
		g.Learn(visit(t, page.URL(fmt.Sprintf("http://a.example/d%d/x", i/2)), 200, text))
	}
	if n := len(g.recent) + len(g.older); n != 0 || len(g.Wants()) != 4 {
		t.Errorf("%d directories are kept", n)
	}
}

// TestGuardKeepsNothing tells one guard pages in memory of their own, and another all of them in
// the same memory: both want and recognise the same.
func TestGuardKeepsNothing(t *testing.T) {
	var guards [2]*Guard
	for i := range guards {
		guards[i] = New(Options{Directories: 4})
	}
	var lent page.Visit
	learn := func(v *page.Visit) {
		t.Helper()
		lent.URL, lent.Hops, lent.Status = v.URL, v.Hops, v.Status
		lent.Sketch = append(lent.Sketch[:0], v.Sketch...)
		if a, b := guards[0].Learn(v), guards[1].Learn(&lent); a != b {
			t.Errorf("%s is an error: %v, where the page is lent %v", v.URL, a, b)
		}
		clear(lent.Sketch)
	}
	asked := 0
	for i := range 60 {
		text := words(fmt.Sprint("page", i, "x"), 200)
		if i%3 > 0 {
			text = words(fmt.Sprint("apology", i%2), 200) // in any directory
		}
		learn(visit(t, page.URL(fmt.Sprintf("http://a.example/%d/%d", i/9, i)), 200, text))
		wants, same := guards[0].Wants(), guards[1].Wants()
		if !slices.Equal(wants, same) {
			t.Fatalf("wants %v, where pages are lent %v", wants, same)
		}
		for _, u := range wants {
			learn(visit(t, u, 200, words("apology1", 200)))
			asked++
		}
	}
	if asked == 0 {
		t.Error("no sibling was asked for")
	}
}

// TestShells: pages that are sent as one shell, for any address, are no errors before scripts have drawn
// them: the shell says nothing of what is there.
func TestShells(t *testing.T) {
	g := New(Options{})
	for i := range 4 {
		shell := visit(t, page.URL(fmt.Sprintf("http://a.example/d/%d", i)), 200, words("loading", 300))
		shell.Drawing = page.ToBeDrawn
		if g.Learn(shell) {
			t.Errorf("%s is taken for an error", shell.URL)
		}
	}
	if w := g.Wants(); len(w) > 0 {
		t.Errorf("asked %v", w)
	}
}

// TestPagesOfOneTemplate: pages whose text is mostly that of all pages are no errors where they lead to
// others, or have a title of their own; errors repeat their address, and have links that are told from their
// directory on.
func TestPagesOfOneTemplate(t *testing.T) {
	for _, titles := range []string{"Shop", "Shop: %s"} { // of what is not there
		g := New(Options{})
		learn := func(u page.URL, title string, links ...page.URL) bool {
			v := visit(t, u, 200, words("template", 300))
			if v.Title = title; strings.Contains(title, "%s") {
				v.Title = fmt.Sprintf(title, u)
			}
			for _, l := range append(links, "http://a.example/menu", page.URL(v.URL.Directory()+"help/")) {
				v.Links = append(v.Links, page.Link{URL: l, Kind: page.Navigation})
			}
			return g.Learn(v)
		}
		learn("http://a.example/1", titles)
		learn("http://a.example/2", titles)
		for _, u := range g.Wants() {
			learn(u, titles)
		}
		for _, c := range []struct {
			what string
			soft bool
			got  bool
		}{
			{"an error", true, learn("http://a.example/d/gone", titles)},
			{
				"an error that repeats its address", true,
				learn("http://a.example/d/gone", titles, "http://a.example/search?q=%2Fd%2Fgone"),
			},
			{
				"a page that leads to another", false,
				learn("http://a.example/3", titles, "http://a.example/4"),
			},
			{"a page with a title", titles != "Shop", learn("http://a.example/5", "Shoes")},
		} {
			if c.got != c.soft {
				t.Errorf("%s, errors called %s: soft %v, want %v", c.what, titles, c.got, c.soft)
			}
		}
	}
}

// TestManyLinks: an error whose menu has more links than are kept is one.
func TestManyLinks(t *testing.T) {
	g := New(Options{})
	learn := func(u page.URL) bool {
		v := visit(t, u, 200, words("template", 300))
		for i := range mostLinks {
			to := page.URL(fmt.Sprintf("http://a.example/menu/%d", i))
			v.Links = append(v.Links, page.Link{URL: to, Kind: page.Navigation})
		}
		return g.Learn(v)
	}
	learn("http://a.example/1")
	learn("http://a.example/2")
	for _, u := range g.Wants() {
		learn(u)
	}
	if !learn("http://a.example/gone") {
		t.Error("it is a page")
	}
}
