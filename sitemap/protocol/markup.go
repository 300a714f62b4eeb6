package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// maxTag bounds the bytes of one tag, maxText those kept of one run of text. Both are far above
// what an entry needs; longer runs of text are read past, a longer tag is cut where it is.
const (
	maxTag  = 64 << 10
	maxText = 32 << 10
)

type tokenKind uint8

const (
	textToken tokenKind = 1 + iota
	startToken
	endToken
)

// markup cuts XML into tags and text without asking that it be well-formed. Comments, processing
// instructions and the document type declaration (with whatever entities it defines) are read past,
// CDATA is text.
type markup struct {
	r      *bufio.Reader
	line   int
	offset int64

	kind   tokenKind
	prefix string // of a start or end tag, in lower case
	name   string // local name, in lower case
	empty  bool   // <name/>
	text   []byte // of a text token, entities decoded; valid until next

	attrs []byte // of a start tag, raw
	buf   []byte
	keep  bool // whether text is wanted; else it is read past
}

// next reads the next tag or, when text is wanted, run of text. The error is io.EOF at the end, or
// what the reader said.
func (m *markup) next() error {
	for {
		c, err := m.peek()
		if err != nil {
			return err
		}
		if c != '<' {
			if err := m.readText(); err != nil || m.keep {
				return err
			}
			continue
		}
		done, err := m.readMarkup()
		if done || err != nil {
			return err
		}
	}
}

func (m *markup) peek() (byte, error) {
	b, err := m.r.Peek(1)
	if len(b) == 0 {
		return 0, err
	}
	return b[0], nil
}

// advance counts bytes that were read.
func (m *markup) advance(b []byte) {
	m.offset += int64(len(b))
	m.line += bytes.Count(b, []byte{'\n'})
}

