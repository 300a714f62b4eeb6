package extract

import (
	"bytes"
	"fmt"

	"watershed/crawler/extract/office"
	"watershed/crawler/extract/pdf"
)

// readDocument gives the text of an office document, a PDF file or a plain text, where somebody
// asks for text. Its links are not read.
func (c *collector) readDocument() {
	if c.in.Text == nil {
		return
	}
	piece := func(b []byte) { c.give(string(b)) }
	var err error
	switch kind := c.result.Declared; {
	case kind == pdf.MediaType, c.result.Sniffed == pdf.MediaType:
		c.result.Read, err = true, pdf.Text(c.in.Body, pdf.Options{}, piece)
	case office.IsOffice(kind), office.IsOffice(c.result.Sniffed):
		c.result.Read, err = true, office.Text(c.in.Body, office.Options{}, piece)
	case c.isPlain():
		c.result.Read = true
		c.give(c.decode(c.in.Body))
	}
	if err != nil {
		c.result.Err = fmt.Errorf("read the text: %w", err)
	}
}

// isPlain reports a body that is text for people: declared so, or looking so where nothing is
// declared. Bytes that no text has show an archive or a picture that a server calls text for want
// of a better name.
func (c *collector) isPlain() bool {
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
