package extsort

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Sorter takes records in any order and gives them back sorted. Add and Sort are called by one
// goroutine; a second one, which the Sorter starts and waits for, sorts and writes a full buffer
// while the next one fills.
//
// Invariants:
//  1. Every record added is in buf, in the buffer being spilled, or in exactly one run.
//  2. At most one spill is in progress; its result is taken from done before the next, by Sort, or
//     by Close.
//  3. Runs are sorted and, with Combine, have each key once.
type Sorter[T Record] struct {
	dir   *Dir
	opts  Options[T]
	limit int // records of a buffer
	buf   []T
	spare []T
	done  chan spilled[T] // nil: no spill in progress
	runs  []*Table[T]
	err   error
}

// A small sort takes little memory, and a large one does not copy its records often: a buffer grows
// from the first size by this factor, and after the last of these sizes to the limit at once. The
// part of a buffer that is never filled takes no memory of the system.
const (
	firstBuffer  = 256
	bufferFactor = 16
	lastBuffer   = 1 << 16
)

// nextSize is the size that the buffer grows to.
func (s *Sorter[T]) nextSize() int {
	if len(s.buf) >= lastBuffer {
		return s.limit
	}
	return min(s.limit, max(firstBuffer, bufferFactor*len(s.buf)))
}

// spilled is the result of a spill.
type spilled[T Record] struct {
	buf []T
	run *Table[T]
	err error
}

// NewSorter begins a sort whose runs go to d. The caller closes it.
func NewSorter[T Record](d *Dir, o Options[T]) (*Sorter[T], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	var r T
	return &Sorter[T]{dir: d, opts: o, limit: o.MemoryBytes / 2 / int(unsafe.Sizeof(r))}, nil
}

// Add takes a record. An error is that of writing a run, and ends the sort.
func (s *Sorter[T]) Add(r T) error {
	if len(s.buf) < cap(s.buf) {
		s.buf = append(s.buf, r)
		return nil
	}
	return s.addFull(r)
}

// addFull makes room by growing the buffer as far as the memory goes, then by spilling it.
func (s *Sorter[T]) addFull(r T) error {
	if s.err != nil {
		return s.err
	}
	if len(s.buf) < s.limit {
		grown := make([]T, len(s.buf), s.nextSize())
		copy(grown, s.buf)
		s.buf = append(grown, r)
		return nil
	}
	if s.await(); s.err != nil {
		return s.err
	}
	s.spill()
	s.buf = append(s.buf, r)
	return nil
}

// spill sorts and writes the buffer in another goroutine.
func (s *Sorter[T]) spill() {
	full := s.buf
	s.buf, s.spare = s.spare[:0], nil
	if s.buf == nil {
		s.buf = make([]T, 0, s.limit)
	}
	done := make(chan spilled[T], 1) // the spill must not wait for a caller that gave up
	s.done = done
	go func() {
		run, err := s.write(full)
		done <- spilled[T]{full, run, err}
	}()
}

// await takes over the spill in progress.
func (s *Sorter[T]) await() {
	if s.done == nil {
		return
	}
	r := <-s.done
	s.done, s.spare = nil, r.buf[:0]
	if r.err != nil {
		s.err = r.err
		return
	}
	s.runs = append(s.runs, r.run)
}

// write sorts records and writes them as a run.
func (s *Sorter[T]) write(recs []T) (*Table[T], error) {
	sortRecords(recs)
	recs = combine(recs, s.opts.Key, s.opts.Combine)
	w, err := NewWriter[T](s.dir, "of a sort", "run")
	if err != nil {
		return nil, err
	}
	for i := range recs {
		if err := w.Write(recs[i]); err != nil {
			return nil, errors.Join(err, w.Abort())
		}
	}
	return w.Temporary()
}

// Sort ends the adding and gives all records in order. The cursor's Close, or the Sorter's, removes
// the runs. When all records fitted into one buffer, nothing is written.
func (s *Sorter[T]) Sort(ctx context.Context) (*Cursor[T], error) {
	if s.await(); s.err != nil {
		return nil, s.err
	}
	if len(s.runs) > 0 && len(s.buf) > 0 {
		s.spill()
		if s.await(); s.err != nil {
			return nil, s.err
		}
		s.buf = nil
	}
	s.spare = nil
	for len(s.runs) > s.opts.FanIn {
		if err := s.mergeSmallest(ctx, len(s.runs)-s.opts.FanIn+1); err != nil {
			return nil, fmt.Errorf("merge runs: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Cursor[T]{key: s.opts.Key, combine: s.opts.Combine, close: s.Close}
	var src []source[T]
	if len(s.buf) > 0 {
		sortRecords(s.buf)
		src = append(src, source[T]{recs: combine(s.buf, s.opts.Key, s.opts.Combine)})
		s.buf = nil
	}
	for _, t := range s.runs {
		src = append(src, source[T]{table: t})
	}
	if err := c.tree.reset(src); err != nil {
		return nil, err
	}
	s.err = errClosed
	return c, nil
}

// mergeSmallest merges n of the runs, or FanIn if that is less, into one: the smallest ones, which
// costs least.
func (s *Sorter[T]) mergeSmallest(ctx context.Context, n int) error {
	n = min(n, s.opts.FanIn, len(s.runs))
	slices.SortStableFunc(s.runs, func(a, b *Table[T]) int { return int(a.bytes() - b.bytes()) })
	src := make([]source[T], n)
	for i, t := range s.runs[:n] {
		src[i] = source[T]{table: t}
	}
	c := &Cursor[T]{key: s.opts.Key, combine: s.opts.Combine}
	if err := c.tree.reset(src); err != nil {
		return err
	}
	w, err := NewWriter[T](s.dir, "of a sort", "run")
	if err != nil {
		return err
	}
	if err := c.Each(ctx, w.Write); err != nil {
		return errors.Join(err, w.Abort())
	}
	run, err := w.Temporary()
	if err != nil {
		return err
	}
	old := slices.Clone(s.runs[:n])
	s.runs = slices.Delete(s.runs, 0, n)
	s.runs = append(s.runs, run)
	return closeAll(old)
}

// Close waits for what is in progress and removes the runs; a second call does nothing.
func (s *Sorter[T]) Close() error {
	s.await()
	runs := s.runs
	s.runs, s.buf, s.spare = nil, nil, nil
	if s.err == nil {
		s.err = errClosed
	}
	return closeAll(runs)
}

func closeAll[T Record](tables []*Table[T]) error {
	var all []error
	for _, t := range tables {
		all = append(all, t.Close())
	}
	return errors.Join(all...)
}
