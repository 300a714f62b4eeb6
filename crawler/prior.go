package crawler

import (
	"fmt"

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

// prior finds the last capture of a URL in an earlier run; the zero prior when there is none.
func (c *Crawler) prior(u page.URL) (p prior, err error) {
	if c.Number == 1 || c.opt.Dedupe.Off {
		return prior{}, nil
	}
	err = c.Store.View(func(tx *store.Tx) error {
		last, found, err := tx.Capture(u)
		if err != nil || !found || last.Run == c.Number || last.URL != u || last.Record.IsZero() ||
			!c.opt.Held(last.Run, last.Record) {
			return err
		}
		v, found, err := tx.Visit(last.Run, last.Visit)
		if err != nil || !found {
			return err
		}
		p = prior{ETag: last.ETag, LastModified: last.LastModified, visit: &v}
		p.origin = page.Origin{URL: u, Spelled: v.Spelled, Time: last.Time, Record: last.Record}
		return nil
	})
	if err != nil {
		return prior{}, fmt.Errorf("look up last capture of %s: %w", u, err)
	}
	return p, nil
}

// original is the capture that an exchange repeats, the zero Origin when there is none.
func (c *Crawler) original(x *page.Exchange, sum *archive.Payload) (page.Origin, error) {
	return c.opt.Dedupe.Origin(x, *sum, originals{c})
}

// originals is the store's table of payloads, as archive.Dedupe asks it.
type originals struct{ c *Crawler }

func (s originals) Origin(payload page.Digest) (o page.Origin, ok bool, err error) {
	err = s.c.Store.View(func(tx *store.Tx) error {
		var held store.Original
		held, ok, err = tx.Original(payload)
		o, ok = held.Origin, ok && (held.Run == s.c.Number || s.c.opt.Held(held.Run, held.Record))
		return err
	})
	return o, ok, err
}
