package cluster

import (
	"cmp"
	"slices"

	"watershed/replica/sketch"
)

// Place is where a lost page may be found.
type Place struct {
	Info
	Relation    Relation // to the page as it was last seen
	Resemblance sketch.Estimate
}

// Found answers where a page is now: the documents of its cluster in the latest sweep that has any
// of them, best first: the page itself, then those most like its latest version, of its own server
// before others. That nothing but the page's own latest version is there says that it was not seen
// to move. errUnknown says that no sweep has the page. Source: Broder et al., 1997, section 6.2.
func (s *Store) Found(page uint64) ([]Place, error) {
	c, err := s.ClusterOf(page)
	if err != nil {
		return nil, err
	}
	var last *row
	sweep := uint32(0)
	for i := range c.rows {
		r := &c.rows[i]
		sweep = max(sweep, r.key().Sweep)
		if r.key().Page == page && (last == nil || r.key().Sweep > last.key().Sweep) {
			last = r
		}
	}
	var out []Place
	for i := range c.rows {
		r := &c.rows[i]
		if r.key().Sweep != sweep {
			continue
		}
		p, err := s.between(last, r)
		if err != nil {
			return nil, err
		}
		out = append(out, Place{r.info(), p.Relation, p.Resemblance})
	}
	host := last.info().Host
	slices.SortFunc(out, func(a, b Place) int {
		return cmp.Or(
			falseFirst(a.Page != page, b.Page != page), cmp.Compare(a.Relation, b.Relation),
			cmp.Compare(b.Resemblance.Value, a.Resemblance.Value), falseFirst(a.Host != host, b.Host != host),
			a.Key.compare(b.Key),
		)
	})
	return out, nil
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
