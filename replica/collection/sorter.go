package collection

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"watershed/internal/extsort"
)

// record is an item to be sorted: by its first number, then by its second.
type record [2]uint64

func (r record) compare(s record) int {
	return cmp.Or(cmp.Compare(r[0], s[0]), cmp.Compare(r[1], s[1]))
}

// sorted runs one sort: fill adds the records, each is called with a run of distinct records that
// have the same first number, and how often each came. The run is valid during the call only.
func sorted(ctx context.Context, o Options, fill func(add func(record) error) error,
	each func(run []record, times []uint32) error,
) (err error) {
	s, err := extsort.NewSorter(o.Dir, extsort.Options[record]{MemoryBytes: o.Memory})
	if err != nil {
		return fmt.Errorf("open sorter: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := fill(s.Add); err != nil {
		return err
	}
	c, err := s.Sort(ctx)
	if err != nil {
		return err
	}
	var run []record
	var times []uint32
	err = c.Each(ctx, func(r record) error {
		switch {
		case len(run) > 0 && run[len(run)-1] == r:
			times[len(times)-1]++
			return nil
		case len(run) > 0 && run[0][0] != r[0]:
			if err := each(run, times); err != nil {
				return err
			}
			run, times = run[:0], times[:0]
		}
		run, times = append(run, r), append(times, 1)
		return nil
	})
	if err == nil && len(run) > 0 {
		err = each(run, times)
	}
	return err
}
