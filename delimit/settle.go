package delimit

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
	"watershed/sitemap"
)

// notCaptured is why a survey's want is dropped.
const notCaptured = "not captured"

// Missing is a URL that a site wants and the archive does not have.
type Missing struct {
	URL    page.URL
	Why    sitemap.Why
	Excess int64    // of what the flow wants, in millionths of a link; 0 for others
	Links  int      // pages and requisites of the site that lead to it
	From   page.URL // the first of them, by URL
}

// settled is the boundary of one site, as far as the archive knows it.
type settled struct {
	m       *sitemap.Map
	missing []Missing
}

// settle lets a survey find a site in the web: a page that it wants is answered at once, from the
// archive or as not captured. The pages below the site's prefix are told it beforehand. Cost: that
// of the survey for the pages that belong and the few that it tries.
func (w *Web) settle(site sitemap.Site, pages []page.URL, o sitemap.Options) (*settled, error) {
	s, err := sitemap.NewSurvey([]sitemap.Site{site}, o)
	if err != nil {
		return nil, err
	}
	excess := make(map[graph.ID]int64)
	var v page.Visit
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, x := range wants {
			id := w.find(x.URL)
			if id != graph.None && w.visit(id, &v) {
				s.Learn(&v)
				continue
			}
			if x.Why == sitemap.WhyFlow && id != graph.None {
				excess[id] = x.Priority
			}
			s.Drop(x.URL, notCaptured)
		}
		if pages != nil { // now that the seeds have told where the prefix lies
			s.Tell(site.Name, pages...)
			pages = nil
		}
	}
	m, err := s.Map(site.Name)
	if err != nil {
		return nil, fmt.Errorf("delimit site %q: %w", site.Name, err)
	}
	return &settled{m: m, missing: w.missing(m, excess)}, nil
}

// missing lists the pages of a site, and the requisites of its pages, that were not captured.
func (w *Web) missing(m *sitemap.Map, excess map[graph.ID]int64) []Missing {
	at := make(map[graph.ID]int)
	var list []Missing
	add := func(u page.URL, why sitemap.Why) {
		id := w.find(u)
		if id == graph.None || w.status[id] != 0 {
			return
		}
		at[id] = len(list)
		list = append(list, Missing{URL: u, Why: why, Excess: excess[id]})
	}
	for _, x := range m.Members.All() {
		add(x.URL, x.Why)
	}
	for i := range m.Requisites {
		add(m.Requisites[i].URL, sitemap.WhyRequisite)
	}
	if len(list) == 0 {
		return nil
	}
	link := func(u page.URL) {
		id := w.find(u)
		if id == graph.None || w.status[id] == 0 {
			return
		}
		seen := make(map[graph.ID]bool)
		w.all(id, func(to graph.ID) {
			if k, ok := at[to]; ok && !seen[to] {
				seen[to] = true
				if list[k].Links++; list[k].Links == 1 {
					list[k].From = u
				}
			}
		})
	}
	for _, x := range m.Members.All() { // by URL
		link(x.URL)
	}
	for i := range m.Requisites {
		link(m.Requisites[i].URL)
	}
	// the directory of a root, which nobody wrote down
	list = slices.DeleteFunc(list, func(x Missing) bool { return x.Links == 0 })
	slices.SortFunc(list, func(a, b Missing) int { return cmp.Compare(a.URL, b.URL) })
	return list
}

// all calls yield with everything that links of a URL lead to.
func (w *Web) all(id graph.ID, yield func(graph.ID)) {
	for c := w.last[id]; c != 0; c = w.chunks[c-1].prev {
		for _, to := range w.to[w.chunks[c-1].start:w.chunks[c-1].end] {
			yield(to)
		}
	}
}
