package cluster

import (
	"context"
	"errors"
	"iter"
)

// Member is a document of a cluster.
type Member struct {
	Info
	Relation Relation // to the representative
}

// Cluster is documents that are alike, each with one other at least.
type Cluster struct {
	Number  uint32
	Members []Member // by rank, the representative first
}

// newCluster makes a cluster of its rows, in order of rank.
func newCluster(rows []row) Cluster {
	c := Cluster{Number: rows[0].cluster()}
	for i := range rows {
		c.Members = append(c.Members, Member{rows[i].info(), relate(&rows[0], &rows[i])})
	}
	c.Members[0].Relation = Identical
	return c
}

// All goes through the clusters in the order of their numbers. Memory: one cluster.
func (s *Store) All(ctx context.Context) iter.Seq2[Cluster, error] {
	return func(yield func(Cluster, error) bool) {
		err := s.eachCluster(ctx, func(rows []row) error {
			if !yield(newCluster(rows), nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Cluster{}, err)
		}
	}
}

// errStop ends a walk that the caller wants no more of.
var errStop = errors.New("stop")

// eachCluster calls f with the rows of each cluster, which f may not keep.
func (s *Store) eachCluster(ctx context.Context, f func([]row) error) error {
	var rows []row
	err := all(s.tables.clusters).Each(ctx, func(r row) error {
		if len(rows) > 0 && rows[0].cluster() != r.cluster() {
			if err := f(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
		rows = append(rows, r)
		return nil
	})
	if err == nil && len(rows) > 0 {
		err = f(rows)
	}
	return err
}
