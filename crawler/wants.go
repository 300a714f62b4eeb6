package crawler

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"watershed/frontier"
	"watershed/page"
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
				if err := c.teacher.drop(tx, d.url, d.reason); err != nil {
					return err
				}
				c.stands.heard(d.url.Key())
				delete(c.excess, d.url.Key())
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
	c.wants = append(c.wants, wants...)
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

// followStands has the survey follow pages that are left out, as the pages that stand for them are by now.
// The caller holds the commit lock.
func (c *commits) followStands(ctx context.Context) error {
	if len(c.stands.due) == 0 {
		return nil
	}
	if err := c.Store.View(func(tx *store.Tx) error { return c.follow(ctx, tx) }); err != nil {
		return fmt.Errorf("follow pages that stand for others: %w", err)
	}
	return c.commitWants(ctx)
}

// settled reports that nothing has changed since stands were followed.
func (c *commits) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.stands.due) == 0
}
