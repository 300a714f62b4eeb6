package judge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/page"
	"watershed/sitemap"
)

// answerAll lets a survey fetch what it wants from a known web, in an order that pick chooses, and
// gives what was fetched.
func answerAll(t *Truth, sv *sitemap.Survey, pick func(n int) int) []page.URL {
	var open []sitemap.Want
	var fetched []page.URL
	for {
		open = append(open, sv.Wants()...)
		if len(open) == 0 {
			return fetched
		}
		i := pick(len(open))
		u := open[i].URL
		open = slices.Delete(open, i, i+1)
		if slices.Contains(fetched, u) {
			continue
		}
		fetched = append(fetched, u)
		sv.Learn(t.visitOf(u))
	}
}

func first(int) int { return 0 }

// found are the URLs of a map's members that were fetched.
func found(sv *sitemap.Survey, site string) []page.URL {
	m, _ := sv.Map(site)
	var list []page.URL
	for _, x := range m.Members.All() {
		if x.State == "fetched" {
			list = append(list, x.URL)
		}
	}
	return list
}

// pagesOf are the true pages of a site.
func pagesOf(t *Truth, site string) []page.URL {
	var list []page.URL
	for _, s := range t.sites {
		if s.Name == site {
			for _, u := range s.pages {
				list = append(list, t.urls[u])
			}
		}
	}
	slices.Sort(list)
	return list
}

func drawn(t testing.TB) *Truth {
	truth, err := readTruth(drawnTruth())
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

func TestProcessFindsTheClusterOfASite(t *testing.T) {
	truth := drawn(t)
	const host = "http://homes.example/"
	for _, c := range []struct {
		name   string
		site   sitemap.Site
		preset sitemap.Preset
		picked string
		wide   bool // with inflation 2 and a toll that keeps sites apart
	}{
		{
			"a characteristic page",
			sitemap.Site{
				Seeds:          []page.URL{host + "~t1/p0.html"},
				Characteristic: []page.URL{host + "~t2/p7.html"},
			},
			sitemap.PaperClusters,
			"characteristic", false,
		},
		{
			"a keyword",
			sitemap.Site{Seeds: []page.URL{host + "~t1/p0.html"}, Keyword: "~T2"},
			sitemap.PaperClusters, "keyword", false,
		},
		{
			"the seeds",
			sitemap.Site{Seeds: []page.URL{host + "~t2/p3.html"}},
			sitemap.PaperClusters,
			"seeds", false,
		},
		{
			"a keyword that no URL has",
			sitemap.Site{Seeds: []page.URL{host + "~t2/p3.html"}, Keyword: "gemo"},
			sitemap.PaperClusters, "seeds", false,
		},
		{
			"the flow adds nothing to it",
			sitemap.Site{Seeds: []page.URL{host + "~t2/p3.html"}},
			sitemap.Senellart2003, "seeds", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.site.Name = "t2"
			c.site.Superset = []page.URL{host + "~t1/p0.html", host + "~t2/p0.html", host + "~t3/p0.html"}
			o := sitemap.Options{Preset: c.preset}
			if c.wide {
				o.Process.Toll = .5
			}
			sv, err := sitemap.NewSurvey([]sitemap.Site{c.site}, o)
			if err != nil {
				t.Fatal(err)
			}
			answerAll(truth, sv, first)
			m, _ := sv.Map("t2")
			if m.Process == nil || m.Process.Picked != c.picked || m.Process.Superset != 42 ||
				m.Process.Clusters != 3 || !m.Converged {
				t.Errorf("converged %v, report %+v", m.Converged, m.Process)
			}
			got := slices.DeleteFunc(found(sv, "t2"), func(u page.URL) bool {
				return slices.Contains(c.site.Seeds, u) && !strings.Contains(string(u), "~t2")
			})
			want := pagesOf(truth, "t2")
			if c.site.Characteristic != nil || c.preset == sitemap.PaperClusters {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			} else if len(got) < len(want) {
				t.Errorf("%d members: the flow took pages away", len(got))
			}
		})
	}
}

// TestPrintedToll: with ε as printed, the flow takes in everything that can be reached, as
// docs/delimitation.md says.
func TestPrintedToll(t *testing.T) {
	truth := drawn(t)
	sv, err := sitemap.NewSurvey([]sitemap.Site{{
		Name:  "m1",
		Seeds: []page.URL{"http://www.m1.example/p0.html"},
	}}, sitemap.Options{Preset: sitemap.PaperFlow})
	if err != nil {
		t.Fatal(err)
	}
	answerAll(truth, sv, first)
	m, _ := sv.Map("m1")
	reached := 0
	for u := range truth.reach(truth.byURL["http://www.m1.example/p0.html"],
		func(int32) bool { return true }) {
		_ = u
		reached++
	}
	alive := 0
	for _, u := range truth.reach(truth.byURL["http://www.m1.example/p0.html"],
		func(int32) bool { return true }) {
		alive += b2i(truth.site[u] >= 0)
	}
	if len(found(sv, "m1")) != alive || alive == reached || m.Process.Stopped != "converged" {
		t.Errorf("%d members of %d that can be reached: %+v", len(found(sv, "m1")), alive, m.Process)
	}
}

