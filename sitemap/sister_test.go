package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// TestSisters: the hosts of a site that has one a year come in one after the other, though each
// names no other than the one before it; those of one name under other top-level domains where they
// lead back.
func TestSisters(t *testing.T) {
	const n = 25
	for _, c := range []struct {
		name  string
		hosts []string
		back  bool // the root page of each leads to that of the seed's
		chain bool // each leads to the next alone, and not the first to all
		want  int  // hosts that are inside
	}{
		{
			"a domain a year",
			[]string{"fest2022.example", "fest2021.example", "fest2020.example"},
			false, true, 3,
		},
		{
			"a subdomain a year",
			[]string{"2022.fest.example", "2021.fest.example", "2020.fest.example"},
			false, true, 3,
		},
		{"years of a site that has none", []string{"www.fest.example", "2021.fest.example"}, false, false, 2},
		{
			"the site of a year",
			[]string{"2022.fest.example", "www.fest.example", "2021.fest.example"},
			true, false, 3,
		},
		{
			"a site that does not know its year",
			[]string{"2022.fest.example", "www.fest.example"},
			false, false, 1,
		},
		{
			"a year's domain that was given up",
			[]string{"www.fest.example", "fest2019.example"},
			false, false, 1,
		},
		{
			"a year's domain",
			[]string{"www.fest.example", "fest2019.example"},
			true, false, 2,
		},
		{
			"a year that is a part of a name",
			[]string{"www.agenda.example", "agenda2030.example"},
			false, false, 1,
		},
		{"countries", []string{"www.fest.fr", "www.fest.de", "fest.it"}, true, false, 3},
		{"a stranger of the same name", []string{"www.fest.fr", "www.fest.de"}, false, false, 1},
		{"tenants", []string{"ann.fest.example", "bob.fest.example"}, true, false, 1},
		{"years of others", []string{"ann.fest.example", "2021.fest.example"}, true, false, 1},
	} {
		b := builder{t, testWeb{}}
		for k, host := range c.hosts {
			name := func(i int) string {
				if i == 0 {
					return "http://" + host + "/"
				}
				return fmt.Sprintf("http://%s/p%d.html", host, i)
			}
			b.woven(n, uint64(k), name)
			for i := range n {
				b.page(page.URL(name(i)), "http://press.example/")
			}
			if c.back && k > 0 {
				b.page(page.URL(name(0)), "http://"+c.hosts[0]+"/")
			}
			if from := c.hosts[max(0, k-1)]; k > 0 {
				if !c.chain {
					from = c.hosts[0]
				}
				b.page(page.URL("http://"+from+"/"), "http://"+host+"/")
			}
		}
		b.woven(20, 9, func(i int) string { return fmt.Sprintf("http://press.example/p%d", i) })
		b.page("http://press.example/", "/p1")
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL("http://" + c.hosts[0] + "/")}}, Options{})
		got := 0
		for _, host := range c.hosts {
			got += b2i(inside(m, host+"/") == n)
		}
		if got != c.want {
			t.Errorf("%s: %d hosts are inside: want %d", c.name, got, c.want)
		}
		if others := inside(m, "press.example/"); others > 0 {
			t.Errorf("%s: %d pages of others are inside", c.name, others)
		}
	}
}

// TestNamesakesAbroad: of hosts of one name under two top-level domains the root pages tell whether they
// are one site, also where one redirects to its host with www.
func TestNamesakesAbroad(t *testing.T) {
	const n = 25
	for _, c := range []struct {
		name, links string
		want        int
	}{
		{"inner pages", "http://www.fest.fr/p1.html -> http://www.fest.de/\nhttp://www.fest.de/p1.html -> " +
			"http://www.fest.fr/\nhttp://www.fest.de/ -> http://www.fest.fr/p2.html\n", 0},
		{"a redirect", "http://www.fest.fr/ -> http://fest.de/\nhttp://fest.de/ => http://www.fest.de/\n" +
			"http://www.fest.de/ -> http://www.fest.fr/\n", n},
		{
			"a rule",
			"http://www.fest.fr/ -> http://www.fest.de/\nhttp://www.fest.de/ -> http://www.fest.fr/\n", 0,
		},
	} {
		b := builder{t, parseWeb(t, c.links)}
		for k, host := range []string{"www.fest.fr", "www.fest.de", "press.test"} {
			b.woven(n, uint64(k), func(i int) string {
				return strings.TrimSuffix(fmt.Sprintf("http://%s/p%d.html", host, i), "p0.html")
			})
			for i := range n {
				b.page(page.URL(fmt.Sprintf("http://%s/p%d.html", host, i)), "http://press.test/")
			}
		}
		site := Site{Seeds: []page.URL{"http://www.fest.fr/"}}
		if c.name == "a rule" {
			site.Exclude = []page.Rule{{Kind: page.RuleHost, Value: "www.fest.de"}}
		}
		_, m := b.w.surveyed(t, site, Options{})
		if got := inside(m, "www.fest.de/"); got < c.want || got > c.want+1 {
			t.Errorf("%s: %d pages of the other host are inside: want %d", c.name, got, c.want)
		}
	}
}
