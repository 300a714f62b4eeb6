package testweb

import (
	"bufio"
	"errors"
	"fmt"
	"net/textproto"
	"os"
	"strings"

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

// Documents reads one plain text a line, behind the number of its cluster and a tab; bytes is the
// length of all.
func Documents(name string) (texts [][]byte, truth []int, bytes int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, 0, err
	}
	r := bufio.NewScanner(f)
	r.Buffer(make([]byte, 1<<20), 1<<26)
	for r.Scan() {
		label, text, _ := strings.Cut(r.Text(), "\t")
		k := 0
		if _, err := fmt.Sscan(label, &k); err != nil {
			return nil, nil, 0, errors.Join(fmt.Errorf("line %d of %s: %w", len(texts)+1, name, err),
				f.Close())
		}
		texts, truth, bytes = append(texts, []byte(text)), append(truth, k), bytes+len(text)
	}
	return texts, truth, bytes, errors.Join(r.Err(), f.Close())
}