// TestProcessOrder: the order of answers changes nothing, and one limited to some pages stops.
func TestProcessOrder(t *testing.T) {
	truth := drawn(t)
	rapid.Check(t, func(t *rapid.T) {
		o := sitemap.Options{
			Preset: rapid.SampledFrom([]sitemap.Preset{
				sitemap.Senellart2003, sitemap.PaperFlow,
				sitemap.PaperClusters,
			}).Draw(t, "preset"),
		}
		o.Process.Toll = rapid.SampledFrom([]float64{0, .001, .1, .9}).Draw(t, "toll")
		o.Process.Flow.SourceHeight = rapid.SampledFrom([]int{0, -1, 3}).Draw(t, "height")
		o.Process.Flow.Order = rapid.SampledFrom([]flow.Order{flow.MaxOverflow, flow.OldestFirst}).Draw(t,
			"order")
		site := sitemap.Site{
			Name: "s",
			Seeds: []page.URL{rapid.SampledFrom([]page.URL{
				"http://www.m1.example/p0.html",
				"http://homes.example/~t1/p2.html",
			}).Draw(t, "seed")},
		}
		var want []page.URL
		for seed := range uint64(3) {
			sv, err := sitemap.NewSurvey([]sitemap.Site{site}, o)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(seed, 7))
			answerAll(truth, sv, random.IntN)
			if p, _ := sv.Progress("s"); !p.Settled {
				t.Fatal("not settled")
			}
			got := found(sv, "s")
			if seed == 0 {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("another order, another boundary: %s", diff)
			}
		}
	})
}

func TestProcessEnds(t *testing.T) {
	truth := drawn(t)
	site := sitemap.Site{Name: "s", Seeds: []page.URL{"http://www.m1.example/p0.html"}, MaxPages: 20}
	t.Run("at the limit of pages", func(t *testing.T) {
		sv, err := sitemap.NewSurvey([]sitemap.Site{site}, sitemap.Options{Preset: sitemap.PaperFlow})
		if err != nil {
			t.Fatal(err)
		}
		fetched := answerAll(truth, sv, first)
		m, _ := sv.Map("s")
		p, _ := sv.Progress("s")
		// those that are gone or redirect are no pages
		if len(fetched) > 30 || m.Process.Stopped != "limit" || !p.Settled || !m.Limited {
			t.Errorf("%d fetched, %+v", len(fetched), m.Process)
		}
	})
	t.Run("at the limit of the superset", func(t *testing.T) {
		o := sitemap.Options{Preset: sitemap.PaperClusters}
		o.Process.SupersetPages = 5
		sv, err := sitemap.NewSurvey([]sitemap.Site{{Name: "s", Seeds: site.Seeds}}, o)
		if err != nil {
			t.Fatal(err)
		}
		if fetched := answerAll(truth, sv, first); len(fetched) != 6 { // and the seed
			t.Errorf("fetched %v", fetched)
		}
	})
}

// TestProcessFollowsChanges: a page that changes begins the process anew, as if it had been so from
// the start.
func TestProcessFollowsChanges(t *testing.T) {
	truth := drawn(t)
	o := sitemap.Options{Preset: sitemap.PaperFlow}
	o.Process.Toll = .01
	site := sitemap.Site{Name: "s", Seeds: []page.URL{"http://www.m1.example/p0.html"}}
	changed := *truth.visitOf("http://www.m1.example/p0.html")
	changed.Links = changed.Links[:1]
	run := func(late bool) []page.URL {
		sv, err := sitemap.NewSurvey([]sitemap.Site{site}, o)
		if err != nil {
			t.Fatal(err)
		}
		if !late {
			sv.Learn(&changed)
		}
		answerAll(truth, sv, first)
		if late {
			sv.Learn(&changed)
			answerAll(truth, sv, first)
		}
		return found(sv, "s")
	}
	o.Process.Flow.Sigma = 2 // what was fetched before the change would be sampled too
	if diff := cmp.Diff(run(false), run(true)); diff != "" {
		t.Error(diff)
	}
}

// TestSurveyedSuperset clusters what another site's survey fetched.
func TestSurveyedSuperset(t *testing.T) {
	const seed = "http://homes.example/~t2/p3.html"
	truth := drawn(t)
	o := sitemap.Options{Preset: sitemap.PaperClusters}
	o.Process.Superset = sitemap.Surveyed
	o.Process.Inflation = 2
	sv, err := sitemap.NewSurvey([]sitemap.Site{{Name: "s", Seeds: []page.URL{seed}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range truth.urls {
		if u != seed && u.Host() == "homes.example" { // not the page that everything links to
			sv.Learn(truth.visitOf(u))
		}
	}
	sv.Learn(truth.visitOf(seed))
	if fetched := answerAll(truth, sv, first); len(fetched) != 0 {
		t.Errorf("fetched %v", fetched)
	}
	if diff := cmp.Diff(pagesOf(truth, "t2"), found(sv, "s")); diff != "" {
		t.Error(diff)
	}
}

// TestKeywordAlone: a site without a seed is found by its keyword, and its second host by the
// recommended method.
func TestKeywordAlone(t *testing.T) {
	truth := drawn(t)
	for _, c := range []struct{ site, keyword, superset string }{
		{"t2", "~t2", "http://homes.example/~t1/p0.html http://homes.example/~t2/p0.html"},
		{"m1", "m1", "http://www.m1.example/p0.html"},
	} {
		var superset []page.URL
		for _, u := range strings.Fields(c.superset) {
			superset = append(superset, page.URL(u))
		}
		sv, err := sitemap.NewSurvey([]sitemap.Site{{Name: c.site, Keyword: c.keyword, Superset: superset}},
			sitemap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		answerAll(truth, sv, first)
		if diff := cmp.Diff(pagesOf(truth, c.site), found(sv, c.site)); diff != "" {
			t.Errorf("%s: %s", c.site, diff)
		}
	}
	if _, err := sitemap.NewSurvey([]sitemap.Site{{Name: "x", Keyword: "x"}}, sitemap.Options{}); err == nil {
		t.Error("a keyword without a superset was accepted")
	}
}
