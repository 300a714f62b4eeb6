package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"watershed/internal/coding"
	"watershed/page"
)

// Message is the HTTP message in a record's block.
type Message struct {
	Start  string // status line or request line
	Status int    // of a response, 0 where the status line has none
	Header Header
	Head   int64     // bytes up to and with the empty line
	Body   io.Reader // as it went over the wire: transfer coding and content coding kept

	truncated bool
	chunks    bool // the body has chunked transfer coding
	payload   *dechunker
}

// HTTP reads the head of the HTTP message in the block. The error says that the block is no HTTP
// message.
func (r *Record) HTTP() (*Message, error) {
	if !r.isHTTP() {
		return nil, fmt.Errorf("%s@%d: block is %s, not an HTTP message", r.File, r.Offset,
			r.Header.Get(fieldContentType))
	}
	m, err := readMessage(r.Block)
	if err != nil {
		var format *FormatError
		if errors.As(err, &format) {
			return nil, err
		}
		return nil, &FormatError{
			File: r.File, Offset: r.Offset, Err: errHeader,
			Detail: "HTTP head: " + err.Error(),
		}
	}
	m.truncated = r.Truncated() != page.Whole
	if r.under != nil {
		m.Start, m.Status, m.Header = r.under.Start, r.under.Status, r.under.Header
	}
	return m, nil
}

// Under has HTTP give the body under another head: that of a revisit, whose answer has what came with
// it, such as status and address of a redirect, and of this record the body alone. nil changes nothing.
func (r *Record) Under(head *Message) { r.under = head }

// readMessage reads an HTTP/1 head from r; the message's Body goes on reading from there. Markup
// without a head is an answer of HTTP/0.9, which is its body and stands for success (RFC 1945, 6).
// ICY is the protocol of early servers of streams, in place of HTTP/1.0.
func readMessage(r io.Reader) (*Message, error) {
	br := bufio.NewReaderSize(r, 4096)
	if first, _ := br.Peek(1); string(first) == "<" { // the error comes again
		return &Message{Status: http.StatusOK, Body: br}, nil
	}
	t := headerText{r: br}
	start, err := t.line()
	if err != nil {
		return nil, err
	}
	m := &Message{Start: start}
	proto, rest, _ := strings.Cut(start, " ")
	if strings.HasPrefix(proto, "HTTP") || proto == "ICY" { // a version that is none is told by Check
		code, _, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(code); err == nil && len(code) == 3 && n >= 100 {
			m.Status = n
		}
	}
	m.Header, err = t.fields()
	if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && (len(m.Header) > 0 || m.Status > 0)) {
		return nil, err
	}
	m.Head, m.Body, m.chunks = t.bytes, t.r, chunked(m.Header.All("Transfer-Encoding"))
	return m, nil
}

// MIME is the media type of the Content-Type, without parameters, as it stands.
func (m *Message) MIME() string { return mediaType(m.Header.Get("Content-Type")) }

// mediaType is a media type without its parameters.
func mediaType(text string) string {
	if i := strings.IndexAny(text, "; \t"); i >= 0 {
		return text[:i]
	}
	return text
}

// Chunked reports chunked transfer coding of the body.
func (m *Message) Chunked() bool { return m.chunks }

// FramedAs reports a body that is in chunks where that of the exchange is, and in none where it is not.
func (m *Message) FramedAs(x *page.Exchange) bool {
	return m.chunks == chunked(x.Header.Values("Transfer-Encoding"))
}

// Payload reads the body without its transfer coding. Where the framing is wrong the payload ends
// there, and FramingError tells why; a body that says chunked and is not (as pywb and others leave
// it) is its own payload. It reads Body.
func (m *Message) Payload() io.Reader {
	if !m.Chunked() {
		return m.Body
	}
	br, ok := m.Body.(*bufio.Reader)
	if !ok {
		br = bufio.NewReader(m.Body)
	}
	d := newDechunker(br)
	if !d.plausible() && !m.truncated {
		return br
	}
	m.payload = d
	return d
}

// FramingError tells, after the payload was read, what was wrong with its chunks; nil when nothing
// was.
func (m *Message) FramingError() error {
	if m.payload == nil {
		return nil
	}
	return m.payload.err
}

// Decoded reads the payload without its content coding, at most limit bytes of it.
func (m *Message) Decoded(limit int64) page.Body {
	return Decode(m.Payload(), m.Header.All("Content-Encoding"), limit)
}

var decoders = sync.Pool{New: func() any { return new(coding.Decoder) }}

// Decode undoes the content codings (RFC 9110, 8.4.1; the values of Content-Encoding in their
// order): gzip, deflate with or without its zlib frame, br, zstd. It holds at most limit bytes of
// the decoded body; Body.Cut tells that there was more. A coding that is not known or broken leaves
// what was decoded before, and a body that is not coded as it claims is left as it is (other
// crawlers store bodies decoded and keep the field), with Body.Err. An error of the payload's
// reader is in Body.Err too.
func Decode(payload io.Reader, codings []string, limit int64) page.Body {
	d := decoders.Get().(*coding.Decoder)
	defer decoders.Put(d)
	body, err := d.Decode(payload, coding.List(codings...), int(limit))
	body.Err = errors.Join(body.Err, err)
	return body
}
