package harvest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"net/textproto"
	"strings"
	"time"
	"unicode/utf8"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/store"
)

// maxPageText bounds the text of a page in a package, in bytes, as that of a drawing: players keep the
// texts of all pages in memory.
const maxPageText = 1 << 20

// maxPageBody bounds what is unpacked of a page for its text, in bytes.
const maxPageBody = 4 << 20

// shownReader reads what pages show out of the archive of a run.
type shownReader struct {
	*ground
	open    func(page.Location) (*archive.Record, error)
	index   *archive.Index
	extract *extract.Extractor
	said    bytes.Buffer // by the page that is read
}

func newShownReader(g *ground, open func(page.Location) (*archive.Record, error)) (*shownReader, error) {
	o := g.plan.Extract
	o.MaxText, o.Driver = maxPageText, extract.Scan
	x, err := extract.New(o)
	return &shownReader{ground: g, open: open, extract: x}, err
}

func (r *shownReader) close() error { return r.index.Close() }

// shown is what a page says, as it was captured or as a browser has drawn it, whichever says more;
// its icon where the run has it; "" each where the record with the page is one of an earlier run, or
// cannot be read; and the places that its scripts show behind a "#".
func (r *shownReader) shown(v *page.Visit) (text, icon string, places []archive.Place, err error) {
	text, icon, err = r.captured(v)
	if err != nil || v.Drawing != page.Drawn {
		return text, icon, nil, err
	}
	d, err := archive.FindDrawing(r.index, r.run.Archive(), v.URL.As(v.Spelled))
	if err != nil || d == nil {
		return text, icon, nil, err
	}
	return fuller(clipText(d.Text), text), icon, d.Places, nil
}

// fuller is what a drawing shows, or where that has fewer words what the markup says, as of a banner that
// was agreed to, and behind it the words that the drawing has besides.
func fuller(drawn, captured string) string {
	words, known := strings.Fields(drawn), map[string]bool{}
	if len(words) >= len(strings.Fields(captured)) {
		return drawn
	}
	for w := range strings.FieldsSeq(captured) {
		known[w] = true
	}
	var all strings.Builder
	all.WriteString(captured)
	for _, w := range words {
		if !known[w] {
			known[w] = true
			all.WriteString(" " + w)
		}
	}
	return clipText(all.String())
}

// clipText cuts a text to what a package has of a page.
func clipText(text string) string {
	text = text[:min(len(text), maxPageText)]
	if utf8.ValidString(text) { // many bytes at a time
		return text
	}
	return strings.ToValidUTF8(text, "")
}

// captured is shown as its capture has it.
func (r *shownReader) captured(v *page.Visit) (text, icon string, err error) {
	at, err := r.place(v)
	if err != nil || at.IsZero() {
		return "", "", err
	}
	text, named, err := r.read(v, at)
	if err != nil {
		r.log.Warn("the text of a page is not in the package", "url", v.URL, "cause", err)
		return "", "", nil
	}
	icon, err = r.held(named)
	return text, icon, err
}

// place is where the run has the record with a page, zero where it has none. The store knows it of
// a URL's last capture; of others, and of an original, the index does.
func (r *shownReader) place(v *page.Visit) (at page.Location, err error) {
	u, when := v.URL, v.Time
	if v.Revisit {
		u, when = v.Origin.URL, v.Origin.Time
	} else {
		err = r.store.View(func(tx *store.Tx) error {
			last, found, err := tx.Capture(u)
			if found && last.Run == r.record.Number && last.Visit == v.Seq {
				at = last.Record
			}
			return err
		})
		if err != nil || !at.IsZero() {
			return at, err
		}
	}
	for e, err := range r.index.URL(u) {
		if err != nil {
			return page.Location{}, err
		}
		noted, err := e.Time() // without the parts of a second, as other programs write it
		if err == nil && e.MIME != archive.MIMERevisit && when.Sub(noted).Abs() < time.Second {
			return e.Location(), nil
		}
	}
	return page.Location{}, nil
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
	rec, err := r.open(at)
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
	r.said.Reset()
	in.Text = func(piece []byte) { r.said.Write(piece) }
	x := r.extract.Extract(in)
	return clipText(string(bytes.TrimSpace(r.said.Bytes()))), x.Icon, nil
}

// whole is a sketch of all shingles of a capture in the archive, as it was sent.
func (r *shownReader) whole(v *page.Visit) (s sketch.Sketch, err error) {
	if v.Drawing == page.Drawn || v.Truncated != page.Whole || r.plan.Crawl.Sketch == nil {
		return s, fmt.Errorf("%s is not compared by what was sent", v.URL)
	}
	o := *r.plan.Crawl.Sketch
	o.Size = math.MaxUint16
	b, err := sketch.NewBuilder(o)
	if err != nil {
		return s, err
	}
	at := v.Record
	if v.Seq > 0 { // else it is being committed
		err = r.store.View(func(tx *store.Tx) error {
			last, found, err := tx.Capture(v.URL)
			if err != nil || !found || last.Visit != v.Seq {
				return cmp.Or(err, fs.ErrNotExist)
			}
			at = last.Record
			return nil
		})
	} else if v.Revisit {
		at = v.Origin.Record
	}
	if err != nil {
		return s, err
	}
	text, _, err := r.read(v, at)
	b.Text([]byte(text))
	return b.Sketch(), err
}

// openRecord opens the record of a capture, of this run before its delivery or of an earlier one.
func (g *ground) openRecord(at page.Location) (rec *archive.Record, err error) {
	dirs := []string{g.run.Spool()}
	for n := int(g.record.Number); n > 0; n-- {
		dirs = append(dirs, g.folder.Run(n).Archive())
	}
	for _, dir := range dirs {
		if rec, err = archive.Open(dir, at); !errors.Is(err, fs.ErrNotExist) {
			return rec, err
		}
	}
	return nil, err
}
