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
// head becomes an answer of 304. Of a film in several sizes the browser is told of the one that programs for
// replay play.
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
	if mime := a.Header.Get("Content-Type"); extract.IsFilm(mime) {
		film := m.Decoded(extract.MaxFilm)
		if film.Cut || film.Err != nil {
			err := errors.New("a list of a film's pieces cannot be read")
			return nil, errors.Join(err, film.Err, rec.Close())
		}
		a.Header.Del("Content-Encoding")
		a.Body = &recordBody{bytes.NewReader(extract.OneSize(mime, film.Bytes)), rec}
	} else if payload := m.Payload(); payload != nil {
		a.Body = &recordBody{payload, rec}
	}
	return a, nil
}

// recordBody is the payload of a record, which is closed with it.
type recordBody struct {
	io.Reader
	rec *archive.Record
}

func (r *recordBody) Close() error { return r.rec.Close() }
