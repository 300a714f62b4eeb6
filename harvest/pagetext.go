package harvest

import (
	"net/http"
	"net/textproto"
	"strings"
	"time"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/page"
	"watershed/store"
)

// maxPageText bounds the text of a page in a package, in bytes: players keep the texts of all pages
// in memory, and a search needs no more of a book.
const maxPageText = 64 << 10

// maxPageBody bounds what is unpacked of a page for its text, in bytes.
const maxPageBody = 4 << 20

// shownReader reads what pages show out of the archive of a run.
type shownReader struct {
	*ground
	index   *archive.Index
	extract *extract.Extractor
}

func newShownReader(g *ground) (*shownReader, error) {
	o := g.plan.Extract
	o.MaxText, o.Driver = maxPageText, extract.Scan
	x, err := extract.New(o)
	if err != nil {
		return nil, err
	}
	index, err := archive.OpenIndex(g.run.Index())
	return &shownReader{ground: g, index: index, extract: x}, err
}

func (r *shownReader) close() error { return r.index.Close() }

// shown is what a page says, and its icon where the run has it; "" each where the record with the
// page is one of an earlier run, or cannot be read.
func (r *shownReader) shown(v *page.Visit) (text, icon string, err error) {
	u, at := v.URL, v.Time
	if v.Revisit {
		u, at = v.Origin.URL, v.Origin.Time
	}
	for e, err := range r.index.URL(u) {
		if err != nil {
			return "", "", err
		}
		when, err := e.Time() // without the parts of a second, as other programs write it
		if err != nil || e.MIME == archive.MIMERevisit || at.Sub(when).Abs() >= time.Second {
			continue
		}
		text, named, err := r.read(v, e.Location())
		if err != nil {
			r.log.Warn("the text of a page is not in the package", "url", v.URL, "cause", err)
			return "", "", nil
		}
		icon, err = r.held(named)
		return text, icon, err
	}
	return "", "", nil
}

// held is a URL as it was asked for, where the run has an answer with success.
func (r *shownReader) held(u page.URL) (as string, err error) {
	err = r.store.View(func(tx *store.Tx) error {
		x, found, err := tx.URL(r.record.Number, u.Key())
		if found && x.State == store.Done &&
			(x.Status == http.StatusOK || x.Status == http.StatusNotModified) {
			as = u.As(x.Spelled)
		}
		return err
	})
	return as, err
}

// read reads the page in a record.
func (r *shownReader) read(v *page.Visit, at page.Location) (text string, icon page.URL, err error) {
	rec, err := r.run.Record(at)
	if err != nil {
		return "", "", err
	}
	defer rec.Close() //nolint:errcheck // it was only read
	m, err := rec.HTTP()
	if err != nil {
		return "", "", err
	}
	in := extract.Input{URL: v.URL, Spelled: v.Spelled, Status: m.Status, Header: textproto.MIMEHeader{}}
	for _, f := range m.Header {
		in.Header.Add(f.Name, f.Value)
	}
	in.Body = archive.Decode(m.Payload(), m.Header.All("Content-Encoding"), maxPageBody).Bytes
	var b strings.Builder
	in.Text = func(piece []byte) { b.Write(piece) }
	x := r.extract.Extract(in)
	return strings.ToValidUTF8(strings.TrimSpace(b.String()), ""), x.Icon, nil
}
