package extsort

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/internal/disk"
)

// Table is a finished file of records in order. Any number of goroutines may read it at once, each
// with its own Cursor. In memory it holds one record and an offset for each block of 32 KiB.
type Table[T Record] struct {
	name   string
	f      disk.File
	first  []T     // first record of each block
	offset []int64 // where each block's frame begins
	end    int64   // where the empty frame behind the last block begins
	owner  *Dir    // of a temporary table; nil: the file stays
}

// OpenTable opens the finished table of that name. ErrForeign says that it is no table of that kind
// and record length, another that it is damaged. The caller closes it.
func OpenTable[T Record](d *Dir, name, kind string) (*Table[T], error) {
	f, err := os.Open(filepath.Join(d.path, name))
	if err != nil {
		return nil, fmt.Errorf("open table: %w", err)
	}
	t := &Table[T]{name: name, f: f}
	if err := t.open(kind); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

// open reads the header, the footer and the index.
func (t *Table[T]) open(kind string) error {
	size, err := t.f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("open table %s: %w", t.name, err)
	}
	if err := t.checkHeader(kind, size); err != nil {
		return err
	}
	foot := make([]byte, footerBytes)
	if size < headerBytes+frameBytes+footerBytes {
		return t.corrupt(size, "the file ends in its header")
	}
	if _, err := t.f.ReadAt(foot, size-footerBytes); err != nil {
		return fmt.Errorf("open table %s: %w", t.name, err)
	}
	if binary.LittleEndian.Uint64(foot[32:]) != xxh3.Hash(foot[:32]) {
		return t.corrupt(size-footerBytes, "the footer's checksum differs: cut short or overwritten")
	}
	at, blocks := int64(binary.LittleEndian.Uint64(foot)), binary.LittleEndian.Uint64(foot[8:])
	entry := 8 * (words[T]() + 1)
	if at < headerBytes+frameBytes || at > size-footerBytes ||
		uint64(size-footerBytes-at) != blocks*uint64(entry) {
		return t.corrupt(size-footerBytes, "the footer does not fit the file")
	}
	t.end = at - frameBytes
	index := make([]byte, size-footerBytes-at)
	if _, err := t.f.ReadAt(index, at); err != nil {
		return fmt.Errorf("read index of table %s: %w", t.name, err)
	}
	if xxh3.Hash(index) != binary.LittleEndian.Uint64(foot[24:]) {
		return t.corrupt(at, "the index's checksum differs")
	}
	t.first, t.offset = make([]T, blocks), make([]int64, blocks)
	for b := range t.first {
		e := index[b*entry:]
		for i := range len(t.first[b]) {
			t.first[b][i] = binary.LittleEndian.Uint64(e[8*i:])
		}
		t.offset[b] = int64(binary.LittleEndian.Uint64(e[entry-8:]))
	}
	return nil
}

// checkHeader tells the kind of the file, if it is another one.
func (t *Table[T]) checkHeader(kind string, size int64) error {
	h := make([]byte, min(size, headerBytes))
	if _, err := io.ReadFull(io.NewSectionReader(t.f, 0, size), h); err != nil {
		return fmt.Errorf("open table %s: %w", t.name, err)
	}
	switch want := header[T](kind); {
	case len(h) < len(tableMagic) || string(h[:8]) != tableMagic:
		return fmt.Errorf("%s: no table at all: %w", t.name, ErrForeign)
	case len(h) < headerBytes || binary.LittleEndian.Uint64(h[24:]) != xxh3.Hash(h[:24]):
		return t.corrupt(0, "the header's checksum differs")
	case h[8] != want[8]:
		return fmt.Errorf("%s: version %d of the format, this program reads %d: %w", t.name, h[8],
			want[8], ErrForeign)
	case string(h[16:24]) != string(want[16:24]):
		return fmt.Errorf("%s: a table of %q, not of %q: %w", t.name, strings.TrimRight(string(h[16:24]),
			"\x00"), kind, ErrForeign)
	case h[9] != want[9]:
		return fmt.Errorf("%s: records of %d words, not %d: %w", t.name, h[9], want[9], ErrForeign)
	}
	return nil
}

// corrupt tells where a table is damaged: a checksum differs, or the file ends too early.
func (t *Table[T]) corrupt(at int64, what string) error {
	return fmt.Errorf("table %s is damaged at byte %d: %s", t.name, at, what)
}

// bytes is the length of the records on disk.
func (t *Table[T]) bytes() int64 { return t.end }

// Close closes the file, and removes it if it is temporary; a second call does nothing.
func (t *Table[T]) Close() error {
	if t.f == nil {
		return nil
	}
	f := t.f
	t.f = nil
	err := f.Close()
	if t.owner != nil {
		err = errors.Join(err, t.owner.discard(f))
	}
	return err
}

// From is a cursor before the first record that is not less than the key. Cost: one block read and
// decoded.
func (t *Table[T]) From(key T) *Cursor[T] {
	b := sort.Search(len(t.first), func(i int) bool { return !less(&t.first[i], &key) })
	s := source[T]{table: t, block: max(0, b-1)}
	for s.refill() {
		s.pos = sort.Search(len(s.recs), func(i int) bool { return !less(&s.recs[i], &key) })
		if s.pos < len(s.recs) {
			break
		}
	}
	c := &Cursor[T]{key: words[T]()}
	c.err = c.tree.reset([]source[T]{s})
	return c
}

var (
	// ErrForeign says that a file is not a table, or one of another kind, record length or version.
	ErrForeign = errors.New("not a table of this kind")
	// errOrder says that a Writer was given a record before its predecessor.
	errOrder = errors.New("records out of order")
	// errClosed says that a Sorter or Writer was used after its end.
	errClosed = errors.New("already closed")
)
