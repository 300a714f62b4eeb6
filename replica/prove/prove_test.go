package prove

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/crawler/extract"
	"watershed/page"
	"watershed/replica/sketch"
)

// world is a web: texts by URL. "404", "503", "robots", "dns" and "-> URL" are answers; all else is
// a page.
type world struct {
	pages map[page.URL]string
	soft  map[page.Host]string // what a host says of pages that it does not have, which is found out
	down  map[page.Host]int    // how many rounds a host is out of reach; below 0 for ever
	round int
	asked []page.URL
}

func (w *world) visit(u page.URL) *page.Visit {
	text, ok := w.pages[u]
	if !ok {
		text = "404"
		if s, ok := w.soft[u.Host()]; ok {
			text = s
		}
	}
	if n := w.down[u.Host()]; n < 0 || n > w.round {
		text = "503"
	}
	v := &page.Visit{URL: u, Status: 200, MIME: "text/html", SoftError: text == w.soft[u.Host()]}
	to, redirects := strings.CutPrefix(text, "-> ")
	switch {
	case redirects:
		v.Status, v.Links = 301, []page.Link{{Kind: page.Redirect, URL: page.URL(to)}}
	case text == "404", text == "503":
		_, _ = fmt.Sscan(text, &v.Status) // digits
	case text == "robots":
		v.Status = page.StatusRobots
	case text == "dns":
		v.Status = page.StatusDNS
	default:
		v.Digest = page.SumDigest([]byte(text))
		b, err := sketch.NewBuilder(sketch.Options{})
		if err != nil {
			panic(err)
		}
		e, err := extract.New(extract.Options{Driver: extract.Scan})
		if err != nil {
			panic(err)
		}
		e.Extract(extract.Input{
			URL: "http://example.org/", Body: []byte(text), Text: b.Text,
			Header: textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}},
		})
		s := b.Sketch()
		v.Sketch = s.AppendEncode(nil)
	}
	return v
}

// prose is a page of its own for each number; edits rewrite words of it, each of which changes
// about ten shingles in a hundred.
func prose(n, edits int) string {
	words := make([]string, 100)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", (i*i+n*7919+i*n)%9973)
	}
	for i := range edits {
		words[(i*23+11)%100] = fmt.Sprintf("edit%d", i)
	}
	return "<p>" + strings.Join(words, " ") + "</p>"
}

// host adds a host with a front page and n pages, as change makes them of the texts; "" leaves a
// page out.
func (w *world) host(name string, n int, change func(i int, text string) string) {
	if w.pages == nil {
		w.pages = map[page.URL]string{}
	}
	for i := range n + 1 {
		u := page.URL(fmt.Sprintf("http://%s/d/p%02d.html", name, i))
		if i == n {
			u = page.URL("http://" + name + "/")
		}
		if text := change(i, prose(i, 0)); text != "" {
			w.pages[u] = text
		}
	}
}

