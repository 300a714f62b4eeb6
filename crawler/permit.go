package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"watershed/archive"
	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// address sees to it that the lease has an address: the host is looked up, the answer archived, and the frontier asked
// which address is free. ended tells that the lease came to its end here.
func (c *Crawler) address(ctx context.Context, l *frontier.Lease) (ended bool, err error) {
	if l.Address.IsValid() || c.opt.Proxied {
		return false, nil
	}
	found, err := c.Fetcher.Resolve(ctx, l.Host)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if found.Text != "" && c.firstAnswer(found) {
		answer := archive.Resource("dns:"+l.Host.Name(), "text/dns", found.When, []byte(found.Text))
		if _, err := c.write(ctx, answer); err != nil {
			return false, fmt.Errorf("archive DNS answer for %s: %w", l.Host, err)
		}
	}
	if err != nil {
		return true, c.unreachable(l, err)
	}
	ttl := time.Until(found.Until)
	if found.Until.IsZero() {
		ttl = time.Hour
	}
	addr, ok, err := c.Frontier.Resolved(l, found.Addrs, ttl)
	if err != nil {
		return true, fmt.Errorf("resolve %s: %w", l.Host, err)
	}
	l.Address = addr
	return !ok, nil
}

// firstAnswer reports that a host's answer was not archived before.
func (c *Crawler) firstAnswer(a fetch.Addresses) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answered[a.Host].Equal(a.When) {
		return false
	}
	c.answered[a.Host] = a.When
	return true
}

// unreachable ends a lease whose host has no address that may be fetched from.
func (c *Crawler) unreachable(l *frontier.Lease, cause error) error {
	o := frontier.Outcome{Status: fetch.StatusOf(cause), Unsent: true, Evidence: cause.Error()}
	var dns *fetch.DNSError
	o.Final = errors.As(cause, &dns) && dns.NotFound
	if c.Frontier.Foretell(l, o).State == store.Pending {
		return c.conclude(l, o)
	}
	return c.without(l, o, cause.Error())
}

// without commits a visit that made no request, and the end of its lease.
func (c *Crawler) without(l *frontier.Lease, o frontier.Outcome, cause string) error {
	v := &page.Visit{
		URL: l.URL, Time: time.Now(), Status: o.Status, Cause: cause, Via: l.Via, Hops: l.Hops, Site: c.Sites[l.Site],
	}
	return c.commit(v, func(tx *store.Tx) error {
		o.Visit = v.Seq
		_, err := c.Frontier.Finish(tx, l, o)
		return err
	})
}

// permit asks robots.txt. Where it is not known, one request for it is made under the lease, which ends: the URL's turn
// comes again when the host has rested.
func (c *Crawler) permit(ctx context.Context, w *fetch.Worker, l *frontier.Lease, touched *bool) (ended bool, err error) {
	now := time.Now()
	a, err := c.ask(l.URL, now)
	if err != nil {
		return false, err
	}
	switch a.State {
	case robots.Known:
		if a.Verdict.Allowed || l.URL.PathQuery() == "/robots.txt" {
			return false, nil
		}
		o := frontier.Outcome{Status: page.StatusRobots, Skip: store.Robots, Rule: short(a.Verdict.String()), Unsent: true}
		return true, c.without(l, o, a.Verdict.String())
	case robots.Waiting:
		wait := strconv.FormatInt(int64(a.Until.Sub(now)/time.Second)+1, 10)
		o := frontier.Outcome{Status: page.StatusUnreachable, RetryAfter: wait, Unsent: true, Evidence: a.Verdict.Cause}
		if c.Frontier.Foretell(l, o).State == store.Pending {
			return true, c.conclude(l, o)
		}
		return true, c.without(l, o, a.Verdict.Cause)
	}
	return c.fetchRobots(ctx, w, l, touched)
}

