package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"watershed/internal/coding"
)

// framing is how the end of a body is told.
type framing uint8

const (
	noBody     framing = iota // by method or status there is none
	byLength                  // Content-Length
	byChunks                  // Transfer-Encoding: chunked
	byClose                   // the server closes the connection
	unreliable                // lengths that contradict each other or make no sense: to the close
)

// framing follows RFC 9112, 6.3. Where that tells a client to give up, we read on to the close and
// say that the framing was wrong; the number is then that of bytes after which no close need follow.
// Transfer codings of an HTTP/1.0 answer are passed over, as in browsers.
func (h *head) framing(method string) (framing, int64) {
	if method == "HEAD" || h.status < 200 || h.status == 204 || h.status == 304 {
		return noBody, 0
	}
	if codings := h.list("Transfer-Encoding"); len(codings) > 0 && !h.old {
		if codings[len(codings)-1] == "chunked" {
			return byChunks, 0
		}
		if len(codings) > 1 || codings[0] != "identity" {
			return byClose, 0
		}
	}
	lengths := h.list("Content-Length")
	if len(lengths) == 0 {
		return byClose, 0
	}
	for _, l := range lengths {
		if l != lengths[0] {
			return unreliable, h.least(lengths)
		}
	}
	// ParseUint takes no sign. A length that int64 cannot hold is beyond all limits, and as good as
	// any other.
	n, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return unreliable, math.MaxInt64
	}
	return byLength, int64(n)
}

// least is the shortest body that one of some lengths tells of, if the connection may stay open after it.
func (h *head) least(lengths []string) int64 {
	least := int64(math.MaxInt64)
	for _, l := range lengths {
		if n, err := strconv.ParseInt(l, 10, 64); err == nil && n > 0 && h.persistent() {
			least = min(least, n)
		}
	}
	return least
}

// body reads the payload of a response from a connection, transfer coding taken off, and hands the
// bytes of the wire to the record: each as it came, but for lines around chunks that other programs do
// not read (see chunkLine) and the trailer.
//
// Read's error is io.EOF at the end; ErrCutShort, ErrBody or errFraming; an ErrTimeout or ErrSpool;
// or the context's. After an error it stays with it.
type body struct {
	br     *bufio.Reader
	rec    *spool // nil for none
	limits *limits
	kind   framing
	left   int64 // byLength: of the body; byChunks: of the chunk
	most   int64 // bytes of the wire that may still be taken
	chunks int   // begun
	spent  int64 // on chunk lines and trailer fields, beyond what their chunks excuse
	err    error
	// unsized takes a length that proved wrong out of the record; nil where what follows it is no page's.
	unsized func()

	repaired bool   // the record has the framing of chunks not as it came
	fields   []byte // lines of the trailer, which the record has not
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := b.next(p)
	b.err = err
	if n > 0 {
		return n, nil // the error comes with the next call
	}
	return n, err
}

func (b *body) next(p []byte) (int, error) {
	switch b.kind {
	case noBody:
		return 0, io.EOF
	case byChunks:
		return b.chunked(p)
	case byLength:
		if b.left > 0 {
			n, err := b.take(p, b.left)
			b.left -= int64(n)
			return n, err
		}
		if b.most == 0 || !b.goesOn() {
			return 0, io.EOF
		}
		b.kind = unreliable
		b.unsized()
	}
	n, err := b.take(p, int64(len(p)))
	if b.left -= int64(n); b.kind == unreliable && b.left <= 0 {
		b.limits.quick = true
	}
	if errors.Is(err, errEnd) {
		err = io.EOF
		if b.kind == unreliable {
			err = &Error{Kind: errFraming, Cause: errors.New("Content-Length")}
		}
	} else if b.kind == unreliable && errors.Is(err, ErrTimeout) {
		err = &Error{Kind: errFraming, Cause: errors.New("Content-Length")}
	}
	return n, err
}

