package corpus

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"net/http"
	"net/textproto"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/internal/coding"
	"watershed/page"
)

// hold reads a record's block into memory: as much of it as a page may have, with room for the
// head.
func hold(rec *archive.Record) (*archive.Record, error) {
	block, err := io.ReadAll(io.LimitReader(rec.Block, int64(maxBody)+1<<20))
	if err != nil {
		return nil, err
	}
	held := *rec
	held.Block = bytes.NewReader(block)
	return &held, nil
}

// read makes a page of a capture whose record is given by open; nil where that is not possible.
func (c *Corpus) read(i int32, open func() (*archive.Record, error)) (p *Page) {
	x := &c.captures[i]
	ok := c.guarded(Damage{File: c.files[x.file].Path, Offset: x.offset}, func() error {
		rec, err := open()
		if err != nil {
			return err
		}
		defer rec.Close() //nolint:errcheck // it was only read
		p, err = c.parse(x, rec)
		return err
	})
	if !ok {
		return nil
	}
	return p
}

// parse makes a page of a record, or, for a revisit, of that and the one that it stands for.
func (c *Corpus) parse(x *capture, rec *archive.Record) (*Page, error) {
	u, err := rec.URL()
	if err != nil {
		return nil, err
	}
	p := &Page{Path: c.files[x.file].Path, Label: rec.Header.Get("WARC-Payload-Digest")}
	p.URL, p.Spelled, p.Truncated = u, rec.Spelled(), rec.Truncated()
	p.Record = page.Location{File: rec.File, Offset: x.offset, Length: x.length}
	if at, err := rec.Date(); err == nil {
		p.Time = at
	}
	p.Digest, _ = page.ParseDigest(p.Label) // the zero digest for one of another kind
	if !x.revisit {
		return p, c.readAnswer(p, rec, true)
	}
	p.Revisit, p.Status = true, int(x.status)
	p.Origin, _ = rec.Origin() // none where it is told by digest alone
	if x.origin >= 0 && !page.Redirects(int(x.status)) {
		return p, c.readOrigin(p, &c.captures[x.origin], headOf(rec))
	}
	p.Truncated = page.Whole // what is left out is no page that was cut
	if rec.Size > 0 {
		if err := c.readAnswer(p, rec, false); err != nil {
			return nil, err
		}
	}
	p.Unresolved = !page.Redirects(int(x.status))
	return p, nil
}

// headOf is the head that a revisit has of its own; nil where it has none, or that of an answer of 304.
func headOf(rec *archive.Record) *archive.Message {
	if rec.Size == 0 {
		return nil
	}
	m, err := rec.HTTP()
	if err != nil || m.Status == http.StatusNotModified {
		return nil // the scan has told the error
	}
	return m
}

// readOrigin reads the page of a revisit from the record that it stands for, under the head of its own.
func (c *Corpus) readOrigin(p *Page, x *capture, head *archive.Message) error {
	p.Truncated = page.Whole
	rec, err := c.openRecord(x)
	if err != nil {
		return err
	}
	defer rec.Close() //nolint:errcheck // it was only read
	rec.Under(head)
	p.Origin.Record = page.Location{File: rec.File, Offset: x.offset, Length: x.length}
	p.Label = cmp.Or(p.Label, rec.Header.Get("WARC-Payload-Digest"))
	p.Truncated = rec.Truncated()
	if p.Digest.IsZero() {
		p.Digest, _ = page.ParseDigest(p.Label)
	}
	return c.readAnswer(p, rec, true)
}

// readAnswer reads head and, where it is whole, body of an answer, or a resource record.
func (c *Corpus) readAnswer(p *Page, rec *archive.Record, whole bool) error {
	in := extract.Input{URL: p.URL, Status: 200}
	var payload io.Reader
	var codings []string
	if t := rec.Type(); t == archive.TypeResource || t == archive.TypeConversion {
		in.Header = textproto.MIMEHeader{"Content-Type": {rec.Header.Get("Content-Type")}}
		payload = rec.Block
	} else {
		m, err := rec.HTTP()
		if err != nil {
			return err
		}
		in.Status, in.Header = m.Status, m.Header.Fields()
		payload, codings = m.Payload(), m.Header.All("Content-Encoding")
	}
	p.Status, p.Truncated = in.Status, page.CutOf(p.Truncated, in.Header)
	p.ETag, p.LastModified = in.Header.Get("ETag"), in.Header.Get("Last-Modified")
	if whole {
		if err := c.readBody(p, &in, payload, codings); err != nil {
			return err
		}
	}
	c.readLinks(p, in)
	return nil
}

// readBody decodes a payload. The error is one of the file.
func (c *Corpus) readBody(p *Page, in *extract.Input, payload io.Reader, codings []string) error {
	most := maxBody
	if !c.opt.Body {
		most = coding.Bound(in.Header.Get("Content-Type"), most)
	}
	sum := &summed{r: payload}
	if p.Digest.IsZero() {
		sum.hash = sha256.New()
	}
	body := archive.Decode(sum, codings, int64(most))
	var format *archive.FormatError
	if errors.As(body.Err, &format) {
		return body.Err
	}
	if _, err := io.Copy(io.Discard, sum); err != nil {
		return err
	}
	p.Size = sum.bytes
	if sum.hash != nil {
		sum.hash.Sum(p.Digest[:0])
	}
	in.Body = body.Bytes
	p.Body = body
	if !c.opt.Body {
		p.Body.Bytes = nil
	}
	return nil
}

// summed hashes what is read through it.
type summed struct {
	r     io.Reader
	hash  hash.Hash // nil: not wanted
	bytes int64
}

func (s *summed) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.bytes += int64(n)
	if s.hash != nil {
		s.hash.Write(b[:n])
	}
	return n, err
}

// readLinks fills a visit with the links and facts of an answer.
func (c *Corpus) readLinks(p *Page, in extract.Input) {
	if c.opt.Text {
		in.Text = func(piece []byte) { p.Text = append(p.Text, piece...) }
	}
	if in.Status >= 400 {
		in.Body = nil // an error page's links are the server's, not the site's
	}
	r := c.extract.Extract(in)
	p.MIME, p.Charset, p.Language, p.Title = cmp.Or(r.Declared, r.Sniffed), r.Charset, r.Language, r.Title
	p.NoIndex, p.Links, p.Inlay = r.NoIndex, r.Links, r.Inlay
	p.Unended = p.OK() && r.Unended
}
