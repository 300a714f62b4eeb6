package testweb

import (
	"net/textproto"

	"watershed/crawler/extract"
)

// Text gives the visible text of an HTML page in UTF-8 to take, piece by piece, as a crawl sees it
// that reads pages by their tags.
func Text(html []byte, take func(piece []byte)) error {
	e, err := extract.New(extract.Options{Driver: extract.Scan})
	if err != nil {
		return err
	}
	return e.Extract(extract.Input{
		URL: "http://example.org/", Body: html, Text: take,
		Header: textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}},
	}).Err
}
