package sitemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

// around tells the context of a map: how far, what, and what came of it.
func around(m *Map) (list []string) {
	for _, x := range m.Context {
		text := fmt.Sprintf("%d %s %s", x.Hops, schemeless(x.URL), x.State)
		if x.Requisite {
			text += " requisite"
		}
		list = append(list, text)
	}
	return list
}

func TestContext(t *testing.T) {
	w := parseWeb(t, twoHosts+`
http://stranger.example/y -> / x z i=http://cdn.example/y.png http://far.example/
http://stranger.example/z => http://moved.example/
http://moved.example/     -> http://www.site.example/
http://far.example/       -> http://farther.example/
`)
	for _, c := range []struct {
		name string
		site Site
		want []string
	}{
		{"none", Site{}, nil},
		{"one hop", Site{ExtraHops: 1}, []string{
			"1 stranger.example/ fetched",
			"1 stranger.example/x fetched",
		}},
		{"two hops", Site{ExtraHops: 2}, []string{
			"2 cdn.example/y.png failed requisite", "2 moved.example/ fetched", "1 stranger.example/ fetched",
			"1 stranger.example/x fetched", "2 stranger.example/y fetched",
			"2 stranger.example/z redirect",
		}},
		{"excluded", Site{ExtraHops: 2, Exclude: []page.Rule{
			mustRule(t, "url:http://stranger.example/x"),
			mustRule(t, "host:cdn.example"), mustRule(t, "host:moved.example"),
		}}, []string{
			"1 stranger.example/ fetched", "2 stranger.example/y fetched", "2 stranger.example/z redirect",
		}},
		{"what rules take", Site{Links: []LinkRule{
			{From: mustRule(t, "url:http://www.site.example/b"), Take: true},
			{From: mustRule(t, "url:http://stranger.example/x"), Take: true}, // is not of the site
		}}, []string{"1 stranger.example/x fetched"}},
		{"from some pages to some others", Site{Links: []LinkRule{
			{From: mustRule(t, "prefix:http://www.site.example/"), To: mustRule(t, "regex:/x$"), Take: true},
		}}, []string{"1 stranger.example/x fetched"}},
		{"what rules leave is not taken", Site{ExtraHops: 2, Links: []LinkRule{
			{From: mustRule(t, "host:stranger.example"), To: mustRule(t, "regex:/[yz]$")},
			{From: mustRule(t, "host:www.site.example"), To: mustRule(t, "regex:/(x|gone)$")},
		}}, []string{"1 stranger.example/ fetched", "2 stranger.example/x fetched"}},
		{"no more than the limit", Site{ExtraHops: 2, MaxPages: 11}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.site.Seeds = []page.URL{"http://www.site.example/"}
			_, m := w.surveyed(t, c.site, Options{})
			if c.site.MaxPages > 0 {
				if n := len(m.Context); !m.ContextLimited || !m.Converged || n == 0 ||
					m.Context[n-1].State == "" {
					t.Errorf("limited %v, converged %v: %v", m.ContextLimited, m.Converged, around(m))
				}
				return
			}
			if diff := cmp.Diff(c.want, around(m)); diff != "" {
				t.Error(diff)
			}
			if needed := m.Excludes("http://cdn.example/y.png"); needed != (c.site.Exclude != nil) {
				t.Errorf("a file that context needs is told as left out: %v", needed)
			}
			if m.Members.Len() != 9 || !m.Converged || m.ContextLimited {
				t.Errorf("%d members, converged %v", m.Members.Len(), m.Converged)
			}
		})
	}
}

