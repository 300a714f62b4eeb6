package crawler

import (
	"context"
	"fmt"
	"strings"

	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// Replay teaches a survey a run from the store: the visits in the order in which they were
// committed, and between them the URLs that the frontier refused, as Run did the first time. It
// tells the URLs that the survey wants and the store does not have: the seeds of a new run, and URLs
// that were lost when the process died in a large transaction.
//
// Before all this the survey learns the visits still held of the runs that this one extends, the
// first run first, so that their pages are not wanted again. also is called with each visit of the
// run itself, which is lent (store.Tx.Lent); it may be nil.
func Replay(
	s *sitemap.Survey, st *store.Store, run store.Run, also func(*page.Visit), extended ...Extended,
) (done Replayed, err error) {
	r := replay{teacher: &teacher{s, run, firstOf(run, extended), newStands()}, told: map[page.Key]bool{}}
	err = st.View(func(tx *store.Tx) (err error) {
		if r.fates, err = tx.Fates(run); err != nil {
			return err
		}
		s.Expect(r.fates.Len() + r.fates.Len()/16) // some that are known are not wanted
		for _, e := range extended {
			past := teacher{survey: s, run: e.Run}
			for v, err := range tx.Lent(e.Run, 0) {
				if err != nil {
					return err
				}
				if e.Held(v) {
					if err := past.teach(tx, v); err != nil {
						return err
					}
				}
				if e.Also != nil {
					e.Also(v)
				}
			}
		}
		if err := r.answer(tx); err != nil {
			return err
		}
		for v, err := range tx.Lent(run, 0) {
			if err != nil {
				return err
			}
			if err := r.teach(tx, v); err != nil {
				return err
			}
			if err := r.answer(tx); err != nil {
				return err
			}
			if also != nil {
				also(v)
			}
			switch v.Drawing {
			case page.ToBeDrawn:
				done.Undrawn = append(done.Undrawn, page.URL(strings.Clone(string(v.URL))))
			default:
				done.Doubted.add(v)
			}
			done.Visits++
		}
		if err := r.beside(tx); err != nil {
			return err
		}
		return r.answer(tx)
	})
	if err != nil {
		return done, fmt.Errorf("replay run %d after %d visits: %w", run, done.Visits, err)
	}
	done.Missing, done.Waiting, done.stands = r.missing, r.fates.Waiting, r.stands
	return done, nil
}

// Replayed tells of a run that was replayed.
type Replayed struct {
	Missing []sitemap.Want
	Visits  int64
	Undrawn []page.URL    // whose scripts are to run yet
	Doubted Doubts        // whose scripts are to run where that brings something
	Waiting store.Waiting // how the URLs of the run wait
	stands  *stands
}

// Extended is a run that another one extends.
type Extended struct {
	Run  store.Run
	Held func(*page.Visit) bool // tells which of its visits, which are lent, still count
	Also func(*page.Visit)      // is called with each of them, if it is not nil
}

type replay struct {
	*teacher
	fates   *store.Fates
	missing []sitemap.Want
	told    map[page.Key]bool // that are left out for others
}

// answer tells the survey which of its wants the store has as refused, until it wants no more.
func (r *replay) answer(tx *store.Tx) error {
	for wants := r.survey.WantsBut(r.fates.Accepted); len(wants) >
		0; wants = r.survey.WantsBut(r.fates.Accepted) {
		for _, w := range wants {
			switch reason, found := r.fates.Of(w.URL.Key()); {
			case !found:
				r.missing = append(r.missing, w)
			case reason != store.NoReason:
				if err := r.drop(tx, w.URL, reason); err != nil {
					return err
				}
				if reason.Stood() {
					r.told[w.URL.Key()] = true
				}
			}
		}
	}
	return nil
}

// beside tells the survey of the pages left out for others that it has not wanted by then: they were asked
// for beside it.
func (r *replay) beside(tx *store.Tx) error {
	for line, err := range tx.Entries(r.run) {
		if err != nil {
			return err
		}
		if line.Reason.Stood() && !r.told[line.Key] {
			r.stands.due[line.Key] = struct{}{}
		}
	}
	return r.follow(context.Background(), tx)
}
