package crawler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/sitemap"
	"watershed/store"
)

// droppedURLs are URLs that the frontier gave up by itself, until the survey is told.
type droppedURLs struct {
	mu   sync.Mutex
	urls []droppedURL
}

type droppedURL struct {
	url    page.URL
	reason store.Reason
}

// drop takes note that the frontier gave a URL up: its host failed too often, or a limit was reached. It is
// safe for concurrent use.
func (c *commits) drop(u page.URL, reason store.Reason) {
	c.dropped.mu.Lock()
	defer c.dropped.mu.Unlock()
	c.dropped.urls = append(c.dropped.urls, droppedURL{u, reason})
	c.news.ring()
}

// refused tells the survey which URLs the frontier will not fetch, and puts the URLs that the
// survey wants instead into the frontier. The caller holds the commit lock.
func (c *commits) refused(ctx context.Context) error {
	for {
		c.dropped.mu.Lock()
		urls := c.dropped.urls
		c.dropped.urls = nil
		c.dropped.mu.Unlock()
		if err := c.Store.View(func(tx *store.Tx) error {
			for _, d := range urls {
				if err := drop(c.Survey, tx, c.Number, d.url, d.reason); err != nil {
					return err
				}
				delete(c.excess, d.url.Key())
				c.drops++
			}
			return nil
		}); err != nil {
			return err
		}
		if c.gatherWants(); len(c.wants)+len(c.asides) == 0 {
			return nil
		}
		if err := c.commitWanted(ctx); err != nil {
			return err
		}
	}
}

// commitWants puts the wants of the survey into the frontier, and then does as refused does.
func (c *commits) commitWants(ctx context.Context) error {
	c.gatherWants()
	if err := c.commitWanted(ctx); err != nil {
		return err
	}
	return c.refused(ctx)
}

// commitWanted puts the gathered wants into the frontier, in transactions of mostWants at most. It
// ends with the context between two transactions: Replay will find the wants that are not in the
// store by then.
func (c *commits) commitWanted(ctx context.Context) error {
	for len(c.wants)+len(c.asides) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.update(ctx, c.want); err != nil {
			return fmt.Errorf("commit what the survey wants: %w", err)
		}
	}
	return nil
}

// mostWants bounds what one transaction puts into the frontier. A page may name a hundred thousand
// hosts, and each takes a kilobyte or two until its transaction is committed.
const mostWants = 4 << 10

// gatherWants asks the survey. Wants stay until the transaction with them is committed.
func (c *commits) gatherWants() {
	wants := c.Survey.Wants()
	for _, w := range wants {
		if w.Why == sitemap.WhyFlow {
			c.excess[w.URL.Key()] = w.Priority
		}
	}
	if len(c.wants) == 0 {
		c.wants = wants
	} else {
		c.wants = append(c.wants, wants...)
	}
	if c.Soft404 != nil {
		for _, u := range c.Soft404.Wants() {
			c.asides = append(c.asides, frontier.Candidate{
				URL: u, Wanted: true, Kind: page.Inferred, Hops: string(page.Inferred.Hop()),
				Priority: probePriority, Part: true,
			})
		}
	}
	if c.Aside != nil {
		c.asides = append(c.asides, c.Aside.Wants()...)
	}
	if len(c.barred) > 0 {
		c.asides = slices.DeleteFunc(c.asides, func(x frontier.Candidate) bool { return c.bars(x.URL) })
	}
}

// probePriority brings random siblings before other waiting URLs, so that errors are recognised
// early.
const probePriority = 1 << 30

// want puts URLs into the frontier: the first mostWants of those that the survey wants, and the
// first mostWants of those wanted beside it. URLs that the frontier refuses at sight become
// dropped.
func (c *commits) want(tx *store.Tx) error {
	if len(c.wants)+len(c.asides) == 0 {
		return nil
	}
	wants, asides := c.wants[:min(len(c.wants), mostWants)], c.asides[:min(len(c.asides), mostWants)]
	candidates := make([]frontier.Candidate, len(wants), len(wants)+len(asides))
	var from store.URL
	for i, w := range wants {
		hops, err := c.hops(tx, w, &from)
		if err != nil {
			return err
		}
		spelled, err := c.spelled(tx, w)
		if err != nil {
			return err
		}
		candidates[i] = frontier.Candidate{
			URL: w.URL, Spelled: spelled, Via: w.Via, Hops: hops, Inside: len(hops) - w.Beyond,
			Kind: w.Kind, Wanted: true,
			Site: c.sites[w.Site], Priority: w.Priority,
			Forced: w.Why == sitemap.WhyRule || w.Why == sitemap.WhySeed,
			Part:   w.Why == sitemap.WhyRequisite || w.Why == sitemap.WhySitemap,
		}
	}
	candidates = append(candidates, asides...)
	fresh, err := c.Frontier.Add(tx, candidates)
	if err != nil {
		return err
	}
	tx.After(func(committed bool) {
		if !committed {
			return
		}
		c.wants, c.asides = without(c.wants, len(wants)), without(c.asides, len(asides))
		for _, f := range fresh {
			x := &candidates[f.Index]
			if c.Novelty != nil && x.Via != "" && f.New && f.State == store.Pending {
				c.Novelty.Found(x.URL, x.Via)
			}
			if f.State == store.Skipped || f.State == store.Failed {
				c.drop(x.URL, f.Reason)
			}
		}
	})
	return nil
}

