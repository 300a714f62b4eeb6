package judge

import (
	"cmp"
	"strings"

	"watershed/page"
	"watershed/sitemap"
)

// Method answers what belongs to a site, and what it fetched to know.
type Method struct {
	Name string
	find func(e *Evaluation, s TruthSite) (inside, fetched []int32)
}

// Recommended is the name of the survey with the options of the evaluation.
const Recommended = "recommended"

// prefixCrawl follows links below the directory of the page that is told.
var prefixCrawl = Method{
	"prefix",
	crawl(func(_ *Evaluation, _ TruthSite, entry page.URL) func(page.URL) bool {
		return below(entry.Directory())
	}),
}

// Methods are the ways that are compared: crawls by URL; the paper's flow alone, clusters alone and
// both, with ε as printed and with one that keeps sites apart; the survey; and the crawl inside the
// true site, the ceiling of any crawl that follows links from the entry page.
func Methods() []Method {
	toll := func(o *sitemap.Options) { o.Process.Toll = sitemap.EpsilonShare }
	return []Method{
		prefixCrawl,
		{"host", crawl(func(_ *Evaluation, _ TruthSite, entry page.URL) func(page.URL) bool {
			host := entry.Host()
			return func(u page.URL) bool { return u.Host() == host }
		})},
		{"registrable domain", crawl(func(_ *Evaluation, _ TruthSite, entry page.URL) func(page.URL) bool {
			domain := entry.Host().Registrable()
			return func(u page.URL) bool { return u.Host().Registrable() == domain }
		})},
		{"two prefixes", func(e *Evaluation, s TruthSite) ([]int32, []int32) {
			entry := e.Truth.Entry(s)
			from := []int32{s.pages[0]}
			second, start := e.Truth.secondHome(s)
			if start >= 0 {
				from = append(from, start)
			}
			first, other := below(entry.Directory()), below(second)
			all := e.Truth.reachFrom(from, func(v int32) bool {
				u := e.Truth.urls[v]
				return first(u) || start >= 0 && other(u)
			})
			return all, all
		}},
		preset("flow alone", sitemap.PaperFlow),
		preset("flow alone, ε .01", sitemap.PaperFlow, toll),
		preset("MCL alone", sitemap.PaperClusters),
		preset("MCL+flow (paper)", sitemap.Senellart2003),
		preset("MCL+flow, ε .01", sitemap.Senellart2003, toll),
		preset(Recommended, sitemap.Shares),
		{"ceiling", func(e *Evaluation, s TruthSite) ([]int32, []int32) {
			k := e.Truth.site[s.pages[0]]
			all := e.Truth.reach(s.pages[0], func(v int32) bool { return e.Truth.site[v] == k })
			return all, all
		}},
	}
}

// crawl follows links from the page that is told as far as a predicate lets it.
func crawl(within func(e *Evaluation, s TruthSite, entry page.URL) func(page.URL) bool) func(*Evaluation,
	TruthSite) ([]int32, []int32) {
	return func(e *Evaluation, s TruthSite) ([]int32, []int32) {
		start := e.start(s)
		ok := within(e, s, e.Truth.urls[start])
		all := e.Truth.reach(start, func(v int32) bool { return ok(e.Truth.urls[v]) })
		return all, all
	}
}

func below(dir string) func(page.URL) bool {
	return func(u page.URL) bool { return strings.HasPrefix(string(u), dir) }
}

// preset is a survey with the evaluation's options but for a preset and what change makes of it.
func preset(name string, p sitemap.Preset, change ...func(*sitemap.Options)) Method {
	return Method{name, func(e *Evaluation, s TruthSite) (inside, fetched []int32) {
		o := e.Options
		o.Preset = p
		for _, f := range change {
			f(&o)
		}
		return e.found(s, o)
	}}
}

// Survey lets a survey find a site from what is given of it: every page that it wants is visited at
// once. It also tells what was visited.
func (e *Evaluation) Survey(s TruthSite) (sv *sitemap.Survey, fetched []page.URL, err error) {
	return e.survey(e.site(s), e.Options)
}

