package rankings

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"net/netip"
	"os"
	"strings"
	"testing"

	"watershed/internal/extsort"
	"watershed/replica/mirror"
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

func rank(t testing.TB, in mirror.Input, o mirror.Options) *mirror.Result {
	t.Helper()
	o.Memory = 8 << 20
	r, err := mirror.Rank(context.Background(), in, spill(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// web is two mirrors, one lookalike of them, and a stranger.
func web() mirror.Input {
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
	var links []mirror.Link
	var pages []mirror.Page
	for i, u := range list {
		host, path, _ := mirror.SplitURL([]byte(u))
		where, cluster := "http://outside.net/"+string(path), uint64(1+i%9)
		if strings.HasPrefix(string(host), "look") || string(host) == "stranger.com" {
			where, cluster = where+"/other", 0
		}
		links = append(links, mirror.Link{From: []byte(u), To: []byte(where)},
			mirror.Link{From: []byte(u), To: []byte("http://" + string(host) + "/docs/x.html")})
		pages = append(pages, mirror.Page{URL: []byte(u), Cluster: cluster})
	}
	ip := netip.MustParseAddr
	return mirror.Input{
		URLs: urls(list...), Links: seq(links...), Pages: seq(pages...),
		Addresses: seq(mirror.Address{Host: "a.one.org", IP: ip("1.2.3.4")}, mirror.Address{
			Host: "b.two.org",
			IP:   ip("1.2.3.4"),
		}, mirror.Address{Host: "look.alike.org", IP: ip("1.2.3.9")},
			mirror.Address{Host: "stranger.com", IP: ip("2001:db8::1")}, mirror.Address{
				Host: "b.two.org",
				IP:   ip("2001:db8::2"),
			}),
		Declared: seq(mirror.Declaration{Kind: mirror.Alias, Host: "a.one.org", Target: "b.two.org"},
			mirror.Declaration{Kind: mirror.Robots, Host: "a.one.org", Target: "k"},
			mirror.Declaration{Kind: mirror.Robots, Host: "stranger.com", Target: "k"}),
	}
}

func TestTruth(t *testing.T) {
	truth, err := ReadTruth(strings.NewReader("#a\nx\ty\t1\ny\tz\t4\tmore\nx\tw\t0\nq\tx\t?\n"))
	if err != nil {
		t.Fatal(err)
	}
	truth.Close()
	if truth.level("z", "x") != Inferred || truth.level("w", "x") != Mismatch ||
		truth.level("x", "q") != Unknown || truth.mirrors() != 3 {
		t.Error(truth.levels)
	}
	if _, err := ReadTruth(strings.NewReader("a\tb\t1\na\tb\t9\n")); err == nil ||
		!strings.HasPrefix(err.Error(), "line 2: ") {
		t.Error(err)
	}
}

// TestEvaluation checks what must hold of any rankings: relative recall is precision × k / pool (A
// comparison of techniques, table 1 and section 4.2.2: 16.8 = .27·25000/41388 and so on), and the
// union of two finds at least what each finds.
func TestEvaluation(t *testing.T) {
	r := rank(t, web(), mirror.Options{MinURLs: 5})
	truth := NewTruth()
	truth.Set("a.one.org", "b.two.org", 1)
	truth.Set("stranger.com", "b.two.org", Unknown)
	e := Evaluate(r, truth)
	for k := 1; k < 6; k++ {
		table := e.Table1(k)
		for m := range mirror.Method(mirror.Nine) {
			if n := min(k, e.Len(m)); math.Abs(table[m][m]-e.precision(m, k)*float64(n)/float64(e.pool(k))) >
				1e-12 {
				t.Errorf("%s at %d: %v", m, k, table[m][m])
			}
			for j := range mirror.Method(mirror.Nine) {
				if table[m][j] < max(table[m][m], table[j][j]) ||
					table[m][j] > min(1, table[m][m]+table[j][j])+1e-12 {
					t.Errorf("%s and %s: %v", m, j, table[m][j])
				}
			}
		}
	}
	if k, p := e.At(mirror.IP4, .9); k != 1 || p != 1 || e.Average(mirror.IP4) != 1 ||
		e.Len(mirror.IP3) != 3 {
		t.Error(k, p, e.Average(mirror.IP4), e.Len(mirror.IP3))
	}
	if s := e.bySize(); len(s) != 1 || s[0] != (sizeStep{2, 2, 2}) {
		t.Error(s)
	}
	var text, csv bytes.Buffer
	if err := errors.Join(e.WriteText(&text, 3), e.WriteCSV(&csv, 3), WritePairs(&text, r, mirror.Fused, 3,
		true)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "conn") ||
		!strings.Contains(csv.String(), "precision-at-rank,IP4,1,1\n") {
		t.Error(text.String(), csv.String())
	}
}

// feature is the number of a feature by its name, which is a line of the weights.
func feature(t *testing.T, name string) int {
	t.Helper()
	for i := range (mirror.Features{}) {
		var w mirror.Weights
		w[i] = 1
		var text strings.Builder
		if err := WriteWeights(&text, w); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if f := strings.Fields(line); len(f) == 2 && f[0] == name && f[1] == "1.0000" {
				return i
			}
		}
	}
	t.Fatalf("no feature is called %s", name)
	return 0
}

// TestFit: weights have the sign of their evidence, and probabilities are those of the samples.
func TestFit(t *testing.T) {
	pathsCover, declared, against := feature(t, "paths.cover"), feature(t, "declared.alias"),
		feature(t, "links.against")
	var samples []Sample
	for i := range 100 {
		var f mirror.Features
		f[0] = 1 // the bias
		if i < 20 {
			f[pathsCover] = 1
		}
		f[declared] = float64(i % 2) // as often wrong as right
		samples = append(samples, Sample{f, i < 15, 1})
	}
	w := Fit(samples, FitOptions{})
	if w[pathsCover] <= 0 || w[declared] < 0 || w[against] > 0 {
		t.Error(w)
	}
	if p := w.Probability(&samples[0].Features); math.Abs(p-.75) > .05 {
		t.Errorf("15 of 20 are mirrors: %v", p)
	}
}

// TestWeightsText: weights are read as they were written, those of the program too.
func TestWeightsText(t *testing.T) {
	fitted, err := os.ReadFile("../../replica/mirror/weights.tsv")
	if err != nil {
		t.Fatal(err)
	}
	w, err := mirror.ReadWeights(bytes.NewReader(fitted))
	if err != nil || *w == (mirror.Weights{}) {
		t.Fatal(w, err)
	}
	for _, w := range []mirror.Weights{*w, {0: -1.5, 3: 0.25}} {
		var out strings.Builder
		if err := WriteWeights(&out, w); err != nil {
			t.Fatal(err)
		}
		again, err := mirror.ReadWeights(strings.NewReader(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range w {
			if math.Abs(again[i]-w[i]) > 1e-4 {
				t.Errorf("%s: %v is read as %v", mirror.FeatureName(i), w[i], again[i])
			}
		}
	}
}
