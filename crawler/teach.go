package crawler

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"watershed/page"
	"watershed/replica"
	"watershed/sitemap"
	"watershed/store"
)

// teacher teaches a survey what a run has of pages: see teach and drop.
type teacher struct {
	survey *sitemap.Survey
	run    store.Run
	since  store.Run // the first of the runs that this one extends, else this one
	stands *stands
}

// stands tell of pages that are left out for others what the survey has to be told anew, and when: what
// such a page leads to depends on the page that stands for it, and on the pages to which that has come to
// lead.
type stands struct {
	of  map[page.Key][]page.Key // the pages left out, by one on which they depend
	due map[page.Key]struct{}   // those of which the survey is to be told anew
}

// firstOf is the first of the runs that one extends, else that one.
func firstOf(run store.Run, extended []Extended) store.Run {
	if len(extended) > 0 {
		return extended[0].Run
	}
	return run
}

func newStands() *stands { return &stands{map[page.Key][]page.Key{}, map[page.Key]struct{}{}} }

func (s *stands) depend(leftOut, on page.Key) { s.of[on] = append(s.of[on], leftOut) }

// heard notes that something came of a page.
func (s *stands) heard(u page.Key) {
	for _, leftOut := range s.of[u] {
		s.due[leftOut] = struct{}{}
	}
	delete(s.of, u)
}

// forget takes away on what those depend that are told anew, and say it again: else that would be noted as
// often as they are told.
func (s *stands) forget() {
	for on, list := range s.of {
		list = slices.DeleteFunc(list, func(leftOut page.Key) bool {
			_, again := s.due[leftOut]
			return again
		})
		if s.of[on] = list; len(list) == 0 {
			delete(s.of, on)
		}
	}
}

// teach lets the survey learn a visit of the run. A visit that was not made because robots.txt or the
// network's rules forbid it says nothing of the page: the page counts as there, and its links stay
// unknown. Nor does one for which the server did not answer, or could not: then the page stays what it
// was in an earlier run.
func (t *teacher) teach(tx *store.Tx, v *page.Visit) error {
	switch {
	case v.Status == page.StatusRobots:
		t.survey.Drop(v.URL, store.Robots.String())
		return nil
	case v.Status == page.StatusPrivate:
		t.survey.Drop(v.URL, store.Private.String())
		return nil
	case unanswered(v.Status):
		if missed, err := t.miss(tx, v.URL, ""); err != nil || missed {
			return err
		}
	}
	t.survey.Learn(v)
	return nil
}

