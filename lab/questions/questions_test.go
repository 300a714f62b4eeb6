package questions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// doc is a document of fingerprints of its own.
func doc(page uint64, shingles ...uint64) cluster.Document {
	return cluster.Document{
		Key: cluster.Key{Page: page, Sweep: 1}, Digest: page, Lexical: page, Shingles: shingles,
	}
}

func span(from, to uint64) (out []uint64) {
	for ; from < to; from++ {
		out = append(out, from)
	}
	return out
}

// pageOf is an address for a document.
func pageOf(n uint64) page.URL { return page.URL(fmt.Sprintf("http://pages.example/%d", n)) }

// collected are documents with their clusters, each of a server of its own.
func collected(t testing.TB, o cluster.Options, docs ...cluster.Document) *Collection {
	t.Helper()
	return served(t, o, func(d *cluster.Document) uint64 { return d.Page }, docs...)
}

// served are documents of the servers that host gives, with their clusters.
func served(t testing.TB, o cluster.Options, host func(*cluster.Document) uint64,
	docs ...cluster.Document,
) *Collection {
	t.Helper()
	var list []*Document
	for _, d := range docs {
		list = append(list, &Document{Document: d, URL: pageOf(d.Page), Host: host(&d)})
	}
	c, err := collect(list, o, func(each func(cluster.Cluster) error) error {
		_, err := cluster.Find(t.Context(), nil, func(yield func(cluster.Document, error) bool) {
			for _, d := range docs {
				if !yield(d, nil) {
					return
				}
			}
		}, o, each)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawDocuments draws documents that are like others drawn before: by their bytes, their words, their
// sketches, or a part of these.
func drawDocuments(t *rapid.T) (docs []cluster.Document) {
	seen := map[cluster.Key]bool{}
	n := rapid.IntRange(0, 40).Draw(t, "documents")
	for i := range n {
		own := uint64(1000 + i)
		d := doc(own)
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if len(docs) > 0 && kind > 0 {
			like := docs[rapid.IntRange(0, len(docs)-1).Draw(t, "like")]
			d.Shingles = like.Shingles
			switch kind {
			case 1: // the same bytes
				d.Digest, d.Lexical = like.Digest, like.Lexical
			case 2: // other bytes, the same words
				d.Lexical = like.Lexical
			case 3: // other words, the same sketch
			default:
				d.Shingles = mutate(t, like.Shingles)
			}
		} else {
			d.Shingles = mutate(t, nil)
		}
		d.Key = cluster.Key{
			Page: uint64(n-i) * 7919 % 101, Sweep: uint32(rapid.IntRange(1, 3).Draw(t, "sweep")),
		}
		if !seen[d.Key] {
			docs = append(docs, d)
		}
		seen[d.Key] = true
	}
	return docs
}

// mutate takes shingles away, and puts others in.
func mutate(t *rapid.T, from []uint64) []uint64 {
	set := map[uint64]bool{}
	for _, f := range from {
		if rapid.IntRange(0, 5).Draw(t, "lose") > 0 {
			set[f] = true
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "new") {
		set[rapid.Uint64Range(1, 60).Draw(t, "shingle")] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// likeBy are the documents whose resemblance to one, or containment either way, reaches a
// threshold, by counts of their shingles.
func likeBy(asked *cluster.Document, docs []cluster.Document, threshold float64) map[cluster.Key][3]float64 {
	like := map[cluster.Key][3]float64{}
	for _, d := range docs {
		n, m, both := float64(len(asked.Shingles)), float64(len(d.Shingles)), 0.0
		for _, f := range d.Shingles {
			if slices.Contains(asked.Shingles, f) {
				both++
			}
		}
		if v := [3]float64{both / (n + m - both), both / n, both / m}; both > 0 &&
			max(v[0], v[1], v[2]) >= threshold {
			like[d.Key] = v
		}
	}
	return like
}

// TestSimilar compares the answers with those of looking at every document.
func TestSimilar(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		docs := drawDocuments(rt)
		asked := doc(9999, mutate(rt, nil)...)
		asked.Digest, asked.Lexical = 5, 5
		if len(docs) > 0 && rapid.Bool().Draw(rt, "like one") {
			asked.Shingles = mutate(rt, docs[0].Shingles)
		}
		threshold := rapid.SampledFrom([]float64{.2, .5, .9}).Draw(rt, "threshold")
		x := collected(t, cluster.Options{}, docs...)
		found, err := x.Similar(&asked, SimilarOptions{Threshold: threshold})
		if err != nil {
			rt.Fatal(err)
		}
		got := map[cluster.Key][3]float64{}
		last := 2.0
		for _, m := range found {
			got[m.Key] = [3]float64{m.Resemblance.Value, m.Contained.Value, m.Containing.Value}
			if m.Relation == Similar && m.Resemblance.Value > last {
				rt.Fatalf("%v stands behind one that is less alike", m.Key)
			}
			if !m.Resemblance.Exact || m.Resemblance.Low != m.Resemblance.Value {
				rt.Fatalf("%v: %+v, but both sets are known whole", m.Key, m.Resemblance)
			}
			last = m.Resemblance.Value
		}
		if want := likeBy(&asked, docs, threshold); fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("asked %v: got %v, want %v", asked.Shingles, got, want)
		}
		if len(found) > 1 {
			first, err := x.Similar(&asked, SimilarOptions{Threshold: threshold, Limit: 1})
			if err != nil || len(first) != 1 || first[0].Resemblance != found[0].Resemblance {
				rt.Fatalf("the first of %v: %v, %v", found, first, err)
			}
		}
	})
	x := collected(t, cluster.Options{}, doc(1, 2, 3))
	if _, err := x.Similar(&cluster.Document{}, SimilarOptions{}); !errors.Is(err, ErrSketch) {
		t.Errorf("like nothing: %v", err)
	}
}

// TestSimilarOptions: options without a meaning are refused, by whatever asks with them, and the
// zero ones are a threshold of .5 and a hundred documents.
func TestSimilarOptions(t *testing.T) {
	var docs []cluster.Document
	var visits []*page.Visit
	for n := range 102 {
		docs = append(docs, doc(uint64(n+1), 7, 8))
		visits = append(visits, visit(t, string(pageOf(uint64(n))), words(1)))
	}
	less := doc(200, 1, 2, 3, 4, 7)
	x := collected(t, cluster.Options{}, append(docs, less)...)
	c := catalogued(t, catalog.Options{}, visits)
	asked := doc(500, 7, 8)
	for _, o := range []SimilarOptions{
		{Threshold: 2}, {Threshold: -.1}, {Threshold: math.NaN()}, {Limit: -1},
	} {
		_, err := x.Similar(&asked, o)
		_, errTo := c.SimilarTo(pageOf(1), o)
		if o.Validate() == nil || err == nil || errTo == nil {
			t.Errorf("%+v is taken: %v, %v", o, err, errTo)
		}
	}
	for _, o := range []SimilarOptions{{}, {Threshold: .5, Limit: 100}} {
		found, err := x.Similar(&asked, o)
		pages, errTo := c.SimilarTo(pageOf(1), o)
		if len(found) != 100 || len(pages) != 100 || err != nil || errTo != nil {
			t.Errorf("%+v: %d documents, %d pages, %v, %v", o, len(found), len(pages), err, errTo)
		}
	}
	asked.Shingles = []uint64{7, 8, 9, 10}
	for _, tt := range []struct {
		least float64
		want  int
	}{{0, 102}, {.2, 103}, {.5, 102}} { // the other one has one shingle of four, or of five
		found, err := x.Similar(&asked, SimilarOptions{Threshold: tt.least, Limit: 1000})
		if err != nil || len(found) != tt.want {
			t.Errorf("from %g: %d documents, %v", tt.least, len(found), err)
		}
	}
}

// TestRelations: the relation to the representative is the closest that holds; empty documents are
// only like their equals; a page that is like no other is a cluster of none.
func TestRelations(t *testing.T) {
	first := doc(1, span(1, 21)...)
	copied, reformatted, sampled, edited := first, first, first, doc(5, span(2, 22)...)
	copied.Page, reformatted.Page, sampled.Page = 2, 3, 4
	reformatted.Digest = 70
	sampled.Digest, sampled.Lexical = 80, 80
	empty, emptyToo, emptyCopy := doc(6), doc(7), doc(6)
	emptyCopy.Page = 8
	edited.Time = 1
	c := collected(t, cluster.Options{}, edited, sampled, reformatted, copied, first, empty, emptyToo,
		emptyCopy)
	clusters := c.Clusters()
	if len(clusters) != 2 || len(clusters[0]) != 5 || len(clusters[1]) != 2 {
		t.Fatalf("%+v", clusters)
	}
	got := map[uint64]Relation{}
	for _, m := range clusters[0] {
		got[m.Page] = m.Relation
	}
	want := map[uint64]Relation{
		1: Identical, 2: Identical, 3: LexicallyEquivalent,
		4: ShingleEquivalent, 5: Similar,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// the two sketches have 19 shingles in common of 21
	if p := between(c.versions(1)[0], c.versions(5)[0]); p.Common != 19 || p.Resemblance.Value != 19./21 ||
		p.Contained.Value != .95 || p.Containing.Value != .95 || p.Relation != Similar {
		t.Errorf("evidence %+v", p)
	}
	alone := c.versions(7)[0]
	if members := c.members(alone); alone.cluster != 0 || len(members) != 1 || members[0].Page != 7 {
		t.Errorf("cluster of a lone page: %d, %+v", alone.cluster, members)
	}
	if _, err := c.alive(99); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown page: %v", err)
	}
}

// TestSpread: a text of many pages of some hosts is told by these and by its representative; one of
// many pages of a single host is not.
func TestSpread(t *testing.T) {
	var docs []cluster.Document
	for n := range uint64(10) { // ten pages of five hosts
		docs = append(docs, doc(20+n, span(1, 30+n)...))
	}
	docs[3].Time = -1          // the earliest one
	for n := range uint64(4) { // four pages of one host
		docs = append(docs, doc(50+n, span(500, 540)...))
	}
	host := func(d *cluster.Document) uint64 {
		if d.Page >= 50 {
			return 7
		}
		return d.Page / 2
	}
	c := served(t, cluster.Options{}, host, docs...)
	number := c.versions(23)[0].cluster
	if got := c.Wide(2, 10); !slices.Equal(got, []Wide{{number, 5, 10, pageOf(23)}}) || number == 0 {
		t.Errorf("%+v", got)
	}
}

// TestRates: what MIN_s sketches tell of documents of unequal length is near the truth, and the
// error bars hold it.
func TestRates(t *testing.T) {
	a, b := sketchOf(t, 0, 6000), sketchOf(t, 4000, 16000)
	one, asked := cluster.Document{Key: cluster.Key{Page: 1}}, cluster.Document{Key: cluster.Key{Page: 2}}
	one.Take(&a)
	asked.Take(&b)
	x := collected(t, cluster.Options{}, one)
	found, err := x.Similar(&asked, SimilarOptions{Threshold: .05})
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	m := found[0]
	for _, c := range []struct {
		name string
		got  sketch.Estimate
		want float64
	}{
		{"resemblance", m.Resemblance, 2. / 16},
		{"contained", m.Contained, 2. / 12},
		{"containing", m.Containing, 2. / 6},
	} {
		if c.want < c.got.Low || c.want > c.got.High || math.Abs(c.got.Value-c.want) > .05 ||
			c.got.Exact {
			t.Errorf("%s: %+v, want about %.3f", c.name, c.got, c.want)
		}
	}
	direct, err := sketch.Resemblance(&a, &b)
	if err != nil || math.Abs(direct.Value-m.Resemblance.Value) > .02 {
		t.Errorf("resemblance %.3f, of the two sketches %.3f, %v", m.Resemblance.Value, direct.Value, err)
	}
}

// sketchOf is the sketch of the features from one number to before another.
func sketchOf(t *testing.T, from, to uint64) sketch.Sketch {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{Size: 1024})
	if err != nil {
		t.Fatal(err)
	}
	for f := from; f < to; f++ {
		b.Feature(f)
	}
	return b.Sketch()
}

// TestSweeps tells the story of a small web over three sweeps: what changed, and where a lost page
// is.
func TestSweeps(t *testing.T) {
	const within, away, edited, died, rewritten, stays, reformatted, born, copied = 1, 2, 3, 4,
		5, 6, 7, 80, 9
	old := func(n uint64) cluster.Document { return doc(n, span(n*1000, n*1000+40)...) }
	hosts := map[uint64]uint64{} // of the pages with another one's
	renamed := func(n, as, host uint64, lose uint64) cluster.Document {
		d := doc(n, span(n*1000+lose, n*1000+40)...)
		if lose > 0 {
			d.Digest, d.Lexical = as, as
		}
		d.Page, hosts[as] = as, host
		return d
	}
	twin := renamed(copied, 10, copied, 0) // a copy that stays while its original moves
	first := []cluster.Document{
		old(within), old(away), old(edited), old(died), old(rewritten), old(stays),
		old(reformatted), old(copied), twin,
	}
	again := doc(reformatted, span(7000, 7040)...)
	again.Digest = 77
	change := doc(edited, span(3004, 3044)...)
	change.Digest, change.Lexical = 33, 33
	newWords := doc(rewritten, span(5500, 5540)...)
	newWords.Digest, newWords.Lexical = 55, 55
	second := []cluster.Document{
		renamed(within, 100, within, 0), renamed(away, 200, 999, 8), change, newWords, old(stays),
		again, old(born),
		renamed(copied, 90, copied, 0), twin,
	}
	for i := range second {
		second[i].Sweep = 2
	}
	host := func(d *cluster.Document) uint64 { return cmp.Or(hosts[d.Page], d.Page) }
	c := served(t, cluster.Options{}, host, append(first, second...)...)
	var got []string
	for _, m := range c.Changes(1, 2) {
		var from, to uint64
		if m.From != nil {
			from = m.From.Page
		}
		if m.To != nil {
			to = m.To.Page
		}
		got = append(got, fmt.Sprintf("%d %d %s %.2f", from, to, m.Kind, m.Resemblance))
	}
	want := []string{
		"3 3 edited 0.82", "5 5 rewritten 0.00", "6 6 unchanged 1.00", "7 7 reformatted 1.00",
		"10 10 unchanged 1.00",
		"1 100 moved within its server 1.00", "2 200 moved between servers 0.80",
		"9 90 moved within its server 1.00",
		"4 0 died 0.00", "0 80 born 0.00",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("changes\n%q, want\n%q", got, want)
	}
	for _, tt := range []struct {
		name string
		page uint64
		want cluster.Key
		rel  Relation
	}{
		{"moved within its server", within, cluster.Key{Page: 100, Sweep: 2}, Identical},
		{"moved and changed", away, cluster.Key{Page: 200, Sweep: 2}, Similar},
		{"edited in its place", edited, cluster.Key{Page: 3, Sweep: 2}, Identical},
		{"died", died, cluster.Key{Page: 4, Sweep: 1}, Identical},
		{"rewritten, its latest words", rewritten, cluster.Key{Page: 5, Sweep: 2}, Identical},
	} {
		places, err := c.found(page.Key(tt.page))
		if err != nil || places[0].Key != tt.want || places[0].Relation != tt.rel {
			t.Errorf("%s: %+v, %v; want %v", tt.name, places, err, tt.want)
		}
	}
	if _, err := c.found(12345); !errors.Is(err, ErrUnknown) {
		t.Errorf("a page never seen: %v", err)
	}
}

// words are words of their own for each number.
func words(n int) string {
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, "w%d ", (i*i+n*7919+i*n)%997)
	}
	return b.String()
}

