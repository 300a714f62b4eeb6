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
)

// FileReader is a Reader of a file, which can go on behind damage; it has to be closed. The
// FileReader that newStreamReader gives has no file to look into, and goes no further than the
// first damage.
type FileReader struct {
	*Reader
	f     io.ReaderAt  // nil for a stream
	close func() error // nil where the caller closes

	window []byte  // reused by Recover
	probe  *Reader // reused by tries
	spent  int64   // work of reading, up to the last damage, and of all probes
	reach  int64   // the furthest place that was read
	lost   int64   // bytes that the last Recover passed over, -1 for all that follows
}

// The cost of looking for places to go on, in bytes read: so many times the bytes of the file up to
// the furthest that was read, and something for a small one. Damage costs once or twice the damaged
// record; a file whose records claim to lie within each other, or that consists of beginnings of
// records, would cost its size for each. Where the work is used up the rest of the file is not
// read.
const (
	recoverShare = 8
	recoverLeast = 1 << 20
	probeCost    = 512      // of each place that is tried, beside its bytes
	probeBytes   = 64 << 10 // of the file, in which the header of a record must end where reading is to go on
)

// OpenFile opens a WARC or ARC file. Records name it by its base name without ".open".
func OpenFile(path string) (*FileReader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for who writes to it
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newFileReader(f, strings.TrimSuffix(filepath.Base(path), suffixOpen))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.close = f.Close
	return r, nil
}

// newFileReader reads a WARC or ARC file that the caller has open, perhaps as a part of another.
func newFileReader(f io.ReaderAt, name string) (*FileReader, error) {
	r, err := newReader(io.NewSectionReader(f, 0, math.MaxInt64), name, 0)
	if err != nil {
		return nil, err
	}
	return &FileReader{Reader: r, f: f}, nil
}

// newStreamReader reads a WARC or ARC file that can be read from its beginning alone, such as one that a
// package has compressed. Recover is false for it.
func newStreamReader(in io.Reader, name string) (*FileReader, error) {
	r, err := NewReader(in, name)
	if err != nil {
		return nil, err
	}
	return &FileReader{Reader: r}, nil
}

// Close closes the file that OpenFile opened.
func (r *FileReader) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// Recover goes on behind a *FormatError: it looks for the next place in the file where a record
// begins and makes Next start there. It is false when there is none, the file is a stream or could
// not be read, or damage lies in so many places that the work is used up. Cost: the bytes passed
// over are read twice; over the whole file no more than recoverShare times its bytes.
func (r *FileReader) Recover() bool {
	var format *FormatError
	if r.lost = -1; r.f == nil || !errors.As(r.err, &format) {
		return false
	}
	r.charge(r.Reader)
	const step = 64 << 10
	if r.window == nil {
		r.window = make([]byte, step+recordMark)
	}
	buf := r.window
	for at := format.Offset + 1; ; at += step {
		n, err := r.f.ReadAt(buf, at)
		if n < recordMark || err != nil && !errors.Is(err, io.EOF) {
			return false
		}
		r.reach = max(r.reach, at+int64(n))
		for i := 0; i+recordMark <= n && i < step; i++ {
			if !r.mark(buf[i:]) || r.arc && !r.zipped && i > 0 && buf[i-1] != '\n' {
				continue
			}
			if r.spent > recoverShare*r.reach+recoverLeast {
				return false
			}
			if r.resume(at + int64(i)) {
				r.lost = at + int64(i) - format.Offset
				return true
			}
		}
	}
}

// Lost adds to an error of Next what the damage has cost, when Recover was called: the bytes between
// the damaged record and the place where reading goes on, or all that follows.
func (r *FileReader) Lost(err error) error {
	if r.lost < 0 {
		return fmt.Errorf("%w; nothing behind it was read", err)
	}
	return fmt.Errorf("%w; %d bytes are lost", err, r.lost)
}

// charge counts the work of a reader that is done.
func (r *FileReader) charge(d *Reader) {
	r.spent += d.position() - d.from + d.heads
	r.reach = max(r.reach, d.position())
}

// recordMark is the number of bytes by which the beginning of a record or member is suspected.
const recordMark = 5

// fresh reports that no record of the file could be read, so that its packing is not known.
func (r *FileReader) fresh() bool {
	return r.rec == nil && r.from == 0 && !r.zipped && !r.arc
}

func (r *FileReader) mark(b []byte) bool {
	switch {
	case r.fresh():
		return packingOf(b) > byGzip || isGzip(b) || bytes.HasPrefix(b, []byte("WARC/"))
	case r.zipped && r.packed.packing == byGzip:
		return isGzip(b)
	case r.zipped:
		return packingOf(b) == r.packed.packing
	}
	return recordBegins(b, r.arc)
}

// recordBegins reports that a record of WARC, or of ARC, may begin with these bytes.
func recordBegins(b []byte, arc bool) bool {
	if !arc {
		return bytes.HasPrefix(b, []byte("WARC/"))
	}
	return bytes.HasPrefix(b, []byte("http")) || bytes.HasPrefix(b, []byte("dns:")) ||
		bytes.HasPrefix(b, []byte("ftp:")) || bytes.HasPrefix(b, []byte(fileDesc[:recordMark]))
}

// isGzip reports the beginning of a gzip member more surely than packingOf.
func isGzip(b []byte) bool { return b[0] == 0x1F && b[1] == 0x8B && b[2] == 8 && b[3] < 0x20 }

// resume reads on from the offset when a whole header can be read there.
func (r *FileReader) resume(at int64) bool {
	return r.tries(at) && r.begin(io.NewSectionReader(r.f, at, math.MaxInt64-at), at) == nil
}

// tries reads a header at the offset.
func (r *FileReader) tries(at int64) bool {
	if r.probe == nil {
		r.probe = &Reader{file: r.file, raw: bufio.NewReaderSize(nil, 4<<10)}
	}
	r.probe.arc = r.arc
	if r.packed != nil && r.packed.dictionary != nil && r.probe.packed == nil {
		r.probe.packed = &unpacker{dictionary: r.packed.dictionary}
	}
	if err := r.probe.begin(io.NewSectionReader(r.f, at, probeBytes), at); err != nil || !r.fresh() &&
		(r.probe.zipped != r.zipped || r.zipped && r.probe.packed.packing != r.packed.packing) {
		return false
	}
	_, err := r.probe.Next()
	r.charge(r.probe)
	r.spent += probeCost
	return err == nil
}
