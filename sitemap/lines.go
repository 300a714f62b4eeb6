package sitemap

import (
	"bufio"
	"bytes"
	"container/heap"
	"io"
	"slices"
)

// lineSorter sorts lines that are to be written, each once. It packs them in runs, so that it takes
// less than half of their length.
type lineSorter struct {
	fresh []string
	runs  []packed
}

// freshLines is how many lines are sorted at a time: they take some MB, and lists of ten million
// are merged from 150 runs.
const freshLines = 1 << 16

func (s *lineSorter) add(line string) {
	if s.fresh = append(s.fresh, line); len(s.fresh) == freshLines {
		s.pack()
	}
}

// pack makes a run of the lines that are not in one.
func (s *lineSorter) pack() {
	slices.Sort(s.fresh)
	var run packed
	for _, l := range s.fresh {
		run.add([]byte(l))
	}
	s.runs, s.fresh = append(s.runs, run), s.fresh[:0]
}

// write writes all lines in order. It may be called once.
func (s *lineSorter) write(w io.Writer) error {
	s.pack()
	out := bufio.NewWriterSize(w, 64<<10)
	var q lineQueue
	for i := range s.runs {
		if r := s.runs[i].from(0); r.next() {
			q = append(q, &r)
		}
	}
	heap.Init(&q)
	var last []byte
	for first := true; len(q) > 0; first = false {
		r := q[0]
		if first || !bytes.Equal(r.text, last) {
			last = append(last[:0], r.text...)
			_, _ = out.Write(append(last, '\n')) // Flush tells of it
		}
		if r.next() {
			heap.Fix(&q, 0)
		} else {
			heap.Pop(&q)
		}
	}
	return out.Flush()
}

// lineQueue is a heap of runs by the line that each has reached.
type lineQueue []*packedReader

func (q lineQueue) Len() int           { return len(q) }
func (q lineQueue) Less(i, j int) bool { return bytes.Compare(q[i].text, q[j].text) < 0 }
func (q lineQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *lineQueue) Push(x any)        { *q = append(*q, x.(*packedReader)) }
func (q *lineQueue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}
