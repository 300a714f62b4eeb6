package judge

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/page"
	"watershed/sitemap"
)

// Given is what an evaluation tells a survey of a site.
type Given uint8

const (
	EntryPage Given = iota // the entry page alone
	InnerPage              // a page of the site drawn by the seed of the sample, not the entry page
	// the word that tells the site's URLs best from the others of its main host, and that host
	KeywordOnly
	givens
)

var givenNames = [givens]string{"entry", "inner", "keyword"}

func (g Given) String() string {
	if g >= givens {
		return fmt.Sprintf("Given(%d)", uint8(g))
	}
	return givenNames[g]
}

// Evaluation compares ways to draw boundaries on a web whose sites are known.
type Evaluation struct {
	Truth   *Truth
	Options sitemap.Options
	// Given says which facts a crawl is told of a site; a crawl by URL is told the entry page where
	// the fact is a keyword, which it cannot use.
	Given Given
	// MaxPages bounds the fetches of a site. Default 2500; the crawls that only compare have no
	// bound.
	MaxPages int
	// Seed of the sample. Default 5.
	Seed uint32
	// Classes of sites are judged in place of the sample, where there are some: the first
	// mostOfClass sites of each, of fewestPages pages or more.
	Classes []string
	// Sitemaps is the part of the hosts, drawn by Seed, that have a sitemap of all their pages,
	// which robots.txt names. The truth tells of none. Crawls by URL do not read them.
	Sitemaps float64

	// Certified counts the maps whose cut was certified when they were drawn, of all methods that
	// were judged; Refused has the errors of those that were not.
	Certified int
	Refused   []error

	byHost map[page.Host][]int32 // HTML pages, where there are sitemaps
}

func (e *Evaluation) maxPages() int {
	if e.MaxPages == 0 {
		return 2500
	}
	return max(e.MaxPages, 0)
}

// Score of one method on one site.
type Score struct {
	Site              TruthSite
	Size              int // HTML pages that the method says belong
	Precision, Recall float64
	F1                float64
	Outside           int  // pages of other sites that were fetched
	Large             bool // the site has more pages than the links of its entry page can pay for
	// Floor is the F1 of a crawl of the prefix that is told the same.
	Floor float64
}

// mostBelow is how far below the crawl of the prefix a method may be on a site.
const mostBelow = 0.05

// BelowPrefix reports whether a crawl of the prefix is better by more than 0.05 of F1.
func (s *Score) BelowPrefix() bool { return s.F1 < s.Floor-mostBelow }

// Score judges a method on a site, beside a crawl of the prefix.
func (e *Evaluation) Score(m Method, s TruthSite) Score {
	sc := e.score(m, s)
	sc.Floor = e.score(prefixCrawl, s).F1
	return sc
}

func (e *Evaluation) score(m Method, s TruthSite) Score {
	t := e.Truth
	inside, fetched := m.find(e, s)
	k := t.site[s.pages[0]]
	right, all := 0, 0
	for _, u := range inside {
		right += b2i(t.site[u] == k)
		all += b2i(t.site[u] >= 0)
	}
	sc := Score{Site: s, Size: all, Precision: 1, Large: e.large(s)}
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

const (
	mostOfClass = 30
	fewestPages = 5
)

// Sample is the sites on which methods are compared: those of Classes, or, of 12 pages or more, all
// on several hosts, all on a host of their own, 30 tenants and 12 blogs, drawn by Seed.
func (e *Evaluation) Sample() []TruthSite {
	if len(e.Classes) > 0 {
		return e.ofClasses()
	}
	byClass := make(map[string][]TruthSite)
	for _, s := range e.Truth.sites {
		if len(s.pages) >= 12 {
			byClass[s.Class] = append(byClass[s.Class], s)
		}
	}
	draw := newTwister(cmp.Or(e.Seed, 5))
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

// ofClasses are the first sites of each class, in the order of the truth.
func (e *Evaluation) ofClasses() (sample []TruthSite) {
	for _, class := range e.Classes {
		n := 0
		for _, s := range e.Truth.sites {
			if s.Class == class && len(s.pages) >= fewestPages && n < mostOfClass {
				sample = append(sample, s)
				n++
			}
		}
	}
	return sample
}