// goesOn reports a page without its end that goes on behind its length: servers tell the length of
// the compressed page with the other one. The bytes behind it are neither the end of chunks, as some
// servers send it behind any body, nor another answer.
func (b *body) goesOn() bool {
	if b.unsized == nil || b.rec.file != nil {
		return false
	}
	wire, _ := b.br.Peek(b.br.Buffered()) // which is there
	wire = bytes.TrimSpace(wire)
	had := bytes.ToLower(b.rec.mem[max(0, len(b.rec.mem)-pageEnd):])
	first, _, _ := bytes.Cut(wire, lineEnd[1:])
	_, err := parseStatus(string(first))
	return len(wire) > excused && err != nil && !bytes.Contains(had, []byte("</html"))
}

// pageEnd is how far from the end of a page its end tag is looked for, in bytes.
const pageEnd = 4 << 10

// errEnd is the peer's orderly end of the connection.
var errEnd = &Error{Kind: ErrCutShort}

// take moves at most n bytes from the wire to p and to the record. There is at least one, or an
// error.
func (b *body) take(p []byte, n int64) (int, error) {
	wire, err := b.wire()
	if err != nil {
		return 0, err
	}
	wire = wire[:min(int64(len(wire)), n, int64(len(p)))]
	copy(p, wire)
	return len(wire), b.record(wire)
}

// wire has the bytes that have come and were not taken yet, within the limit on size; at least one
// byte, or an error.
func (b *body) wire() ([]byte, error) {
	if _, err := b.br.Peek(1); err != nil {
		return nil, cutShort(err)
	}
	wire, err := b.br.Peek(b.br.Buffered())
	if err != nil {
		return nil, err
	}
	if b.most == 0 {
		return nil, &Error{Kind: ErrBody}
	}
	return wire[:min(int64(len(wire)), b.most)], nil
}

// record takes the first bytes off the wire and records them.
func (b *body) record(first []byte) error { return b.recordAs(first, first) }

// recordAs takes the first bytes off the wire and records others in their place.
func (b *body) recordAs(first, as []byte) error {
	if b.rec != nil {
		if err := b.rec.write(as); err != nil {
			return &Error{Kind: ErrSpool, Cause: err}
		}
	}
	b.repaired = b.repaired || !bytes.Equal(first, as)
	b.most -= int64(len(first))
	_, err := b.br.Discard(len(first))
	return err
}

// chunked reads RFC 9112, 7.1: chunks, each after a line with its size, and trailer fields behind
// the last, which is empty. Lenient where servers are: LF for CR LF, blanks around the size.
func (b *body) chunked(p []byte) (int, error) {
	if b.left == 0 {
		if err := b.chunkHead(); err != nil {
			return b.lost(p, err)
		}
		if b.left == 0 {
			return 0, cmp.Or(b.trailer(), io.EOF)
		}
	}
	n, err := b.take(p, b.left)
	b.left -= int64(n)
	return n, err
}

// maxSizeLine is how much of a line warcio reads for the size of a chunk, in bytes.
const maxSizeLine = 64

// lineEnd is that of HTTP.
var lineEnd = []byte("\r\n")

// chunkLine is the line before a chunk as the record has it. warcio, and pywb with it, takes the body
// for one that is not chunked from the first line on that does not end in CR LF or is longer, shows the
// framing as text, and calls the digest of the payload wrong.
func chunkLine(line []byte, size int64) []byte {
	if bytes.HasSuffix(line, lineEnd) && len(line) <= maxSizeLine {
		return line
	}
	return append(strconv.AppendInt(nil, size, 16), lineEnd...)
}

func (b *body) chunkHead() error {
	if b.chunks > 0 {
		line, err := b.line()
		if err != nil {
			return err
		}
		if !blank(line) {
			return framingError("no line end after chunk", line)
		}
		if err := b.recordAs(line, lineEnd); err != nil {
			return err
		}
	}
	line, err := b.line()
	if errors.Is(err, ErrCutShort) && b.chunks == 0 && !b.sized() {
		return framingError("no chunk", nil)
	}
	if err != nil {
		return err
	}
	size, ok := coding.ChunkSize(line)
	if !ok {
		return framingError("size of chunk", line)
	}
	b.left = size
	b.chunks++
	b.spent = max(b.spent-excused-2*min(b.left, b.most), 0)
	return b.frame(line, chunkLine(line, size))
}

