package copies

import (
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/store"
)

// captures tell what this run and those before it have of pages.
type captures struct {
	st    *store.Store
	run   store.Run
	since store.Run // the first of the runs that this one extends, else this one
}

// standing is what a run has of a stand.
type standing uint8

const (
	unknown standing = iota // nobody has asked for it
	waits
	deferred // it is left out itself, as far as is known by now
	had
	lost // it cannot be had
)

// now is what this run has of a page; of one that is lost, the answer, if there was one.
func (c *captures) now(tx *store.Tx, u page.URL) (*page.Visit, standing, error) {
	x, found, err := tx.URL(c.run, u.Key())
	switch {
	case err == nil && (!found || x.State == store.Known):
		return c.extended(tx, u)
	case err != nil:
		return nil, unknown, err
	case x.URL != u:
		return nil, lost, nil
	case x.State == store.Pending:
		return nil, waits, nil
	case x.State == store.Skipped && x.Reason.Stood():
		return nil, deferred, nil
	case x.State != store.Done:
		return nil, lost, nil
	}
	v, found, err := tx.Visit(c.run, x.Visit)
	switch {
	case err != nil || !found:
		return nil, lost, err
	case !good(&v):
		return &v, lost, nil
	case v.Drawing == page.ToBeDrawn:
		return nil, waits, nil
	case v.Undrawn():
		return nil, lost, nil
	}
	return &v, had, nil
}

// extended is what the runs that this one extends have of a page, which is not asked for again.
func (c *captures) extended(tx *store.Tx, u page.URL) (*page.Visit, standing, error) {
	x, found, err := tx.Capture(u)
	if err != nil || !found || x.URL != u || c.since == c.run || x.Run < c.since {
		return nil, unknown, err
	}
	v, err := visitOf(tx, x.Run, x.Visit)
	if err != nil || v == nil || !good(v) {
		return nil, lost, err
	}
	return v, had, nil
}

// taken reports a page that a run has which this one extends.
func (c *captures) taken(tx *store.Tx, u page.URL) (bool, error) {
	_, s, err := c.extended(tx, u)
	return s == had, err
}

// held is the last whole capture of a page before this run; nil where there is none.
func (c *captures) held(tx *store.Tx, u page.URL) (*page.Visit, error) {
	last, found, err := tx.Capture(u)
	if err != nil || !found || last.URL != u {
		return nil, err
	}
	if last.Run < c.run {
		return visitOf(tx, last.Run, last.Visit)
	}
	for n := c.run - 1; n > 0 && c.run-n <= maxRuns; n-- {
		x, found, err := tx.URL(n, u.Key())
		if err != nil {
			return nil, err
		}
		if found && x.URL == u && x.State == store.Done && (x.Status == 200 || x.Status == 304) {
			return visitOf(tx, n, x.Visit)
		}
	}
	return nil, nil
}

// leftOut reports that a URL was left out by the latest of the maxVain runs before that fetched it or
// left it out. A run that a limit ended may have come to neither.
func (c *captures) leftOut(tx *store.Tx, u page.URL) (bool, error) {
	for n := c.run - 1; n > 0 && c.run-n <= maxVain; n-- {
		x, found, err := tx.URL(n, u.Key())
		out := x.State == store.Skipped && x.Reason.Stood()
		if err != nil || found && x.URL == u && (out || x.State == store.Done) {
			return out, err
		}
	}
	return false, nil
}

// maxRuns bounds how many runs are asked for what a page held that this run has captured.
const maxRuns = 64

func visitOf(tx *store.Tx, run store.Run, seq uint64) (*page.Visit, error) {
	v, found, err := tx.Visit(run, seq)
	if err != nil || !found {
		return nil, err
	}
	return &v, nil
}

// kindOf is the kind of a URL's content, by what it held, or what its stand has; kinds where the
// last run asked for it and had no content, so that it is to be fetched. A kind that nobody
// knows is taken for text until the stand is had.
func (c *captures) kindOf(tx *store.Tx, u page.URL, mine, now, before *page.Visit) (Kind, error) {
	if mine != nil {
		return KindOf(mine.MIME), nil
	}
	if vain, err := c.vain(tx, u); vain || err != nil {
		return kinds, err
	}
	switch {
	case now != nil:
		return KindOf(now.MIME), nil
	case before != nil:
		return KindOf(before.MIME), nil
	}
	return Text, nil
}

// vain reports that the last of the maxVain runs before that asked for a URL had no content.
func (c *captures) vain(tx *store.Tx, u page.URL) (bool, error) {
	for n := c.run - 1; n > 0 && c.run-n <= maxVain; n-- {
		x, found, err := tx.URL(n, u.Key())
		if err != nil || found && x.URL == u && x.State == store.Done {
			return err == nil && x.Status != 200 && x.Status != 304, err
		}
	}
	return false, nil
}

// maxVain bounds for how many runs a URL counts as one without content after a run has asked for
// it, for a copy may come to have it; and as one that was left out.
const maxVain = 8

// lines calls yield with each line of the run's ledger, and the URL that it is of.
func (c *captures) lines(yield func(*store.Tx, *store.Entry, *store.URL) error) error {
	return c.st.View(func(tx *store.Tx) error {
		for line, err := range tx.Entries(c.run) {
			if err != nil {
				return err
			}
			u, found, err := tx.URL(c.run, line.Key)
			if err == nil && found {
				err = yield(tx, &line, &u)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// settleBatch bounds what one transaction writes.
const settleBatch = 1000

// putLines writes lines of the ledger for URLs that are still left out.
func (c *captures) putLines(all []store.Entry) error {
	put := func(tx *store.Tx, x *store.Entry) error {
		u, found, err := tx.URL(c.run, x.Key)
		if err != nil || !found || u.State != store.Skipped || !u.Reason.Stood() {
			return err
		}
		return tx.PutEntry(c.run, *x)
	}
	for lines := range slices.Chunk(all, settleBatch) {
		err := c.st.Update(func(tx *store.Tx) (err error) {
			for i := 0; i < len(lines) && err == nil; i++ {
				err = put(tx, &lines[i])
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lot is the place of a page in the draw of a run: entry pages come first, for what is new is linked
// from there; then those that were captured longest ago, so that in time each page is looked at.
// Pages of one run are drawn by the pages that stand for them, so that copies of one original are
// sampled at the same of its pages. Each run draws other pages.
func (c *captures) lot(tx *store.Tx, u page.URL, x *rule) (uint64, error) {
	if x.entry(u) {
		return 0, nil
	}
	last, _, err := tx.Capture(u)
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(x.stand.Key()))
	binary.BigEndian.PutUint64(b[8:], uint64(c.run))
	return uint64(last.Run)<<40 | xxh3.Hash(b[:])>>24, err
}
