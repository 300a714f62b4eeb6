package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/zeebo/xxh3"
)

// spool keeps the bytes written to it, in memory up to a limit and in a temporary file beyond. The
// file has no name, so that a kill leaves nothing behind. The zero spool keeps all in memory.
type spool struct {
	limit int64
	dir   string
	mem   *bytes.Buffer
	file  *os.File
	size  int64
	sum   *xxh3.Hasher // of what is written, nil for none
}

var spoolPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func newSpool(limit int64, dir string) *spool {
	return &spool{limit: limit, dir: dir, mem: spoolPool.Get().(*bytes.Buffer)}
}

// Write keeps p.
func (s *spool) Write(p []byte) (int, error) {
	if s.sum != nil {
		_, _ = s.sum.Write(p) // never fails
	}
	if s.file == nil && s.size+int64(len(p)) > s.limit {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.size += int64(len(p))
		return s.mem.Write(p)
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	if err != nil {
		err = fmt.Errorf("write temporary file: %w", withSpace(err))
	}
	return n, err
}

func (s *spool) spill() error {
	f, err := os.CreateTemp(s.dir, ".batch-*")
	if err != nil {
		return fmt.Errorf("make temporary file: %w", withSpace(err))
	}
	if err = os.Remove(f.Name()); err == nil {
		_, err = f.Write(s.mem.Bytes())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("begin temporary file: %w", withSpace(err)), f.Close())
	}
	s.file = f
	return nil
}

// WriteTo writes all that was kept.
func (s *spool) WriteTo(w io.Writer) (int64, error) {
	if s.file == nil {
		n, err := w.Write(s.mem.Bytes())
		return int64(n), err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	return io.Copy(w, s.file)
}

// maxPooled bounds the buffers that are kept for later batches, in bytes.
const maxPooled = 8 << 20

// Close frees the spool; it must not be used again.
func (s *spool) Close() error {
	if s.mem.Cap() <= maxPooled {
		s.mem.Reset()
		spoolPool.Put(s.mem)
	}
	s.mem = nil
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}