func (e *Evaluation) survey(site sitemap.Site, o sitemap.Options) (sv *sitemap.Survey,
	fetched []page.URL, err error,
) {
	sv, err = sitemap.NewSurvey([]sitemap.Site{site}, o)
	if err != nil {
		return nil, nil, err
	}
	asked := make(map[page.Host]bool) // for robots.txt
	for {
		wants := sv.Wants()
		if len(wants) == 0 {
			return sv, fetched, nil
		}
		for _, w := range wants {
			if h := w.URL.Host(); e.Sitemaps > 0 && !asked[h] {
				asked[h] = true
				sv.Learn(e.fetch(w.URL.Root() + "robots.txt"))
			}
			fetched = append(fetched, w.URL)
			sv.Learn(e.fetch(w.URL))
		}
	}
}

// site gives the facts that a crawl is told of a site.
func (e *Evaluation) site(s TruthSite) sitemap.Site {
	t := e.Truth
	site := sitemap.Site{Name: s.Name, MaxPages: e.maxPages()}
	switch e.Given {
	case KeywordOnly:
		site.Keyword = t.keyword(s)
		site.Superset = []page.URL{t.Entry(s)}
		if root, ok := t.byURL[t.Entry(s).Root()]; ok && t.site[root] >= 0 {
			site.Superset[0] = t.Entry(s).Root()
		}
	default:
		site.Seeds = []page.URL{t.urls[e.start(s)]}
	}
	return site
}

// start is the page that a crawl is told: the entry page, or another one where that is wanted.
func (e *Evaluation) start(s TruthSite) int32 {
	if e.Given != InnerPage {
		return s.pages[0]
	}
	draw := newTwister(cmp.Or(e.Seed, 5) + uint32(s.pages[0]))
	return s.pages[min(len(s.pages)-1, 1)+int(draw.below(uint32(max(1, len(s.pages)-1))))]
}

// found is what a survey says belongs, and what it visited.
func (e *Evaluation) found(s TruthSite, o sitemap.Options) (inside, fetched []int32) {
	sv, visited, err := e.survey(e.site(s), o)
	if err != nil {
		return nil, nil // the table tells of a recall of 0; Options are validated by whoever evaluates
	}
	return e.members(sv, s.Name), e.vertices(visited)
}

// vertices of some URLs; those that the truth has never heard of are left out.
func (e *Evaluation) vertices(urls []page.URL) []int32 {
	list := make([]int32, 0, len(urls))
	for _, u := range urls {
		if v, ok := e.Truth.byURL[u]; ok {
			list = append(list, v)
		}
	}
	return list
}

func (e *Evaluation) members(sv *sitemap.Survey, name string) []int32 {
	m, err := sv.Map(name)
	if err != nil {
		e.Refused = append(e.Refused, err)
		return nil
	}
	e.Certified += b2i(m.Certificate != nil)
	var urls []page.URL
	for _, x := range m.Members.All() {
		if x.State == "fetched" {
			urls = append(urls, x.URL)
		}
	}
	return e.vertices(urls)
}

// secondHome is what somebody who knows the site would name besides its entry page: the directory
// on the host with most of the site's pages after the entry page's, and a page to begin with there,
// -1 for none.
func (t *Truth) secondHome(s TruthSite) (dir string, start int32) {
	main := t.Entry(s).Host()
	start = -1
	for _, h := range t.hostsOf(&s) {
		if h == main {
			continue
		}
		for _, v := range s.pages {
			u := t.urls[v]
			if u.Host() != h {
				continue
			}
			if start < 0 {
				start, dir = v, u.Directory()
			}
			for !strings.HasPrefix(string(u), dir) {
				dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
			}
		}
		return dir, start
	}
	return "", -1
}

// keyword is the token of URLs that tells the site's pages best from the other pages of its main
// host, by F1.
func (t *Truth) keyword(s TruthSite) string {
	main, k := t.Entry(s).Host(), t.site[s.pages[0]]
	list := t.tokens(len(s.pages), func(v int32) (counts, own bool) {
		own = t.site[v] == k
		return own || t.site[v] >= 0 && t.urls[v].Host() == main, own
	}, 1)
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