func (w *world) of(name string) (list []page.URL) {
	for u := range w.pages {
		if string(u.Host()) == name {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	return list
}

func same(_ int, text string) string { return text }

// play lets a prover run to its end. shuffle, where it is not nil, has visits arrive in another
// order.
func (w *world) play(p *Prover, shuffle *rand.Rand) {
	var wants []Want
	for {
		wants = append(wants, p.Wants()...)
		if len(wants) == 0 {
			if w.round++; w.round > 20 {
				panic("the tests have no end")
			}
			if p.Retry() == 0 {
				return
			}
			continue
		}
		k := 0
		if shuffle != nil {
			k = shuffle.IntN(len(wants))
		}
		u := wants[k].URL
		wants = slices.Delete(wants, k, k+1)
		w.asked = append(w.asked, u)
		p.Learn(w.visit(u))
	}
}

// run tests pairs and gives the verdicts.
func (w *world) run(t testing.TB, o Options, shuffle *rand.Rand, pairs ...Pair) (*Prover, []Verdict) {
	t.Helper()
	p, err := New(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range pairs {
		for _, name := range []string{x.A, x.B} {
			if p.known[name] == nil {
				p.Paths(name, w.of(name))
			}
		}
		p.Add(x)
	}
	w.play(p, shuffle)
	return p, p.Verdicts()
}

var ab = Pair{"a.example", "b.example"}

func TestClassify(t *testing.T) {
	only := func(share int) func(int, string) string { // keeps that many of ten pages
		return func(i int, text string) string {
			if i%10 >= share && i < 40 {
				return ""
			}
			return text
		}
	}
	for _, c := range []struct {
		name          string
		change        func(i int, text string) string
		want, printed Class
		method        Class // of the mirroring test
	}{
		{name: "identical", change: same, want: Level1, printed: Level1, method: Mirror},
		{
			name: "other markup", change: func(_ int, s string) string { return "<div>\n\n" + s + "</div>" },
			want: Level2, printed: Level2, method: Mirror,
		},
		{
			name: "some words changed", change: func(i int, _ string) string { return prose(i, 2) },
			want: Level3, printed: Level3, method: Mirror,
		},
		{name: "half of the pages", change: only(5), want: Level4, printed: Level4, method: Level4},
		{name: "all but one page", change: func(i int, s string) string {
			if i == 7 {
				return ""
			}
			return s
		}, want: Level1, printed: Level1, method: Mirror},
		{name: "a page of forty", change: func(i int, s string) string {
			if i != 7 && i < 40 {
				return ""
			}
			return s
		}, want: Mismatch, printed: Level4, method: Mismatch},
		{
			name: "traces", change: func(i int, _ string) string { return prose(i, 7) }, want: Level5,
			printed: Level5, method: Mismatch,
		},
		{name: "other pages at the same paths", change: func(i int, _ string) string {
			return prose(i+500, 0)
		}, want: Mismatch, printed: Mismatch, method: Mismatch},
		{name: "nothing there but a front page", change: func(i int, s string) string {
			if i < 40 {
				return ""
			}
			return prose(700, 0)
		}, want: Mismatch, printed: Mismatch, method: Mismatch},
		{name: "another front page", change: func(i int, s string) string {
			if i == 40 {
				return prose(700, 0)
			}
			return s
		}, want: Level1, printed: Level4, method: Mismatch},
		{name: "all leads to the original", change: func(i int, s string) string {
			if i == 40 {
				return "-> http://a.example/"
			}
			return fmt.Sprintf("-> http://a.example/d/p%02d.html", i)
		}, want: Level1, printed: Level1, method: Mirror},
		{name: "a loop", change: func(i int, s string) string {
			if i < 40 {
				return fmt.Sprintf("-> http://b.example/d/p%02d.html", i)
			}
			return s
		}, want: Mismatch, printed: Level4, method: Mismatch},
		{name: "forbidden", change: func(i int, s string) string {
			if i < 40 {
				return "robots"
			}
			return s
		}, want: Undetermined, printed: Level1, method: Undetermined},
		{
			name: "no such host", change: func(int, string) string { return "dns" }, want: DNSFailure,
			printed: DNSFailure, method: DNSFailure,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w world
			w.host("a.example", 40, same)
			w.host("b.example", 40, c.change)
			for o, want := range map[Options]Class{
				{}: c.want, {Criteria: Printed}: c.printed,
				{Method: Mirroring}: c.method,
			} {
				_, verdicts := w.run(t, o, nil, ab)
				if len(verdicts) != 1 || verdicts[0].Class != want {
					t.Errorf("%+v: %v, want %v", o, verdicts, want)
					for _, v := range verdicts {
						t.Log(v.Note())
					}
				}
			}
		})
	}
}

// The tests of a pair are the root and nine paths of each side, and nothing is asked for twice.
func TestRequests(t *testing.T) {
	var w world
	w.host("a.example", 40, same)
	w.host("b.example", 40, func(i int, s string) string {
		if i%2 == 1 {
			return ""
		}
		return s
	})
	p, verdicts := w.run(t, Options{}, nil, ab)
	n := verdicts[0].Tally
	total := 0
	for _, k := range n.Count {
		total += k
	}
	if total > 19 || total < 11 || n.From[0].Valid != 9 || n.From[1].Valid != 9 || n.From[1].Held != 9 {
		t.Errorf("%d tests: %s, %+v", total, n.String(), n.From)
	}
	if len(w.asked) != 2*total || p.Stats().Wanted != 2*total {
		t.Errorf("%d requests, %d counted, for %d tests", len(w.asked), p.Stats().Wanted, total)
	}
	seen := map[page.URL]bool{}
	for _, u := range w.asked {
		if seen[u] {
			t.Errorf("%s was asked for twice", u)
		}
		seen[u] = true
	}
	if p.Stats().PerMirror() != float64(len(w.asked)) {
		t.Errorf("stats %+v", p.Stats())
	}
}

// Pages that were captured before are not asked for, and give the same verdict.
func TestLookup(t *testing.T) {
	var w world
	w.host("a.example", 40, same)
	w.host("b.example", 40, same)
	p, err := New(Options{}, func(u page.URL) *page.Visit {
		if u.Host() == "a.example" {
			return w.visit(u)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Paths("a.example", w.of("a.example"))
	p.Paths("b.example", w.of("b.example"))
	p.Add(ab)
	w.play(p, nil)
	if v := p.Verdicts(); len(v) != 1 || v[0].Class != Level1 {
		t.Errorf("%v", v)
	}
	for _, u := range w.asked {
		if u.Host() == "a.example" {
			t.Errorf("%s was captured and asked for", u)
		}
	}
}

// Hosts that answer everything with an apology are no mirrors of each other, nor of hosts whose
// paths they seem to have.
func TestSoftErrors(t *testing.T) {
	apology := prose(900, 0)
	for name, change := range map[string]func(w *world){
		"the target": func(w *world) {
			w.host("a.example", 40, same)
			w.host("b.example", 0, same)
			w.soft = map[page.Host]string{"b.example": apology}
		},
		"both": func(w *world) { // links led to their pages, and all say the same now
			w.host("a.example", 40, func(i int, s string) string { return apology })
			w.host("b.example", 40, func(i int, s string) string { return apology })
			w.pages["http://a.example/"], w.pages["http://b.example/"] = prose(1, 0), prose(2, 0)
			w.soft = map[page.Host]string{"a.example": apology, "b.example": apology}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w world
			change(&w)
			for _, o := range []Options{{}, {Criteria: Printed}} {
				if _, v := w.run(t, o, nil, ab); v[0].Class.Replicates() {
					t.Errorf("%s", v[0].Note())
				}
			}
		})
	}
}

// A host that is out of reach is asked again in the next round, and given up then.
func TestOutOfReach(t *testing.T) {
	for rounds, want := range map[int]Class{1: Level1, -1: ServerFailure} {
		var w world
		w.host("a.example", 40, same)
		w.host("b.example", 40, same)
		w.down = map[page.Host]int{"b.example": rounds}
		if _, v := w.run(t, Options{}, nil, ab); len(v) != 1 || v[0].Class != want {
			t.Errorf("down for %d rounds: %v", rounds, v)
		}
	}
	// Known mirrors of a host that is out of reach are tested in its place, until one is out of reach, too,
	// and there is no other one, or two were.
	for _, c := range []struct {
		rounds int // that a mirror is down
		more   int // mirrors besides, which are down
		want   Verdict
		ends   int // rounds that it takes
	}{
		{0, 0, Verdict{Class: Level3, Through: "a.example"}, 2},
		{-1, 0, Verdict{Class: ServerFailure, Through: "a.example"}, 4},
		{-1, 12, Verdict{Class: ServerFailure, Through: "d00.example"}, 5},
	} {
		var w world
		w.host("a.example", 40, same)
		w.host("b.example", 40, same)
		w.host("c.example", 40, func(i int, _ string) string { return prose(i, 2) })
		w.down = map[page.Host]int{"b.example": -1, "a.example": c.rounds}
		p, err := New(Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.example", "b.example", "c.example"} {
			p.Paths(name, w.of(name))
		}
		p.Know(Pair{"a.example", "b.example"}, Level1)
		for i := range c.more {
			name := fmt.Sprintf("d%02d.example", i)
			w.down[page.Host(name)] = -1
			p.Know(Pair{name, "b.example"}, Level1)
		}
		p.Add(Pair{"c.example", "b.example"})
		w.play(p, nil)
		v := p.Verdicts()
		if len(v) != 1 || v[0].Class != c.want.Class || v[0].Through != c.want.Through || w.round != c.ends {
			t.Errorf("a mirror that is down for %d rounds, and %d more: in %d rounds %+v", c.rounds, c.more,
				w.round, v)
		}
	}
}

// Mirrors of mirrors, and what differs from one of them, need no test; a test that contradicts is
// told, and stands.
func TestInference(t *testing.T) {
	var w world
	for _, h := range []string{"a.example", "b.example", "c.example"} {
		w.host(h, 40, same)
	}
	w.host("x.example", 40, func(i int, _ string) string { return prose(i+500, 0) })
	pairs := []Pair{
		{"a.example", "b.example"},
		{"b.example", "c.example"},
		{"a.example", "c.example"},
		{"a.example", "x.example"},
		{"c.example", "x.example"},
	}
	p, v := w.run(t, Options{}, nil, pairs...)
	var got []string
	for _, x := range v {
		got = append(got, fmt.Sprintf("%s %v", x.Class, x.Inferred))
	}
	want := []string{"level 1 false", "level 1 false", "level 1 true", "mismatch false", "mismatch true"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if s := p.Stats(); s.Tested != 3 || s.Inferred != 2 || s.Mirrors != 3 {
		t.Errorf("%+v", s)
	}
	if p, v = w.run(t, Options{Separate: true}, nil, pairs...); p.Stats().Inferred != 0 || len(v) != 5 {
		t.Errorf("%+v", p.Stats())
	}

	sets := newClusters()
	for _, x := range []struct {
		pair       Pair
		class      Class
		contradict bool
	}{
		{Pair{"a", "b"}, Level2, false},
		{Pair{"b", "c"}, Level3, false},
		{Pair{"c", "d"}, Mismatch, false},
		{Pair{"a", "c"}, Level1, false},
		{Pair{"a", "d"}, Level1, true},
	} {
		if got := sets.learn(x.pair, x.class); got != x.contradict {
			t.Errorf("%s %s: contradicts %v", x.pair, x.class, got)
		}
	}
	if class, ok := sets.infer(Pair{"b", "d"}); ok {
		t.Errorf("%s follows from a set in conflict", class)
	}
	if class := sets.worst("a", "c"); class != Level3 {
		t.Errorf("a = b = c is %s", class)
	}
}

// randomWorld has hosts that copy each other, fail, forbid and redirect in all ways.
func randomWorld(t *rapid.T) (*world, []Pair) {
	w := &world{down: map[page.Host]int{}, soft: map[page.Host]string{}}
	hosts := rapid.IntRange(2, 5).Draw(t, "hosts")
	var names []string
	for h := range hosts {
		name := fmt.Sprintf("h%d.example", h)
		names = append(names, name)
		base := rapid.SampledFrom([]int{0, 0, 0, 500}).Draw(t, "text")
		edits := rapid.SampledFrom([]int{0, 0, 1, 2, 8}).Draw(t, "edits")
		keep := rapid.IntRange(1, 10).Draw(t, "keep")
		odd := rapid.SampledFrom([]string{"", "", "404", "503", "robots", "-> http://h0.example/"}).Draw(t,
			"odd")
		w.host(name, 12, func(i int, s string) string {
			switch {
			case i < 12 && i%10 >= keep:
				return odd
			}
			return prose(base+i, edits)
		})
		if rapid.IntRange(0, 4).Draw(t, "down") == 0 {
			w.down[page.Host(name)] = rapid.SampledFrom([]int{-1, 1, 2}).Draw(t, "rounds")
		}
		if rapid.IntRange(0, 4).Draw(t, "soft") == 0 {
			w.soft[page.Host(name)] = prose(900, h)
		}
	}
	var pairs []Pair
	for range rapid.IntRange(1, 8).Draw(t, "pairs") {
		a, b := rapid.SampledFrom(names).Draw(t, "a"), rapid.SampledFrom(names).Draw(t, "b")
		if a != b {
			pairs = append(pairs, Pair{a, b})
		}
	}
	return w, pairs
}

func randomOptions(t *rapid.T) Options {
	return Options{
		Method:   rapid.SampledFrom([]Method{Classify, Mirroring}).Draw(t, "method"),
		Criteria: rapid.SampledFrom([]Criteria{Shares, Printed}).Draw(t, "criteria"),
		Paths:    rapid.IntRange(2, 15).Draw(t, "paths"), Agree: rapid.IntRange(1, 10).Draw(t, "agree"),
		Window: rapid.IntRange(1, 10).Draw(t, "window"), Seed: rapid.Uint64().Draw(t, "seed"),
	}
}

// The order in which visits arrive changes no verdict, and every pair gets one,
// however often it was added.
func TestOrderOfVisits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, pairs := randomWorld(rt)
		o := randomOptions(rt)
		_, want := w.run(t, o, nil, pairs...)
		once := map[Pair]bool{}
		for _, pair := range pairs {
			once[pair.sorted()] = true
		}
		if len(want) != len(once) {
			rt.Fatalf("%d verdicts for %d pairs", len(want), len(once))
		}
		for seed := range uint64(3) {
			w.round = 0
			_, got := w.run(t, o, rand.New(rand.NewPCG(seed, 1)), pairs...)
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("%+v: %s", o, d)
			}
		}
	})
}

// Failures alone never make a level, and what is inferred contradicts no test.
func TestVerdictsHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, pairs := randomWorld(rt)
		p, verdicts := w.run(t, randomOptions(rt), nil, pairs...)
		tested := map[Pair]Class{}
		for _, v := range verdicts {
			if !v.Inferred {
				if v.Class.Replicates() && v.Tally.compared() == 0 {
					rt.Fatalf("%s without a comparison: %s", v.Pair, v.Note())
				}
				if v.Through == "" {
					tested[v.sorted()] = v.Class
				}
			}
		}
		for _, v := range verdicts {
			if class, was := tested[v.sorted()]; was && v.Inferred && class != v.Class {
				rt.Fatalf("%s is inferred to be %s and tested to be %s", v.Pair, v.Class, class)
			}
		}
		if p.Open() != 0 || len(p.Missing()) != 0 {
			rt.Fatalf("%d open, missing %v", p.Open(), p.Missing())
		}
	})
}

