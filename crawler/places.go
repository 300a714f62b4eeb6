package crawler

import (
	"fmt"
	"slices"
	"strings"

	"watershed/crawler/extract"
	"watershed/page"

	"github.com/zeebo/xxh3"
)

// Doubts are pages of which the crawler does not know whether their scripts bring anything, or whether
// one of the scripts that they name may. The zero value has none.
type Doubts struct {
	places  places
	scripts map[page.URL]bool          // that have come: whether they ask for data
	waiting map[page.URL][]*unscripted // for a script to come
}

// unscripted is a page of whose scripts none is known to ask for data.
type unscripted struct {
	page  page.URL
	place *place     // of a page of few words, which waits there
	rest  []page.URL // of its scripts, those that are not known not to
}

// add learns from a visit, which may be lent (store.Tx.Lent).
func (d *Doubts) add(v *page.Visit) {
	list, awaited := d.waiting[v.URL]
	script := extract.IsScript(v.MIME)
	if !awaited && !script && v.Drawing < page.DrawDoubted {
		return
	}
	if d.scripts == nil {
		d.scripts, d.waiting = map[page.URL]bool{}, map[page.URL][]*unscripted{}
	}
	u := page.URL(strings.Clone(string(v.URL)))
	switch {
	case awaited || script:
		delete(d.waiting, u)
		d.scripts[u] = script && v.Drawing == page.DrawScripted
		for _, p := range list {
			d.settle(p)
		}
	case v.Drawing == page.DrawDoubted:
		d.places.add(u, doubted, scriptsOf(v))
	default:
		p := &unscripted{page: u}
		if v.Drawing == page.DrawThin {
			p.place = d.places.add(u, thin, scriptsOf(v))
		}
		for i := range v.Links {
			l := &v.Links[i]
			if l.Context == "script/@src" && l.URL.Host().Registrable() == u.Host().Registrable() {
				p.rest = append(p.rest, page.URL(strings.Clone(string(l.URL))))
			}
		}
		d.settle(p)
	}
}

// settle has a page wait for its first script that has not come, unless one that has asks for data.
func (d *Doubts) settle(p *unscripted) {
	for i, s := range p.rest {
		asks, came := d.scripts[s]
		switch {
		case !came:
			p.rest = p.rest[i:]
			d.waiting[s] = append(d.waiting[s], p)
			return
		case asks && p.place != nil:
			p.place.asking = true
			return
		case asks:
			d.places.add(p.page, scripted, string(s))
			return
		}
	}
}

// scriptsOf tells the scripts that a page names.
func scriptsOf(v *page.Visit) string {
	var all []string
	for i := range v.Links {
		if l := &v.Links[i]; l.Context == "script/@src" {
			all = append(all, string(l.URL))
		}
	}
	slices.Sort(all)
	return fmt.Sprint(xxh3.HashString(strings.Join(slices.Compact(all), " ")))
}

// places says which of the pages are drawn of which the markup does not tell whether their scripts
// bring anything: see draw.Judge. A place is the pages of a directory of a host that name a script that
// asks, or that name the same scripts. Some pages of each are drawn, and all of them as long as that
// brings something. The zero value has none. It is guarded by the lock of browsing.
type places struct {
	list []*place // in the order of their first pages
	by   map[string]*place
	host map[string]*doubts // by name and kind
}

// kind is why a page is doubted, with its bounds.
type kind struct {
	name string
	few  int // pages that are drawn at the beginning
	most int // in vain on a host
	// words that scripts may add to a page without being said to bring something: a date, a note on
	// cookies
	words int
}

// Kinds of places.
var (
	doubted  = &kind{"", 3, 8, 20}         // by its markup
	scripted = &kind{"a script", 2, 6, 20} // by a script that it names: most such scripts are for menus
	thin     = &kind{"few words", 3, 8, 5} // by its few words, to which few are many
)

// doubts are those of a host.
type doubts struct {
	seen  int // pages
	vain  int // of those drawn, that brought nothing
	gains int // of those drawn, that brought something
}

