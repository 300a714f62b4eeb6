// Package coding takes content codings off bodies of HTTP (RFC 9110, 8.4.1): gzip, deflate with or
// without its zlib frame, br, zstd. It serves readers of bodies from the wire, and of bodies in
// archives that others made.
package coding

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"watershed/internal/guard"
	"watershed/page"
)

// maxCodings bounds the content codings on top of each other. Nobody needs two; curl takes five.
const maxCodings = 4

// spread bounds the output of a coding below another one, as a multiple of the limit of the last: a
// stream of empty members could otherwise grow without end between the two.
const spread = 8

// A coded body is shorter than its text, or hardly longer. So the coded body may be longer than
// yielding times its text by excess bytes only, and is not read on beyond that: members without a
// byte of text could follow each other without end.
const (
	excess   = 1 << 20
	yielding = 8
)

// List splits the values of coding fields, in their order, into the codings that change a body:
// empty values, "identity" and "chunked" are left out.
func List(fields ...string) []string {
	var all []string
	for _, v := range fields {
		for w := range strings.SplitSeq(v, ",") {
			all = append(all, strings.ToLower(strings.Trim(w, " \t")))
		}
	}
	return slices.DeleteFunc(all, func(c string) bool { return c == "" || c == "identity" || c == "chunked" })
}

// Decoder takes codings off. It keeps its working memory from one body to the next. The zero value
// is ready; it is not safe for concurrent use.
type Decoder struct {
	peek []*bufio.Reader
	gzip []*gzip.Reader
	br   []*brotli.Reader
}

// ErrWhole says of a body whose coding is not right that nothing of it is missing: it is text
// without a coding that it claims, or there is more behind its end.
var ErrWhole = errors.New("nothing of it is missing")

// Decode reads from r until the decoded body ends or is longer than limit bytes. The names are
// those of List, in the order in which the codings were put on. Bytes that were decoded before an
// error stay. A body that is not coded as it claims to be is left as it is. Body.Err tells what is
// wrong with the coding; the error is that of reading r, nil at its end.
//
// Where a decoder panics the error of the body wraps guard.ErrPanic.
func (d *Decoder) Decode(r io.Reader, names []string, limit int) (body page.Body, err error) {
	if fault := guard.Call(func() { body, err = d.decode(r, names, limit) }); fault != nil {
		*d = Decoder{} // what it held may be half done
		return page.Body{Err: fault}, nil
	}
	return body, err
}

func (d *Decoder) decode(r io.Reader, names []string, limit int) (page.Body, error) {
	if len(names) > maxCodings {
		return page.Body{Err: fmt.Errorf("%d content codings", len(names))}, nil
	}
	src := &source{r: r, left: excess}
	r = src
	var faults []error
	for i := len(names) - 1; i >= 0; i-- {
		if i < len(names)-1 {
			r = AtMost(r, int64(limit)*spread, errors.New("content coding swells without end"))
		}
		next, err := d.stage(len(names)-1-i, names[i], r)
		if err != nil {
			faults = append(faults, err)
		}
		r = next
	}
	out := page.Body{}
	out.Bytes, out.Cut, out.Err = readBound(&earning{r: r, src: src}, limit)
	if src.err != nil && src.err != io.EOF {
		out.Err = nil // the source broke, not the coding
	}
	out.Err = joined(append(faults, out.Err))
	if src.err == io.EOF {
		src.err = nil
	}
	return out, src.err
}

// joined is one error of the faults of several codings. Beside a fault that loses something the
// others are left out, so that the whole is ErrWhole only where each fault is.
func joined(faults []error) error {
	faults = slices.DeleteFunc(faults, func(e error) bool { return e == nil })
	if slices.ContainsFunc(faults, func(e error) bool { return !errors.Is(e, ErrWhole) }) {
		faults = slices.DeleteFunc(faults, func(e error) bool { return errors.Is(e, ErrWhole) })
	}
	return errors.Join(faults...)
}