// Any outcomes: a level asks for a page compared; the best level is not had with a difference; more
// failures make no better level.
func TestClassOfTallies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Criteria: rapid.SampledFrom([]Criteria{Shares, Printed}).Draw(rt, "criteria")}
		var n Tally
		for _, k := range []Outcome{SF, TF, FM, FS, HS, TS, NS, NT} {
			n.Count[k] = rapid.IntRange(0, 6).Draw(rt, k.String())
		}
		n.Root = rapid.SampledFrom([]Outcome{FM, FS, HS, NS}).Draw(rt, "root")
		n.RootLikeness = map[Outcome]float64{FM: 1, FS: 1, HS: .7}[n.Root]
		n.Count[n.Root]++
		n.Sum = float64(n.Count[FM]+n.Count[FS]) + .7*float64(n.Count[HS]) + .2*float64(n.Count[TS])
		class := n.class(o)
		if class == Level1 && n.Count[HS]+n.Count[FS] > 0 && n.Root == FM {
			rt.Fatalf("%s: %s", n.String(), class)
		}
		if o.Criteria == Printed && class == Level5 && n.Count[TF] > 0 {
			rt.Fatalf("%s: %s", n.String(), class)
		}
		var failed Tally
		failed.Count[SF], failed.Count[TF], failed.Count[NT] = n.Count[SF], n.Count[TF], n.Count[NT]
		if c := failed.class(o); c.Replicates() {
			rt.Fatalf("%s: %s", failed.String(), c)
		}
	})
}

