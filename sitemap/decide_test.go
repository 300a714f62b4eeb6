package sitemap

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

func TestDecisions(t *testing.T) {
	const docs = "prefix:http://docs.site.example/"
	for _, c := range []struct {
		name    string
		decide  func(*Survey) error
		in, out []string
	}{
		{
			name: "exclude", decide: func(s *Survey) error { return s.Exclude("site", mustRule(t, docs)) },
			in: []string{"www.site.example/a"}, out: []string{"docs.site.example/", "docs.site.example/4"},
		},
		{name: "exclude wins over a pin", decide: func(s *Survey) error {
			return errors.Join(s.Pin("site", mustRule(t, docs), true), s.Exclude("site", mustRule(t, docs)))
		}, out: []string{"docs.site.example/"}},
		{name: "readmit", decide: func(s *Survey) error {
			return errors.Join(s.Exclude("site", mustRule(t, docs)), s.Readmit("site", mustRule(t, docs)))
		}, in: []string{"docs.site.example/", "docs.site.example/4"}},
		{
			name: "a narrow scale", decide: func(s *Survey) error { return s.Rescale("site", 100) },
			in: []string{"www.site.example/"}, out: []string{"docs.site.example/1", "stranger.example/"},
		},
		{name: "soft", decide: func(s *Survey) error {
			return s.PinSoftly("site", mustRule(t, "host:stranger.example"))
		}, in: []string{"stranger.example/x", "docs.site.example/1"}},
		{name: "soft, one page that nobody knew", decide: func(s *Survey) error {
			return s.PinSoftly("site", mustRule(t, "url:http://stranger.example/z"))
		}, in: []string{"stranger.example/z"}},
		{name: "out wins over soft when it comes last", decide: func(s *Survey) error {
			return errors.Join(s.PinSoftly("site", mustRule(t, "host:stranger.example")),
				s.Pin("site", mustRule(t, "host:stranger.example"), false))
		}, out: []string{"stranger.example/x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := parseWeb(t, twoHosts)
			s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://www.site.example/"}}},
				Options{})
			if err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			if err := c.decide(s); err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			m, _ := s.Map("site")
			for _, u := range c.in {
				if !slices.Contains(members(m), u) {
					t.Errorf("%s is outside", u)
				}
			}
			for _, u := range c.out {
				if slices.Contains(members(m), u) {
					t.Errorf("%s is inside", u)
				}
			}
			if p, _ := s.Progress("site"); p.Inside != m.Members.Len() || p.Open != 0 || p.Requisites != 0 ||
				!m.Converged {
				t.Errorf("%+v with %d on the map, converged %v", p, m.Members.Len(), m.Converged)
			}
			if m.Certificate.Flow != m.Certificate.Value {
				t.Errorf("certificate %+v", m.Certificate)
			}
		})
	}
}

