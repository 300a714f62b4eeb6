package judge

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/sitemap"
)

func TestTable2(t *testing.T) {
	truth, err := readTruth(sharedHost(3, 60, false))
	if err != nil {
		t.Fatal(err)
	}
	e := &Evaluation{Truth: truth}
	e.Options.Process.Inflation = 2
	e.Options.Process.Toll = .5
	c, err := e.Clusters(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{60, 60, 60}, c.Sizes()); diff != "" {
		t.Fatal(diff)
	}
	rows := e.Table2(c, 5)
	sites := make(map[string]bool)
	for _, r := range rows {
		sites[r.Site] = true
		if r.Cluster != 60 || r.Size < 60 || r.Recall != 1 || r.Precision != 60/float64(r.Size) ||
			r.Title != "" {
			t.Errorf("%+v", r)
		}
		if diff := cmp.Diff([]string{"http://homes.example/" + r.Site + "/"}, r.Prefixes); diff != "" ||
			r.Keywords[0] != r.Site {
			t.Errorf("keywords %v, prefixes %s", r.Keywords, diff)
		}
	}
	if len(rows) != 3 || len(sites) != 3 { // there are no more, and none is drawn twice
		t.Errorf("%d rows, %d sites", len(rows), len(sites))
	}
	var text bytes.Buffer
	if err := WriteTable2(&text, CSV, rows); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(lines) != 4 || lines[0][5] != "site" || lines[1][5] != rows[0].Site {
		t.Errorf("%v %v", lines, err)
	}
}

func TestTable1(t *testing.T) {
	truth := drawn(t)
	e := &Evaluation{Truth: truth}
	rows := e.Table1(truth.Sites()[0])
	got := make(map[string]SiteRow)
	for _, r := range rows {
		got[r.Method] = r
	}
	for name, want := range map[string]SiteRow{
		"prefix": {"prefix", 14, 1, .5}, "two prefixes": {"two prefixes", 28, 1, 1},
		Recommended: {Recommended, 28, 1, 1},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Error(diff)
		}
	}
	if len(rows) != 12 || got["MCL 1.2"].Size == 0 || got["MCL 2.0 + flow"].Size < got["MCL 2.0"].Size {
		t.Errorf("%+v", rows)
	}
	var text bytes.Buffer
	if err := WriteTable1(&text, JSON, rows); err != nil {
		t.Fatal(err)
	}
	var first SiteRow
	if err := json.NewDecoder(&text).Decode(&first); err != nil || first != rows[0] {
		t.Errorf("%+v %v", first, err)
	}
}

func TestFigure(t *testing.T) {
	f := NewFigure([]int{1, 5, 1, 100, 3, 1})
	if diff := cmp.Diff(Figure{[]int{1, 3, 5, 100}, []int{3, 1, 1, 1}}, f); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{3, 1, 1, 0, 0, 0, 1}, f.bins()); diff != "" {
		t.Error(diff)
	}
	var text bytes.Buffer
	if err := f.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Count(text.String(), "\n") != 8 ||
		!strings.Contains(text.String(), "     64–127           1 #\n") {
		t.Error(text.String())
	}
	if (failing{}).fails(f.WriteText) == nil || (Figure{}).exponent() != 0 {
		t.Error("an error of the writer is lost, or a figure without clusters has an exponent")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error)             { return 0, io.ErrShortWrite }
func (w failing) fails(f func(io.Writer) error) error { return f(w) }

// TestExponent: sizes as a power law has them give its exponent back.
func TestExponent(t *testing.T) {
	if z := zeta(2); math.Abs(z-math.Pi*math.Pi/6) > 1e-9 {
		t.Errorf("ζ(2) = %v", z)
	}
	for _, want := range []float64{1.8, 2.5, 3} {
		var f Figure
		for s := 1; s <= 1_000_000; s += 1 + s/200 {
			width := float64(1 + s/200)
			f.Sizes = append(f.Sizes, s)
			f.Counts = append(f.Counts, int(1e12*width*math.Pow(float64(s)+(width-1)/2, -want)))
		}
		if got := f.exponent(); math.Abs(got-want) > .01 {
			t.Errorf("exponent %.4f, want %.1f", got, want)
		}
	}
}

// TestRespell: hosts, links and sites stay; no two pages get one URL.
func TestRespell(t *testing.T) {
	truth := drawn(t)
	rapid.Check(t, func(t *rapid.T) {
		spelling := Spelling(rapid.IntRange(0, int(spellings)-1).Draw(t, "spelling"))
		got := truth.Respell(spelling)
		v := rapid.IntRange(0, len(truth.urls)-1).Draw(t, "page")
		u := got.urls[v]
		if u.Host() != truth.urls[v].Host() || len(got.byURL) != len(truth.byURL) ||
			got.byURL[u] != int32(v) {
			t.Fatalf("%s became %s", truth.urls[v], u)
		}
		if spelling != AsIs && u.Directory() != string(u.Root()) {
			t.Fatalf("%s has a directory", u)
		}
	})
	if got := truth.Respell(Flat).urls[truth.byURL["http://homes.example/~t1/p0.html"]]; got !=
		"http://homes.example/~t1-p0.html" {
		t.Error(got)
	}
}

func TestKeywordOfASite(t *testing.T) {
	truth := drawn(t)
	for _, s := range truth.Sites() {
		want := map[string]string{"t1": "~t1", "t2": "~t2", "t3": "~t3"}[s.Name]
		if got := truth.keyword(s); want != "" && got != want || got == "" {
			t.Errorf("%s: %q", s.Name, got)
		}
	}
}

// TestAblation: each variant is valid, differs from the others, and finds a site.
func TestAblation(t *testing.T) {
	truth := drawn(t)
	e := &Evaluation{Truth: truth}
	var all sitemap.Options
	seen := make(map[string]bool)
	for _, v := range Ablation(all) {
		if err := v.Options.Validate(); err != nil || seen[v.Name] {
			t.Errorf("%s: %v", v.Name, err)
		}
		seen[v.Name] = true
		if v.Name != "all (recommended)" && v.Options == all {
			t.Errorf("%s changes nothing", v.Name)
		}
		if sc := e.Score(v.Method(), truth.Sites()[0]); sc.Recall == 0 {
			t.Errorf("%s: %+v", v.Name, sc)
		}
	}
	for _, name := range []string{
		"all (recommended)", "without lists", "shares alone",
		"shares + documents",
	} {
		if !seen[name] {
			t.Errorf("no variant is called %q", name)
		}
	}
}
