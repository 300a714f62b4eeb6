package collection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/lab/kit/planted"
	"watershed/page"
)

// drawn is a small web with everything that makes trouble: clusters of any size, several on a host,
// links anywhere.
type drawn struct {
	clusters []uint32
	links    [][2]uint32
	hosts    int
}

func drawWeb(t *rapid.T) drawn {
	n := rapid.IntRange(2, 16).Draw(t, "pages")
	d := drawn{hosts: rapid.IntRange(1, 4).Draw(t, "hosts")}
	for range n {
		d.clusters = append(d.clusters, uint32(rapid.IntRange(0, 5).Draw(t, "cluster")))
	}
	for range rapid.IntRange(0, 4*n).Draw(t, "links") {
		d.links = append(d.links, [2]uint32{
			uint32(rapid.IntRange(0, n-1).Draw(t, "from")),
			uint32(rapid.IntRange(0, n-1).Draw(t, "to")),
		})
	}
	return d
}

// input gives the web with its pages in another order: place p of the web is page order[p].
func (d drawn) input(order []int) Input {
	in := Input{Pages: make([]Page, len(order)), Clusters: make([]uint32, len(order))}
	for p, i := range order {
		in.Pages[i] = Page{URL: page.URL(fmt.Sprintf("http://h%d.example/d%d/p%d", p%d.hosts, p/d.hosts%2,
			p/d.hosts/2))}
		in.Clusters[i] = d.clusters[p]
	}
	in.Links = func(add func(from, to uint32) error) error {
		for _, l := range d.links {
			if err := add(uint32(order[l[0]]), uint32(order[l[1]])); err != nil {
				return err
			}
		}
		return nil
	}
	return in
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

var small = Options{MinPages: 1, MinSimilar: 1, MinReplicas: 2, AcrossSites: true}

func mustFind(t interface{ Fatal(...any) }, in Input, o Options) *Result {
	r, err := Find(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t interface{ Fatal(...any) }, r *Result, pages []Page) string {
	var b bytes.Buffer
	if err := errors.Join(r.WriteCollections(&b), r.WriteMapping(&b, pages)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOrderOfInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWeb(t)
		o := small
		o.CoresOnly = rapid.Bool().Draw(t, "cores")
		o.Faithful = rapid.Bool().Draw(t, "faithful")
		in := d.input(identity(len(d.clusters)))
		want := written(t, mustFind(t, in, o), in.Pages)
		order := rapid.Permutation(identity(len(d.clusters))).Draw(t, "order")
		d.links = rapid.Permutation(d.links).Draw(t, "links")
		in = d.input(order)
		if got := written(t, mustFind(t, in, o), in.Pages); got != want {
			t.Fatalf("in another order:\n%s\nwant:\n%s", got, want)
		}
	})
}

// TestOneToOne: a mapping maps no two pages of a replica to one, and similar pages are similar.
func TestOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawWeb(t)
		o := small
		o.Faithful = rapid.Bool().Draw(t, "faithful")
		in := d.input(identity(len(d.clusters)))
		for _, c := range mustFind(t, in, o).Collections {
			for _, r := range c.Replicas {
				to := make(map[uint32]bool)
				for _, p := range r.Pairs {
					if to[p.Original] {
						t.Fatalf("two pages of %s stand for page %d", r.Prefix, p.Original)
					}
					to[p.Original] = true
					if p.Likeness != Nearby && d.clusters[p.Page] != d.clusters[p.Original] {
						t.Fatalf("%+v: not similar", p)
					}
				}
			}
		}
	})
}