// TestExplainNamesTheDecision: who asks why hears by which rule.
func TestExplainNamesTheDecision(t *testing.T) {
	w := parseWeb(t, twoHosts)
	s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://www.site.example/"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.crawl(s)
	for _, err := range []error{
		s.Pin("site", mustRule(t, "url:http://stranger.example/"), false),
		s.Pin("site", mustRule(t, "url:http://docs.site.example/1"), true),
		s.Exclude("site", mustRule(t, "url:http://docs.site.example/2")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for u, want := range map[page.URL]string{
		"http://stranger.example/":   "outside: a rule keeps it out (url:http://stranger.example/)",
		"http://docs.site.example/1": "inside: a rule takes it in (url:http://docs.site.example/1)",
		"http://docs.site.example/2": "outside: a rule keeps it out (url:http://docs.site.example/2)",
	} {
		e, err := s.Explain("site", u, 0)
		if err != nil || !strings.Contains(e.String(), want) {
			t.Errorf("%s: %s, %v; want %s", u, e, err, want)
		}
	}
}

// TestExcludedSitemap: no site waits for a site map that a rule keeps out, given while it was awaited or
// before; let in again, it is waited for until it is answered.
func TestExcludedSitemap(t *testing.T) {
	const home, robots, list page.URL = "http://a.example/", "http://a.example/robots.txt",
		"http://a.example/list.xml"
	w := parseWeb(t, string(robots)+" -> s=/list.xml\n"+string(home)+" ->\n"+string(list)+" -> /listed\n")
	r := mustRule(t, "url:"+string(list))
	for _, site := range []Site{{}, {Exclude: []page.Rule{r}}} {
		site.Name, site.Seeds = "site", []page.URL{home}
		s, err := NewSurvey([]Site{site}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Learn(w[robots])
		s.Learn(w[home])
		for _, step := range []struct {
			decide  func(string, page.Rule) error
			awaited int
		}{{s.Exclude, 0}, {s.Readmit, 1}} {
			if site.Exclude != nil && step.awaited == 0 {
				continue // from the start
			}
			if err := step.decide("site", r); err != nil {
				t.Fatal(err)
			}
			if got := s.sites[0].files.lists; got != step.awaited {
				t.Errorf("%d site maps are awaited, want %d", got, step.awaited)
			}
			if m, err := s.Map("site"); err != nil || m.Excludes(list) != (step.awaited == 0) {
				t.Errorf("%v: the site map is told as left out: %v", err, m.Excludes(list))
			}
		}
		w.crawl(s)
		if b := s.sites[0]; !b.idle() {
			t.Errorf("%d site maps are awaited of %d files", b.files.lists, b.files.parts)
		}
	}
}

// TestExcludedLists: lists that a rule keeps out are told as left out, and so is what they name.
func TestExcludedLists(t *testing.T) {
	w := parseWeb(t, `
		http://a.example/robots.txt -> s=/list.xml
		http://a.example/ -> r=/feed http://b.example/
		http://a.example/list.xml -> s=/listed
		http://b.example/ -> r=/feed s=/listed
	`)
	for _, path := range []page.URL{"list.xml", "listed", "feed"} {
		u := "http://a.example/" + path
		s, m := w.surveyed(t, Site{
			Seeds: []page.URL{"http://a.example/"}, Exclude: []page.Rule{mustRule(t, "url:"+string(u))},
		}, Options{})
		if x := outsiderOf(m, u); x == nil || x.Reason != byRule || x.Note != "url:"+string(u) {
			t.Errorf("%s: %+v", u, x)
		}
		if m.Excludes("http://b.example/listed") || !s.sites[0].idle() {
			t.Errorf("%s: what a page outside lists is told, or something is awaited", u)
		}
	}
	w = parseWeb(t, "http://a.example/robots.txt ->\nhttp://a.example/ ->")
	const usual = "http://a.example/sitemap.xml"
	_, m := w.surveyed(t, Site{
		Seeds: []page.URL{"http://a.example/"}, Exclude: []page.Rule{mustRule(t, "url:"+usual)},
	}, Options{GuessSitemaps: true})
	if x := outsiderOf(m, usual); x != nil {
		t.Errorf("a site map that nothing names is told: %+v", x)
	}
}

// TestExcludedAsFromTheStart: a rule that is given before anything was learned is one of the site.
func TestExcludedAsFromTheStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o, seed := drawWeb(t), drawOptions(t), drawSeed(t)
		r := mustRule(t, "prefix:"+string(drawSeed(t)))
		var told [2]string
		for i := range told {
			site := Site{Name: "one", Seeds: []page.URL{seed}}
			if i == 0 {
				site.Exclude = []page.Rule{r}
			}
			s, err := NewSurvey([]Site{site}, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Exclude("one", r); err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			told[i] = summary(s, "one")
		}
		if d := cmp.Diff(told[0], told[1]); d != "" {
			t.Fatalf("(-site's rule +decision)\n%s", d)
		}
	})
}

func TestDecisionsAboutNothing(t *testing.T) {
	s, err := NewSurvey([]Site{
		{Name: "site", Seeds: []page.URL{"http://www.site.example/"}},
		{Name: "list", Seeds: []page.URL{"http://www.site.example/"}, Boundary: List},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := mustRule(t, "host:a.example")
	if s.Exclude("none", r) == nil || s.Readmit("none", r) == nil || s.PinSoftly("none", r) == nil ||
		s.Rescale("none", 1) == nil {
		t.Error("a site that is not there was decided on")
	}
	if s.Rescale("site", -1) == nil || s.Rescale("site", 1e9) == nil {
		t.Error("a scale that is none was taken")
	}
	if err := s.Rescale("list", 1); !errors.Is(err, ErrNoScale) {
		t.Errorf("scale of a list: %v", err)
	}
	if err := s.Readmit("site", r); err != nil {
		t.Error(err)
	}
	if err := errors.Join(s.Rescale("site", 0.5), s.Rescale("site", 0)); err != nil ||
		must(s.Map("site")).Alpha() != 0.01 {
		t.Errorf("alpha %v, %v", must(s.Map("site")).Alpha(), err)
	}
}

// TestDecisionsOfOtherModes: where no flow of shares draws the boundary, rules win as well, and the
// survey comes to its end.
func TestDecisionsOfOtherModes(t *testing.T) {
	for _, c := range []struct {
		name string
		mode Mode
		opts Options
	}{
		{"the paper's process", Logical, Options{Preset: Senellart2003}},
		{"its clusters", Logical, Options{Preset: PaperClusters}},
		{"a domain", Domain, Options{}},
		{"a list", List, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := parseWeb(t, twoHosts)
			s, err := NewSurvey([]Site{{
				Name: "site", Seeds: []page.URL{"http://www.site.example/"},
				Boundary: c.mode,
			}}, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			docs := mustRule(t, "prefix:http://docs.site.example/")
			for range 5 {
				if open := s.Open(); len(open) > 0 {
					s.Learn(w.visit(open[0].URL))
				}
			}
			if err := s.Exclude("site", docs); err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			m, _ := s.Map("site")
			for _, u := range members(m) {
				if strings.HasPrefix(u, "docs.") {
					t.Errorf("%s is inside", u)
				}
			}
			if p, _ := s.Progress("site"); p.Open != 0 || p.Requisites != 0 || !p.Settled {
				t.Errorf("%+v", p)
			}
			if err := errors.Join(s.Readmit("site", docs), s.Pin("site", docs, true),
				s.PinSoftly("site", mustRule(t, "host:stranger.example"))); err != nil {
				t.Fatal(err)
			}
			w.crawl(s)
			if p, _ := s.Progress("site"); p.Open != 0 || p.Requisites != 0 || !p.Settled {
				t.Errorf("%+v", p)
			}
		})
	}
}