// Directories are tested like hosts.
func TestDirectories(t *testing.T) {
	w := world{pages: map[page.URL]string{}}
	var a, b []page.URL
	for i := range 20 {
		u, v := page.URL(fmt.Sprintf("http://a.example/doc/%d.html", i)),
			page.URL(fmt.Sprintf("http://b.example/copies/doc/%d.html", i))
		w.pages[u], w.pages[v] = prose(i, 0), prose(i, 1)
		a, b = append(a, u), append(b, v)
	}
	p, err := New(Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair := Pair{"http://a.example/doc/", "http://b.example/copies/doc/"}
	p.Paths(pair.A, a)
	p.Paths(pair.B, b)
	p.Add(pair)
	w.play(p, nil)
	v := p.Verdicts()
	if len(v) != 1 || v[0].Class != Level3 {
		t.Fatalf("%+v", v)
	}
	e := v[0].Entry(func(string, string) int { return 0 })
	if err := e.Validate(); err != nil || e.From != pair.B || e.Level != 3 ||
		e.Evidence.Agreed != e.Evidence.Tested {
		t.Errorf("%+v: %v", e, err)
	}
}

// A partial mirror that the other side holds whole is left out, one with other pages at equal paths
// is not; of two hosts with a directory in common it is the directory that is judged.
func TestSafe(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i int, text string) string
		want   bool
	}{
		"half of the pages, and none of its own": {func(i int, s string) string {
			if i%2 == 1 {
				return ""
			}
			return s
		}, true},
		"half of the pages, and the others are others": {func(i int, s string) string {
			if i%3 == 1 {
				return prose(i+500, 0)
			}
			if i%3 == 2 {
				return ""
			}
			return s
		}, false},
	} {
		var w world
		w.host("a.example", 40, same)
		w.host("b.example", 40, c.change)
		_, v := w.run(t, Options{}, nil, ab)
		if v[0].Class != Level4 || v[0].Safe() != c.want {
			t.Errorf("%s: %s, safe %v", name, v[0].Note(), v[0].Safe())
		}
	}
	var w world
	w.host("a.example", 40, same)
	w.host("b.example", 10, same)
	for i := range 30 {
		w.pages[page.URL(fmt.Sprintf("http://b.example/own/%d.html", i))] = prose(i+500, 0)
	}
	_, v := w.run(t, Options{Glance: -1, Tests: 15}, nil, ab)
	if v[0].Class != Level4 || v[0].Trees.B != "http://b.example/d/" {
		t.Errorf("a directory in common: %s", v[0].Note())
	}
	e := v[0].Entry(func(string, string) int { return 0 })
	if e.From != "http://b.example/d/" || e.To != "http://a.example/d/" {
		t.Errorf("%s would be left out for %s", e.From, e.To)
	}
}