const (
	// maxSpent bounds the bytes of framing beyond a fair share: chunks of a byte with long
	// extensions, or trailer fields, could go on without end and without a body.
	maxSpent = 64 << 10
	// excused is how long the line of any chunk may be, in bytes, beside two for each of the chunk;
	// net/http has the same.
	excused = 16
)

var errFrames = errors.New("more framing of chunks than body")

// frame takes a line of the framing off the wire, and records another one in its place.
func (b *body) frame(line, as []byte) error {
	if b.spent += int64(len(line)); b.spent > maxSpent {
		return &Error{Kind: ErrBody, Cause: errFrames}
	}
	return b.recordAs(line, as)
}

// sized reports whether the first line, as far as it has come, could be the size of a chunk.
func (b *body) sized() bool {
	wire, _ := b.br.Peek(b.br.Buffered()) // as much as is there, which cannot fail
	rest := strings.TrimLeft(string(wire), " \t0123456789abcdefABCDEF")
	return rest == "" || strings.IndexByte(";\r", rest[0]) >= 0
}

// line is the next line on the wire, not taken yet; good until the next read.
func (b *body) line() ([]byte, error) {
	for want := 1; ; {
		if _, err := b.br.Peek(want); err != nil {
			return nil, cutShort(err)
		}
		wire, err := b.wire()
		if err != nil {
			return nil, err
		}
		if i := bytes.IndexByte(wire[:min(len(wire), coding.MaxChunkLine)], '\n'); i >= 0 {
			return wire[:i+1], nil
		}
		switch {
		case len(wire) >= coding.MaxChunkLine:
			return nil, framingError("line without end", wire)
		case int64(len(wire)) == b.most:
			return nil, &Error{Kind: ErrBody}
		}
		want = len(wire) + 1
	}
}

// trailer reads the trailer fields and the empty line behind them. A body is whole once its last chunk
// has come (RFC 9112, 8): some servers close the connection there. The record has an empty line and no
// fields: warcio takes the last chunk for text where anything else follows.
func (b *body) trailer() error {
	end, err := b.trailerFields()
	return errors.Join(b.recordAs(end, lineEnd), err)
}

// trailerFields takes the fields of the trailer off the wire. end is the empty line, not taken yet; nil
// where none came.
func (b *body) trailerFields() (end []byte, err error) {
	for {
		line, err := b.line()
		switch {
		case err == errEnd && b.br.Buffered() == 0:
			return nil, nil
		case err != nil:
			rest, _ := b.br.Peek(b.br.Buffered()) // which is there
			b.fields = append(b.fields, rest[:min(int64(len(rest)), b.most)]...)
			return nil, err
		case blank(line):
			return line, nil
		}
		b.fields = append(b.fields, line...)
		if err := b.frame(line, nil); err != nil {
			return nil, err
		}
	}
}

// lost goes on when the framing of chunks proves wrong: the bytes that follow are recorded as they
// are, so that no byte of the server is missing. Without any chunk the body is taken for one that
// was never chunked.
func (b *body) lost(p []byte, cause error) (int, error) {
	if !errors.Is(cause, errFraming) {
		if b.br.Buffered() == 0 || b.most == 0 || errors.Is(cause, errFrames) {
			return 0, cause
		}
		wire, err := b.wire() // the beginning of a line, which came though the line did not
		if err == nil {
			err = b.record(wire)
		}
		if err != nil {
			return 0, err
		}
		return 0, cause
	}
	b.limits.quick = true
	if b.chunks == 0 {
		b.kind = unreliable
		return b.next(p)
	}
	for {
		wire, err := b.wire()
		if err != nil {
			return 0, cause
		}
		if err := b.record(wire); err != nil {
			return 0, err
		}
	}
}

func framingError(what string, line []byte) error {
	return &Error{Kind: errFraming, Cause: fmt.Errorf("%s: %.40q", what, line)}
}

// cutShort makes a failure to read that is not ours the peer's.
func cutShort(err error) error {
	if err == io.EOF {
		return errEnd
	}
	if errors.Is(err, ErrTimeout) || isContext(err) {
		return err
	}
	return &Error{Kind: ErrCutShort, Cause: err}
}
