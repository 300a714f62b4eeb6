package catalog

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"

	"watershed/internal/disk"
	"watershed/internal/extsort"
	"watershed/page"
)

// The file of a sweep begins with a line that tells its kind and version.
const (
	pagesMagic = "watershed-pages 1\n"
	indexKind  = "pages"
	maxRecord  = 64 << 20 // bytes; a record is a few KiB
	bufferSize = 64 << 10
)

// place is ⟨page, offset in the sweep's file⟩.
type place [2]uint64

// sweep is the documents of one sweep on disk. Its methods may be called from several goroutines.
type sweep struct {
	SweepInfo
	file  *os.File
	index *extsort.Table[place]
	stale map[uint64]bool // Replaced
}

func pagesName(number uint32) string { return fmt.Sprintf("pages-%04d.dat", number) }
func indexName(number uint32) string { return fmt.Sprintf("pages-%04d.table", number) }

// openSweep opens the files of a sweep.
func openSweep(path string, dir *extsort.Dir, info SweepInfo) (s *sweep, err error) {
	s = &sweep{SweepInfo: info, stale: make(map[uint64]bool, len(info.Replaced))}
	for _, offset := range info.Replaced {
		s.stale[offset] = true
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.file, err = os.Open(filepath.Join(path, pagesName(info.Number))); err != nil {
		return s, err
	}
	head := make([]byte, len(pagesMagic))
	if _, err := io.ReadFull(s.file, head); err != nil || string(head) != pagesMagic {
		return s, damage(info.Number, 0,
			errors.New("it is not the file of a sweep, or one of another version"))
	}
	s.index, err = extsort.OpenTable[place](dir, indexName(info.Number), indexKind)
	return s, err
}

func (s *sweep) close() error {
	var errs []error
	if s.index != nil {
		errs = append(errs, s.index.Close())
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	s.index, s.file = nil, nil
	return errors.Join(errs...)
}

// offset finds where the document of a page lies.
func (s *sweep) offset(k page.Key) (offset int64, found bool, err error) {
	c := s.index.From(place{uint64(k), 0})
	if c.Next() && c.Record()[0] == uint64(k) {
		offset, found = int64(c.Record()[1]), true
	}
	return offset, found, errors.Join(c.Err(), c.Close())
}

func (s *sweep) read(offset int64, d *Document) error {
	_, err := readRecord(bufio.NewReaderSize(io.NewSectionReader(s.file, offset, 1<<62), 4<<10), d)
	if err != nil {
		return damage(s.Number, offset, err)
	}
	return nil
}

// readRecord reads a record and gives its length.
func readRecord(r *bufio.Reader, d *Document) (int64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, err
	}
	if n > maxRecord {
		return 0, fmt.Errorf("a record of %d bytes", n)
	}
	body := make([]byte, n+4)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	if uint32(xxh3.Hash(body[:n])) != binary.LittleEndian.Uint32(body[n:]) {
		return 0, errors.New("checksum differs")
	}
	var length [binary.MaxVarintLen64]byte
	return int64(binary.PutUvarint(length[:], n)) + int64(len(body)), d.decode(body[:n])
}

// all gives the documents of the sweep in the order of the file, without those that were replaced.
// A document is valid until the next.
func (s *sweep) all(ctx context.Context) iter.Seq2[located, error] {
	return func(yield func(located, error) bool) {
		offset := int64(len(pagesMagic))
		r := bufio.NewReaderSize(io.NewSectionReader(s.file, offset, 1<<62), bufferSize)
		var d Document
		for {
			if err := ctx.Err(); err != nil {
				yield(located{}, err)
				return
			}
			n, err := readRecord(r, &d)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(located{}, damage(s.Number, offset, err))
				return
			}
			at := offset
			offset += n
			if s.stale[uint64(at)] {
				continue
			}
			if !yield(located{&d, s, at}, nil) {
				return
			}
		}
	}
}

// located is a document and where it lies.
type located struct {
	*Document
	sweep  *sweep
	offset int64
}

// sweepWriter writes the files of a sweep under temporary names.
type sweepWriter struct {
	disk   disk.FS
	path   string
	dir    *extsort.Dir
	number uint32
	file   disk.File
	out    *bufio.Writer
	places *extsort.Sorter[place]
	offset uint64
	buf    []byte
}

func newSweepWriter(on disk.FS, path string, dir *extsort.Dir, number uint32, memory int) (w *sweepWriter,
	err error,
) {
	w = &sweepWriter{disk: on, path: path, dir: dir, number: number}
	if w.file, err = w.disk.OpenFile(w.temporary(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644); err != nil {
		return nil, err
	}
	w.out = bufio.NewWriterSize(w.file, bufferSize)
	if _, err = w.out.WriteString(pagesMagic); err == nil {
		w.offset = uint64(len(pagesMagic))
		w.places, err = extsort.NewSorter(dir, extsort.Options[place]{MemoryBytes: memory})
	}
	if err != nil {
		return nil, errors.Join(err, w.abort())
	}
	return w, nil
}

func (w *sweepWriter) temporary() string {
	return filepath.Join(w.path, pagesName(w.number)+".tmp")
}

func (w *sweepWriter) add(d *Document) error {
	w.buf = d.append(w.buf[:0])
	if err := w.places.Add(place{uint64(d.URL.Key()), w.offset}); err != nil {
		return err
	}
	w.offset += uint64(len(w.buf))
	_, err := w.out.Write(w.buf)
	return err
}

// commit writes the index and gives the files their names. Of two documents of one page the later
// one stays; it tells where those are that do not.
func (w *sweepWriter) commit(ctx context.Context) (replaced []uint64, err error) {
	if err := errors.Join(w.out.Flush(), w.file.Sync()); err != nil {
		return nil, err
	}
	c, err := w.places.Sort(ctx)
	if err != nil {
		return nil, err
	}
	index, err := extsort.NewWriter[place](w.dir, indexName(w.number), indexKind)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	defer func() { err = errors.Join(err, index.Abort()) }()
	var last *place
	put := func(next *place) error {
		switch before := last; {
		case before == nil:
		case next != nil && next[0] == before[0]:
			replaced = append(replaced, before[1])
		default:
			last = next
			return index.Write(*before)
		}
		last = next
		return nil
	}
	if err := c.Each(ctx, func(p place) error { return put(&p) }); err != nil {
		return nil, err
	}
	if err := errors.Join(put(nil), index.Commit()); err != nil {
		return nil, err
	}
	return replaced, w.disk.Rename(w.temporary(), filepath.Join(w.path, pagesName(w.number)))
}

// abort removes the files that commit did not name; after commit it only closes.
func (w *sweepWriter) abort() error {
	var errs []error
	if w.places != nil {
		errs = append(errs, w.places.Close())
	}
	errs = append(errs, w.file.Close())
	if err := w.disk.Remove(w.temporary()); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
