package sitemap

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"

	"watershed/graph"
	"watershed/mcl"
	"watershed/page"
)

// TestFlatFollows: a page that comes after the clusters follows its links, and makes no clustering
// of all pages.
func TestFlatFollows(t *testing.T) {
	b := builder{t, testWeb{}}
	spell := func(k, i int) string { return fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprint(k, "-", i))) }
	entry, _ := b.tenants(spell)
	other := page.URL("http://host.example/" + spell(3, 0))
	sv, _ := b.w.surveyed(t, Site{Name: "s", Seeds: []page.URL{entry}}, Options{})
	site := sv.sites[0]
	clustered := site.flat.clustered
	lead := func(from, to page.URL) *page.Visit {
		v := *b.w.visit(from)
		v.Links = append(slices.Clone(v.Links), page.Link{URL: to, Kind: page.Navigation})
		return &v
	}
	tell := func(u, like page.URL) {
		v := *b.w.visit(like)
		v.URL = u
		sv.Learn(&v)
	}
	const ours, theirs = page.URL("http://host.example/0ffa1"), page.URL("http://host.example/0ffa2")
	tell(ours, entry)
	tell(theirs, other)
	sv.Learn(lead(entry, ours))
	sv.Learn(lead(other, theirs))
	if clustered == 0 || site.flat.clustered != clustered {
		t.Errorf("clustered when %d pages were learned, then %d", clustered, site.flat.clustered)
	}
	m, _ := sv.Map("s")
	got := members(m)
	if mine, foreign := slices.Contains(got, schemeless(ours)), slices.Contains(got,
		schemeless(theirs)); !mine || foreign {
		t.Errorf("own page %v, another tenant's %v", mine, foreign)
	}
	if p := site.find(site.web.find(theirs)); p == none || !site.places[p].is(isStray) {
		t.Error("the other tenant's page is no stray")
	}
}

// TestFlatWhole: a root page as the seed names its whole host, languages that only that page joins,
// in waves or not; a page beside it as the seed names its own part.
func TestFlatWhole(t *testing.T) {
	b := builder{t, testWeb{}}
	german := func(i int) string { return fmt.Sprintf("http://manual.example/de-%d", i) }
	english := func(i int) string { return fmt.Sprintf("http://manual.example/en-%d", i) }
	b.woven(60, 1, german)
	b.woven(60, 2, english)
	b.page("http://manual.example/", german(0), english(0))
	for _, c := range []struct {
		seed    page.URL
		sample  int
		members int
	}{
		{"http://manual.example/", 0, 121},
		{"http://manual.example/", 20, 121},
		{"http://manual.example/de-0", 0, 60},
	} {
		_, m := b.w.surveyed(t, Site{Name: "s", Seeds: []page.URL{c.seed}}, Options{FlatSample: c.sample})
		if got := len(members(m)); got != c.members {
			t.Errorf("%s, waves of %d: %d pages, want %d", c.seed, c.sample, got, c.members)
		}
	}
}

// TestLean: sums over clusters by hand.
func TestLean(t *testing.T) {
	r := mcl.Result{Clusters: [][]graph.ID{{0, 1}, {2, 3}, {4}}, Labels: []int32{0, 0, 1, 1, 2}}
	edge := func(from, to graph.ID) graph.Edge { return graph.Edge{From: from, To: to} }
	l := newLean(r, []graph.Edge{
		edge(0, 1), edge(1, 0), edge(0, 2), edge(1, 2), edge(1, 3), edge(2, 3),
		edge(4, 2),
	}, nameList{})
	// Cluster 0: 1 + 1 inside, log₂3 + 1 to cluster 1. Cluster 1: 1 inside. Cluster 2: 1 to cluster
	// 1.
	l.join(1)
	if l.joined != 1 || l.mine != 1 || l.to[0] != 0 || l.from[2] != 1 || part(l.from[0], l.all[0]) < .56 ||
		part(l.from[0], l.all[0]) > .57 {
		t.Errorf("%+v", l)
	}
	l.grow(.9)
	if want := []bool{false, true, true}; !slices.Equal(l.in, want) {
		t.Errorf("%v, want %v", l.in, want)
	}
	l.grow(.5)
	if l.joined != 3 {
		t.Errorf("%v", l.in)
	}
	l.join(1)
	if l.joined != 3 {
		t.Error("a cluster joined twice")
	}
}
