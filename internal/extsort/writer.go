package extsort

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"watershed/internal/disk"
)

const (
	tableMagic   = "\x89WSTAB\r\n"
	tableVersion = 1
	headerBytes  = 32
	frameBytes   = 16
	footerBytes  = 40
	kindBytes    = 8
	// blockBytes is when a block is closed: long enough that reading one costs little beside
	// finding it, short enough that a lookup decodes a few thousand records.
	blockBytes = 32 << 10
)

// Writer writes a table. Records must come in order (equal ones are allowed). Not safe for
// concurrent use. The caller ends it with Commit, Temporary or Abort; Abort after one of the others
// does nothing, so that it can be deferred.
type Writer[T Record] struct {
	dir     *Dir
	name    string
	kind    string
	f       disk.File
	w       *bufio.Writer
	offset  int64
	block   []byte
	count   uint32
	records uint64
	prev    T // predecessor inside the block; zero at its start
	last    T // predecessor over all
	index   []byte
	blocks  uint64
	err     error
}

// NewWriter begins a table of that name. The kind, at most 8 bytes of ASCII, is the kind for which
// a reader will ask.
func NewWriter[T Record](d *Dir, name, kind string) (*Writer[T], error) {
	if len(kind) > kindBytes {
		return nil, fmt.Errorf("extsort: kind %q is longer than %d bytes", kind, kindBytes)
	}
	if d == nil {
		return nil, errors.New("extsort: more records than memory holds, and no folder for them")
	}
	f, err := d.create()
	if err != nil {
		return nil, err
	}
	w := &Writer[T]{dir: d, name: name, kind: kind, f: f, w: bufio.NewWriterSize(f, 1<<18)}
	w.write(header[T](kind))
	return w, nil
}

// header is the first bytes of a table of that kind.
func header[T Record](kind string) []byte {
	h := make([]byte, headerBytes)
	copy(h, tableMagic)
	h[8], h[9] = tableVersion, byte(words[T]())
	copy(h[16:24], kind)
	binary.LittleEndian.PutUint64(h[24:], xxh3.Hash(h[:24]))
	return h
}

// Write appends a record.
func (w *Writer[T]) Write(r T) error {
	if w.err != nil {
		return w.err
	}
	if w.records > 0 && less(&r, &w.last) {
		w.err = fmt.Errorf("write %s: %w", w.name, errOrder)
		return w.err
	}
	if w.count == 0 {
		for i := range len(r) {
			w.index = binary.LittleEndian.AppendUint64(w.index, r[i])
		}
	}
	w.block = appendRecord(w.block, &w.prev, &r)
	w.prev, w.last = r, r
	w.count++
	w.records++
	if len(w.block) >= blockBytes {
		w.flush()
	}
	return w.err
}

// flush ends the block.
func (w *Writer[T]) flush() {
	if w.count == 0 {
		return
	}
	w.index = binary.LittleEndian.AppendUint64(w.index, uint64(w.offset))
	w.blocks++
	w.write(frame(w.block, w.count))
	w.write(w.block)
	var zero T
	w.block, w.count, w.prev = w.block[:0], 0, zero
}

// frame is the head of a block: its length, its number of records, its checksum.
func frame(block []byte, count uint32) []byte {
	b := make([]byte, 0, frameBytes)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(block)))
	b = binary.LittleEndian.AppendUint32(b, count)
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(block))
}

func (w *Writer[T]) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.offset += int64(n)
	if err != nil {
		w.err = fmt.Errorf("write %s: %w", w.name, err)
	}
}

// end writes the parts behind the blocks: an empty frame, the index, the footer.
func (w *Writer[T]) end() error {
	w.flush()
	w.write(make([]byte, frameBytes))
	foot := make([]byte, 0, footerBytes)
	foot = binary.LittleEndian.AppendUint64(foot, uint64(w.offset))
	w.write(w.index)
	foot = binary.LittleEndian.AppendUint64(foot, w.blocks)
	foot = binary.LittleEndian.AppendUint64(foot, w.records)
	foot = binary.LittleEndian.AppendUint64(foot, xxh3.Hash(w.index))
	foot = binary.LittleEndian.AppendUint64(foot, xxh3.Hash(foot))
	w.write(foot)
	if w.err != nil {
		return w.err
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", w.name, err)
	}
	return nil
}

// Commit makes the table durable under its name, replacing one that had it.
func (w *Writer[T]) Commit() error {
	if w.f == nil {
		return errClosed
	}
	if err := w.end(); err != nil {
		return errors.Join(err, w.Abort())
	}
	f := w.f
	w.f, w.err = nil, errClosed
	return w.dir.finish(f, w.name)
}

// Temporary ends the table without giving it a name: it is gone when it is closed.
func (w *Writer[T]) Temporary() (*Table[T], error) {
	if w.f == nil {
		return nil, errClosed
	}
	if err := w.end(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	t := &Table[T]{name: w.name, f: w.f, owner: w.dir}
	if err := t.open(w.kind); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	w.f, w.err = nil, errClosed
	return t, nil
}

// Abort removes the unfinished file.
func (w *Writer[T]) Abort() error {
	if w.f == nil {
		return nil
	}
	f := w.f
	w.f, w.err = nil, errClosed
	return errors.Join(f.Close(), w.dir.discard(f))
}
