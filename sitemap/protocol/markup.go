package protocol

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

const (
	// maxToken bounds a tag, a comment and a run of text, in bytes; a longer one ends the reading. A
	// feed may have a whole page, with its pictures, in one run.
	maxToken = 16 << 20
	// maxText bounds what is kept of text and of a line.
	maxText = 32 << 10
)

// markup cuts XML into tags and text without asking that it be well-formed, by the tokenizer of HTML,
// which knows no elements here. Comments, processing instructions and the document type declaration
// are passed over. Entities are XML's own, numbers, and those of HTML, which feeds use although XML
// does not know them; an unknown one, and a bare "&", stay as they are.
type markup struct {
	z      *html.Tokenizer // nil for text without tags
	line   int
	offset int64

	kind   html.TokenType // of text, a start tag or an end tag
	prefix string         // of a tag, in lower case
	name   string         // local name, in lower case
	empty  bool           // <name/>
	text   []byte         // valid until next
	attrs  []html.Attribute
}

// next reads the next tag or run of text. The error is io.EOF at the end, or what the reader said.
func (m *markup) next() error {
	for {
		m.kind = m.z.Next()
		raw := m.z.Raw()
		m.advance(raw)
		switch m.kind {
		case html.ErrorToken:
			return m.z.Err()
		case html.TextToken:
			if cdata, ok := bytes.CutPrefix(raw, []byte("<![CDATA[")); ok {
				m.text = bytes.TrimSuffix(cdata, []byte("]]>"))
			} else {
				m.text = m.z.Text()
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			m.readTag()
			return nil
		}
	}
}

// advance counts bytes that were read.
func (m *markup) advance(b []byte) {
	m.offset += int64(len(b))
	m.line += bytes.Count(b, []byte{'\n'})
}

// readTag takes the tag at hand over.
func (m *markup) readTag() {
	name, more := m.z.TagName()
	m.prefix, m.name = "", string(name)
	if i := strings.LastIndexByte(m.name, ':'); i >= 0 {
		m.prefix, m.name = m.name[:i], m.name[i+1:]
	}
	m.attrs = m.attrs[:0]
	for more {
		var key, value []byte
		key, value, more = m.z.TagAttr()
		m.attrs = append(m.attrs, html.Attribute{Key: string(key), Val: string(value)})
	}
	if m.empty = m.kind == html.SelfClosingTagToken; m.empty {
		m.kind = html.StartTagToken
	}
	m.z.NextIsNotRawText() // a title is an element like others
}

// attr is the value of an attribute of a start tag by its name in lower case, "" where there is
// none.
func (m *markup) attr(name string) string {
	for _, a := range m.attrs {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}
