package sitemap

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"watershed/page"
)

// Evaluation compares ways to draw boundaries on a web whose sites are known. The entry page of a site is all that is given.
type Evaluation struct {
	Truth   *Truth
	Options Options
	// MaxPages bounds the fetches of a site. Default 2500; the crawls that only compare have no bound.
	MaxPages int
	// Seed of the sample. Default 5.
	Seed uint32
}

// Score of one method on one site.
type Score struct {
	Site              TruthSite
	Precision, Recall float64
	F1                float64
	Outside           int // pages of other sites that were fetched
}

// Method answers what belongs to the site of an entry page, and what it fetched to know.
type Method struct {
	Name string
	find func(e *Evaluation, s TruthSite) (inside, fetched []int32)
}

// Methods are the ways that are compared: three crawls by URL, the crawl inside the true site, which is the ceiling of any
// crawl that follows links from the entry page, and the survey.
func Methods() []Method {
	crawl := func(within func(entry page.URL) func(page.URL) bool) func(*Evaluation, TruthSite) ([]int32, []int32) {
		return func(e *Evaluation, s TruthSite) ([]int32, []int32) {
			ok := within(e.Truth.Entry(s))
			all := e.Truth.reach(s.pages[0], func(v int32) bool { return ok(e.Truth.urls[v]) })
			return all, all
		}
	}
	return []Method{
		{"prefix crawl", crawl(func(entry page.URL) func(page.URL) bool {
			dir := entry.Directory()
			return func(u page.URL) bool { return strings.HasPrefix(string(u), dir) }
		})},
		{"host crawl", crawl(func(entry page.URL) func(page.URL) bool {
			host := entry.Host()
			return func(u page.URL) bool { return u.Host() == host }
		})},
		{"domain crawl", crawl(func(entry page.URL) func(page.URL) bool {
			domain := registrable(entry.Host())
			return func(u page.URL) bool { return registrable(u.Host()) == domain }
		})},
		{"ceiling (inside the truth)", func(e *Evaluation, s TruthSite) ([]int32, []int32) {
			k := e.Truth.site[s.pages[0]]
			all := e.Truth.reach(s.pages[0], func(v int32) bool { return e.Truth.site[v] == k })
			return all, all
		}},
		{"survey", survey},
	}
}

// Survey lets a survey find a site from its entry page: every page that it wants is visited at once. It also tells what was
// visited.
func (e *Evaluation) Survey(s TruthSite) (sv *Survey, fetched []page.URL, err error) {
	t := e.Truth
	sv, err = NewSurvey([]Site{{Name: s.Name, Seeds: []page.URL{t.Entry(s)}, MaxPages: orDefault(e.MaxPages, 2500)}}, e.Options)
	if err != nil {
		return nil, nil, err
	}
	for {
		wants := sv.Wants()
		if len(wants) == 0 {
			return sv, fetched, nil
		}
		for _, w := range wants {
			fetched = append(fetched, w.URL)
			sv.Learn(t.visit(t.byURL[w.URL]))
		}
	}
}

func survey(e *Evaluation, s TruthSite) (inside, fetched []int32) {
	sv, visited, err := e.Survey(s)
	if err != nil {
		return nil, nil
	}
	for _, u := range visited {
		fetched = append(fetched, e.Truth.byURL[u])
	}
	m, _ := sv.Map(s.Name)
	for i := range m.Members {
		if m.Members[i].State == "fetched" {
			inside = append(inside, e.Truth.byURL[m.Members[i].URL])
		}
	}
	return inside, fetched
}

// Score judges a method on a site.
func (e *Evaluation) Score(m Method, s TruthSite) Score {
	t := e.Truth
	inside, fetched := m.find(e, s)
	k := t.site[s.pages[0]]
	right, all := 0, 0
	for _, u := range inside {
		right += b2i(t.site[u] == k)
		all += b2i(t.site[u] >= 0)
	}
	sc := Score{Site: s, Precision: 1}
	if all > 0 {
		sc.Precision = float64(right) / float64(all)
	}
	sc.Recall = float64(right) / float64(len(s.pages))
	if right > 0 {
		sc.F1 = 2 * sc.Precision * sc.Recall / (sc.Precision + sc.Recall)
	}
	for _, u := range fetched {
		sc.Outside += b2i(t.site[u] >= 0 && t.site[u] != k)
	}
	return sc
}

// Sample is the sites on which methods are compared, of 12 pages or more: all on several hosts, all on a host of their own,
// 30 tenants and 12 blogs, drawn by Seed.
func (e *Evaluation) Sample() []TruthSite {
	byClass := make(map[string][]TruthSite)
	for _, s := range e.Truth.sites {
		if len(s.pages) >= 12 {
			byClass[s.Class] = append(byClass[s.Class], s)
		}
	}
	draw := newTwister(orDefault32(e.Seed, 5))
	var sample []TruthSite
	for _, c := range []struct {
		class string
		most  int
	}{{"multi", 999}, {"ord", 999}, {"tenant", 30}, {"blog", 12}} {
		list := byClass[c.class]
		slices.SortFunc(list, func(a, b TruthSite) int { return cmp.Compare(a.Name, b.Name) })
		for i := len(list) - 1; i > 0; i-- {
			j := draw.below(uint32(i + 1))
			list[i], list[j] = list[j], list[i]
		}
		sample = append(sample, list[:min(c.most, len(list))]...)
	}
	return sample
}

func orDefault32(v, d uint32) uint32 {
	if v == 0 {
		return d
	}
	return v
}

// Row is the mean of a method's scores over the sites of a class.
type Row struct {
	Class                 string
	Sites                 int
	Precision, Recall, F1 float64
	Outside               float64 // pages of other sites fetched, per page of the true sites
}

// Rows sums scores up: a row a class in alphabetic order, then one for all.
func Rows(scores []Score) []Row {
	byClass := make(map[string][]Score)
	for _, s := range scores {
		byClass[s.Site.Class] = append(byClass[s.Site.Class], s)
	}
	var rows []Row
	for class, list := range byClass {
		rows = append(rows, row(class, list))
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Class, b.Class) })
	return append(rows, row("all", scores))
}

func row(class string, scores []Score) Row {
	r := Row{Class: class, Sites: len(scores)}
	pages := 0
	for _, s := range scores {
		r.Precision += s.Precision / float64(len(scores))
		r.Recall += s.Recall / float64(len(scores))
		r.F1 += s.F1 / float64(len(scores))
		r.Outside += float64(s.Outside)
		pages += len(s.Site.pages)
	}
	r.Outside /= float64(max(1, pages))
	return r
}

// WriteTable writes the rows of one method as text.
func WriteTable(w io.Writer, method string, rows []Row) error {
	for _, r := range rows {
		_, err := fmt.Fprintf(w, "%-28s %-8s %4d sites  P %.3f  R %.3f  F1 %.3f  outside %.2f\n", method, r.Class, r.Sites, r.Precision, r.Recall, r.F1, r.Outside)
		if err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	return nil
}
