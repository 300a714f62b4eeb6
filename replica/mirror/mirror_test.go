package mirror

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/internal/extsort"
)

func spill(t testing.TB) *extsort.Dir {
	t.Helper()
	d, err := extsort.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func urls(list ...string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, u := range list {
			if !yield([]byte(u), nil) {
				return
			}
		}
	}
}

func seq[T any](list ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func rank(t testing.TB, in Input, o Options) *Result {
	t.Helper()
	o.Memory = 8 << 20
	r, err := Rank(context.Background(), in, spill(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pairNames(r *Result, m Method) (list []string) {
	for _, p := range r.Ranking(m) {
		list = append(list, r.Hosts[p.A]+" "+r.Hosts[p.B])
	}
	return list
}

// TestBigrams has the worked example of A comparison of techniques, section 3.2.4.
func TestBigrams(t *testing.T) {
	got := bigrams("conferences/dl99/advanceprogram.html")
	if want := []string{
		"conferences_dl*_0", "dl*_advanceprogram_1",
		"advanceprogram_html_2",
	}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// TestNormaliser has the numbers of section 3.2.3: 1 for hosts of 1000 URLs, and 0.62 for one of 12
// million and one of 1000.
func TestNormaliser(t *testing.T) {
	o := Options{}.withDefaults().Terms
	if x := o.norm(1000, 1000); math.Abs(x-1) > 1e-12 {
		t.Error(x)
	}
	if x := o.norm(12_000_000, 1000); math.Abs(x-.62) > .005 {
		t.Error(x)
	}
	if n := o.cap(100); n != 46 {
		t.Error(n)
	}
}

func TestHostTerms(t *testing.T) {
	for name, want := range map[string][]string{
		"www.a.org:8080": {"www", "www.a", "www.a.org", "a", "a.org", "org"},
		"10.1.2.3":       {"=10.1", "=10.1.2", "=10.1.2.3"},
		"[::1]:80":       {"[::1]"},
	} {
		var got []string
		hostTerms(name, func(term string, n int) {
			if n != strings.Count(term, ".")+1 {
				t.Errorf("%s has %d segments", term, n)
			}
			got = append(got, term)
		})
		if !slices.Equal(got, want) {
			t.Error(name, got)
		}
	}
}

// TestWalker compares the walker, which reads a word in one go, with terms made from the text of
// each path: which there are, and how often.
func TestWalker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(rapid.StringMatching(`/([abA1%]{1,3}[/.]){0,4}[ab9-]{0,3}`), 2, 30,
			rapid.ID).Draw(t, "paths")
		w := newWalker(Options{}.withDefaults().Terms)
		prefixes, shingles := map[uint64]uint32{}, map[uint64]uint32{}
		for _, p := range paths {
			if hash, fresh := w.read([]byte(p)); !fresh || hash != hashOf([]byte(p))|1 {
				t.Fatalf("%s: hash %x, fresh %v", p, hash, fresh)
			}
			for i := 1; i < len(p); i++ {
				if p[i] == '/' || i == len(p)-1 {
					prefixes[hashOf([]byte(p[:i+1]))|1]++
				}
			}
			for _, s := range bigrams(p) {
				words := strings.Split(s, "_")
				position := uint64(words[2][0] - '0')
				shingles[mix(hashOf([]byte(words[0]))*3+hashOf([]byte(words[1]))+position*0x9e3779b97f4a7c15)|
					1]++
			}
		}
		if !maps.Equal(w.shingles, counter(shingles)) {
			t.Fatalf("shingles of %q: %v, want %v", paths, w.shingles, shingles)
		}
		if !maps.Equal(w.dirs, counter(prefixes)) {
			t.Fatalf("prefixes of %q: %v, want %v", paths, w.dirs, prefixes)
		}
	})
}

func TestTop(t *testing.T) {
	c := counter{9: 1, 2: 3, 7: 2, 4: 2, 1: 1}
	for n, want := range map[int][]uint64{
		1: {2, 5}, 2: {2, 4, 5}, 3: {2, 4, 5, 7}, 4: {1, 2, 4, 5, 7},
		9: {1, 2, 4, 5, 7, 9},
	} {
		if got := slices.Sorted(slices.Values(c.top(n, []uint64{5}))); !slices.Equal(got, want) {
			t.Errorf("the %d most frequent: %v, want %v", n, got, want)
		}
	}
}

func TestStage(t *testing.T) {
	s := newStage(Options{}.withDefaults().Stage, 1)
	s.split([]byte("www6.infoseek.com"))
	if len(s.words) != 3 || s.words[0] != hashOf([]byte("www")) {
		t.Error("a digit run separates, and is no word:", len(s.words))
	}
	s.split([]byte("/cgi-bin/a/INDEX.html"))
	if len(s.words) != 1 || s.depth[0] != 2 {
		t.Error("stop terms go:", s.words, s.depth)
	}
	// Doubling: 20 at 1 of 5, then 10 at 1 of 10, and so on; of 10,000 URLs 20 + 10·log₂(…) are
	// expected.
	s.begin()
	for i := range 10_000 {
		p := []byte("/" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "/" +
			string(rune('a'+i/26%26)) + string(rune('a'+i/676)))
		s.offer(p, hashOf(p))
	}
	if n, want := len(s.sample(10_000)), s.expected(10_000); n < want-25 || n > want+25 || want < 60 {
		t.Errorf("sampled %d, expected %d", n, want)
	}
}

// web is two mirrors, one lookalike of them, and a stranger.
func web() Input {
	var list []string
	for _, h := range []string{"a.one.org", "b.two.org", "look.alike.org"} {
		for _, d := range []string{"docs", "man", "src"} {
			for _, p := range []string{"x.html", "y.html", "z.html"} {
				list = append(list, "http://"+h+"/"+d+"/"+p)
			}
		}
	}
	for _, p := range []string{"p", "q", "r", "s", "t"} {
		list = append(list, "http://stranger.com/"+p+"/"+p)
	}
	var links []Link
	var pages []Page
	for i, u := range list {
		host, path, _ := SplitURL([]byte(u))
		where, cluster := "http://outside.net/"+string(path), uint64(1+i%9)
		if strings.HasPrefix(string(host), "look") || string(host) == "stranger.com" {
			where, cluster = where+"/other", 0
		}
		links = append(links, Link{[]byte(u), []byte(where)},
			Link{[]byte(u), []byte("http://" + string(host) + "/docs/x.html")})
		pages = append(pages, Page{URL: []byte(u), Cluster: cluster})
	}
	ip := netip.MustParseAddr
	return Input{
		URLs: urls(list...), Links: seq(links...), Pages: seq(pages...),
		Addresses: seq(Address{"a.one.org", ip("1.2.3.4")}, Address{"b.two.org", ip("1.2.3.4")},
			Address{"look.alike.org", ip("1.2.3.9")},
			Address{"stranger.com", ip("2001:db8::1")}, Address{"b.two.org", ip("2001:db8::2")}),
		Declared: seq(Declaration{Alias, "a.one.org", "b.two.org", 0}, Declaration{
			Robots, "a.one.org", "k",
			0,
		}, Declaration{Robots, "stranger.com", "k", 0}),
	}
}

func TestRank(t *testing.T) {
	r := rank(t, web(), Options{MinURLs: 5})
	for m, want := range map[Method][]string{
		IP4:      {"a.one.org b.two.org"},
		Paths:    {"a.one.org b.two.org", "a.one.org look.alike.org", "b.two.org look.alike.org"},
		Conn:     {"a.one.org b.two.org"},
		Content:  {"a.one.org b.two.org"},
		Declared: {"a.one.org b.two.org", "a.one.org stranger.com"},
	} {
		if got := pairNames(r, m); !slices.Equal(got, want) {
			t.Errorf("%s: %v", m, got)
		}
	}
	if got := pairNames(r, IP3); len(got) != 4 || got[0] != "b.two.org stranger.com" {
		t.Errorf("IP3: %v, the cluster of two first, then that of three", got)
	}
	if got := pairNames(r, Fused); len(got) == 0 || got[0] != "a.one.org b.two.org" {
		t.Errorf("fused: %v", got)
	}
	if r.Report.KeptHosts != 4 {
		t.Errorf("%+v", r.Report)
	}
	if e := r.Explain(r.Ranking(Fused)[0]); len(e) == 0 || e[0].Name == "" {
		t.Error("a pair without evidence")
	}
	// Nine common paths, each of three hosts: weight (1 + ln(100/3))² each.
	want := 9 * math.Pow(1+math.Log(100./3), 2)
	if got := r.Ranking(Paths)[0].Score; math.Abs(got-want) > 1e-4 {
		t.Errorf("paths: %v, want %v", got, want)
	}
}

// TestOrder: the order in which hosts come changes nothing.
func TestOrder(t *testing.T) {
	in := web()
	var list []string
	for u := range in.URLs {
		list = append(list, string(u))
	}
	a := rank(t, in, Options{MinURLs: 5})
	in.URLs = urls(slices.Concat(list[18:], list[9:18], list[:9])...)
	b := rank(t, in, Options{MinURLs: 5})
	for _, m := range allMethods() {
		if x, y := pairNames(a, m), pairNames(b, m); !slices.Equal(x, y) {
			t.Errorf("%s: %v, then %v", m, x, y)
		}
	}
}

func TestRankErrors(t *testing.T) {
	ctx := context.Background()
	bad := errors.New("bad")
	failing := func(yield func([]byte, error) bool) { yield(nil, bad) }
	for _, c := range []struct {
		in   Input
		o    Options
		want error
	}{
		{Input{URLs: urls("http://a/1", "http://b/1", "http://a/2")}, Options{}, errGrouped},
		{Input{URLs: failing}, Options{}, bad},
		{Input{}, Options{}, errOptions},
		{Input{URLs: urls()}, Options{MinURLs: -1}, errOptions},
		{Input{URLs: urls()}, Options{Conn: ConnOptions{Common: 2}}, errOptions},
	} {
		if _, err := Rank(ctx, c.in, spill(t), c.o); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	if _, err := Rank(ctx, Input{URLs: urls("", "ftp://a/", "http://", "http://a")}, spill(t),
		Options{}); err != nil {
		t.Error(err)
	}
}

// TestWeights: the fitted weights have the sign of their evidence.
func TestWeights(t *testing.T) {
	for f := range features {
		if fitted[f] != side(f, fitted[f]) {
			t.Errorf("%s weighs %v", names[f], fitted[f])
		}
	}
}

func FuzzSplitURL(f *testing.F) {
	f.Add([]byte("http://a/b?c"))
	f.Add([]byte("https://a"))
	f.Fuzz(func(t *testing.T, u []byte) {
		host, path, ok := SplitURL(u)
		if ok && (len(host) == 0 || len(path) == 0) {
			t.Errorf("%q: %q %q", u, host, path)
		}
		if ok {
			w := newWalker(Options{}.withDefaults().Terms)
			w.begin()
			w.read(path)
			w.prefixes(nil)
		}
	})
}

// bigrams lists the positional word bigrams of a path as text, for example "dl*_advanceprogram_1".
func bigrams(path string) []string {
	var words []string
	for _, w := range bytes.FieldsFunc([]byte(path), func(r rune) bool { return r == '/' || r == '.' }) {
		var out []byte
		run := symbol(0)
		for _, c := range w {
			s := symbols[c]
			if s&(silent|run) == 0 {
				out = append(out, byte(s&text))
			}
			run = s.runs(run)
		}
		if len(out) > 0 {
			words = append(words, string(out))
		}
	}
	var list []string
	for i := 1; i < len(words); i++ {
		list = append(list, words[i-1]+"_"+words[i]+"_"+strconv.Itoa(i-1))
	}
	return list
}

// side is a weight if it has the sign that is demanded of it, else 0: evidence for a pair never
// lowers its probability, evidence against never raises it.
func side(f feature, weight float64) float64 {
	switch {
	case f == linksAgainst || f == contentAgainst:
		return min(0, weight)
	case f != bias && f < noLinks:
		return max(0, weight)
	}
	return weight
}

func allMethods() (all []Method) {
	for m := range methods {
		all = append(all, m)
	}
	return all
}