// TestIsomorphicCopies: identical collections (Definition 3) are found whole, whatever their shape.
func TestIsomorphicCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := planted.Spec{
			Collections: rapid.IntRange(1, 3).Draw(t, "collections"),
			Replicas:    rapid.IntRange(2, 5).Draw(t, "replicas"),
			Size:        rapid.IntRange(10, 30).Draw(t, "size"), Links: rapid.IntRange(0, 3).Draw(t, "links"),
			Strangers: 3, Background: 100, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		web := s.Make()
		in, copies := inputOf(web), web.Copies
		for _, o := range []Options{
			{},
			{CoresOnly: true},
			{CoresOnly: true, Condition: Strict},
			{CoresOnly: true, Faithful: true},
		} {
			r := mustFind(t, in, o)
			if len(r.Collections) != s.Collections {
				t.Fatalf("%+v: %d collections, want %d", o, len(r.Collections), s.Collections)
			}
			for _, c := range r.Collections {
				if c.Cardinality() != s.Replicas || c.Size != s.Size {
					t.Fatalf("%+v: %d replicas of %d pages, want %d of %d", o, c.Cardinality(), c.Size,
						s.Replicas, s.Size)
				}
				for _, r := range c.Replicas {
					if e := r.Evidence; e.Coverage() != 1 || e.Purity() != 1 || e.linkShare() != 1 {
						t.Fatalf("%+v: %s: %+v", o, r.Prefix, e)
					}
				}
			}
			wrong, mapped := checkPlanted(r, copies)
			if wrong != 0 || mapped != s.Collections*s.Replicas*s.Size {
				t.Fatalf("%+v: %d pages mapped, %d wrongly", o, mapped, wrong)
			}
		}
	})
}

// checkPlanted counts the mapped pages, and those mapped to another page than their own of another
// copy.
func checkPlanted(r *Result, list []planted.Copy) (wrong, mapped int) {
	of := make(map[uint32][2]int)
	for _, p := range list {
		for i, v := range p.Pages {
			if v != NoCluster {
				of[v] = [2]int{p.Collection, i}
			}
		}
	}
	for _, c := range r.Collections {
		for _, x := range c.Replicas {
			for _, p := range x.Pairs {
				mapped++
				a, ok := of[p.Page]
				b, known := of[p.Original]
				if !ok || !known || a != b {
					wrong++
				}
			}
		}
	}
	return wrong, mapped
}

// TestPartialCopies: the second phase finds copies that lack and change pages, which no merge
// condition grows whole.
func TestPartialCopies(t *testing.T) {
	s := planted.Spec{
		Collections: 10, Replicas: 6, Size: 60, Links: 4, Strangers: 20, Missing: 0.35,
		Changed: 0.15, Background: 3000, Seed: 1,
	}
	web := s.Make()
	in, copies := inputOf(web), web.Copies
	r := mustFind(t, in, Options{NearbyShare: 0.5})
	if len(r.Collections) != s.Collections {
		t.Errorf("%d collections, want %d", len(r.Collections), s.Collections)
	}
	for _, c := range r.Collections {
		if c.Cardinality() != s.Replicas {
			t.Errorf("%s: %d replicas, want %d", c.Representative().Prefix, c.Cardinality(), s.Replicas)
		}
	}
	there := 0
	for _, p := range copies {
		for _, v := range p.Pages {
			if v != NoCluster {
				there++
			}
		}
	}
	wrong, mapped := checkPlanted(r, copies)
	if wrong > 0 || mapped < there*98/100 {
		t.Errorf("%d of %d pages mapped, %d wrongly", mapped, there, wrong)
	}
	strict := mustFind(t, in, Options{CoresOnly: true, Condition: Strict})
	if _, n := checkPlanted(strict, copies); n > mapped/2 {
		t.Errorf("the strict condition maps %d of %d pages: this web does not need the second phase", n,
			mapped)
	}
}

