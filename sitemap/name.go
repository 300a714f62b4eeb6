package sitemap

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"watershed/graph"
)

// Keyword is a term that tells of a site.
type Keyword struct {
	Term   string  `json:"term"`
	Score  float64 `json:"score"`
	Links  int     `json:"links"`  // sampled links from outside the site whose text has it
	Titles int     `json:"titles"` // sampled titles of the site that have it
}

// A site is named by what others call it: the texts of links that lead into it from pages outside,
// as Senellart (2003, section 4.1) has THESUS do it, to compare with. A term counts for more the
// more places use it, log₂(1+k) for k links from one place, and for less the more other parts of
// the web are called so, as the inverse document frequency of retrieval does with documents (Spärck
// Jones, A statistical interpretation of term specificity, 1972): a term by which half of all
// places are called, as "home" or "here" or an article, tells nothing, in whatever language. Titles
// count a quarter: a site says them of itself, and they serve where no page outside has a link.
//
// Parts of the web are hosts' top directories. All of it is from the sample that sayings keeps.

// mostKeywords and mostNames are how many are told.
const (
	mostKeywords = 3
	mostNames    = 3
	titleWeight  = 0.25
)

// nameEvidence has the texts of links to one site and of its titles.
type nameEvidence struct {
	terms, names map[string]*spoken
	words        *vocabulary
	own          map[dirID]bool // parts of the web with pages of the site
	others       int            // all other parts of which anything is said
}

// spoken counts uses of a term or name of the site.
type spoken struct {
	links  map[dirID]int // from outside, by place
	titles int
	text   string // as written, where it was met first
}

// addNames gives the map the names of the site, by the directories of its pages. member reports the
// pages of the site. Time: O(pages of the site + terms of the links into their directories), and
// that of vocabulary where anything was learned since.
func (m *Map) addNames(b *book, member func(uint32) bool) {
	w := b.web
	e := nameEvidence{
		terms: map[string]*spoken{}, names: map[string]*spoken{}, words: w.vocabulary(),
		own: map[dirID]bool{},
	}
	of := func(id graph.ID) bool {
		p := b.find(id)
		return p != none && member(p)
	}
	seen := make(map[dirID]bool)
	for _, p := range b.order {
		d := w.dir[b.places[p].id]
		if !seen[d] && member(p) {
			seen[d], e.own[w.dirs.top(d)] = true, true
		}
	}
	e.others = len(e.words.parts)
	for d := range e.own {
		e.others -= b2i(e.words.parts[d])
	}
	// in order of URLs' keys, so that the text met first is the same for the same pages
	for _, p := range b.order {
		d := w.dir[b.places[p].id]
		k := w.sayings.dirs[d]
		if k == nil || !seen[d] {
			continue
		}
		seen[d] = false
		for _, x := range k.links {
			if of(x.to) && !of(x.from) {
				e.link(w.dirs.top(w.dir[x.from]), x.text, b.places[b.find(x.to)].is(isSeed))
			}
		}
		for _, x := range k.titles {
			if !of(x.to) {
				continue
			}
			e.title(x.text)
			if m.Title == "" && b.places[b.find(x.to)].is(isSeed) {
				m.Title = x.text
			}
		}
	}
	m.Keywords, m.Names = e.keywords(), e.called()
}

// link takes over the text of a link from outside; of one to an entry page the whole is a name.
func (e *nameEvidence) link(place dirID, text string, entry bool) {
	for _, t := range terms(text) {
		use(e.terms, t, t).links[place]++
	}
	if name := folded(text); entry && len(terms(text)) > 0 {
		use(e.names, name, text).links[place]++
	}
}

// title takes over a title of the site.
func (e *nameEvidence) title(text string) {
	for _, t := range terms(text) {
		use(e.terms, t, t).titles++
	}
}

func use(m map[string]*spoken, key, text string) *spoken {
	if m[key] == nil {
		m[key] = &spoken{links: map[dirID]int{}, text: text}
	}
	return m[key]
}

// rarity is the inverse document frequency of a text, over the parts of the web that have no page
// of the site: 0 for a text by which half of them or more are called.
func (e *nameEvidence) rarity(said string) float64 {
	parts := e.words.with[said]
	with := len(parts)
	if len(e.own) < len(parts) { // as of a site among many
		for part := range e.own {
			_, has := slices.BinarySearch(parts, part)
			with -= b2i(has)
		}
	} else {
		for _, part := range parts {
			with -= b2i(e.own[part])
		}
	}
	return max(0, math.Log2(float64(2+e.others)/float64(1+2*with)))
}

// weight of a text of links, log₂(1+k) for k links of one place.
func (x *spoken) weight() (sum float64, links int) {
	for _, k := range slices.Sorted(maps.Values(x.links)) { // sums of floats depend on the order
		sum += math.Log2(1 + float64(k))
		links += k
	}
	return sum, links
}

// keywords are the terms with the greatest scores.
func (e *nameEvidence) keywords() (list []Keyword) {
	for t, x := range e.terms {
		sum, links := x.weight()
		k := Keyword{Term: t, Links: links, Titles: x.titles}
		k.Score = (sum + titleWeight*math.Log2(1+float64(x.titles))) * e.rarity(t) * weighs(t)
		if k.Score > 0 {
			k.Score = math.Round(k.Score*1e4) / 1e4
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b Keyword) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Term, b.Term))
	})
	return list[:min(len(list), mostKeywords)]
}

// called are the texts of links to an entry page with the greatest scores.
func (e *nameEvidence) called() (list []string) {
	score := make(map[string]float64)
	var names []string
	for name, x := range e.names {
		if sum, _ := x.weight(); sum*e.rarity(name) > 0 {
			score[name] = sum * e.rarity(name)
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b))
	})
	for _, name := range names[:min(len(names), mostNames)] {
		list = append(list, e.names[name].text)
	}
	return list
}

// folded is a text in lower case with single blanks.
func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
