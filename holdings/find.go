package holdings

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
	"watershed/replica"
)

// Found is a capture that answers for a URL.
type Found struct {
	URL  page.URL  // captured
	Time time.Time // of the capture, of the revisit where it is one
	Run  string
	// by which a representative stands for the URL asked for, in words; nil where it is a capture
	// of that URL
	Rules   []string
	Revisit *page.Origin // the capture whose payload is shown; nil where it is that of this one

	entry *archive.Entry
	run   harvest.Run
	head  *archive.Message // of the capture, where that is a revisit which has one
}

// At is a capture that an index names.
func At(run harvest.Run, e *archive.Entry, u page.URL, t time.Time) *Found {
	return &Found{URL: u, Time: t, Run: run.Name(), entry: e, run: run}
}

// Status is the three digits of the capture's status, as the index has them; "" of an answer of
// 304.
func (f *Found) Status() string { return f.entry.Status }

// Spelling is how the address of the capture is spelled.
func (f *Found) Spelling() page.Spelling { return f.URL.Spelling(f.entry.URL) }

// maxRevisits bounds how far revisits of revisits are followed.
const maxRevisits = 4

// Find looks for the capture of u that is nearest to a moment, or the last one where the moment is
// zero; then for a capture of the page that stands for it. It costs a binary search in the index of
// each run.
func Find(folder harvest.Folder, u page.URL, at time.Time) (*Found, error) {
	runs, err := folder.Runs()
	if err != nil {
		return nil, err
	}
	f, err := nearest(runs, u, at)
	if f != nil || err != nil {
		return f, err
	}
	for i := len(runs) - 1; i >= 0; i-- {
		table, err := readRules(runs[i])
		if err != nil {
			return nil, err
		}
		var why []string
		for stand := u; len(why) < 32; {
			next, by, ok := table.Resolve(stand)
			if !ok || next == stand {
				break
			}
			stand = next
			why = append(why, fmt.Sprintf("%s stands for %s", by.To, by.From))
			if f, err = nearest(runs, stand, at); f != nil || err != nil {
				if f != nil {
					f.Rules = why
				}
				return f, err
			}
		}
	}
	return nil, ErrNotHeld
}

// readRules are the rules of a run's mirrors.json, as a table.
func readRules(run harvest.Run) (*replica.Table, error) {
	table := new(replica.Table)
	rules, err := run.ReadMirrors()
	if err != nil {
		return nil, err
	}
	for _, r := range rules.Rules {
		if err := table.Put(replica.Entry{From: r.From, To: r.To, State: replica.Confirmed}); err != nil {
			return nil, fmt.Errorf("%s: %w", run.Mirrors(), err)
		}
	}
	return table, nil
}