// unanswered reports a status that says nothing of a page: its server was not reached, or says that it
// cannot answer now.
func unanswered(status int) bool {
	switch status {
	case page.StatusDNS, page.StatusConnect, page.StatusLost, page.StatusTimeout, page.StatusUnreachable,
		page.StatusDenied,
		http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// drop tells the survey that a URL is not fetched in the run. Where it was not answered, or another page
// holds what it held, the page stays what it was in an earlier run.
func (t *teacher) drop(tx *store.Tx, u page.URL, reason store.Reason) error {
	note := ""
	if reason.Stood() {
		note = reason.String()
	}
	if note != "" || reason.Unanswered() {
		if missed, err := t.miss(tx, u, note); err != nil || missed {
			return err
		}
	}
	t.survey.Drop(u, reason.String())
	return nil
}

// farBack is through how many runs an answer is looked for that a run could not have.
const farBack = 64

// miss tells the survey that the run does not have a page, with what the last run had of it that was
// answered, and reports whether there was such a page. A note says that another page stands for it: then
// it leads where that leads by now. A page that was gone stays gone.
func (t *teacher) miss(tx *store.Tx, u page.URL, note string) (missed bool, err error) {
	v, of, err := before(tx, t.run, u)
	if err == nil && note != "" && (v == nil || v.Alive()) {
		v, err = t.asStand(tx, u, v, of)
	}
	if err != nil || v == nil {
		return false, err
	}
	t.survey.Miss(v, note)
	return true, nil
}

// before is what the last run before one had of a page that was answered, and that run; nil for none.
func before(tx *store.Tx, run store.Run, u page.URL) (v *page.Visit, of store.Run, err error) {
	for n := run; n > 1 && run-n < farBack; {
		n--
		if v, err = visitIn(tx, n, u); v != nil || err != nil {
			return v, n, err
		}
	}
	last, found, err := tx.Capture(u) // of a redirect, or a part, there is none
	if err != nil || !found || last.Run >= run {
		return nil, 0, err
	}
	x, found, err := tx.Visit(last.Run, last.Visit)
	if err != nil || !found {
		return nil, 0, err
	}
	return &x, last.Run, nil
}

// visitIn is what a run has of a page that was answered; nil for none.
func visitIn(tx *store.Tx, run store.Run, u page.URL) (*page.Visit, error) {
	x, found, err := tx.URL(run, u.Key())
	if err != nil || !found || x.URL != u || x.State != store.Done || unanswered(x.Status) {
		return nil, err
	}
	v, found, err := tx.Visit(run, x.Visit)
	if err != nil || !found {
		return nil, err
	}
	return &v, nil
}

// asStand gives a page that is left out, of which a run before has a visit, the links that its stand has
// got since, and takes those that this has lost. A page that was never captured has all of the stand.
func (t *teacher) asStand(tx *store.Tx, u page.URL, v *page.Visit, of store.Run) (*page.Visit, error) {
	line, _, err := tx.Entry(t.run, u.Key())
	if err != nil || line.Representative == "" {
		return v, err
	}
	t.stands.depend(u.Key(), line.Representative.Key())
	now, err := t.has(tx, line.Representative)
	if err != nil || now == nil || !now.Alive() {
		return v, err
	}
	then := new(page.Visit)
	if v == nil {
		v = &page.Visit{URL: u, Status: now.Status, MIME: now.MIME, Title: now.Title}
	} else if then, _, err = before(tx, of+1, now.URL); then == nil || err != nil ||
		slices.Equal(then.Links, now.Links) {
		return v, err
	}
	x, _, err := tx.URL(t.run, u.Key())
	if err != nil {
		return nil, err
	}
	if x.Reason == store.Copy { // a page by itself
		x.Rule = ""
	}
	e := replica.Between(x.Rule, u, now.URL)
	old, still := linksBeside(&e, u, then), linksBeside(&e, u, now)
	v.Links = slices.DeleteFunc(v.Links, func(l page.Link) bool {
		_, was := old[l.URL]
		_, is := still[l.URL]
		return was && !is
	})
	for _, to := range slices.Sorted(maps.Keys(still)) {
		if _, was := old[to]; was {
			continue
		}
		known, found, err := tx.URL(t.run, to.Key())
		if err != nil {
			return nil, err
		}
		l := still[to]
		if l.URL == to || found && known.State != store.Known {
			l.URL = to
			v.Links = append(v.Links, l)
		} else { // the copy may lack it
			t.stands.depend(u.Key(), to.Key())
		}
	}
	return v, nil
}

// has is what the run has of a page that was answered, or one that it extends; nil for none.
func (t *teacher) has(tx *store.Tx, u page.URL) (*page.Visit, error) {
	v, err := visitIn(tx, t.run, u)
	if v != nil || err != nil || t.since == t.run {
		return v, err
	}
	v, of, err := before(tx, t.run, u)
	if of < t.since {
		v = nil
	}
	return v, err
}

// linksBeside are the links of a stand by where they lead as links of the page that it stands for.
func linksBeside(e *replica.Entry, u page.URL, stand *page.Visit) map[page.URL]page.Link {
	list := make(map[page.URL]page.Link, len(stand.Links))
	for _, l := range stand.Links {
		to, within := e.Beside(u, stand.URL, l.URL)
		if !within {
			to = l.URL
		}
		list[to] = l
	}
	return list
}

// follow tells the survey anew of the pages that are left out for others, where that is due. It ends with
// the context.
func (t *teacher) follow(ctx context.Context, tx *store.Tx) error {
	t.stands.forget()
	for _, key := range slices.Sorted(maps.Keys(t.stands.due)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		u, _, err := tx.URL(t.run, key)
		if err == nil && u.State == store.Skipped && u.Reason.Stood() {
			err = t.drop(tx, u.URL, u.Reason)
		}
		if err != nil {
			return err
		}
		delete(t.stands.due, key)
	}
	return nil
}
