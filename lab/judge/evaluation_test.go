package judge

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// drawnTruth is a small web in the form without headings: two sites of two hosts each, three
// tenants of one host, a site of its own host, and links between all of them.
func drawnTruth() fstest.MapFS {
	var sites, links strings.Builder
	page := func(host string, p int) string { return fmt.Sprintf("http://%s/p%d.html", host, p) }
	for _, s := range []struct{ name, class, host, second string }{
		{"m1", "multi", "www.m1.example", "docs.m1.example"},
		{"m2", "multi", "www.m2.example", "m2.other.example/area"},
		{"t1", "tenant", "homes.example/~t1", ""},
		{"t2", "tenant", "homes.example/~t2", ""},
		{"t3", "tenant", "homes.example/~t3", ""},
		{"o1", "ord", "www.o1.example", ""},
	} {
		for _, host := range []string{s.host, s.second} {
			if host == "" {
				continue
			}
			for p := range 14 {
				fmt.Fprintf(&sites, "%s\t%s\t%s\n", page(host, p), s.name, s.class)
				for _, q := range []int{0, (p + 1) % 14, (p * 5) % 14} {
					fmt.Fprintf(&links, "%s\t%s\n", page(host, p), page(host, q))
				}
				if s.second != "" {
					fmt.Fprintf(&links, "%s\t%s\n%s\t%s\n", page(s.host, p), page(s.second, p),
						page(s.second, p), page(s.host, (p+3)%14))
				}
				fmt.Fprintf(&links, "%s\thttp://www.o1.example/p1.html\n%s\thttp://gone.example/%d\n",
					page(host, p), page(host, p), p)
			}
		}
	}
	return fstest.MapFS{
		"sites.tsv": {Data: []byte(sites.String())},
		"links.tsv": {Data: []byte(links.String())},
	}
}

func TestEvaluation(t *testing.T) {
	truth, err := readTruth(drawnTruth())
	if err != nil {
		t.Fatal(err)
	}
	e := &Evaluation{Truth: truth}
	sample := e.Sample()
	if len(sample) != 6 {
		t.Fatalf("%d sites in the sample", len(sample))
	}
	want := map[string][2]float64{ // F1 of the sites on several hosts, of all
		"prefix": {2. / 3, 8. / 9}, "two prefixes": {1, 1}, "ceiling": {1, 1}, Recommended: {1, 1},
	}
	for _, m := range Methods() {
		var scores []Score
		for _, s := range sample {
			scores = append(scores, e.Score(m, s))
		}
		rows := Rows(m.Name, scores)
		if w, ok := want[m.Name]; ok {
			multi := rows[slices.IndexFunc(rows, func(r Row) bool { return r.Class == "multi" })]
			all := rows[len(rows)-1]
			if diff := cmp.Diff(w[:], []float64{multi.F1, all.F1},
				cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
				t.Errorf("%s: %s", m.Name, diff)
			}
		}
		var b bytes.Buffer
		if err := WriteRows(&b, Text, rows); err != nil || strings.Count(b.String(), "\n") != len(rows)+1 {
			t.Errorf("table: %v\n%s", err, b.String())
		}
	}
}

func TestTruthOfATestWeb(t *testing.T) {
	truth, err := readTruth(fstest.MapFS{
		"sites.tsv": {Data: []byte(strings.Join([]string{
			"#url\tsite\tgroup\tplace\thtml\tbytes\tsha1",
			"http://a.example/d/leaf.html\tA\tg\tp\t1\t1\tx",
			"http://a.example/d/index.html\tA\tg\tp\t1\t1\tx",
			"http://a.example/d/style.css\tA\tg\tp\t0\t1\tx",
			"http://b.example/A/\tA\tg\tp\t1\t1\tx",
			"http://b.example/x/\tX\tg\tp\t1\t1\tx",
			"http://c.example/\tblog:c\tg\tp\t1\t1\tx",
			"http://d.example/\tD\tg\tp\t1\t1\tx",
		}, "\n"))},
		"links.tsv": {Data: []byte(strings.Join([]string{
			"http://a.example/d/index.html\thttp://a.example/d/leaf.html#part\ta",
			"http://a.example/d/index.html\thttp://a.example/d/style.css\tc",
			"http://a.example/d/index.html\thttp://b.example/A/\tf",
			"http://b.example/A/\thttp://a.example/d/index.html\ta",
			"http://c.example/\tno URL\ta",
			"http://nowhere.example/\thttp://c.example/\ta",
		}, "\r\n"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range truth.Sites() {
		got[s.Name] = fmt.Sprint(s.Class, " ", s.Pages(), " ", truth.Entry(s))
	}
	want := map[string]string{
		"A": "multi 3 http://a.example/d/index.html", "X": "tenant 1 http://b.example/x/",
		"blog:c": "blog 1 http://c.example/", "D": "ord 1 http://d.example/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, fsys := range map[string]fstest.MapFS{
		"no file":    {},
		"no links":   {"sites.tsv": {Data: []byte("http://a.example/\tA\tord\n")}},
		"few fields": {"sites.tsv": {Data: []byte("http://a.example/\n")}, "links.tsv": {}},
		"no site":    {"sites.tsv": {}, "links.tsv": {}},
	} {
		if _, err := readTruth(fsys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDrawsAsPython compares with Python 3: random.Random(5), [r._randbelow(n) for n in …] and
// r.getrandbits(32).
func TestDrawsAsPython(t *testing.T) {
	r := newTwister(5)
	var got []uint32
	for _, n := range []uint32{10, 10, 10, 1, 1000, 7, 1 << 20} {
		got = append(got, r.below(n))
	}
	for range 700 {
		r.uint32()
	}
	got = append(got, r.uint32())
	if diff := cmp.Diff(pythonDraws, got); diff != "" {
		t.Error(diff)
	}
}

var pythonDraws = []uint32{9, 4, 5, 0, 860, 3, 522301, 692262378}

// TestBelowPrefix tells the sites on which a crawl of the prefix is better by more than 0.05. A
// crawl that is told an inner page has the prefix of that page, and is no better than its survey
// for being told more.
func TestBelowPrefix(t *testing.T) {
	rows := Rows("m", []Score{{F1: .5, Floor: .56}, {F1: .5, Floor: .54}, {F1: 1, Floor: .9}})
	if n := rows[len(rows)-1].Below; n != 1 {
		t.Errorf("%d sites are below the prefix: want 1", n)
	}
	truth, err := readTruth(drawnTruth())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range truth.Sites() {
		e := &Evaluation{Truth: truth, Given: InnerPage}
		inside, _ := prefixCrawl.find(e, s)
		if seed := e.site(s).Seeds[0]; !slices.Contains(inside, truth.byURL[seed]) {
			t.Errorf("%s: the crawl of the prefix does not begin at %s", s.Name, seed)
		}
	}
}

// readTruth reads the tables of a folder.
func readTruth(fsys fs.FS) (*Truth, error) {
	sites, err := fsys.Open("sites.tsv")
	if err != nil {
		return nil, fmt.Errorf("open truth: %w", err)
	}
	defer sites.Close() //nolint:errcheck // it was only read
	links, err := fsys.Open("links.tsv")
	if err != nil {
		return nil, fmt.Errorf("open truth: %w", err)
	}
	defer links.Close() //nolint:errcheck // it was only read
	return ReadTruthFrom(sites, links)
}