// TestNoPerfectMatching: 1→a, 1→b, 2→c, 3→c has s = d = 3 and no perfect matching.
func TestNoPerfectMatching(t *testing.T) {
	urls := []string{"h1/1", "h1/a", "h1/b", "h2/2", "h2/c", "h2/3"}
	in := Input{Clusters: []uint32{1, 2, 2, 1, 2, 1}, Links: func(add func(from, to uint32) error) error {
		return errors.Join(add(0, 1), add(0, 2), add(3, 4), add(5, 4))
	}}
	for _, u := range urls {
		in.Pages = append(in.Pages, Page{URL: page.URL("http://" + u)})
	}
	o := small
	o.CoresOnly = true
	r := mustFind(t, in, o)
	want := []Summary{{From: 0, To: 1, Sources: 3, Targets: 3, FromPages: 3, ToPages: 3}}
	if !slices.Equal(r.Stats.Rejected, want) {
		t.Errorf("rejected %+v, want %+v", r.Stats.Rejected, want)
	}
	for _, c := range r.Collections {
		if c.Size > 1 {
			t.Errorf("merged: %+v", c)
		}
	}
	o.Faithful = true
	if r := mustFind(t, in, o); len(r.Collections) != 1 || r.Collections[0].Size != 2 {
		t.Errorf("faithfully: %+v, want one collection of two pages", r.Collections)
	}
}

