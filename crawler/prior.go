package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"watershed/archive"
	"watershed/page"
	"watershed/store"
)

// prior is the capture of a URL in an earlier run, with the validators that make a request
// conditional; the answer "not modified" stands for it.
type prior struct {
	ETag, LastModified string
	visit              *page.Visit
	origin             page.Origin
}

// prior finds the last capture of a URL in an earlier run, by the same login or without one as this
// run asks for it; the zero prior when there is none.
func (r *recorder) prior(u page.URL) (p prior, err error) {
	if r.Number == 1 || r.opt.Dedupe.Off {
		return prior{}, nil
	}
	err = r.Store.View(func(tx *store.Tx) error {
		last, found, err := tx.Capture(u)
		if err != nil || !found || last.Run == r.Number || last.URL != u || last.Record.IsZero() ||
			!r.opt.Held(last.Run, last.Record) {
			return err
		}
		v, found, err := tx.Visit(last.Run, last.Visit)
		if err != nil || !found || v.Login != r.Logins.Name(u) {
			return err
		}
		p.ETag, p.LastModified = validators(last)
		if p.ETag != "" {
			shared, err := r.shares(tx, &last, &v)
			if err != nil {
				return err
			} else if shared {
				p.ETag = ""
			}
		}
		if p.ETag+p.LastModified == "" {
			return nil
		}
		p.visit = &v
		p.origin = page.Origin{
			URL: u, Spelled: v.Spelled, Time: last.Time, Record: last.Record, Digest: last.Digest,
		}
		if v.Revisit && !r.refer(&p) {
			p = prior{}
		}
		return nil
	})
	if err != nil {
		return prior{}, fmt.Errorf("look up last capture of %s: %w", u, err)
	}
	return p, nil
}

// fewOthers is how many other pages are looked at for the ETag of one.
const fewOthers = 8

// shares reports an ETag that the page which leads to a visit's, or the first ones that this leads to, have
// for another payload: some servers give one and the same to all pages, and call each change of them none.
func (r *recorder) shares(tx *store.Tx, last *store.Capture, v *page.Visit) (bool, error) {
	others := []page.URL{v.Via}
	for i := range v.Links {
		if l := &v.Links[i]; l.Kind == page.Navigation && l.URL.Host() == v.URL.Host() {
			if others = append(others, l.URL); len(others) > fewOthers {
				break
			}
		}
	}
	for _, u := range others {
		x, found, err := tx.Capture(u)
		if err != nil || found && x.URL == u && x.ETag == last.ETag && x.Digest != last.Digest {
			return err == nil, err
		}
	}
	return false, nil
}

// refer has a prior that is a revisit refer to the record that has the payload, perhaps of another URL:
// other programs do not follow a revisit to a revisit. ok is false where that record is of another media
// type: a revisit after a 304 has no head of its own, and would be shown with that of the record.
func (r *recorder) refer(p *prior) (ok bool) {
	rec, err := r.Open(p.origin.Record)
	if err != nil {
		return false
	}
	defer func() { _ = rec.Close() }() // it was only read
	u, urlErr := rec.URL()
	at, dateErr := rec.Date()
	m, err := rec.HTTP()
	if errors.Join(urlErr, dateErr, err) != nil {
		return false
	}
	declared, _, _ := strings.Cut(strings.Join(m.Header.All("Content-Type"), ""), ";")
	p.origin.URL, p.origin.Spelled, p.origin.Time = u, rec.Spelled(), at
	return u == p.visit.URL || strings.EqualFold(strings.TrimSpace(declared), p.visit.MIME)
}

// maxValidator bounds a validator that is sent back, in bytes: servers take 8 KiB for a field (Apache
// httpd, LimitRequestFieldSize) or for the whole line (nginx, large_client_header_buffers), and refuse
// the page beyond that.
const maxValidator = 4 << 10

// validators are those of a capture that a request can carry: no bytes that a field cannot have, and no
// time that had not come when the page was captured, before which some servers call each later change
// none.
func validators(c store.Capture) (etag, lastModified string) {
	fit := func(v string) bool { return len(v) <= maxValidator && httpguts.ValidHeaderFieldValue(v) }
	if fit(c.ETag) {
		etag = c.ETag
	}
	if at, err := http.ParseTime(c.LastModified); fit(c.LastModified) && (err != nil || !at.After(c.Time)) {
		lastModified = c.LastModified
	}
	return etag, lastModified
}

// original is the capture that an exchange repeats, the zero Origin when there is none. Either both
// bodies are in chunks or neither is: pywb reads the body of the original by the head of the revisit,
// and would show the framing as a part of the page.
func (r *recorder) original(x *page.Exchange, sum *archive.Payload) (page.Origin, error) {
	o, err := r.opt.Dedupe.Origin(x, *sum, originals{r.tools, x.Login})
	if err != nil || o.URL == "" || !r.framed(o.Record, x) {
		return page.Origin{}, err
	}
	return o, nil
}

// framed reports a capture that can be read, and whose body is framed as that of the exchange.
func (r *recorder) framed(at page.Location, x *page.Exchange) bool {
	rec, err := r.Open(at)
	if err != nil {
		return false
	}
	defer func() { _ = rec.Close() }() // it was only read
	m, err := rec.HTTP()
	return err == nil && m.FramedAs(x)
}

// originals is the store's table of payloads, as archive.Dedupe asks it, of captures with one login,
// or without.
type originals struct {
	*tools
	login string
}

func (s originals) Origin(payload page.Digest) (o page.Origin, ok bool, err error) {
	err = s.Store.View(func(tx *store.Tx) error {
		var held store.Original
		held, ok, err = tx.Original(payload.Within(s.login))
		o, ok = held.Origin, ok && (held.Run == s.Number || s.opt.Held(held.Run, held.Record))
		return err
	})
	return o, ok, err
}
