package collections

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"watershed/lab/testweb"
	"watershed/page"
	"watershed/replica/collection"
)

// testTruth is a web of a target with three copies of 12 pages, of which the second lacks page 11,
// and a lookalike.
func testTruth() fstest.MapFS {
	var sites, links, manifest strings.Builder
	sites.WriteString("#url\tsite\tgroup\tplace\thtml\tbytes\tsha1\n")
	for _, c := range []struct{ host, dir, site, place string }{
		{"o.example", "/doc/", "manual", "orig:manual.en-1"},
		{"a.example", "/pub/x/", "manual@a.example", "coll:c1:a.example"},
		{"b.example", "/x/", "manual@b.example", "coll:c1:b.example"},
		{"l.example", "/doc/", "other", "orig:other.en-1"},
	} {
		for i := range 12 {
			if c.host == "a.example" && i == 11 {
				continue
			}
			u := fmt.Sprintf("http://%s%sp%d.html", c.host, c.dir, i)
			fmt.Fprintf(&sites, "%s\t%s\tg\t%s\t1\t9\tx\n", u, c.site, c.place)
			fmt.Fprintf(&links, "http://%s%sp0.html\t%s\ta\n%s\t%s\ti\n", c.host, c.dir, u, u, u)
			fmt.Fprintf(&manifest, "%s\t%sp%d.html\t%d\t4\ttext/html\t170%d\t\n", c.host, c.dir, i, 4*i, i)
		}
	}
	sites.WriteString("http://o.example/doc/s.css\tmanual\tg\torig:manual.en-1\t0\t9\tx\n")
	return fstest.MapFS{
		"sites.tsv":    {Data: []byte(sites.String())},
		"links.tsv":    {Data: []byte(links.String())},
		"manifest.tsv": {Data: []byte(manifest.String())},
		"dupclusters.tsv": {
			Data: []byte("1\thttp://o.example/doc/p3.html\tx\n1\thttp://a.example/pub/x/p4.html\tx\n"),
		},
		"collections.tsv": {Data: []byte("c1\to.example\thttp://o.example/doc/\t12\t12\t12\t1\treference\n" +
			"c1\ta.example\thttp://a.example/pub/x/\t11\t11\t11\t1\tpartial\n" +
			"c1\tb.example\thttp://b.example/x/\t12\t12\t12\t1\t\n")},
		"pack.dat": {Data: []byte(strings.Repeat("0123", 12))},
	}
}

func readTestTruth(t *testing.T) *Truth {
	t.Helper()
	truth, err := ReadTruth(testTruth())
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

func TestReadTruth(t *testing.T) {
	truth := readTestTruth(t)
	if len(truth.Pages) != 47 || len(truth.Copies) != 3 || truth.Pages[1].First != 1701 {
		t.Errorf("%d pages, %d copies, page 1 of %d", len(truth.Pages), len(truth.Copies),
			truth.Pages[1].First)
	}
	links := 0
	err := truth.Input().Links(func(from, to uint32) error { links++; return nil })
	if err != nil || links != 47 {
		t.Errorf("%d links, want 47: %v", links, err)
	}
	bodies := 0
	err = truth.bodies(testTruth(), func(p uint32, kind string, body []byte) error {
		if bodies++; kind != "text/html" || string(body) != "0123" {
			t.Errorf("page %d: %s %q", p, kind, body)
		}
		return nil
	})
	if err != nil || bodies != 47 {
		t.Errorf("%d bodies: %v", bodies, err)
	}
}

func TestBadTruth(t *testing.T) {
	for name, line := range map[string]string{
		"sites.tsv":       "http://x.example/",
		"links.tsv":       "a\tb",
		"manifest.tsv":    "o.example\t/doc/p0.html\tx\t4\ttext/html\t1",
		"collections.tsv": "c1\th\tno url\t1\t1\t1\t1\t",
		"dupclusters.tsv": "x\thttp://o.example/doc/p0.html",
	} {
		web := testTruth()
		web[name] = &fstest.MapFile{Data: []byte("# a comment\n" + line + "\n")}
		var e *testweb.RowError
		if _, err := ReadTruth(web); !errors.As(err, &e) || e.File != name || e.Line != 2 {
			t.Errorf("%s: %v", name, err)
		}
		delete(web, name)
		if _, err := ReadTruth(web); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no %s: %v", name, err)
		}
	}
}

// answer is a replica as a test tells it: the directory, and of its pages from … to-1 the
// originals' directory.
type answer struct {
	dir, of  string
	from, to int
	shift    int // added to an original's number
}

