package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// inside counts the members below an address.
func inside(m *Map, dir string) (n int) {
	for _, u := range members(m) {
		n += b2i(strings.HasPrefix(u, dir))
	}
	return n
}

// TestSitesThatCiteEachOther: two sites of which some pages cite the other, and none anybody else,
// are two, because most pages of either know nothing of the other.
func TestSitesThatCiteEachOther(t *testing.T) {
	b := builder{t, testWeb{}}
	const n = 60
	here := func(i int) string { return fmt.Sprintf("http://www.harbour.example/a%d", i) }
	there := func(i int) string { return fmt.Sprintf("http://www.quarry.test/b%d", i) }
	b.woven(n, 1, here)
	b.woven(n, 2, there)
	for i := range 15 {
		b.page(page.URL(here(i)), there(9*(i%5)))
	}
	for i := range 20 {
		b.page(page.URL(here(3*i)), fmt.Sprintf("http://elsewhere%d.test/", i))
	}
	for i := range 5 {
		b.page(page.URL(there(9*i)), here(2*i))
	}
	_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL(here(0))}}, Options{})
	got, other := inside(m, "www.harbour.example/"), inside(m, "www.quarry.test/")
	if got < n || other > n/20 {
		t.Errorf("%d pages of the site and %d of the other are inside: want %d and nearly none",
			got, other, n)
	}
}

// TestTheSitesPartOfASharedHost: of a host without directories on which the site and another one
// keep pages, the cut takes in the site's.
func TestTheSitesPartOfASharedHost(t *testing.T) {
	b := builder{t, testWeb{}}
	const n, shared = 40, "http://pages.hosting.test/"
	home := func(i int) string { return fmt.Sprintf("http://www.harbour.example/a%d", i) }
	ours := func(i int) string { return fmt.Sprintf(shared+"%d", 7*i) }
	others := func(i int) string { return fmt.Sprintf(shared+"%d", 7*i+3) }
	b.woven(n, 1, home)
	b.woven(n, 2, ours)
	b.woven(60, 3, others)
	for i := range n {
		b.page(page.URL(home(i)), ours(i), ours((i*7)%n))
		b.page(page.URL(ours(i)), home(i), home((i*3)%n))
	}
	for i := range 4 {
		b.page(page.URL(ours(i)), others(i))
	}
	_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL(home(0))}}, Options{})
	right := 0
	for i := range n {
		right += b2i(m.Members.Has(page.URL(ours(i))))
	}
	if wrong := inside(m, "pages.hosting.test/") - right; right < n*9/10 || wrong > n/4 {
		t.Errorf("%d pages of the site and %d of the other are inside: want %d and few", right, wrong, n)
	}
}

// TestKeywordNamesADirectory: a team whose pages lie in one cluster with those of its organisation
// is found in the directory that has its name. A word that no address has finds nothing.
func TestKeywordNamesADirectory(t *testing.T) {
	b := builder{t, testWeb{}}
	const root = "http://www.lab.example/"
	office := func(i int) string { return fmt.Sprint(root, []string{"", "news", "jobs"}[i%3], i) }
	b.woven(24, 1, office)
	b.page(root, office(0), root+"d%C3%A9lta/")
	for i := range 24 {
		b.page(page.URL(office(i)), fmt.Sprintf("http://elsewhere%d.test/", i),
			fmt.Sprintf("http://other%d.test/", i))
	}
	for i := range 12 {
		b.page(page.URL(fmt.Sprint(root, "d%C3%A9lta/p", i)), root+"d%C3%A9lta/", root, office(1), office(2),
			office(3))
		b.page(root+"d%C3%A9lta/", fmt.Sprint(root, "d%C3%A9lta/p", i))
	}
	b.page(root+"d%C3%A9lta/", root, office(1), office(2), office(3))
	for word, want := range map[string]int{"délta": 13, "D%C3%89LTA": 13, "epsilon": 0} {
		_, m := b.w.surveyed(t, Site{Keyword: word, Superset: []page.URL{root}}, Options{})
		team, all := inside(m, "www.lab.example/d%C3%A9lta/"), inside(m, "www.lab.example/")
		if team != want || all != team {
			t.Errorf("%s: %d pages of the team, %d of the host: want %d and no others", word, team, all, want)
		}
	}
}
