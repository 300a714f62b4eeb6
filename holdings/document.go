package holdings

import (
	"errors"
	"fmt"
	"strings"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/harvest"
	"watershed/page"
)

// maxBody bounds the bytes that are read of a payload, with its content coding taken off.
const maxBody = 8 << 20

// Document is the content of a capture, read.
type Document struct {
	Status int
	Header archive.Header
	Body   []byte // without transfer and content coding, at most 8 MiB
	Says   extract.Result
	Text   string // that a reader of the page sees, white space folded; "" where it is no page

	Address   string // of the server that answered, "" where the record has none
	Truncated page.Truncation
}

// Reader reads documents. It is not safe for concurrent use.
type Reader struct {
	folder  harvest.Folder
	extract *extract.Extractor
	text    []byte
}

// NewReader makes a reader of the captures of a harvest.
func NewReader(folder harvest.Folder) (*Reader, error) {
	x, err := extract.New(extract.Options{Driver: extract.Scan, Follow: true, Agent: "watershed"})
	if err != nil {
		return nil, err
	}
	return &Reader{folder: folder, extract: x}, nil
}

// Read opens a capture and reads it. The error is ErrNotHeld where its payload is in no run.
func (r *Reader) Read(f *Found) (_ *Document, err error) {
	rec, err := f.Open(r.folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	m, err := rec.HTTP()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.URL, err)
	}
	d := &Document{
		Address: rec.Header.Get("WARC-IP-Address"), Status: m.Status, Header: m.Header,
		Body: m.Decoded(maxBody).Bytes, Truncated: rec.Truncated(),
	}
	r.Understand(f, d)
	return d, nil
}

// Understand sets the facts and the text of a document by its status, header and body.
func (r *Reader) Understand(f *Found, d *Document) {
	in := extract.Input{
		URL: f.URL, Spelled: f.Spelling(), Status: d.Status,
		Header: d.Header.Fields(), Body: d.Body,
	}
	r.text = r.text[:0]
	in.Text = func(piece []byte) { r.text = append(r.text, piece...) }
	d.Says = r.extract.Extract(in)
	d.Text = strings.Join(strings.Fields(string(r.text)), " ")
}