// stage takes one coding off r. A body that is not coded as it claims to be is left as it is, with
// an error that says so.
func (d *Decoder) stage(n int, name string, r io.Reader) (io.Reader, error) {
	for len(d.peek) <= n {
		d.peek, d.gzip, d.br = append(d.peek, bufio.NewReaderSize(nil, 4<<10)),
			append(d.gzip, new(gzip.Reader)), append(d.br, new(brotli.Reader))
	}
	p := d.peek[n]
	p.Reset(r)
	magic, _ := p.Peek(4) // a short body shows as much as it has
	switch name {
	case "gzip", "x-gzip", "deflate":
		if z := d.unzipped(n, name == "deflate", magic); z != nil {
			return z, nil
		}
	case "br":
		if undone(p, func(r io.Reader) io.ReadCloser { return io.NopCloser(brotli.NewReader(r)) }) {
			break
		}
		return d.br[n], d.br[n].Reset(p)
	case "zstd":
		if !begins(magic, "\x28\xb5\x2f\xfd") {
			break
		}
		return &late{open: func() (io.Reader, error) {
			return zstd.NewReader(p, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20),
				zstd.WithDecoderLowmem(true))
		}}, nil
	default:
		return p, plainly(p, fmt.Errorf("unknown content coding %.40q", name))
	}
	if len(magic) == 0 {
		return p, nil // nothing, coded or not
	}
	return p, plainly(p, fmt.Errorf("body is not %s", name))
}

// unzipped reads what the n-th reader peeks into as gzip, zlib or raw deflate; nil where it is none.
// The coding deflate is zlib by the standard (RFC 9110, 8.4.1.2) and raw by the custom of some
// servers; others name gzip or deflate and send the other.
func (d *Decoder) unzipped(n int, raw bool, magic []byte) io.Reader {
	p := d.peek[n]
	switch {
	case begins(magic, gzipMagic):
		return &members{z: d.gzip[n], p: p}
	case len(magic) >= 2 && magic[0]&0x0f == 8 && (uint(magic[0])<<8|uint(magic[1]))%31 == 0 &&
		!undone(p, unframed):
		return unframed(p)
	case raw && len(magic) > 0 && !undone(p, flate.NewReader):
		return flate.NewReader(p)
	}
	return nil
}

// unframed reads zlib.
func unframed(r io.Reader) io.ReadCloser {
	return io.NopCloser(&late{open: func() (io.Reader, error) { return zlib.NewReader(r) }})
}

// plainly is an error of a coding, and ErrWhole, too, where the body is text.
func plainly(p *bufio.Reader, err error) error {
	if head, _ := p.Peek(p.Size()); isText(head) {
		return fmt.Errorf("%w, it is text: %w", err, ErrWhole)
	}
	return err
}

const gzipMagic = "\x1f\x8b"

// members reads members of gzip, one after another (RFC 1952, 2.2). Bytes behind the last one, such
// as a line end, are passed over as browsers do.
type members struct {
	z    *gzip.Reader
	p    *bufio.Reader
	some bool // there was a member
	open bool // a member is being read
}

func (m *members) Read(b []byte) (int, error) {
	for {
		if !m.open {
			if err := m.next(); err != nil {
				return 0, err
			}
		}
		n, err := m.z.Read(b)
		if err != io.EOF {
			return n, err
		}
		m.open = false
		if n > 0 {
			return n, nil
		}
	}
}

func (m *members) next() error {
	magic, err := m.p.Peek(len(gzipMagic))
	switch {
	case len(magic) == 0 || err != nil && err != io.EOF:
		return err
	case m.some && string(magic) != gzipMagic:
		return fmt.Errorf("more behind gzip: %w", ErrWhole)
	}
	if err := m.z.Reset(m.p); err != nil {
		return err
	}
	m.z.Multistream(false)
	m.open, m.some = true, true
	return nil
}