func TestContextIsExplained(t *testing.T) {
	w := parseWeb(t, twoHosts)
	site := Site{
		Name: "site", Seeds: []page.URL{"http://www.site.example/"}, ExtraHops: 2,
		Links: []LinkRule{{From: mustRule(t, "url:http://www.site.example/c")}},
	}
	s, m := w.surveyed(t, site, Options{})
	for u, want := range map[page.URL]string{
		"http://stranger.example/": "is captured as context, one link from the site, by " +
			"http://www.site.example/",
		"http://stranger.example/y": "is outside: the boundary leaves it out. It is captured as " +
			"context, 2 links from the site, by http://stranger.example/",
		"http://www.site.example/gone": "is outside: a rule keeps it out (leave links from " +
			"url:http://www.site.example/c); one page of the site links to it, http://www.site.example/c",
	} {
		e, err := s.Explain("site", u, 0)
		if err != nil || !strings.Contains(e.String(), want) ||
			!strings.Contains(m.Explain(u).String(), want) {
			t.Errorf("%v: %s", err, e)
		}
	}
	if p, _ := s.Progress("site"); p.Context != 0 {
		t.Errorf("%d pages of the context are open", p.Context)
	}
}

// drawScope varies what a site says of links beyond its boundary.
func drawScope(t *rapid.T) (site Site) {
	site.ExtraHops = rapid.IntRange(0, 3).Draw(t, "extra hops")
	rule := func() page.Rule {
		return mustRule(t,
			rapid.SampledFrom([]string{
				"prefix:http://h0.example/d0/", "prefix:http://h0.example/d1/",
				"host:h1.example", "url:" + string(drawnSeed), "regex:/p[0-3]$",
			}).Draw(t, "rule"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "rules") {
		r := LinkRule{From: rule(), Take: rapid.Bool().Draw(t, "take")}
		if rapid.Bool().Draw(t, "to some") {
			r.To = rule()
		}
		site.Links = append(site.Links, r)
	}
	if rapid.IntRange(0, 3).Draw(t, "exclude") == 0 {
		site.Exclude = []page.Rule{rule()}
	}
	return site
}

// contextOf is what lies around the members of a map, found by going through the web page by page
// as often as a hop makes a page nearer: Bellman's way, and not that of the code.
func (w testWeb) contextOf(m *Map, site *Site) map[page.URL]int {
	const far = 100
	in := make(map[page.URL]bool)
	for _, x := range m.Members.All() {
		in[x.URL] = true
	}
	says := func(take bool, from, to page.URL) bool {
		return slices.ContainsFunc(site.Links, func(r LinkRule) bool {
			return r.Take == take && r.From.Match(from) && (r.To.Kind == 0 || r.To.Match(to))
		})
	}
	hops := make(map[page.URL]int)
	at := func(u page.URL) int {
		if in[u] {
			return 0
		}
		if n, ok := hops[u]; ok {
			return n
		}
		return far
	}
	for changed := true; changed; {
		changed = false
		for u, v := range w {
			d := at(u)
			if d == far || !v.Alive() {
				continue
			}
			to, moves := redirection(v)
			for _, l := range v.Links {
				n := d + 1
				switch {
				case moves && l.URL != to, !moves && !l.Kind.Joins(), l.URL == u, in[l.URL],
					site.excluded(l.URL), !moves && says(false, u, l.URL):
					continue
				case moves && d > 0:
					n = d
				case n > site.ExtraHops && !(d == 0 && !moves && says(true, u, l.URL)):
					continue
				}
				if n < at(l.URL) {
					hops[l.URL] = n
					changed = true
				}
			}
		}
	}
	return hops
}

// TestContextIsWhatLiesAround: the context of a settled site has what an oracle finds around its
// members, as near as it finds it, all of it visited; and the boundary is that without context.
func TestContextIsWhatLiesAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o, site := drawWeb(t), drawOptions(t), drawScope(t)
		site.Name, site.Seeds = "one", []page.URL{drawSeed(t)}
		site.Boundary = rapid.SampledFrom([]Mode{Logical, Logical, Prefix, HostOnly, List}).Draw(t, "mode")
		survey := func(site Site) (*Survey, *Map) {
			s, err := NewSurvey([]Site{site}, o)
			if err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			if !s.Settled("") || len(s.Open()) > 0 {
				t.Fatalf("settled %v, open %v", s.Settled(""), s.Open())
			}
			m, _ := s.Map("one")
			return s, m
		}
		_, m := survey(site)
		got := make(map[page.URL]int)
		needed := make(map[page.URL]bool)
		for _, x := range m.Requisites {
			needed[x.URL] = true
		}
		for _, x := range m.Context {
			if x.State == "known" {
				t.Fatalf("%+v was not visited", x)
			}
			if !x.Requisite && x.State != "failed" {
				got[x.URL] = x.Hops
			}
		}
		want := w.contextOf(m, &site)
		for u := range want {
			if needed[u] || !w.visit(u).Alive() {
				// a requisite of the site is that in the first place; a page that failed may be one
				// of its own
				delete(want, u)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-oracle +map)\n%s", diff)
		}
		if site.ExtraHops == 0 && !slices.ContainsFunc(site.Links, func(r LinkRule) bool { return r.Take }) {
			return
		}
		plain := site
		plain.ExtraHops, plain.Links = 0, slices.DeleteFunc(slices.Clone(site.Links),
			func(r LinkRule) bool { return r.Take })
		_, without := survey(plain)
		// what the context needs and a rule keeps out is told of a site that has context alone
		m.Outside = slices.DeleteFunc(m.Outside, func(x Outsider) bool {
			return x.Reason == byRule && x.Block < 0 &&
				slices.ContainsFunc(m.Context, func(n Neighbour) bool { return n.URL == x.From }) &&
				!slices.ContainsFunc(without.Outside, func(o Outsider) bool { return o.URL == x.URL })
		})
		for _, x := range []*Map{m, without} {
			for i := range x.Outside {
				// what came of a page outside that was visited for the context
				x.Outside[i].Reason, x.Outside[i].Note = "", ""
			}
		}
		type drawn struct {
			Certificate *Certificate
			Blocks      []Block
			Members     Members
			Outside     []Outsider
			Cut         []CutEdge
		}
		a, b := drawn{without.Certificate, without.Blocks, without.Members, without.Outside, without.Cut},
			drawn{m.Certificate, m.Blocks, m.Members, m.Outside, m.Cut}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("(-without +with context)\n%s", diff)
		}
		// a requisite may need more, of which only who fetches the context knows
		for _, x := range without.Requisites {
			if !needed[x.URL] {
				t.Fatalf("%s is a requisite without context, and none with it", x.URL)
			}
		}
	})
}