// place is pages of a directory that name a script, or the same scripts.
type place struct {
	*doubts
	kind    *kind
	waiting []page.URL
	seen    int
	drawn   int
	vain    int             // drawn one after the other, up to now, that brought nothing
	under   int             // are being drawn
	gained  bool            // a page of it has brought something
	asking  bool            // its pages have few words, and a script that asks for data
	words   map[uint64]bool // that drawings have added, by their hashes
}

// Pages that are drawn of a place although none of them brings anything, so that a template which
// differs from the first pages is met, beside the first ones (kind.few); those of a host are bounded
// (kind.most, and moreVain for each page that brings something), so that many small places do not have
// all of its pages drawn.
const (
	// Where few words stand and a script asks for data, and where most of the host's pages that were
	// drawn had something to add, so many times as many: it is likely that some of these have.
	asksMore = 3
	moreVain = 5 // one after the other, where some have brought something
	// Of so many pages, one is drawn later: a drawing takes as much processor time as some 50 plain
	// pages, and a twentieth more is what may be spent on pages to which their scripts add nothing.
	sampleRate = 1000
)

// mostWords bounds the words that a place remembers: a menu that scripts write on each page counts once.
const mostWords = 1 << 14

// of is the place of a URL whose page is doubted for what it names, or "".
func (s *places) of(u page.URL, k *kind, named string) *place {
	dir, _, _ := strings.Cut(strings.TrimPrefix(u.PathQuery(), "/"), "?")
	dir, _, below := strings.Cut(dir, "/")
	if !below {
		dir = ""
	}
	host := string(u.Host()) + "|" + k.name
	key := host + "/" + dir + "|" + named
	p := s.by[key]
	if p == nil {
		if s.by == nil {
			s.by, s.host = map[string]*place{}, map[string]*doubts{}
		}
		if s.host[host] == nil {
			s.host[host] = &doubts{}
		}
		p = &place{doubts: s.host[host], kind: k, words: map[uint64]bool{}}
		s.by[key] = p
		s.list = append(s.list, p)
	}
	return p
}

// add has a page wait, and gives its place.
func (s *places) add(u page.URL, k *kind, named string) *place {
	p := s.of(u, k, named)
	p.seen++
	p.doubts.seen++
	p.waiting = append(p.waiting, u)
	return p
}

// asks reports that pages of a place are to be drawn.
func (p *place) asks() bool {
	few, most := p.kind.few, p.kind.most
	if p.asking || p.doubts.gains > p.doubts.vain {
		few, most = asksMore*few, asksMore*most
	}
	switch {
	case p.gained && p.vain+p.under < max(few, moreVain):
		return true
	case p.doubts.vain+p.under >= most+moreVain*p.doubts.gains+p.doubts.seen/sampleRate:
		return false
	}
	return p.vain+p.under < few || p.drawn+p.under < p.seen/sampleRate
}

// due reports that a page that belongs is to be drawn.
func (s *places) due(belongs func(page.URL) bool) bool {
	return slices.ContainsFunc(s.list, func(p *place) bool {
		return p.asks() && slices.ContainsFunc(p.waiting, belongs)
	})
}

// next takes the first page that is to be drawn and belongs.
func (s *places) next(belongs func(page.URL) bool) (u page.URL, p *place, ok bool) {
	for _, p = range s.list {
		if !p.asks() {
			continue
		}
		if i := slices.IndexFunc(p.waiting, belongs); i >= 0 {
			u = p.waiting[i]
			p.waiting = slices.Delete(p.waiting, i, i+1)
			p.under++
			return u, p, true
		}
	}
	return "", nil, false
}

// drew learns from the drawing of a page that next gave whether it has brought something: as it says,
// or by words that neither the page had as captured nor the place's earlier drawings. It tells how many.
func (p *place) drew(gained bool, words map[uint64]bool) (added int) {
	p.drawn++
	for w := range words {
		if p.words[w] {
			continue
		}
		if added++; len(p.words) < mostWords {
			p.words[w] = true
		}
	}
	if gained || added > p.kind.words {
		p.gained, p.vain = true, 0
		p.doubts.gains++
		return added
	}
	if p.vain++; !p.gained {
		p.doubts.vain++
	}
	return added
}