// TestShare: lists tell how large the strata are of which tests are a sample. Of the first, an
// eighth of the paths are the host's own, and all tests say so: the share is seven eighths, however
// many of these happened to be drawn.
func TestShare(t *testing.T) {
	for _, x := range []struct {
		name  string
		side  Side
		want  float64
		whole bool
	}{
		{
			"own pages drawn often",
			Side{Valid: 9, Held: 6, Listed: .875, ListedValid: 6, ListedHeld: 6},
			.875,
			true,
		},
		{"half of the paths", Side{Valid: 9, Held: 8, Listed: .5, ListedValid: 8, ListedHeld: 8}, .5, false},
		{"an incomplete list of the other side", Side{
			Valid: 9, Held: 9, Listed: .3, ListedValid: 3,
			ListedHeld: 3,
		}, 1, true},
		{"listed and gone", Side{Valid: 8, Held: 4, Listed: 1, ListedValid: 8, ListedHeld: 4}, .5, false},
		{"nothing of what is listed was drawn", Side{Valid: 4, Held: 1, Listed: .2}, .25, false},
		{"no lists", Side{Valid: 9, Held: 8}, 8. / 9, true},
		{"no lists, two missing", Side{Valid: 9, Held: 7}, 7. / 9, false},
		{"nothing tested", Side{}, 0, false},
	} {
		if got := x.side.share(); math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%s: share %g, want %g", x.name, got, x.want)
		}
		if got := x.side.holds(.9); got != x.whole {
			t.Errorf("%s: whole %v, want %v", x.name, got, x.whole)
		}
	}
}

// TestContent: what two servers compress differently has the same bytes.
func TestContent(t *testing.T) {
	p := &Prover{}
	end := func(sent string, content uint64) end {
		s := new(seen)
		s.look(&page.Visit{Status: 200, Digest: page.SumDigest([]byte(sent)), Content: content})
		return end{s, page.URL("http://" + sent + ".example/")}
	}
	for _, x := range []struct {
		a, b uint64
		want Outcome
	}{{7, 7, FM}, {7, 8, NT}, {0, 0, NT}} {
		if got, _ := p.compare(end("a", x.a), end("b", x.b)); got != x.want {
			t.Errorf("%d and %d: %s, want %s", x.a, x.b, got, x.want)
		}
	}
}
