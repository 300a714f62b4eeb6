package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// spool keeps the bytes of a response: in memory at first, in a file once they are more than above.
// It belongs to one exchange.
type spool struct {
	dir   string
	above int
	mem   []byte
	file  *os.File
	out   *bufio.Writer // to file
	name  string        // of a file that could not be unlinked while open
	sum   sum
	size  int64
}

// sum is a checksum of what is recorded of an answer (CRC-32C).
type sum uint32

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// expect prepares for n bytes more, where that is known.
func (s *spool) expect(n int64) {
	if s.file == nil && n > 0 && int64(len(s.mem))+n <= int64(s.above) {
		grown := make([]byte, len(s.mem), int64(len(s.mem))+n)
		copy(grown, s.mem)
		s.mem = grown
	}
}

func (s *spool) write(p []byte) error {
	s.sum = sum(crc32.Update(uint32(s.sum), castagnoli, p))
	if s.file == nil && len(s.mem)+len(p) <= s.above {
		s.mem = append(s.mem, p...)
		s.size += int64(len(p))
		return nil
	}
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	s.size += int64(len(p))
	_, err := s.out.Write(p)
	return err
}

// open moves the bytes in memory to a file. It has no name where that can be had, so that a kill
// leaves nothing behind.
func (s *spool) open() error {
	f, err := os.CreateTemp(s.dir, "watershed-*.spool")
	if err != nil {
		return fmt.Errorf("open spool: %w", err)
	}
	s.file = f
	if os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	s.out = bufio.NewWriterSize(f, bufferSize)
	mem := s.mem
	s.mem = nil
	_, err = s.out.Write(mem)
	return err
}

// done ends the writing and gives the whole to read. After an error it is as much as there is on
// disk.
func (s *spool) done() (*io.SectionReader, error) {
	if s.file == nil {
		return io.NewSectionReader(bytes.NewReader(s.mem), 0, s.size), nil
	}
	err := s.out.Flush()
	s.out = nil
	if err != nil {
		s.size = 0
		if info, e := s.file.Stat(); e == nil {
			s.size = info.Size()
		}
	}
	return io.NewSectionReader(s.file, 0, s.size), err
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
