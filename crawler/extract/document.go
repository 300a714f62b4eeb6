package extract

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"watershed/crawler/extract/office"
	"watershed/crawler/extract/pdf"
	"watershed/page"
)

// readDocument gives the text of an office document, a PDF file or a plain text, where somebody
// asks for text. Of a PDF file it takes the links in any case.
func (c *collector) readDocument() {
	if c.result.Declared == pdf.MediaType || c.result.Sniffed == pdf.MediaType {
		c.readPDF()
		return
	}
	if c.in.Text == nil {
		return
	}
	var err error
	switch kind := c.result.Declared; {
	case office.IsOffice(kind), office.IsOffice(c.result.Sniffed):
		c.result.Read = true
		err = office.Text(c.in.Body, office.Options{}, func(b []byte) { c.give(string(b)) })
	case c.isPlain():
		c.result.Read = true
		c.give(c.decode(c.in.Body))
	}
	if err != nil {
		c.result.Err = fmt.Errorf("read the text: %w", err)
	}
}

// readPDF takes the addresses of annotations and those that stand in the text, and gives the text.
func (c *collector) readPDF() {
	err := pdf.Text(c.in.Body, pdf.Options{
		Link: func(address string) { c.add(page.Navigation, "pdf/URI", address) },
	}, func(b []byte) {
		c.readAddresses(string(b))
		if c.in.Text != nil {
			c.give(string(b))
		}
	})
	if c.in.Text == nil {
		return
	}
	if c.result.Read = true; err != nil {
		c.result.Err = fmt.Errorf("read the text: %w", err)
	}
}

// readAddresses takes the addresses that stand in a text, up to a space or a mark that no address
// has. A mark of a sentence at their end is not theirs. An address that is broken over two lines
// cannot be told from a whole one; its first part counts. Time is linear in the text.
func (c *parts) readAddresses(text string) {
	for {
		i := strings.Index(text, "http")
		if i < 0 {
			return
		}
		begins := i == 0 || !ofName(text[i-1])
		text = text[i:]
		if !begins || !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
			text = text[len("http"):]
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool {
			return r <= ' ' || unicode.IsSpace(r) ||
				strings.ContainsRune("<>\"{}|\\^`\u201c\u201d\u00ab\u00bb", r)
		})
		if end < 0 {
			end = len(text)
		}
		c.add(page.Navigation, "pdf/text", trimSentence(text[:end]))
		text = text[end:]
	}
}

// maxMarks bounds the marks behind an address that are taken off.
const maxMarks = 4

// trimSentence takes off the marks of a sentence behind an address, and a bracket that was opened
// before it.
func trimSentence(address string) string {
	for range maxMarks {
		if address == "" {
			break
		}
		last := address[len(address)-1]
		closes := last == ')' && strings.Count(address, "(") < strings.Count(address, ")") ||
			last == ']' && !strings.Contains(address, "[")
		if !closes && strings.IndexByte(".,;:!?'", last) < 0 {
			break
		}
		address = address[:len(address)-1]
	}
	return address
}

// isPlain reports a body that is text for people: declared so, or looking so where nothing is
// declared. Bytes that no text has show an archive or a picture that a server calls text for want
// of a better name.
func (c *gathering) isPlain() bool {
	switch kind := c.result.Declared; {
	case kind == plainType, kind == "text/markdown", kind == "text/x-markdown",
		saysNothing(kind) && c.result.Sniffed == plainType:
		return wide(c.in.Body) != "" || hasWideMark(c.in.Body) || !binary(c.in.Body)
	}
	return false
}

const plainType = "text/plain"

// hasWideMark reports the byte order mark of UTF-16.
func hasWideMark(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
}
