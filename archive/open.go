package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"

	"watershed/page"
)

func isCorrupt(err error) bool {
	var corrupt flate.CorruptInputError
	var internal flate.InternalError
	return errors.As(err, &corrupt) || errors.As(err, &internal)
}

// Open reads the record at a location in a file of the folder, closed or still being written. The
// record has to be closed.
func Open(dir string, loc page.Location) (*Record, error) {
	path, err := find(dir, loc.File)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, _ := readers.Get().(*Reader)
	rec, err := r.openAt(f, loc)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	lent := r.block
	rec.closer = closer(func() error {
		lent.d = nil // the reader may be reading another record
		if p := r.packed; p == nil || p.gzip != nil && p.zstd == nil && p.dictionary == nil {
			readers.Put(r)
		}
		return f.Close()
	})
	return rec, nil
}

// readers lends Open its readers, whose buffers are larger than most records; none has the dictionary of
// a file.
var readers = sync.Pool{New: func() any { return emptyReader(rawBuffer) }}

// OpenAt reads the record at a location of a file that the caller has open.
func OpenAt(f io.ReaderAt, loc page.Location) (*Record, error) {
	return emptyReader(min(max(0, loc.Length), rawBuffer)).openAt(f, loc)
}

// openAt reads the record at a location with a reader that has read something else, or nothing.
func (d *Reader) openAt(f io.ReaderAt, loc page.Location) (*Record, error) {
	if err := d.seek(f, loc); err != nil {
		return nil, err
	}
	rec, err := d.Next()
	if errors.Is(err, io.EOF) {
		err = &FormatError{
			File: loc.File, Offset: loc.Offset, Err: errTruncated,
			Detail: "the file ends before",
		}
	}
	return rec, err
}

// Sound reads what is at a location of a file in the folder through, and tells what is wrong with it, by
// the sums of its compression, or by the digests of its blocks where it is not compressed.
func Sound(dir string, loc page.Location) error {
	path, err := find(dir, loc.File)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	r := emptyReader(rawBuffer)
	err = r.seek(f, loc)
	for n := 0; err == nil; n++ {
		var rec *Record
		if rec, err = r.Next(); err == nil {
			err = sumUp(rec, r.zipped)
		} else if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
	}
	return err
}

// sumUp reads the block of a record to its end, and compares it with its digest where it was not summed
// by its compression.
func sumUp(rec *Record, summed bool) error {
	want, known := parseDigest(rec.Header.Get(fieldBlockDigest))
	if summed || !known {
		return copyPooled(io.Discard, rec.Block)
	}
	sum := want.newHash()
	if err := copyPooled(sum, rec.Block); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want.sum) {
		return fmt.Errorf("%s at %d: %s is not that of the bytes", rec.File, rec.Offset, fieldBlockDigest)
	}
	return nil
}

// seek goes to a location, perhaps of another file.
func (d *Reader) seek(f io.ReaderAt, loc page.Location) error {
	if err := placed(loc); err != nil {
		return err
	}
	d.file, d.arc = loc.File, false
	if d.packed != nil {
		d.packed.unpacked = 0
	}
	err := d.begin(io.NewSectionReader(f, loc.Offset, loc.Length), loc.Offset)
	if err == nil && d.zipped && d.packed.packing == byZstd && loc.Offset > 0 {
		err = d.packed.skip(bufio.NewReader(io.NewSectionReader(f, 0, loc.Offset))) // to the dictionary
	}
	return err
}

// placed refuses a location that cannot lie in any file; a foreign index may have such.
func placed(loc page.Location) error {
	if loc.Offset < 0 || loc.Length < 0 || loc.Offset > math.MaxInt64-loc.Length {
		return &FormatError{
			File: loc.File, Offset: loc.Offset, Err: errTruncated,
			Detail: fmt.Sprintf("%d bytes from there are in no file", loc.Length),
		}
	}
	return nil
}

// Intact reads a WARC file through and calls yield with the place of the main record of each
// capture that is whole: each of its records is there from its first byte to its last, by the sum
// that the file's register has of it, else by unzipping it. Damage is passed over.
func Intact(path string, yield func(page.Location)) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	p := newParts(f, strings.TrimSuffix(filepath.Base(path), suffixOpen), false)
	return p.each(func(b bundle) error {
		if b.whole() {
			yield(b.main().loc)
		}
		return nil
	}, func(error) {})
}
