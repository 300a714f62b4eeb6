package ui

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"watershed/drift"
)

// placePast is what a recrawl found of a place's pages, against the run before.
type placePast struct {
	host                                string
	born, changed, moved, gone, dropped int
	still                               int // of all these: pages that belong now
}

// join adds what happened elsewhere.
func (p *placePast) join(x *placePast) {
	p.born, p.changed, p.moved = p.born+x.born, p.changed+x.changed, p.moved+x.moved
	p.gone, p.dropped, p.still = p.gone+x.gone, p.dropped+x.dropped, p.still+x.still
}

// keySame is the entry of what did not change; the others are those of the timeline.
var keySame = legendKey{class: "same", text: "as before"}

// partsSince are the parts of a place by what happened to its pages; x is nil for nothing.
func (p *Place) partsSince(x *placePast) (in, out []placePart) {
	if x == nil {
		x = &placePast{}
	}
	same := p.Belong() - p.Requisite - x.still
	for i, n := range []int{x.born, x.changed, x.moved, x.gone, x.dropped} {
		in = append(in, placePart{n, timelineKey[i]})
	}
	in = append(in, placePart{max(0, same), keySame}, placePart{p.Requisite, kindKey(kindRequisite)})
	return in, []placePart{{p.Context + p.Outside + p.Excluded, kindKey(kindOutside)}}
}

// recall fills in what changed since the run before, where that is asked for and known.
func (m *SiteModel) recall(s *Server, q *query, x *siteMap) error {
	path := filepath.Join(q.run.Reports(), "changes.json")
	head, err := s.drifts.get(path, readDrift)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(head.Sites, func(d drift.SiteDrift) bool { return d.Name == m.Site }) {
		return nil
	}
	m.Before, m.Changes = head.Old, q.value("changes") != ""
	if !m.Changes {
		return nil
	}
	r, err := s.changes.get(path, readChanges)
	if err != nil {
		return err
	}
	m.past = map[string]*placePast{}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Site == m.Site {
			m.happened(c, x)
		}
	}
	known := map[string]bool{}
	for i := range m.all {
		known[m.all[i].Prefix] = true
	}
	for prefix, p := range m.past {
		if !known[prefix] { // all of its pages have gone
			m.all = append(m.all, Place{Host: p.host, Prefix: prefix})
		}
	}
	slices.SortFunc(m.all[len(known):], func(a, b Place) int { return strings.Compare(a.Prefix, b.Prefix) })
	return nil
}

// happened counts a change in the place where its page is, or was.
func (m *SiteModel) happened(c *drift.Change, x *siteMap) {
	at := c.URL
	if c.Kind == drift.Moved && c.To != "" {
		at = c.To
	}
	host, prefix := placeOf([]byte(at))
	p := m.past[string(prefix)]
	if p == nil {
		p = &placePast{host: string(host)}
		m.past[string(prefix)] = p
	}
	switch c.Kind {
	case drift.Unchanged:
		return
	case drift.Born:
		p.born++
	case drift.Links, drift.Edited, drift.Rewritten:
		p.changed++
	case drift.Moved:
		p.moved++
	case drift.Gone:
		p.gone++
	default:
		p.dropped++
	}
	if since, is := x.memberScale(at); is && since <= m.chosen {
		p.still++
	}
}

// Past tells in words what happened to the pages of a region, where that is asked for.
func (m SiteModel) Past(r *region) string {
	var all placePast
	for prefix, x := range m.past {
		if prefix == r.Prefix || r.Whole && x.host == r.Host {
			all.join(x)
		}
	}
	var said []string
	in, _ := new(Place).partsSince(&all)
	for _, part := range in {
		if part.n > 0 {
			said = append(said, count(part.n)+" "+part.text)
		}
	}
	if m.past != nil && len(said) == 0 {
		return "nothing changed"
	}
	return strings.Join(said, ", ")
}
