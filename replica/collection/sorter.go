package collection

import (
	"cmp"
	"errors"
	"iter"
	"slices"
)

// Record is an item to be sorted: by Hi, then by Lo.
type Record struct{ Hi, Lo uint64 }

func (r Record) compare(s Record) int {
	return cmp.Or(cmp.Compare(r.Hi, s.Hi), cmp.Compare(r.Lo, s.Lo))
}

// Sorter sorts records, in memory or outside it. It is used by one goroutine: any number of calls
// of Add, then one of Sorted, then Close, which may come at any time, also twice, and frees what
// the sorter holds.
type Sorter interface {
	Add(Record) error
	// Sorted gives all records in order, equal ones as often as they were added. It may be ranged
	// over once. After an error the sequence ends.
	Sorted() iter.Seq2[Record, error]
	Close() error
}

// memorySorter holds 16 bytes a record, up to twice that while it grows.
type memorySorter struct {
	records []Record
	closed  bool
}

// newMemorySorter makes a sorter that keeps all records in memory. It gives no error.
func newMemorySorter() (Sorter, error) { return &memorySorter{}, nil }

var errSorterClosed = errors.New("collection: sorter is closed")

func (s *memorySorter) Add(r Record) error {
	if s.closed {
		return errSorterClosed
	}
	s.records = append(s.records, r)
	return nil
}

func (s *memorySorter) Sorted() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if s.closed {
			yield(Record{}, errSorterClosed)
			return
		}
		slices.SortFunc(s.records, Record.compare)
		for _, r := range s.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (s *memorySorter) Close() error {
	s.records, s.closed = nil, true
	return nil
}

// sorted runs one sort: fill adds the records, each is called with a run of distinct records that
// have the same Hi, and how often each came. The run is valid during the call only.
func sorted(open func() (Sorter, error), fill func(add func(Record) error) error,
	each func(run []Record, times []uint32) error,
) (err error) {
	s, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := fill(s.Add); err != nil {
		return err
	}
	var run []Record
	var times []uint32
	for r, err := range s.Sorted() {
		switch {
		case err != nil:
			return err
		case len(run) > 0 && run[len(run)-1] == r:
			times[len(times)-1]++
			continue
		case len(run) > 0 && run[0].Hi != r.Hi:
			if err := each(run, times); err != nil {
				return err
			}
			run, times = run[:0], times[:0]
		}
		run, times = append(run, r), append(times, 1)
	}
	if len(run) > 0 {
		return each(run, times)
	}
	return nil
}
