package collection

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"watershed/internal/extsort"
)

// Spill makes Options.NewSorter of a directory: each sorter keeps up to memoryBytes (0 for the
// default of extsort.Options) in memory and spills the rest to dir. A search opens two sorters at a
// time at most. The sorts end when ctx does.
func Spill(ctx context.Context, dir *extsort.Dir, memoryBytes int) func() (Sorter, error) {
	return func() (Sorter, error) {
		s, err := extsort.NewSorter(dir, extsort.Options[pair]{MemoryBytes: memoryBytes})
		if err != nil {
			return nil, fmt.Errorf("open sorter: %w", err)
		}
		return &spillSorter{ctx, s}, nil
	}
}

// pair is a Record as extsort has it: Hi, Lo.
type pair [2]uint64

type spillSorter struct {
	ctx    context.Context // that of the call of Find for which it was made
	sorter *extsort.Sorter[pair]
}

func (s *spillSorter) Add(r Record) error { return s.sorter.Add(pair{r.Hi, r.Lo}) }

func (s *spillSorter) Sorted() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c, err := s.sorter.Sort(s.ctx)
		if err != nil {
			yield(Record{}, err)
			return
		}
		more := true
		for more && c.Next() {
			r := c.Record()
			more = yield(Record{Hi: r[0], Lo: r[1]}, nil)
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil && more {
			yield(Record{}, err)
		}
	}
}

func (s *spillSorter) Close() error { return s.sorter.Close() }
