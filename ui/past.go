package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"watershed/drift"
	"watershed/internal/disk"
)

// placePast is what a recrawl found of a place's pages, against the run before.
type placePast struct {
	host  string
	bars  [5]int // as timelineKey
	still int    // of all these: pages that belong now
}

// add counts what happened, here or elsewhere.
func (p *placePast) add(bars [5]int, still int) {
	for i, n := range bars {
		p.bars[i] += n
	}
	p.still += still
}

// keySame is the entry of what did not change; the others are those of the timeline.
var keySame = legendKey{class: "same", text: "as before"}

// partsSince are the parts of a place by what happened to its pages; x is nil for nothing.
func (p *Place) partsSince(x *placePast) (in, out []placePart) {
	x = cmp.Or(x, &placePast{})
	same := p.Belong() - p.Requisite - x.still
	for i, n := range x.bars {
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
	r, err := s.changes.get(path, disk.ReadJSON[drift.Report])
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
	if c.Kind == drift.Unchanged {
		return
	}
	var row timelineRow
	row.count(c.Kind, 1)
	still := 0
	if since, is := x.memberScale(at); is && since <= m.chosen {
		still = 1
	}
	p.add(row.bars(), still)
}

// Past tells in words what happened to the pages of a region, where that is asked for.
func (m SiteModel) Past(r *region) string {
	var all placePast
	for prefix, x := range m.past {
		if prefix == r.Prefix || r.Whole && x.host == r.Host {
			all.add(x.bars, x.still)
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