// without takes the first n off a list; an empty list lets its memory go.
func without[T any](list []T, n int) []T {
	if n < len(list) {
		return list[n:]
	}
	return nil
}

// hops is the discovery path of a URL that the survey wants: the path of the page on which it was
// found, and a letter more. from is that page's record, kept for the next want, which was mostly
// found on the same page.
func (c *commits) hops(tx *store.Tx, w sitemap.Want, from *store.URL) (string, error) {
	if w.Via == "" {
		return "", nil
	}
	if from.URL != w.Via {
		via, _, err := tx.URL(c.Number, w.Via.Key())
		if err != nil {
			return "", err
		}
		*from, from.URL = via, w.Via
	}
	return from.Hops + string(w.Kind.Hop()), nil
}

// teach lets a survey learn a visit of a run. A visit that was not made because robots.txt or the
// network's rules forbid it says nothing of the page: the page counts as there, and its links stay
// unknown. Nor does one for which the server did not answer, or could not: then the page stays what it
// was in an earlier run.
func teach(s *sitemap.Survey, tx *store.Tx, run store.Run, v *page.Visit) error {
	switch {
	case v.Status == page.StatusRobots:
		s.Drop(v.URL, store.Robots.String())
	case v.Status == page.StatusPrivate:
		s.Drop(v.URL, store.Private.String())
	case unanswered(v.Status):
		missed, err := miss(s, tx, run, v.URL, "")
		if err != nil || missed {
			return err
		}
		s.Learn(v)
	default:
		s.Learn(v)
	}
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

// drop tells a survey that a URL is not fetched in a run. Where it was not answered, or another page
// holds what it held, the page stays what it was in an earlier run.
func drop(s *sitemap.Survey, tx *store.Tx, run store.Run, u page.URL, reason store.Reason) error {
	note := ""
	if reason.Stood() {
		note = reason.String()
	}
	if note != "" || reason.Unanswered() {
		if missed, err := miss(s, tx, run, u, note); err != nil || missed {
			return err
		}
	}
	s.Drop(u, reason.String())
	return nil
}

// farBack is through how many runs an answer is looked for that a run could not have.
const farBack = 64

// miss tells a survey that a run does not have a page, with what the last run had of it that was
// answered, and reports whether there was such a page. A note says that another page stands for it: then
// it leads where that leads by now.
func miss(s *sitemap.Survey, tx *store.Tx, run store.Run, u page.URL, note string) (missed bool, err error) {
	v, of, err := before(tx, run, u)
	if err == nil && note != "" {
		v, err = asStand(tx, run, u, v, of)
	}
	if err != nil || v == nil || !v.Alive() {
		return false, err
	}
	s.Miss(v, note)
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
func asStand(tx *store.Tx, run store.Run, u page.URL, v *page.Visit, of store.Run) (*page.Visit, error) {
	line, _, err := tx.Entry(run, u.Key())
	if err != nil || line.Representative == "" {
		return v, err
	}
	now, err := visitIn(tx, run, line.Representative)
	if err != nil || now == nil || !now.Alive() {
		return v, err
	}
	then := new(page.Visit)
	if v == nil {
		v = &page.Visit{URL: u, Status: now.Status, MIME: now.MIME, Title: now.Title}
	} else if then, _, err = before(tx, of+1, now.URL); then == nil || err != nil {
		return v, err
	}
	x, _, err := tx.URL(run, u.Key())
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
		known, found, err := tx.URL(run, to.Key())
		if err != nil {
			return nil, err
		}
		l := still[to]
		if l.URL == to || found && known.State != store.Known { // the copy may lack it
			l.URL = to
			v.Links = append(v.Links, l)
		}
	}
	return v, nil
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

// followStands has the survey follow pages that are left out as their stands are by now, where anything
// has changed since it did so last. The caller holds the commit lock.
func (c *commits) followStands(ctx context.Context) error {
	now := c.visits + c.drops
	if now == c.stood {
		return nil
	}
	err := c.Store.View(func(tx *store.Tx) error { return stoodFor(ctx, c.Survey, tx, c.Number) })
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("follow pages that stand for others: %w", err)
	}
	c.stood = now
	return c.commitWants(ctx)
}

// settled reports that nothing has changed since stands were followed.
func (c *commits) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.visits+c.drops == c.stood
}

// stoodFor tells a survey once more of the pages that a run leaves out for others, which it may have by
// now. It takes some seconds for ten thousand pages, and ends with the context.
func stoodFor(ctx context.Context, s *sitemap.Survey, tx *store.Tx, run store.Run) error {
	for line, err := range tx.Entries(run) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if !line.Reason.Stood() {
			continue
		}
		u, _, err := tx.URL(run, line.Key)
		if err == nil && u.State == store.Skipped && u.Reason.Stood() {
			err = drop(s, tx, run, u.URL, u.Reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
