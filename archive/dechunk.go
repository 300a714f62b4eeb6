package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"watershed/internal/coding"
)

// dechunker reads the data of a body in chunked transfer coding (RFC 9112, section 7.1). It is
// tolerant: chunk extensions and trailers are passed over, lines may end in a bare LF, and where
// the framing is wrong or the stream ends early, what came before stays and Read says io.EOF; err
// tells the difference.
type dechunker struct {
	r    *bufio.Reader
	left int64 // of the current chunk
	open bool  // a chunk was begun whose closing line end was not read
	done bool
	err  error // nil when the last chunk was met
	// err is an end within the data of a chunk, or before a chunk. Readers agree on the payload then, and
	// on no other that has an error.
	agreed bool
}

var (
	errChunkSize = errors.New("bad chunk size")
	errChunkCut  = errors.New("body ends within the chunks")
	errChunkEnd  = errors.New("chunk is not closed by a line end")
)

// framing reports an error of the body's own, not of reading it.
func framing(err error) bool {
	return errors.Is(err, errChunkSize) || errors.Is(err, errChunkCut) || errors.Is(err, errChunkEnd)
}

func newDechunker(r *bufio.Reader) *dechunker { return &dechunker{r: r} }

// plausible reports whether the stream begins with a chunk-size line, or ends before one could be
// told.
func (d *dechunker) plausible() bool {
	head, _ := d.r.Peek(coding.MaxChunkLine) // a short stream gives what there is
	if line, _, whole := bytes.Cut(head, []byte("\n")); whole {
		_, ok := coding.ChunkSize(line)
		return ok
	}
	rest := bytes.TrimLeft(head, " \t0123456789abcdefABCDEF")
	return len(head) < coding.MaxChunkLine && (len(rest) == 0 || rest[0] == ';' || rest[0] == '\r')
}

// Read gives data without framing.
func (d *dechunker) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for d.left == 0 {
		if d.done {
			return 0, io.EOF
		}
		if err := d.next(); err != nil {
			d.done, d.err = true, err
			if framing(err) {
				return 0, io.EOF
			}
			return 0, err
		}
	}
	n, err := d.r.Read(p[:min(int64(len(p)), d.left)])
	d.left -= int64(n)
	if errors.Is(err, io.EOF) {
		d.done, d.left, d.err, d.agreed = true, 0, errChunkCut, true
		err = nil
		if n == 0 {
			err = io.EOF
		}
	}
	return n, err
}

// next reads up to the data of the next chunk; the last chunk sets done.
func (d *dechunker) next() error {
	if d.open {
		line, err := d.line()
		if err != nil {
			return err
		}
		if len(line) != 0 {
			return errChunkEnd
		}
	}
	line, err := d.line()
	if err != nil {
		d.agreed = errors.Is(err, errChunkCut) && len(line) == 0
		return err
	}
	size, ok := coding.ChunkSize(line)
	if !ok {
		return fmt.Errorf("%w %q", errChunkSize, line[:min(len(line), 20)])
	}
	d.left, d.open = size, true
	if size == 0 {
		d.done = true
	}
	return nil
}

func (d *dechunker) line() ([]byte, error) {
	line, err := d.r.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		return line, errChunkCut
	case errors.Is(err, bufio.ErrBufferFull) || len(line) > coding.MaxChunkLine:
		return nil, errChunkSize
	case err != nil:
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// chunked reports whether the last transfer coding named is chunked.
func chunked(codings []string) bool {
	if len(codings) == 0 {
		return false
	}
	last := codings[len(codings)-1]
	if i := strings.LastIndexByte(last, ','); i >= 0 {
		last = last[i+1:]
	}
	return strings.EqualFold(strings.TrimSpace(last), "chunked")
}
