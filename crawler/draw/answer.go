package draw

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/page"
)

// AddressOf is the address under which the answer to a request is known; "" where it has none.
func AddressOf(method string, u page.URL, mediaType string, body []byte) page.URL {
	u, err := page.ParseURL(archive.AddressOf(method, string(u), mediaType, body))
	if err != nil {
		return ""
	}
	return u
}

// Address is that of the request: see AddressOf.
func (q *Request) Address() page.URL {
	return AddressOf(q.Method, q.URL, q.Header.Get("Content-Type"), q.Body)
}

// AnswerOf makes a record of a response an answer, and closes it where it cannot; a revisit without a
// head becomes an answer of 304.
func AnswerOf(rec *archive.Record) (*Answer, error) {
	a := &Answer{
		Status: http.StatusNotModified, Header: http.Header{},
		Body: &recordBody{bytes.NewReader(nil), rec},
	}
	if rec.Size == 0 {
		return a, nil
	}
	m, err := rec.HTTP()
	if err != nil {
		return nil, errors.Join(err, rec.Close())
	}
	a.Status = m.Status
	for _, f := range m.Header {
		a.Header.Add(f.Name, f.Value)
	}
	if payload := m.Payload(); payload != nil {
		a.Body = &recordBody{payload, rec}
	}
	return a, nil
}

// ReplayOf is AnswerOf as programs for replay answer: of a film in several sizes the player is told of one.
func ReplayOf(rec *archive.Record) (*Answer, error) {
	a, err := AnswerOf(rec)
	if err != nil || !extract.IsFilm(a.Header.Get("Content-Type")) {
		return a, err
	}
	film := archive.Decode(a.Body, a.Header.Values("Content-Encoding"), extract.MaxFilm)
	if film.Cut || film.Err != nil {
		err := errors.New("a list of a film's pieces cannot be read")
		return nil, errors.Join(err, film.Err, a.Body.Close())
	}
	a.Header.Del("Content-Encoding")
	one := extract.OneSize(a.Header.Get("Content-Type"), film.Bytes)
	a.Body = &recordBody{bytes.NewReader(one), rec}
	return a, nil
}

// recordBody is the payload of a record, which is closed with it.
type recordBody struct {
	io.Reader
	rec *archive.Record
}

func (r *recordBody) Close() error { return r.rec.Close() }