// until reads up to and with delim. It appends to m.buf until that has limit bytes, reads past the
// rest, and stops after stop bytes in any case.
func (m *markup) until(delim byte, limit, stop int) error {
	for n := 0; n < stop; {
		chunk, err := m.r.ReadSlice(delim)
		m.advance(chunk)
		n += len(chunk)
		if room := limit - len(m.buf); room > 0 {
			m.buf = append(m.buf, chunk[:min(room, len(chunk))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return nil
}

// readText reads up to the next "<".
func (m *markup) readText() error {
	m.buf = m.buf[:0]
	limit := 0
	if m.keep {
		limit = maxText
	}
	const forever = int(^uint(0) >> 1)
	err := m.until('<', limit, forever)
	if err == nil { // "<" itself opens what comes next
		if uerr := m.r.UnreadByte(); uerr != nil {
			return uerr
		}
		m.offset--
		m.buf = bytes.TrimSuffix(m.buf, []byte{'<'})
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	m.kind, m.text = textToken, unescape(m.buf)
	return nil
}

// readMarkup reads what begins with "<"; done is false when it was nothing to report.
func (m *markup) readMarkup() (done bool, err error) {
	head, _ := m.r.Peek(9) // fewer at the end of the file
	switch {
	case bytes.HasPrefix(head, []byte("<!--")):
		return false, m.skip("<!--", "-->")
	case bytes.HasPrefix(head, []byte("<![CDATA[")):
		return m.readCDATA()
	case bytes.HasPrefix(head, []byte("<?")):
		return false, m.skip("<?", ">")
	case bytes.HasPrefix(head, []byte("<!")):
		return false, m.skipDeclaration()
	case len(head) > 1 && (head[1] == '/' || nameStart(head[1])):
		return m.readTag()
	}
	// A "<" that opens nothing is text.
	if _, err := m.r.Discard(1); err != nil {
		return false, err
	}
	m.offset++
	m.kind, m.text = textToken, append(m.buf[:0], '<')
	return m.keep, nil
}

func nameStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == ':' || c >= utf8.RuneSelf
}

// skip reads past what lies between open, which is there, and the first end after it.
func (m *markup) skip(open, end string) error {
	if err := m.discard(len(open)); err != nil {
		return err
	}
	return m.past(end, 0)
}

func (m *markup) discard(n int) error {
	b, err := m.r.Peek(n)
	m.advance(b)
	if err != nil {
		return err
	}
	_, err = m.r.Discard(n)
	return err
}

// past reads up to and with end, and keeps at most limit bytes of it in m.buf.
func (m *markup) past(end string, limit int) error {
	m.buf = m.buf[:0]
	last := end[len(end)-1]
	tail := make([]byte, 0, 8) // the bytes before the last delimiter, to compare with end
	for {
		chunk, err := m.r.ReadSlice(last)
		m.advance(chunk)
		if room := limit - len(m.buf); room > 0 {
			m.buf = append(m.buf, chunk[:min(room, len(chunk))]...)
		}
		tail = append(tail, chunk[max(0, len(chunk)-len(end)):]...)
		tail = tail[max(0, len(tail)-len(end)):]
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return err
		case string(tail) == end:
			return nil
		}
	}
}

func (m *markup) readCDATA() (bool, error) {
	if err := m.discard(len("<![CDATA[")); err != nil {
		return false, err
	}
	limit := 0
	if m.keep {
		limit = maxText
	}
	err := m.past("]]>", limit)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	m.kind, m.text = textToken, bytes.TrimSuffix(m.buf, []byte("]]>"))
	return m.keep, nil
}

// skipDeclaration reads past <!DOCTYPE ...>, also with an internal subset in brackets.
func (m *markup) skipDeclaration() error {
	depth := 0
	for n := 0; n < maxTag; n++ {
		c, err := m.r.ReadByte()
		if err != nil {
			return err
		}
		m.advance([]byte{c})
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '>' && depth <= 0:
			return nil
		}
	}
	return nil
}

// readTag reads a start or end tag. A ">" within the quotes of an attribute does not end it.
func (m *markup) readTag() (bool, error) {
	m.buf = m.buf[:0]
	var quote byte
	for from := 0; len(m.buf) < maxTag; from = len(m.buf) {
		if err := m.until('>', maxTag, maxTag); err != nil {
			return false, err
		}
		if quote = openQuote(m.buf[from:], quote); quote == 0 {
			break
		}
	}
	tag := bytes.TrimSuffix(m.buf[1:], []byte{'>'})
	m.kind = startToken
	if len(tag) > 0 && tag[0] == '/' {
		m.kind, tag = endToken, tag[1:]
	}
	end := bytes.IndexAny(tag, " \t\r\n/")
	if end < 0 {
		end = len(tag)
	}
	name := tag[:end]
	m.attrs = tag[end:]
	m.empty = m.kind == startToken && bytes.HasSuffix(tag, []byte{'/'})
	m.prefix = ""
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		m.prefix, name = word(name[:i]), name[i+1:]
	}
	m.name = word(name)
	return true, nil
}

// openQuote follows the quotes of attribute values through b and gives the one that is open at its
// end, 0 for none.
func openQuote(b []byte, quote byte) byte {
	for i := 0; i < len(b); i++ {
		if quote == 0 {
			j := bytes.IndexAny(b[i:], `"'`)
			if j < 0 {
				return 0
			}
			i += j
			if before := bytes.TrimRight(b[:i], " \t\r\n"); len(before) > 0 && before[len(before)-1] == '=' {
				quote = b[i]
			}
			continue
		}
		j := bytes.IndexByte(b[i:], quote)
		if j < 0 {
			return quote
		}
		i += j
		quote = 0
	}
	return quote
}

// attr is the value of the attribute of a start tag, entities decoded; name is its local name in
// lower case, or with a prefix the whole. It is "" where there is none.
func (m *markup) attr(name string) string {
	b := m.attrs
	for {
		b = bytes.TrimLeft(b, " \t\r\n/")
		i := bytes.IndexByte(b, '=')
		if i < 0 {
			return ""
		}
		key := bytes.TrimSpace(b[:i])
		if j := bytes.LastIndexAny(key, " \t\r\n"); j >= 0 {
			key = key[j+1:] // an attribute without a value stood before
		}
		b = bytes.TrimLeft(b[i+1:], " \t\r\n")
		var val []byte
		if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
			val, b, _ = bytes.Cut(b[1:], b[:1])
		} else {
			end := bytes.IndexAny(b, " \t\r\n")
			if end < 0 {
				end = len(b)
			}
			val, b = b[:end], b[end:]
		}
		if strings.EqualFold(string(key), name) {
			return strings.TrimSpace(string(unescape(val)))
		}
	}
}

// unescape decodes entities: XML's own, numbers, and those of HTML, which feeds use although XML
// does not know them. An unknown one, and a bare "&", stay as they are.
func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	return []byte(html.UnescapeString(string(b)))
}

// word is a name in lower case.
func word(b []byte) string { return strings.ToLower(string(b[:min(len(b), 128)])) }
