package archive

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// FileReader is a Reader of a file, which can go on behind damage; it has to be closed.
type FileReader struct {
	*Reader
	f     io.ReaderAt
	close func() error
}

// OpenFile opens a WARC file. Records name it by its base name without ".open".
func OpenFile(path string) (*FileReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewFileReader(f, strings.TrimSuffix(filepath.Base(path), suffixOpen))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.close = f.Close
	return r, nil
}

// NewFileReader reads a WARC file that the caller has open, perhaps as a part of another.
func NewFileReader(f io.ReaderAt, name string) (*FileReader, error) {
	r, err := newReader(io.NewSectionReader(f, 0, math.MaxInt64), name, 0)
	if err != nil {
		return nil, err
	}
	return &FileReader{r, f, nil}, nil
}

// Close closes the file that OpenFile opened.
func (r *FileReader) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// Recover goes on behind a *FormatError: it looks for the next place in the file where a record begins and makes Next
// start there. It is false when there is none, or the file could not be read. Cost: the bytes passed over are read twice.
func (r *FileReader) Recover() bool {
	var format *FormatError
	if !errors.As(r.err, &format) {
		return false
	}
	const step = 64 << 10
	buf := make([]byte, step+recordMark)
	for at := format.Offset + 1; ; at += step {
		n, err := r.f.ReadAt(buf, at)
		if n < recordMark || err != nil && !errors.Is(err, io.EOF) {
			return false
		}
		for i := 0; i+recordMark <= n && i < step; i++ {
			if r.mark(buf[i:]) && r.resume(at+int64(i)) {
				return true
			}
		}
	}
}

// recordMark is the number of bytes by which the beginning of a record or member is suspected.
const recordMark = 5

func (r *FileReader) mark(b []byte) bool {
	if r.zipped {
		return b[0] == 0x1F && b[1] == 0x8B && b[2] == 8 && b[3] < 0x20
	}
	return bytes.HasPrefix(b, []byte("WARC/"))
}

// resume reads on from the offset when a whole header can be read there.
func (r *FileReader) resume(at int64) bool {
	open := func() (*Reader, error) {
		return newReader(io.NewSectionReader(r.f, at, math.MaxInt64-at), r.file, at)
	}
	if probe, err := open(); err != nil || probe.zipped != r.zipped {
		return false
	} else if _, err := probe.Next(); err != nil {
		return false
	}
	d, err := open()
	if err != nil {
		return false
	}
	r.Reader = d
	return true
}
