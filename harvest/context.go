package harvest

import (
	"fmt"
	"strconv"

	"watershed/archive"
	"watershed/page"
	"watershed/sitemap"
)

// surroundings has the distance from its site, in links, of each URL that is captured as context
// and is of no site itself.
type surroundings map[page.Key]int

// surroundingsOf collects the context of all maps; of two sites the nearer one counts.
func surroundingsOf(maps []*sitemap.Map) surroundings {
	s := surroundings{}
	for _, m := range maps {
		for i := range m.Context {
			x := &m.Context[i]
			if hops, again := s[x.URL.Key()]; !again || x.Hops < hops {
				s[x.URL.Key()] = x.Hops
			}
		}
	}
	if len(s) == 0 {
		return s
	}
	for _, m := range maps {
		for _, x := range m.Members.All() {
			delete(s, x.URL.Key())
		}
		for i := range m.Requisites {
			delete(s, m.Requisites[i].URL.Key())
		}
	}
	return s
}

// annotate marks a line of crawl.log: "context:2".
func (s surroundings) annotate(l *archive.LogLine) {
	if hops, is := s[l.URL.Key()]; is {
		l.Annotations = append(l.Annotations, fmt.Sprintf("context:%d", hops))
	}
}

// mark adds to an entry of the index how far its capture is from the site: "context": "2".
func (s surroundings) mark(e *archive.Entry) {
	hops, is := s[page.URL(e.URL).Key()]
	if !is {
		return
	}
	if e.Extra == nil {
		e.Extra = map[string]string{}
	}
	e.Extra["context"] = strconv.Itoa(hops)
}
