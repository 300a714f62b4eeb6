package collection

import (
	"cmp"
	"container/heap"
	"errors"
	"iter"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"watershed/lab/kit/planted"
)

// runSorter keeps sorted runs of 50 records and merges them: another way to the same order.
type runSorter struct {
	runs [][]Record
	last []Record
}

func (s *runSorter) Add(r Record) error {
	if s.last = append(s.last, r); len(s.last) == 50 {
		s.spill()
	}
	return nil
}

func (s *runSorter) spill() {
	slices.SortFunc(s.last, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
	})
	s.runs, s.last = append(s.runs, s.last), nil
}

func (s *runSorter) Sorted() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s.spill()
		h := heads(slices.DeleteFunc(s.runs, func(r []Record) bool { return len(r) == 0 }))
		heap.Init(&h)
		for len(h) > 0 {
			if !yield(h[0][0], nil) {
				return
			}
			if h[0] = h[0][1:]; len(h[0]) == 0 {
				heap.Pop(&h)
			} else {
				heap.Fix(&h, 0)
			}
		}
	}
}

func (s *runSorter) Close() error { return nil }

type heads [][]Record

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i][0].compare(h[j][0]) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.([]Record)) }
func (h *heads) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// TestOtherSorter: the result does not depend on who sorts.
func TestOtherSorter(t *testing.T) {
	in := inputOf(planted.Spec{
		Collections: 5, Replicas: 4, Size: 30, Links: 4, Strangers: 3, Missing: 0.2,
		Background: 5000, Seed: 9,
	}.Make())
	want := written(t, mustFind(t, in, Options{}), in.Pages)
	open := func() (Sorter, error) { return &runSorter{}, nil }
	if got := written(t, mustFind(t, in, Options{NewSorter: open}), in.Pages); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestClosedSorter(t *testing.T) {
	s, err := newMemorySorter()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Add(Record{1, 2}), s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if s.Add(Record{}) == nil {
		t.Error("a closed sorter takes records")
	}
	for _, err := range s.Sorted() {
		if err == nil {
			t.Error("a closed sorter gives records")
		}
	}
}