// short cuts a rule to what a URL's record holds; the visit's cause has all of it.
func short(rule string) string { return rule[:min(len(rule), 255)] }

// ask asks the cache, and the store for what an earlier process learnt.
func (c *Crawler) ask(u page.URL, now time.Time) (robots.Answer, error) {
	policy := robots.Obey
	if !c.opt.ObeyRobots(u.Host()) {
		policy = robots.Ignore
	}
	origin := robots.Origin(u)
	if c.Robots.Get(origin) == nil {
		var blob []byte
		err := c.Store.View(func(tx *store.Tx) (err error) {
			blob, _, err = tx.Robots(origin)
			return err
		})
		if err != nil {
			return robots.Answer{}, err
		}
		var file robots.File
		if blob != nil && file.UnmarshalBinary(blob) == nil { // what cannot be read is fetched anew
			c.Robots.Put(&file)
		}
	}
	return c.Robots.AskUnder(policy, u, now), nil
}

// fetchRobots makes the next request for a robots.txt. A redirect to another host is one request to a host that is not
// leased: robots.txt files are few, and RFC 9309 (2.3.1.2) wants them followed.
func (c *Crawler) fetchRobots(ctx context.Context, w *fetch.Worker, l *frontier.Lease, touched *bool) (ended bool, err error) {
	origin := robots.Origin(l.URL)
	c.mu.Lock()
	f := c.robots[origin]
	if f == nil {
		f = c.Robots.Start(l.URL)
		c.robots[origin] = f
	}
	c.mu.Unlock()
	next, _ := f.URL()
	q := fetch.Request{URL: next, Address: l.Address}
	if next.Host() != l.Host {
		q.Address = netip.Addr{}
	}
	*touched = true
	x := w.Fetch(ctx, q)
	defer x.Close() // frees a temporary file; what was needed of it is in the archive by now
	if ctx.Err() != nil && x.Err != nil {
		return false, context.Cause(ctx)
	}
	v := visitOf(l, x)
	v.URL, v.Via, v.Hops, v.Site = next, l.URL, l.Hops+"P", c.Sites[l.Site]
	c.read(x, v, prior{})
	f.Step(x, time.Now())
	file := f.File()
	if file != nil && file.Rules != nil {
		v.Links = append(v.Links, sitemapLinks(next, file.Rules.Sitemaps())...)
	}
	if err := c.record(ctx, x, v, prior{}, 0); err != nil {
		return false, err
	}
	err = c.commit(v, func(tx *store.Tx) error { return c.endRobots(tx, l, v, x, file) })
	if err == nil && file != nil {
		c.Robots.Put(file)
		c.mu.Lock()
		delete(c.robots, origin)
		c.mu.Unlock()
	}
	return err == nil, err
}

// endRobots ends the lease under which a robots.txt was fetched, and keeps what it says.
func (c *Crawler) endRobots(tx *store.Tx, l *frontier.Lease, v *page.Visit, x *page.Exchange, file *robots.File) error {
	if file != nil {
		blob, err := file.MarshalBinary()
		if err == nil {
			err = tx.PutRobots(file.Origin, blob)
		}
		if err != nil {
			return fmt.Errorf("keep robots.txt of %s: %w", file.Origin, err)
		}
		if file.Rules != nil {
			if err := c.Frontier.SetCrawlDelay(tx, l.Host, file.Rules.CrawlDelay()); err != nil {
				return err
			}
		}
	}
	o := outcomeOf(x)
	o.Visit = v.Seq
	return c.Frontier.Postpone(tx, l, o)
}

// sitemapLinks are the sitemaps that a robots.txt names.
func sitemapLinks(base page.URL, refs []string) []page.Link {
	var links []page.Link
	for _, ref := range refs {
		if u, err := base.Resolve(ref); err == nil {
			links = append(links, page.Link{URL: u, Kind: page.Sitemap, Context: "robots.txt/Sitemap"})
		}
	}
	return links
}
