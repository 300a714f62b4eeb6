package evaluate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// eachLine calls f with the columns of each line that is no comment.
func eachLine(path string, f func(columns []string) error) error {
	return readPlain(path, func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
			if text == "" || text[0] == '#' {
				continue
			}
			if err := f(strings.Fields(text)); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		return lines.Err()
	})
}

// readPlain reads a file that may be gzipped.
func readPlain(path string, read func(io.Reader) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReaderSize(f, 64<<10)
	if head, err := in.Peek(2); err == nil && head[0] == 0x1F && head[1] == 0x8B {
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		return read(z)
	}
	return read(in)
}