func TestBadInput(t *testing.T) {
	two := []Page{{URL: "http://a.example/"}, {URL: "http://b.example/"}}
	link := func(from, to uint32) func(func(uint32, uint32) error) error {
		return func(add func(uint32, uint32) error) error { return add(from, to) }
	}
	for _, test := range []struct {
		name string
		in   Input
	}{
		{"a page twice", Input{Pages: []Page{two[0], two[0]}}},
		{"a link to no page", Input{Pages: two, Links: link(0, 2)}},
		{"a link from no page", Input{Pages: two, Links: link(7, 0)}},
		{"too few clusters", Input{Pages: two, Clusters: []uint32{1}}},
		{
			"a chunk of no page",
			Input{Pages: two, Chunks: func(add func(uint32, uint64) error) error { return add(2, 1) }},
		},
	} {
		if _, err := Find(t.Context(), test.in, Options{Threshold: 1}); !errors.Is(err, errInput) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := Find(t.Context(), Input{
		Pages: two, Chunks: func(func(uint32, uint64) error) error { return nil },
	}, Options{}); err == nil {
		t.Errorf("chunks without a threshold: %v", err)
	}
	if r, err := Find(t.Context(), Input{}, Options{}); err != nil || len(r.Collections) != 0 {
		t.Errorf("no pages: %v %v", r, err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Threshold: -1},
		{MinPages: -1},
		{MinReplicas: 1},
		{JoinShare: 1.5},
		{Condition: 9},
		{Links: LinkTest{Share: -1}},
	} {
		if _, err := Find(t.Context(), Input{}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

var errBroken = errors.New("broken")

func TestSplit(t *testing.T) {
	for _, test := range []struct{ u, v, a, b string }{
		{"http://h/doc/x/i.html", "http://g/pub/x/i.html", "http://h/doc/", "http://g/pub/"},
		{"http://h/i.html", "http://g/i.html", "http://h/", "http://g/"},
		{"http://h/a/i.html", "http://h/b/i.html", "http://h/a/", "http://h/b/"},
		{"http://h/xa/i.html", "http://h/a/i.html", "http://h/xa/", "http://h/a/"},
		{"http://h/a/", "http://h/b/", "http://h/a/", "http://h/b/"},
		{"http://h/a/b/", "http://g/b/", "http://h/a/", "http://g/"},
		{"http://h/b/", "http://g/b/b/", "http://h/", "http://g/b/"},
		{"http://h/i.html", "http://h/j.html", "", ""},
		{"http://h/", "http://g/a", "", ""},
	} {
		a, b, ok := split(test.u, test.v)
		if ok != (test.a != "") || ok && (test.u[:a] != test.a || test.v[:b] != test.b) {
			t.Errorf("%s and %s: %q %q, want %q %q", test.u, test.v, test.u[:a], test.v[:b], test.a, test.b)
		}
	}
}

func TestRanks(t *testing.T) {
	list := []Candidate{
		{Prefix: "http://a/", Pages: 100, Links: 5, First: 30},
		{Prefix: "http://b/", Pages: 90, Links: 9, First: 20},
		{Prefix: "http://c/", Pages: 10, Links: 50, First: 10},
		{Prefix: "http://d/", Pages: 100, Links: 5},
	}
	for _, test := range []struct {
		name string
		rank Rank
		want string
	}{
		{"fullest", Fullest, "http://b/"},
		{"most linked", MostLinked, "http://c/"},
		{"the archivist's", Prefer([]string{"http://x/", "http://d/"}, Fullest), "http://d/"},
	} {
		if got := list[best(list, test.rank)].Prefix; got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestLinkTest: page 2 of the copy is linked by one of the two pages that link to its original.
func TestLinkTest(t *testing.T) {
	in := Input{Clusters: []uint32{0, 1, 2, 0, 1, 2}, Links: func(add func(from, to uint32) error) error {
		return errors.Join(add(0, 1), add(0, 2), add(1, 2), add(3, 4), add(3, 5), add(4, 3), add(5, 4))
	}}
	for i := range 6 {
		in.Pages = append(in.Pages, Page{URL: page.URL(fmt.Sprintf("http://h%d/%d", i/3, i%3))})
	}
	for _, test := range []struct {
		test LinkTest
		want int
	}{
		{LinkTest{}, 3},
		{LinkTest{Least: 1}, 2},   // 4→3 has no like
		{LinkTest{Share: 0.8}, 1}, // nor has 5→4
		{LinkTest{Out: true, Least: 1}, 1},
	} {
		o := small
		o.Links = test.test
		got := 0
		for _, c := range mustFind(t, in, o).Collections {
			got = max(got, len(c.Replicas[1].Pairs))
		}
		if got != test.want {
			t.Errorf("%+v: %d pages, want %d", test.test, got, test.want)
		}
	}
}

func TestNested(t *testing.T) {
	// A host and its mirror, and a part of them that a third host holds, too: two collections, one
	// in the other.
	in := Input{}
	add := func(u string, cluster int) {
		in.Pages = append(in.Pages, Page{URL: page.URL(u)})
		in.Clusters = append(in.Clusters, uint32(cluster))
	}
	for i := range 40 {
		for _, h := range []string{"a", "b"} {
			if i < 12 {
				add(fmt.Sprintf("http://%s.example/doc/manual/%d.html", h, i), i)
			} else {
				add(fmt.Sprintf("http://%s.example/news/%d.html", h, i), i)
			}
		}
		if i < 12 {
			add(fmt.Sprintf("http://c.example/pub/%d.html", i), i)
		} else {
			add(fmt.Sprintf("http://c.example/other/%d.html", i), 100+i)
		}
	}
	var got []string
	for _, c := range mustFind(t, in, Options{}).Collections {
		for _, r := range c.Replicas {
			got = append(got, fmt.Sprintf("%d %s %d", c.ID, r.Prefix, len(r.Pairs)))
		}
	}
	slices.Sort(got)
	want := []string{
		"1 http://a.example/doc/manual/ 12", "1 http://b.example/doc/manual/ 12",
		"1 http://c.example/pub/ 12",
		"2 http://a.example/ 40", "2 http://b.example/ 40",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// inputOf is what a search is given of a planted web.
func inputOf(w *planted.Web) Input {
	in := Input{Clusters: w.Clusters, Links: w.EachLink}
	for _, u := range w.Pages {
		in.Pages = append(in.Pages, Page{URL: u})
	}
	return in
}

// linkShare is the share of the replica's inner links that the representative has, too; 1 where
// there are none.
func (e Evidence) linkShare() float64 {
	if e.Links == 0 {
		return 1
	}
	return ratio(e.LinksCommon, e.Links)
}
