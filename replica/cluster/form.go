package cluster

import (
	"context"
	"errors"
	"slices"

	"watershed/internal/extsort"
)

// unnumbered stands for the number of a cluster that has none yet.
const unnumbered = ^uint32(0)

// form is phase 4: the components become clusters, numbered from 1 in the order of their first
// documents, by page and sweep.
func (u *update) form(ctx context.Context) error {
	if err := u.writeDocs(ctx); err != nil {
		return err
	}
	u.counts, u.rates = nil, nil
	number, err := u.number(ctx)
	if err != nil {
		return err
	}
	return u.writeClusters(ctx, number)
}

// writeDocs makes the table of documents, with the shingles that are not common.
func (u *update) writeDocs(ctx context.Context) error {
	w, err := create[row](u, kindDocs)
	if err != nil {
		return err
	}
	write := func(r row) error {
		seq := r.seq()
		if u.same.has(seq) {
			seq = u.counts[seq]
		}
		r.setShingles(u.counts[seq])
		return w.Write(r)
	}
	if err := errors.Join(all(u.s.docs).Each(ctx, write), u.rows.All().Each(ctx, write)); err != nil {
		return err
	}
	return commit(u, kindDocs, w, &u.fresh.docs)
}

// number gives each component of two documents or more its number, under its root; 0 to the others.
func (u *update) number(ctx context.Context) ([]uint32, error) {
	number := make([]uint32, u.n)
	for i := range number {
		if root := u.forest.Find(uint32(i)); root != uint32(i) {
			number[root] = unnumbered
		}
	}
	w, err := create[place](u, kindPlaces)
	if err != nil {
		return nil, err
	}
	err = u.names.All().Each(ctx, func(p place) error {
		root := u.forest.Find(uint32(p[1]))
		if number[root] == unnumbered {
			u.stats.Clusters++
			number[root] = uint32(u.stats.Clusters)
		}
		p[2] = uint64(number[root])
		return w.Write(p)
	})
	if err != nil {
		return nil, err
	}
	u.next.Clusters = u.stats.Clusters
	return number, commit(u, kindPlaces, w, &u.fresh.places)
}

// writeClusters sorts the members by cluster and rank.
func (u *update) writeClusters(ctx context.Context, number []uint32) error {
	s, err := newSorter(u, 2, extsort.Options[row]{})
	if err != nil {
		return err
	}
	err = u.fresh.docs.All().Each(ctx, func(r row) error {
		n := number[u.forest.Find(r.seq())]
		if n == 0 {
			return nil
		}
		u.stats.Members++
		r[0] = uint64(n) << 32
		return s.Add(r)
	})
	if err != nil {
		return err
	}
	c, err := s.Sort(ctx)
	if err != nil {
		return err
	}
	w, err := create[row](u, kindClusters)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	var members []row
	err = c.Each(ctx, func(r row) error {
		if len(members) > 0 && members[0].cluster() != r.cluster() {
			if err := u.writeCluster(w, members); err != nil {
				return err
			}
			members = members[:0]
		}
		members = append(members, r)
		return nil
	})
	if err == nil && len(members) > 0 {
		err = u.writeCluster(w, members)
	}
	if err != nil {
		return err
	}
	return commit(u, kindClusters, w, &u.fresh.clusters)
}

// writeCluster ranks the members of one cluster, which come in the order of their keys.
func (u *update) writeCluster(w *extsort.Writer[row], members []row) error {
	slices.SortStableFunc(members, func(a, b row) int {
		x, y := a.info(), b.info()
		return u.o.Rank(&x, &y)
	})
	identical := true
	for i, r := range members {
		identical = identical && relate(&members[0], &r) == Identical
		r[0] |= uint64(i)
		if err := w.Write(r); err != nil {
			return err
		}
	}
	if identical {
		u.stats.Identical++
	}
	return nil
}
