package extract

import (
	"fmt"

	"watershed/crawler/extract/office"
	"watershed/crawler/extract/pdf"
)

// readDocument gives the text of an office document or a PDF file, where somebody asks for text. Its links are not read.
func (c *collector) readDocument() {
	if c.in.Text == nil {
		return
	}
	piece := func(b []byte) { c.give(string(b)) }
	var err error
	switch kind := c.result.Declared; {
	case kind == pdf.MediaType, c.result.Sniffed == pdf.MediaType:
		err = pdf.Text(c.in.Body, pdf.Options{}, piece)
	case office.IsOffice(kind):
		err = office.Text(c.in.Body, office.Options{}, piece)
	}
	if err != nil {
		c.result.Err = fmt.Errorf("read the text: %w", err)
	}
}