// TestLinksLeft: to leave a link is to survey a web that does not have it.
func TestLinksLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o, site := drawWeb(t), drawOptions(t), drawScope(t)
		site.Name, site.Seeds, site.ExtraHops = "one", []page.URL{drawSeed(t)}, 0
		site.Links = slices.DeleteFunc(site.Links, func(r LinkRule) bool { return r.Take })
		less := testWeb{}
		for u, v := range w {
			y := *v
			if _, moves := redirection(v); !moves {
				y.Links = slices.DeleteFunc(slices.Clone(v.Links), func(l page.Link) bool {
					_, left := linkRules(site.Links).on(u).to(l.URL)
					return left && l.Kind != page.Embed
				})
			}
			less[u] = &y
		}
		plain := site
		plain.Links = nil
		told := make([]string, 2)
		for i, c := range []struct {
			web  testWeb
			site Site
		}{{w, site}, {less, plain}} {
			s, err := NewSurvey([]Site{c.site}, o)
			if err != nil {
				t.Fatal(err)
			}
			c.web.crawl(s)
			m, _ := s.Map("one")
			told[i] = summary(s, "one") + fmt.Sprintf("%+v\n%+v\n%+v", m.Blocks, m.Scales, m.Cut)
		}
		if diff := cmp.Diff(told[1], told[0]); diff != "" {
			t.Fatalf("(-a web without the links +a rule)\n%s", diff)
		}
	})
}
