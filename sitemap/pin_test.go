package sitemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

func TestPins(t *testing.T) {
	w := parseWeb(t, twoHosts)
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://www.site.example/"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.crawl(s)
	before := summary(s, "site")
	steps := []struct {
		rule    string
		inside  bool
		in, out []string
		asks    page.URL // what the pin makes the survey want
	}{
		{
			rule: "url:http://stranger.example/z", inside: true, in: []string{"stranger.example/z"},
			asks: "http://stranger.example/z",
		},
		{
			rule: "prefix:http://docs.site.example/", inside: false, in: []string{"www.site.example/"},
			out: []string{"docs.site.example/", "docs.site.example/4"},
		},
		{rule: "url:http://www.site.example/b", inside: false, out: []string{"www.site.example/b"}},
		{rule: "url:http://www.site.example/", inside: false, out: []string{"www.site.example/"}},
	}
	for _, c := range steps {
		if err := s.Pin("site", mustRule(t, c.rule), c.inside); err != nil {
			t.Fatal(err)
		}
		if wants := s.Wants(); c.asks != "" && (len(wants) == 0 || wants[0].URL != c.asks ||
			wants[0].Why != WhyRule) {
			t.Errorf("%s: wants %v", c.rule, wants)
		}
		for open := s.Open(); len(open) > 0; open = s.Open() {
			s.Learn(w.visit(open[0].URL))
		}
		m, _ := s.Map("site")
		for _, u := range c.in {
			if !slices.Contains(members(m), u) {
				t.Errorf("%s: %s is outside", c.rule, u)
			}
		}
		for _, u := range c.out {
			if slices.Contains(members(m), u) {
				t.Errorf("%s: %s is inside", c.rule, u)
			}
		}
		if p, _ := s.Progress("site"); p.Inside != m.Members.Len() || !m.Converged {
			t.Errorf("%s: %d are inside, %d on the map; converged %v", c.rule, p.Inside,
				m.Members.Len(), m.Converged)
		}
	}
	for _, c := range steps {
		if err := s.Unpin("site", mustRule(t, c.rule)); err != nil {
			t.Fatal(err)
		}
	}
	w.crawl(s)
	if after := summary(s, "site"); after != before {
		t.Errorf("before any pin\n%s\nafter the last\n%s", before, after)
	}
	if s.Pin("no such site", mustRule(t, "host:a.example"), true) == nil {
		t.Error("a site that is not there was pinned")
	}
}

// TestPinsAreWhatTheySay: on a settled survey of any web, what is pinned outside is not on the map,
// and what is pinned inside is, if it did not fail.
func TestPinsAreWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWeb(t)
		s, err := NewSurvey([]Site{{Name: "one", Seeds: []page.URL{drawSeed(t)}}}, drawOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		w.crawl(s)
		m, _ := s.Map("one")
		said := make(map[page.URL]bool)
		for range rapid.IntRange(1, 5).Draw(t, "pins") {
			list := urlsOf(m.others)
			for _, x := range m.Members.All() {
				list = append(list, x.URL)
			}
			if len(list) == 0 {
				return
			}
			u, inside := rapid.SampledFrom(list).Draw(t, "url"), rapid.Bool().Draw(t, "inside")
			if err := s.Pin("one", mustRule(t, "url:"+string(u)), inside); err != nil {
				t.Fatal(err)
			}
			said[u] = inside
			w.crawl(s)
			m, _ = s.Map("one")
			for u, inside := range said {
				v := w.visit(u)
				is := m.Members.Has(u)
				if inside && !is && v.Status == 200 || !inside && is && v.Status != 302 {
					t.Fatalf("%s was pinned inside %v, status %d: member %v", u, inside, v.Status, is)
				}
			}
			if c := m.Certificate; c.Flow != c.Value {
				t.Fatalf("certificate %+v", c)
			}
		}
	})
}

// TestPinnedRedirect holds that a page pinned outside is outside at every scale, one below the
// seed's directory that redirects to a page inside, too.
func TestPinnedRedirect(t *testing.T) {
	w := parseWeb(t, twoHosts)
	const old = page.URL("http://www.site.example/old")
	home := w["http://www.site.example/"]
	home.Links = append(home.Links, page.Link{URL: old, Kind: page.Navigation})
	w[old] = &page.Visit{URL: old, Status: 301, Links: []page.Link{{URL: home.URL, Kind: page.Redirect}}}
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{home.URL}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.crawl(s)
	if m, err := s.Map("site"); err != nil || !m.Members.Has(old) {
		t.Fatalf("before it is pinned it is outside, or %v", err)
	}
	if err := s.Pin("site", mustRule(t, "url:"+string(old)), false); err != nil {
		t.Fatal(err)
	}
	m, err := s.Map("site")
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Scales {
		at, err := m.At(m.Scales[i].Least)
		if err != nil {
			t.Fatal(err)
		}
		if at.Members.Has(old) {
			t.Errorf("inside at alpha %v", at.Alpha())
		}
	}
}

// TestNamedPageIsPinned holds that a page which Site.Include names by its whole address belongs by
// itself: it does not stand for the site where its neighbours are judged, and to be pinned and
// unpinned leaves it what the rule says.
func TestNamedPageIsPinned(t *testing.T) {
	const seed, named = page.URL("http://site.example/"), page.URL("http://other.example/d/0")
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, "%s%s -> ", seed, []string{"", fmt.Sprint(i)}[min(i, 1)])
		fmt.Fprintf(&text, "%s %s%d %s%d\n", seed, seed, i%7+1, seed, (i+3)%7+1)
		fmt.Fprintf(&text, "http://other.example/d/%d -> %s", i, named)
		for k := range 8 {
			fmt.Fprintf(&text, " http://other.example/d/%d", k)
		}
		text.WriteString("\n")
	}
	w := parseWeb(t, text.String())
	rule := mustRule(t, "url:"+string(named))
	site := Site{Name: "site", Seeds: []page.URL{seed}, Include: []page.Rule{rule}}
	s, err := NewSurvey([]Site{site}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.crawl(s)
	check := func(when string, inside bool) {
		t.Helper()
		m, _ := s.Map("site")
		for _, u := range members(m) {
			if strings.HasPrefix(u, "other.example") && u != schemeless(named) {
				t.Errorf("%s: %s is inside", when, u)
			}
		}
		if e := m.Explain(named); m.Members.Has(named) != inside || inside && e.Note != rule.String() {
			t.Errorf("%s: %s is inside %v by %q", when, named, m.Members.Has(named), e.Note)
		}
	}
	check("named", true)
	for _, pin := range []struct {
		what   string
		as     func() error
		inside bool
	}{
		{"pinned outside", func() error { return s.Pin("site", rule, false) }, false},
		{"unpinned", func() error { return s.Unpin("site", rule) }, true},
	} {
		if err := pin.as(); err != nil {
			t.Fatal(err)
		}
		w.crawl(s)
		check(pin.what, pin.inside)
	}
}
