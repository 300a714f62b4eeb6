package harvest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"watershed/page"
	"watershed/sitemap"
)

// patchwork is a web of an entry host with a directory, of a second host that shares most of its links
// with it, of a third that shares some, and of a stranger that is cited.
func patchwork() map[page.URL][]string {
	web := make(map[page.URL][]string)
	weave := func(n int, name func(i int) string) {
		for i := range n {
			web[page.URL(name(i))] = []string{
				name(0), name((i + 1) % n), name((3*i + 1) % n), name((7*i + 2) % n),
			}
		}
	}
	link := func(from, to string) { web[page.URL(from)] = append(web[page.URL(from)], to) }
	own := func(i int) string {
		if i == 0 {
			return "http://www.rivers.example/"
		}
		return fmt.Sprintf("http://www.rivers.example/%s/p%d", []string{"new", "old"}[i%2], i)
	}
	of := func(host string) func(int) string {
		return func(i int) string { return fmt.Sprintf("http://%s/p%d", host, i) }
	}
	second, third, far := of("docs.rivers.example"), of("lists.rivers.example"), of("far.example")
	weave(24, own)
	weave(20, second)
	weave(20, third)
	weave(20, far)
	for i := range 20 {
		link(own(i), second(i))
		link(second(i), own(i))
	}
	for i := range 3 {
		link(own(i), third(0))
		link(third(5*i), own(0))
		link(third(i), far(i))
	}
	link(own(5), far(0))
	link(far(0), third(1))
	return web
}

// remedied surveys a web.
func remedied(t *testing.T, web map[page.URL][]string, site sitemap.Site, alpha float64) *sitemap.Map {
	t.Helper()
	s, err := sitemap.NewSurvey([]sitemap.Site{site}, sitemap.Options{Alpha: alpha})
	if err != nil {
		t.Fatal(err)
	}
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, x := range wants {
			v := &page.Visit{URL: x.URL, Status: 404}
			if links, is := web[x.URL]; is {
				v.Status = 200
				for _, to := range links {
					v.Links = append(v.Links, page.Link{URL: page.URL(to), Kind: page.Navigation})
				}
			}
			s.Learn(v)
		}
	}
	m, err := s.Map(site.Name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var (
	lineOf  = regexp.MustCompile(`(include|exclude): \["([^"]+)"\]`)
	blockOf = regexp.MustCompile(`for all of (\S+), where (\d+) pages are inside`)
)

// TestRemedies follows all that is advised on the pages of a web, of those that belong and of those that
// do not: each line turns the page that it is for, and the numbers that are told of it hold.
func TestRemedies(t *testing.T) {
	web := patchwork()
	site := sitemap.Site{Name: "rivers", Seeds: []page.URL{"http://www.rivers.example/"}}
	m := remedied(t, web, site, 0)
	followed := make(map[string]int)
	for u := range web {
		e := m.Explain(u)
		advice := Advice(u, []sitemap.Explanation{e}, &Fetching{State: "done", Status: 200})
		if advice == "" && e.Why != sitemap.WhySeed {
			t.Errorf("%s, inside %t: nothing is advised", u, e.Inside)
		}
		for _, found := range lineOf.FindAllStringSubmatch(advice, -1) {
			rule, err := page.ParseRule(found[2])
			if err != nil {
				t.Fatal(err)
			}
			with := site
			if found[1] == "include" {
				with.Include = []page.Rule{rule}
			} else {
				with.Exclude = []page.Rule{rule}
			}
			if is := remedied(t, web, with, 0).Explain(u).Inside; is == e.Inside {
				t.Errorf("%s is inside: %t, with %s, too", u, is, found[0])
			}
			followed[found[1]]++
		}
		if place := blockOf.FindStringSubmatch(advice); place != nil {
			pages := 0
			for at := range web {
				if strings.HasPrefix(string(at), "http://"+place[1]) && m.Has(at) {
					pages++
				}
			}
			if fmt.Sprint(pages) != place[2] {
				t.Errorf("%s: %s: it is %d", u, place[0], pages)
			}
		}
	}

	for _, kind := range []string{"include", "exclude"} {
		if followed[kind] < 10 {
			t.Errorf("%d lines of %s were followed: want 10 or more", followed[kind], kind)
		}
	}
}