// undone reports a body without its coding, where no magic number tells: it begins with text, and the
// decoder finds a fault in that. A coded body is no text.
func undone(p *bufio.Reader, open func(io.Reader) io.ReadCloser) bool {
	head, _ := p.Peek(p.Size()) // a short body shows as much as it has
	if !isText(head) {
		return false
	}
	r := open(bytes.NewReader(head))
	defer r.Close() //nolint:errcheck // it reads from memory
	_, err := io.Copy(io.Discard, io.LimitReader(r, 16<<10))
	return err != nil
}

// isText reports bytes of UTF-8 without controls, whose last character may be cut.
func isText(head []byte) bool {
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && size == 1 && len(head)-i >= utf8.UTFMax || r < ' ' &&
			r != '\t' && r != '\n' &&
			r != '\r' && r != '\f' {
			return false
		}
		i += size
	}
	return len(head) > 0
}

// begins reports whether a body that begins so can have the magic number; a cut one may have a part
// of it.
func begins(body []byte, magic string) bool {
	n := min(len(body), len(magic))
	return n > 0 && string(body[:n]) == magic[:n]
}

// late opens a reader whose opening already reads, at its first use.
type late struct {
	open func() (io.Reader, error)
	r    io.Reader
}

func (l *late) Read(p []byte) (int, error) {
	if l.r == nil {
		r, err := l.open()
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	return l.r.Read(p)
}

// source remembers how the wire ended, and gives only as many bytes as the decoded ones earn.
type source struct {
	r    io.Reader
	left int64
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errors.New("content coding yields next to nothing")
	}
	n, err := s.r.Read(p)
	s.left -= int64(n)
	if err != nil {
		s.err = err
	}
	return n, err
}

// earning reads the decoded bytes, for which the source gives more.
type earning struct {
	r   io.Reader
	src *source
}

func (e *earning) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.src.left += yielding * int64(n)
	return n, err
}

// AtMost reads r; where more than so many bytes come, the error is more.
func AtMost(r io.Reader, bytes int64, more error) io.Reader { return &atMost{r, bytes, more} }

type atMost struct {
	r    io.Reader
	left int64
	more error
}

func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if a.left -= int64(n); a.left < 0 {
		return 0, a.more
	}
	return n, err
}

// readBound reads at most limit bytes and reports whether there were more.
func readBound(r io.Reader, limit int) (b []byte, cut bool, err error) {
	for {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), min(max(2*cap(b), 16<<10), limit+1))
			copy(grown, b)
			b = grown
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return b[:limit:limit], true, nil
		case err == io.EOF:
			return b, false, nil
		case err != nil:
			return b, false, err
		}
	}
}

// MaxChunkLine bounds the line before a chunk, with its extensions, and a trailer field, in bytes;
// net/http has the same.
const MaxChunkLine = 4 << 10

// ChunkSize reads the line before a chunk of transfer coding (RFC 9112, 7.1), leniently: blanks
// around the size and extensions behind it are passed over. A size beyond all numbers is the
// greatest; such a chunk never comes whole. ok is false for a line without a size. The wire and
// archives are read by this one rule, so that a payload is the same for both.
func ChunkSize(line []byte) (size int64, ok bool) {
	text, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.Trim(text, " \t\r\n")), 16, 63)
	return int64(n), err == nil || errors.Is(err, strconv.ErrRange)
}

// Unread bounds the bodies of media that are never read for links, in bytes: enough to tell their
// kind.
const Unread = 64 << 10

// Bound is how much of a body is worth decoding, in bytes, by its Content-Type: most, or Unread of
// a picture, a sound, a film or a font.
func Bound(contentType string, most int) int {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	major, _, _ := strings.Cut(kind, "/")
	switch major {
	case "image", "audio", "video", "font":
		if !strings.HasSuffix(kind, "+xml") {
			return min(most, Unread)
		}
	}
	return most
}