// visit is a page with that text.
func visit(t *testing.T, u, text string) *page.Visit {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Text([]byte(text))
	s := b.Sketch()
	return &page.Visit{
		URL: page.URL(u), Status: 200, Time: time.Unix(1e9, 0), MIME: "text/html",
		Digest: page.SumDigest([]byte(text)), Size: int64(len(text)), Sketch: s.AppendEncode(nil),
	}
}

// catalogued are visits as a catalog has them, a list a sweep.
func catalogued(t *testing.T, o catalog.Options, sweeps ...[]*page.Visit) *Collection {
	t.Helper()
	o.Memory = 8 << 20
	dir := t.TempDir()
	x, err := catalog.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, visits := range sweeps {
		_, err := x.Add(t.Context(), 0, "test", func(yield func(catalog.Document, error) bool) {
			for _, v := range visits {
				if d, ok := catalog.Of(v); ok && !yield(d, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = catalog.Open(dir, catalog.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := Read(t.Context(), x)
	if err := errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPages: questions go to pages by address, over all sweeps.
func TestPages(t *testing.T) {
	stays := visit(t, "http://a.example/stays", words(2))
	c := catalogued(t, catalog.Options{},
		[]*page.Visit{
			visit(t, "http://a.example/old", words(1)), stays,
			visit(t, "http://a.example/edited", words(3)),
		},
		[]*page.Visit{
			visit(t, "http://b.example/new", words(1)+"moved"),
			{URL: "http://a.example/old", Status: 404},
			visit(t, "http://a.example/edited", words(4)),
			visit(t, "http://a.example/edited", words(5)), stays,
		}, []*page.Visit{stays})
	places, err := c.Found("http://a.example/old")
	if err != nil || len(places) != 1 || places[0].URL != "http://b.example/new" {
		t.Errorf("found %+v, %v", places, err)
	}
	if d, err := c.Latest("http://a.example/old"); err != nil || !d.Gone || d.Sweep != 2 {
		t.Errorf("latest: %+v, %v", d, err)
	}
	for u, sweep := range map[page.URL]uint32{"http://a.example/edited": 2, "http://a.example/stays": 3} {
		similar, err := c.SimilarTo(u, SimilarOptions{Threshold: .9, Limit: 2})
		if err != nil || len(similar) != 1 || similar[0].Sweep != sweep {
			t.Errorf("similar to %s: %+v, %v", u, similar, err)
		}
	}
	if n, members, err := c.ClusterOf("http://b.example/new"); err != nil || n == 0 || len(members) != 2 ||
		members[0].URL != "http://a.example/old" || members[1].Relation != Similar {
		t.Errorf("cluster %d, %+v, %v", n, members, err)
	}
	if n, members, err := c.ClusterOf("http://a.example/edited"); err != nil || n != 0 || len(members) != 1 ||
		members[0].URL != "http://a.example/edited" || members[0].Sweep != 2 ||
		members[0].Relation != Identical {
		t.Errorf("a page that is like no other: cluster %d, %+v, %v", n, members, err)
	}
	_, errFound := c.Found("http://never.example/")
	_, _, errCluster := c.ClusterOf("http://never.example/")
	_, errLatest := c.Latest("http://never.example/")
	_, errSimilar := c.SimilarTo("http://never.example/", SimilarOptions{})
	for _, err := range []error{errFound, errCluster, errLatest, errSimilar} {
		if !errors.Is(err, ErrUnknown) {
			t.Errorf("a page of no sweep: %v", err)
		}
	}
}

// TestWide: a text is as widely spread as it is now: not on hosts that have lost or changed it
// since, and once on those that kept it.
func TestWide(t *testing.T) {
	var first, second []*page.Visit
	for i := range 6 {
		first = append(first, visit(t, fmt.Sprintf("http://h%d.example/", i), words(1)),
			visit(t, fmt.Sprintf("http://h%d.example/kept", i), words(2)))
	}
	second = append(second, &page.Visit{URL: "http://h0.example/", Status: 404},
		visit(t, "http://h1.example/", words(3)))
	for i := range 6 {
		second = append(second, visit(t, fmt.Sprintf("http://h%d.example/kept", i), words(2)+"now"))
	}
	of := func(host, path string) page.URL { return page.URL("http://" + host + ".example/" + path) }
	// early has pages of both sweeps fetched first, one after the other
	early := func(urls ...page.URL) {
		for _, v := range slices.Concat(first, second) {
			if v.Time = time.Unix(1e9, 0); slices.Contains(urls, v.URL) {
				v.Time = time.Unix(int64(slices.Index(urls, v.URL)), 0)
			}
		}
	}
	early(of("h0", ""), of("h3", "kept"))
	c := catalogued(t, catalog.Options{}, first)
	got := c.Wide(2, 10)
	for i := range got {
		got[i].Cluster = 0
	}
	want := []Wide{{0, 6, 6, of("h0", "")}, {0, 6, 6, of("h3", "kept")}}
	slices.SortFunc(got, func(a, b Wide) int { return cmp.Compare(a.URL, b.URL) })
	if !slices.Equal(want, got) {
		t.Errorf("after the first sweep: %+v", got)
	}
	// the first one has lost the text since, so another one represents it
	for _, representative := range []string{"h3", "h4"} {
		early(of("h0", ""), of(representative, ""), of(representative, "kept"))
		c = catalogued(t, catalog.Options{}, first, second)
		for limit := range 3 {
			got := c.Wide(2, limit)
			for i := range got {
				got[i].Cluster = 0
			}
			want := []Wide{{0, 6, 6, of(representative, "kept")}, {0, 4, 4, of(representative, "")}}[:limit]
			if !slices.Equal(want, got) {
				t.Errorf("limit %d: %+v, want %+v", limit, got, want)
			}
		}
	}
	if got := c.Wide(5, 10); len(got) != 1 {
		t.Errorf("on five hosts: %+v", got)
	}
}

const footer = " this notice stands in the footer of every page of the house and says nothing of what " +
	"is on it"

// house is pages of one host, with texts of their own and the footer; every one has a twin on
// another host without it.
func house(t *testing.T, n int) (list []*page.Visit) {
	for i := range n {
		own := strings.Join(strings.Fields(words(i))[:30], " ")
		list = append(list, visit(t, fmt.Sprintf("http://house.example/%d", i), own+footer),
			visit(t, fmt.Sprintf("http://twin.example/%d", i), own))
	}
	return list
}

// TestCommonShingles: a shingle of more documents than MaxDocuments is listed with a document that
// has it.
func TestCommonShingles(t *testing.T) {
	c := catalogued(t, catalog.Options{Cluster: cluster.Options{MaxDocuments: 3}}, house(t, 6))
	common := c.Common(1000)
	if len(common) == 0 {
		t.Fatal("none is common")
	}
	for _, x := range common {
		if x.Documents != 6 || !strings.HasPrefix(string(x.URL), "http://house.example/") {
			t.Errorf("%+v", x)
		}
	}
	if few := c.Common(2); len(few) != 2 {
		t.Errorf("%d", len(few))
	}
}

// TestSimilarWithoutCommon: shingles that are common everywhere are left out of the comparison with
// a document that has them, too.
func TestSimilarWithoutCommon(t *testing.T) {
	copied := doc(1, 100, 200)
	copied.Page = 5
	x := collected(t, cluster.Options{MaxDocuments: 3, Threshold: .3}, doc(1, 100, 200), doc(2, 100, 300),
		doc(3, 100, 400), doc(4, 100, 500), copied, doc(6, 100, 600))
	asked := doc(9, 100, 200)
	found, err := x.Similar(&asked, SimilarOptions{})
	if err != nil || len(found) != 2 || found[0].Resemblance.Value != 1 || found[1].Resemblance.Value != 1 ||
		found[0].Page != 1 || found[1].Page != 5 || found[0].Common != 1 {
		t.Errorf("similar without the common shingle: %+v, %v", found, err)
	}
	asked = doc(9, 100, 200, 201) // 201 is in no document, and counts
	if found, err = x.Similar(&asked, SimilarOptions{}); err != nil || len(found) != 2 ||
		found[0].Resemblance.Value != .5 {
		t.Errorf("with another shingle: %+v, %v", found, err)
	}
}
