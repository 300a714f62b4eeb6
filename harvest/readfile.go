package harvest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// mostTable bounds a file of replicas, aliases or decisions, in bytes: a million entries of a
// table, each of which takes a kilobyte of memory while it is read. A file that somebody hands over
// may be of any size, or have no end.
const mostTable = 256 << 20

// ErrTooLarge is the error of a file of replicas, aliases or decisions that is larger than any of
// use.
var ErrTooLarge = errors.New("the file is larger than 256 MiB")

// ReadFile reads a file of replicas, aliases or decisions whole, but for the mark that some editors and
// spreadsheets put before UTF-8. A file larger than 256 MiB gives ErrTooLarge, before more of it is read.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, mostTable+1))
	if err == nil && len(text) > mostTable {
		err = fmt.Errorf("read %s: %w", path, ErrTooLarge)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), errors.Join(err, f.Close())
}