func (a answer) replica(t *testing.T, truth *Truth) collection.Replica {
	t.Helper()
	r := collection.Replica{Prefix: a.dir}
	id := func(dir string, i int) uint32 {
		p, ok := truth.byURL[page.URL(fmt.Sprintf("%sp%d.html", dir, i))]
		if !ok {
			t.Fatalf("no page %d in %s", i, dir)
		}
		return p
	}
	for i := a.from; i < a.to; i++ {
		r.Pairs = append(r.Pairs, collection.Pair{Page: id(a.dir, i), Original: id(a.of, i+a.shift)})
	}
	return r
}

func TestScore(t *testing.T) {
	const o, a, b, l = "http://o.example/doc/", "http://a.example/pub/x/", "http://b.example/x/",
		"http://l.example/doc/"
	truth := readTestTruth(t)
	for _, test := range []struct {
		name        string
		collections [][]answer
		want        Score
	}{
		{
			"right",
			[][]answer{{{dir: o, of: o, to: 12}, {dir: a, of: o, to: 11}, {dir: b, of: o, to: 12}}},
			Score{
				Targets: 1, TargetsFound: 1, Copies: 3, CopiesFound: 3, Whole: 1,
				Collections: 1, Replicas: 3, OfTargets: 3, Pairs: 23, PairsRight: 23, Similar: [2]int{23, 23},
			},
		},
		{
			"a lookalike",
			[][]answer{{{dir: o, of: o, to: 12}, {dir: b, of: o, to: 12}, {dir: l, of: o, to: 12}}},
			Score{
				Targets: 1, TargetsFound: 1, Copies: 3, CopiesFound: 2, Whole: 1,
				Collections: 1, Replicas: 3, OfTargets: 2, Wrong: 1, Pairs: 24, PairsRight: 12,
				Similar: [2]int{24, 12},
			},
		},
		{
			"mapped to the next page, but for one that is a near duplicate",
			[][]answer{{{dir: o, of: o, to: 12}, {dir: a, of: o, from: 2, to: 11, shift: -1}}},
			Score{
				Targets: 1, Copies: 3, Collections: 1, Replicas: 2, Wrong: 2,
				Pairs: 9, PairsRight: 1, Similar: [2]int{9, 1},
			},
		},
		{
			"in two pieces",
			[][]answer{{{dir: o, of: o, to: 8}, {dir: b, of: o, to: 8}}, {
				{dir: o, of: o, from: 8, to: 12},
				{dir: b, of: o, from: 8, to: 12},
			}},
			Score{
				Targets: 1, TargetsFound: 1, Copies: 3, CopiesFound: 2, Whole: 8. / 12,
				Collections: 2, Replicas: 4, OfTargets: 2, Fragments: 2, Pairs: 12, PairsRight: 12,
				Similar: [2]int{12, 12},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &collection.Result{}
			for _, list := range test.collections {
				c := collection.Collection{}
				for _, x := range list {
					c.Replicas = append(c.Replicas, x.replica(t, truth))
				}
				r.Collections = append(r.Collections, c)
			}
			got, problems := Evaluation{Truth: truth, Result: r}.Score()
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			missing := got.Targets - got.TargetsFound + got.Copies - got.CopiesFound
			if want := got.Wrong + got.Fragments + missing; len(problems) != want {
				t.Errorf("%d problems named, want %d: %q", len(problems), want, problems)
			}
		})
	}
}

// TestFoundAndScored runs the whole way on the small web.
func TestFoundAndScored(t *testing.T) {
	truth := readTestTruth(t)
	in := truth.Input()
	in.Clusters = make([]uint32, len(in.Pages))
	for i, p := range in.Pages {
		in.Clusters[i] = collection.NoCluster
		if name := string(p.URL); !strings.Contains(name, "l.example") {
			n, err := strconv.Atoi(strings.TrimSuffix(name[strings.LastIndex(name, "/p")+2:], ".html"))
			if err != nil {
				t.Fatal(err)
			}
			in.Clusters[i] = uint32(n)
		}
	}
	found, err := collection.Find(t.Context(), in, collection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, problems := Evaluation{Truth: truth, Result: found}.Score()
	if s.TargetsFound != 1 || s.CopiesFound != 3 || s.problems() != 0 || s.mapping() != 1 ||
		len(problems) != 0 {
		t.Errorf("%+v %q", s, problems)
	}
}

func TestWriteFails(t *testing.T) {
	r, w := io.Pipe()
	if err := errors.Join(r.Close(), Score{}.WriteText(w)); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}
