package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Sorter sorts the lines of an index by bytes (LC_ALL=C), as CDXJ must be, and drops lines that
// come twice. It holds memory bytes of them and keeps the rest as sorted runs in temporary files
// without a name. It is not safe for concurrent use. Cost: O(n log n) comparisons, each line
// written to disk at most once.
type Sorter struct {
	dir    string
	memory int
	most   int // runs merged at once, and so files that are open

	text  []byte // lines, each with its LF
	ends  []int  // behind each line
	runs  []*os.File
	stuck error
}

// defaultSortMemory is what a Sorter holds in memory, in bytes, lines and their places together
// about 1.1 times as much.
const defaultSortMemory = 32 << 20

// maxRuns is far below the number of files that systems let a process open.
const maxRuns = 128

// NewSorter makes a sorter that spills into dir; memory 0 stands for defaultSortMemory.
func NewSorter(dir string, memory int) *Sorter {
	return &Sorter{dir: dir, memory: cmp.Or(memory, defaultSortMemory), most: maxRuns}
}

// Add takes an entry.
func (s *Sorter) Add(e *Entry) error {
	if s.stuck != nil {
		return s.stuck
	}
	s.text = e.Append(s.text)
	s.ends = append(s.ends, len(s.text))
	if len(s.text) >= s.memory {
		s.stuck = s.spill()
	}
	return s.stuck
}

// sorted gives the lines in memory in order.
func (s *Sorter) sorted() [][]byte {
	lines := make([][]byte, len(s.ends))
	begin := 0
	for i, end := range s.ends {
		lines[i] = s.text[begin:end]
		begin = end
	}
	slices.SortFunc(lines, bytes.Compare)
	return lines
}

// spill makes a run of the lines in memory.
func (s *Sorter) spill() error {
	run, err := s.writeRun(func(w *bufio.Writer) error {
		for _, line := range s.sorted() {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.text, s.ends = s.text[:0], s.ends[:0]
	s.runs = append(s.runs, run)
	if len(s.runs) < s.most {
		return nil
	}
	merged, err := s.writeRun(func(w *bufio.Writer) error { return s.merge(w, nil) })
	if err != nil {
		return err
	}
	err = s.Close()
	s.runs = []*os.File{merged}
	return err
}

func (s *Sorter) writeRun(fill func(*bufio.Writer) error) (*os.File, error) {
	f, err := os.CreateTemp(s.dir, ".batch-*")
	if err != nil {
		return nil, fmt.Errorf("spill index: %w", withSpace(err))
	}
	w := bufio.NewWriterSize(f, 256<<10)
	if err := errors.Join(os.Remove(f.Name()), fill(w), w.Flush()); err != nil {
		return nil, errors.Join(fmt.Errorf("spill index: %w", withSpace(err)), f.Close())
	}
	return f, nil
}

// WriteTo writes all lines in order. It may be called again, and lines may be added in between.
func (s *Sorter) WriteTo(w io.Writer) (int64, error) {
	if s.stuck != nil {
		return 0, s.stuck
	}
	c := counter{w: w}
	out := bufio.NewWriterSize(&c, 256<<10)
	err := s.merge(out, s.sorted())
	err = errors.Join(err, out.Flush())
	return c.bytes, err
}

// merge writes the runs and the lines given in one order, a line that comes twice once.
func (s *Sorter) merge(w io.Writer, lines [][]byte) error {
	runs := []*run{{lines: lines}}
	for _, f := range s.runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		runs = append(runs, runOf(f))
	}
	return merge(w, runs)
}

// MergeSorted writes the lines of files that are sorted in one order, by bytes, a line that comes
// twice once.
func MergeSorted(w io.Writer, files []*os.File) error {
	var runs []*run
	for _, f := range files {
		runs = append(runs, runOf(f))
	}
	return merge(w, runs)
}

func merge(w io.Writer, runs []*run) error {
	var live []*run // by their present line
	add := func(r *run) error {
		err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		at, _ := slices.BinarySearchFunc(live, r.line, func(x *run, line []byte) int {
			return bytes.Compare(x.line, line)
		})
		live = slices.Insert(live, at, r)
		return err
	}
	for _, r := range runs {
		if err := add(r); err != nil {
			return err
		}
	}
	var last []byte
	for len(live) > 0 {
		r := live[0]
		live = slices.Delete(live, 0, 1)
		if !bytes.Equal(r.line, last) {
			if _, err := w.Write(r.line); err != nil {
				return err
			}
			last = append(last[:0], r.line...)
		}
		if err := add(r); err != nil {
			return err
		}
	}
	return nil
}

// Close frees the runs. It may be called twice.
func (s *Sorter) Close() error {
	var err error
	for _, f := range s.runs {
		err = errors.Join(err, f.Close())
	}
	s.runs = nil
	return err
}

// run is a sorted row of lines, from a file or from memory.
type run struct {
	r     *bufio.Reader
	lines [][]byte
	line  []byte
	long  []byte
}

func runOf(f *os.File) *run { return &run{r: bufio.NewReaderSize(f, 64<<10)} }

func (r *run) next() (err error) {
	if r.r == nil {
		if len(r.lines) == 0 {
			return io.EOF
		}
		r.line, r.lines = r.lines[0], r.lines[1:]
		return nil
	}
	r.line, err = r.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], r.line...)
		var rest []byte
		rest, err = r.r.ReadBytes('\n')
		r.long = append(r.long, rest...)
		r.line = r.long
	}
	if errors.Is(err, io.EOF) && len(r.line) > 0 {
		r.long = append(append(r.long[:0], r.line...), '\n') // a last line without its end
		r.line = r.long
		return nil
	}
	return err
}
