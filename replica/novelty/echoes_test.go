package novelty

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"watershed/page"
)

// TestEchoes: of addresses that put together anew what stood in others few are fetched where they say nothing
// new, and all of those that say something are, though it be little.
func TestEchoes(t *testing.T) {
	const site, frame = "http://a.example", "a site of ours with a long line that stands on each page\n"
	var a, b int
	is := func(u page.URL, form string) bool {
		path := strings.TrimPrefix(string(u), site)
		n, _ := fmt.Sscanf(path, form, &a, &b)
		return n > 0 && fmt.Sprintf(form, []any{a, b}[:n]...) == path
	}
	links := func(n int, form string) (list []page.URL) {
		for i := range n {
			args := []any{a, i}[2-strings.Count(form, "%d"):]
			list = append(list, page.URL(site+fmt.Sprintf(form, args...)))
		}
		return list
	}
	all := func() bool { return true }
	for _, c := range []struct {
		name, list, item string // addresses
		lists, items     int
		text             func() string // of an item
		must             func() bool   // whether that has to be had
		most             int           // pages that are fetched
	}{
		{"files at their revisions", "/file?id=%d", "/blame?id=%d&rev=%d", 50, 50, func() string {
			return "file\n" + words(uint64(a), 80)
		}, func() bool { return false }, 500},
		{"comparisons", "/thing?id=%d", "/compare?one=%d&other=%d", 50, 50, func() string {
			return words(uint64(a), 80) + "\nand\n" + words(uint64(b), 80)
		}, func() bool { return false }, 500},
		{"line-ups of known names", "/team?id=%d", "/team?id=%d&year=%d", 20, 20, func() string {
			names := strings.Fields(words(1, 40))
			list := "line-up\n"
			for i := range 9 {
				list += names[(a*31+b*17+i*i*(a+b))%len(names)] + "\n"
			}
			return list
		}, all, 421},
		{"texts whose last part is rarely there", "/text/%d", "/text/%d?part=%d", 60, 3, func() string {
			if a%6 == 0 && b == 2 {
				return words(uint64(1000+a), 80)
			}
			return words(uint64(a), 80)
		}, func() bool { return a%6 == 0 && b == 2 }, 241},
		{"tables", "/station?id=%d", "/data?id=%d&year=%d", 20, 20, func() string {
			return fmt.Sprintf("table\n%d\n%d\n%d\n%d\n", 100+a*b, 7*a+b, 1000+b*b*a, a^3*b)
		}, all, 421},
		{"a translation that is rarely there", "/page?id=%d", "/page?id=%d&lang=%d", 200, 3, func() string {
			if a%60 == 59 {
				return words(uint64(1000*b+a), 80)
			}
			return words(uint64(a), 80)
		}, func() bool { return a%60 == 59 }, 801},
	} {
		chained := c.items == 3 && c.lists == 60 // each part leads to the next
		fetched := crawl(t, New(Options{}), page.URL(site+"/"), 1<<20, func(u page.URL) string {
			switch {
			case is(u, c.item):
				return frame + c.text()
			case is(u, c.list):
				return frame + words(uint64(a), 80)
			}
			return frame + "home"
		}, func(u page.URL) []page.URL {
			switch {
			case is(u, c.item) && chained:
				return links(min(b+2, c.items), c.item)
			case is(u, c.item):
				return nil
			case is(u, c.list) && chained:
				return links(1, c.item)
			case is(u, c.list):
				return links(c.items, c.item)
			}
			a = 0 // all of the first is known from the start
			return append(links(c.lists, c.list), links(c.items, c.item)...)
		}, nil)
		if n := len(fetched); n > c.most || n < c.lists {
			t.Errorf("%s: %d pages", c.name, n)
		}
		for a = range c.lists {
			for _, u := range links(c.items, c.item) {
				if is(u, c.item) && c.must() && !slices.Contains(fetched, u) {
					t.Errorf("%s: %s was not had", c.name, u)
				}
			}
		}
	}
}

// TestEchoesGoOn: what was left out is fetched once a page of its kind was found to lead to something.
func TestEchoesGoOn(t *testing.T) {
	m, r := New(Options{}), NewReader()
	learn := func(u page.URL, text string) {
		r.Begin(u)
		r.Text([]byte(text))
		m.Learn(u, r.Features(), nil)
	}
	pair := func(i int) page.URL { return page.URL(fmt.Sprintf("http://a.example/l?a=%d&b=%d", i%8, i/8)) }
	learn("http://a.example/", "a site of ours")
	for i := range 62 {
		m.Found(pair(i), "http://a.example/")
	}
	m.Found("http://a.example/late", pair(0))
	for i := range 60 {
		learn(pair(i), "the same list")
	}
	if by, no := m.Refuses(pair(61)); !no || !strings.Contains(by.String(), "http://a.example/l?a&b") {
		t.Fatalf("refused %t: %s", no, by)
	}
	if m.Reconsiders() {
		t.Error("nothing has come since")
	}
	learn("http://a.example/late", "an article of which nobody has heard")
	if _, no := m.Refuses(pair(61)); no || !m.Reconsiders() || m.Reconsiders() {
		t.Errorf("still refused: %t", no)
	}
}

// TestEchoesAreBounded: neither addresses nor texts are remembered without a bound.
func TestEchoesAreBounded(t *testing.T) {
	e := New(Options{}).echoes
	e.count(wordFactor)
	e.had[0].used = mostHad / 2
	if e.count(wordSeed); e.had[0].used != 0 || e.count(wordFactor) == 0 || e.count(wordFactor+2) != 0 {
		t.Error("texts are not forgotten by and by")
	}
	for i := range uint64(mostFound) {
		e.found[i] = arrival{}
	}
	if e.foundBy("http://a.example/", "http://b.example/"); len(e.found) != 1 {
		t.Errorf("%d addresses", len(e.found))
	}
}
