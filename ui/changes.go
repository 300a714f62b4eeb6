package ui

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"watershed/drift"
	"watershed/internal/disk"
)

// ChangesModel is what happened to the sites between two runs.
type ChangesModel struct {
	Run      string            `json:"run"`
	Compared bool              `json:"compared"` // the run is a recrawl, and was delivered
	Old      int               `json:"old"`      // number of the earlier run
	New      int               `json:"new"`
	Sites    []drift.SiteDrift `json:"sites"`

	Kind  string  `json:"kind,omitempty"` // filters
	Site  string  `json:"site,omitempty"`
	Kinds []Group `json:"kinds"`
	list
	Changes []drift.Change `json:"changes"`
	Recrawl recrawl        `json:"recrawl"`

	Timeline []timelineRow `json:"timeline"` // the last sixty runs
}

func changesModel(s *Server, q *query) (any, error) {
	run, err := q.need()
	if err != nil {
		return nil, err
	}
	number, err := q.page()
	if err != nil {
		return nil, err
	}
	m := ChangesModel{
		Run: run.Name(), Sites: []drift.SiteDrift{}, Kinds: []Group{},
		Changes: []drift.Change{}, Kind: q.value("kind"), Site: q.value("site"),
	}
	if m.Timeline, err = s.timeline(q, m.Site); err != nil {
		return nil, err
	}
	r, err := s.changes.get(filepath.Join(run.Reports(), "changes.json"), disk.ReadJSON[drift.Report])
	if errors.Is(err, fs.ErrNotExist) {
		m.list, _, _ = pageOf(1, 0)
		m.Recrawl, err = readRecrawl(q, m.Site, time.Time{})
		return m, err
	}
	if err != nil {
		return nil, err
	}
	m.Compared, m.Old, m.New, m.Sites = true, r.Old, r.New, append(m.Sites, r.Sites...)
	if m.Recrawl, err = readRecrawl(q, m.Site, r.NewTime); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	var chosen []int
	for i := range r.Changes {
		c := &r.Changes[i]
		if m.Site != "" && c.Site != m.Site {
			continue
		}
		counts[c.Kind.String()]++
		if m.Kind == "" || m.Kind == c.Kind.String() {
			chosen = append(chosen, i)
		}
	}
	for kind, n := range counts {
		m.Kinds = append(m.Kinds, Group{kind, n})
	}
	slices.SortFunc(m.Kinds, func(a, b Group) int {
		return cmp.Or(b.URLs-a.URLs, cmp.Compare(a.Name, b.Name))
	})
	var from, to int
	m.list, from, to = pageOf(number, len(chosen))
	for _, i := range chosen[from:to] {
		m.Changes = append(m.Changes, r.Changes[i])
	}
	return m, nil
}
