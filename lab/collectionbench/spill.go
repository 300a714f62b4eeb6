package collectionbench

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"watershed/internal/extsort"
	"watershed/replica/collection"
)

// spillTo makes collection.Options.NewSorter of a directory: each sorter keeps up to memoryBytes (0 for the
// default of extsort.Options) in memory and spills the rest to dir. A search opens two sorters at a
// time at most. The sorts end when ctx does.
func spillTo(ctx context.Context, dir *extsort.Dir, memoryBytes int) func() (collection.Sorter, error) {
	return func() (collection.Sorter, error) {
		s, err := extsort.NewSorter(dir, extsort.Options[pair]{MemoryBytes: memoryBytes})
		if err != nil {
			return nil, fmt.Errorf("open sorter: %w", err)
		}
		sort := func() (*extsort.Cursor[pair], error) { return s.Sort(ctx) }
		return &spillSorter{sorter: s, sort: sort}, nil
	}
}

// pair is a collection.Record as extsort has it: Hi, Lo.
type pair [2]uint64

type spillSorter struct {
	sorter *extsort.Sorter[pair]
	sort   func() (*extsort.Cursor[pair], error)
}

func (s *spillSorter) Add(r collection.Record) error { return s.sorter.Add(pair{r.Hi, r.Lo}) }

func (s *spillSorter) Sorted() iter.Seq2[collection.Record, error] {
	return func(yield func(collection.Record, error) bool) {
		c, err := s.sort()
		if err != nil {
			yield(collection.Record{}, err)
			return
		}
		more := true
		for more && c.Next() {
			r := c.Record()
			more = yield(collection.Record{Hi: r[0], Lo: r[1]}, nil)
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil && more {
			yield(collection.Record{}, err)
		}
	}
}

func (s *spillSorter) Close() error { return s.sorter.Close() }