// nearest gives the capture of u in any run, nil for none. A capture under another scheme or with
// "www." counts where u itself has none.
func nearest(runs []harvest.Run, u page.URL, at time.Time) (*Found, error) {
	var best *Found
	better := func(f *Found) bool {
		if best == nil || (f.URL == u) != (best.URL == u) {
			return best == nil || f.URL == u
		}
		if f.Run == best.Run && f.redirects() != best.redirects() { // to the other spelling of its URL
			return best.redirects()
		}
		if at.IsZero() {
			return !f.Time.Before(best.Time)
		}
		return f.Time.Sub(at).Abs() < best.Time.Sub(at).Abs()
	}
	for _, run := range runs {
		err := each(run, u, func(e *archive.Entry) error {
			t, err := e.Time()
			if err != nil || e.Status == "" && !unchanged(e) {
				return err
			}
			found, err := page.ParseURL(e.URL)
			if err != nil {
				return nil // no address of a page: it answers for none
			}
			if f := (&Found{URL: found, Time: t, Run: run.Name(), entry: e, run: run}); better(f) {
				best = f
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return best, nil
}

// Drawing is what a browser has drawn of a page in its run; nil where none has.
func (f *Found) Drawing() (d *archive.Drawing, err error) {
	err = f.indexed(func(x *archive.Index) error {
		d, err = archive.FindDrawing(x, f.run.Archive(), f.entry.URL)
		return err
	})
	return d, err
}

// Drawn is one record of that drawing; nil where there is none.
func (f *Found) Drawn(of archive.Drawn) (block []byte, err error) {
	err = f.indexed(func(x *archive.Index) error {
		block, err = archive.FindDrawn(x, f.run.Archive(), of, f.entry.URL)
		return err
	})
	return block, err
}

// HasDrawn reports that there is such a record, by the index alone.
func (f *Found) HasDrawn(of archive.Drawn) (has bool, err error) {
	err = f.indexed(func(x *archive.Index) error {
		has, err = archive.HasDrawn(x, of, f.entry.URL)
		return err
	})
	return has, err
}

func (f *Found) indexed(read func(*archive.Index) error) error {
	index, err := archive.OpenIndex(f.run.Index())
	if err != nil {
		return err
	}
	return errors.Join(read(index), index.Close())
}

// redirects reports an answer that sends elsewhere.
func (f *Found) redirects() bool { return strings.HasPrefix(f.entry.Status, "3") }

// unchanged reports a capture that says that nothing had changed, by an answer of 304, which the
// index has without a status.
func unchanged(e *archive.Entry) bool { return e.Status == "" && e.MIME == archive.MIMERevisit }

// each gives the entries of a URL's key in the index of a run.
func each(run harvest.Run, u page.URL, yield func(*archive.Entry) error) (err error) {
	index, err := archive.OpenIndex(run.Index())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	for e, err := range index.Key(u.SURT()) {
		if err == nil {
			err = yield(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Open opens the record with the payload, following revisits; then Revisit tells which. Its HTTP message
// has the head of the capture itself, unless that was answered by 304: redirects of one payload lead to
// many places. The record has to be closed. The error is ErrNotHeld where the payload is in no run.
func (f *Found) Open(folder harvest.Folder) (*archive.Record, error) {
	for range maxRevisits {
		rec, err := f.run.Record(f.entry.Location())
		if err != nil {
			return nil, err
		}
		if rec.Type() != archive.TypeRevisit {
			rec.Under(f.head)
			return rec, nil
		}
		if f.head == nil && rec.Size > 0 {
			if m, err := rec.HTTP(); err == nil && m.Status != http.StatusNotModified {
				f.head = m
			}
		}
		origin, ok := rec.Origin()
		digest := rec.Header.Get("WARC-Payload-Digest")
		if err := rec.Close(); err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%w: the revisit does not say of what", ErrNotHeld)
		}
		if err := f.follow(folder, origin, digest); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: revisits refer to revisits", ErrNotHeld)
}

// follow goes over to the capture that a revisit refers to. Of several captures of the URL in that
// second it is the one whose payload has the digest.
func (f *Found) follow(folder harvest.Folder, origin page.Origin, digest string) error {
	runs, err := folder.Runs()
	if err != nil {
		return err
	}
	var best *Found
	for _, run := range runs {
		err := each(run, origin.URL, func(e *archive.Entry) error {
			t, err := e.Time()
			u, urlErr := page.ParseURL(e.URL)
			switch {
			case err != nil, urlErr != nil, u != origin.URL, t.Sub(origin.Time).Abs() > time.Second,
				e.Status == "" && !unchanged(e), e.Location() == f.entry.Location():
			case best == nil, e.Digest == digest && best.entry.Digest != digest:
				best = At(run, e, u, t)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if best == nil {
		return fmt.Errorf("%w: the capture of %s to which it refers", ErrNotHeld, archive.Date(origin.Time))
	}
	f.Revisit, f.entry, f.run = &origin, best.entry, best.run
	return nil
}

// ErrNotHeld says that no run of the harvest has a capture of a URL, nor of one that stands for it.
var ErrNotHeld = errors.New("not in this archive")
