package cluster

import (
	"cmp"
	"context"
	"slices"
)

// Spread is a text that many servers have.
type Spread struct {
	Cluster        uint32
	Representative Info
	Hosts          int
	Members        int
}

// Spread lists the clusters over at least so many hosts, most hosts first, limit at most. Whom to
// write to is Contacts. Source: Broder et al., 1997, section 6.4.
func (s *Store) Spread(ctx context.Context, hosts, limit int) ([]Spread, error) {
	var out []Spread
	seen := map[uint64]bool{}
	byHosts := func(a, b Spread) int {
		return cmp.Or(cmp.Compare(b.Hosts, a.Hosts), cmp.Compare(b.Members, a.Members),
			cmp.Compare(a.Cluster, b.Cluster))
	}
	err := s.eachCluster(ctx, func(rows []row) error {
		clear(seen)
		for i := range rows {
			seen[rows[i].info().Host] = true
		}
		if len(seen) < hosts {
			return nil
		}
		out = append(out, Spread{rows[0].cluster(), rows[0].info(), len(seen), len(rows)})
		if len(out) >= 2*limit {
			slices.SortFunc(out, byHosts)
			out = out[:limit]
		}
		return nil
	})
	slices.SortFunc(out, byHosts)
	return out[:min(len(out), max(limit, 0))], err
}

// CommonShingle is a shingle that is ignored.
type CommonShingle struct {
	Shingle   uint64
	Documents uint64 // different sketches that have it
}

// Common lists the most common of the shingles that are ignored, limit at most. Source: Broder et
// al., 1997, section 5.1.
func (s *Store) Common(ctx context.Context, limit int) ([]CommonShingle, error) {
	var out []CommonShingle
	byDocuments := func(a, b CommonShingle) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Shingle, b.Shingle))
	}
	err := all(s.tables.common).Each(ctx, func(t tuple) error {
		if out = append(out, CommonShingle{t[0], t[1]}); len(out) >= 2*limit {
			slices.SortFunc(out, byDocuments)
			out = out[:limit]
		}
		return nil
	})
	slices.SortFunc(out, byDocuments)
	return out[:min(len(out), max(limit, 0))], err
}
