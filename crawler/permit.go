package crawler

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"watershed/archive"
	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/graph"
	"watershed/page"
	"watershed/store"
)

// address sees to it that the lease has an address: the host is looked up, the answer archived, and
// the frontier asked which address is free. ended reports that address has ended the lease.
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
		return true, c.unreachable(ctx, l, err)
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
func (c *Crawler) unreachable(ctx context.Context, l *frontier.Lease, cause error) error {
	o := frontier.Outcome{Status: fetch.StatusOf(cause), Unsent: true, Evidence: cause.Error()}
	var dns *fetch.DNSError
	o.Final = errors.As(cause, &dns) && dns.NotFound
	if c.Frontier.Foretell(l, o).State == store.Pending {
		return c.conclude(ctx, l, o)
	}
	return c.without(ctx, l, o, cause.Error())
}

// without commits a visit that made no request, and the end of its lease.
func (c *Crawler) without(ctx context.Context, l *frontier.Lease, o frontier.Outcome, cause string) error {
	v := &page.Visit{
		URL: l.URL, Spelled: l.Spelled, Time: time.Now(), Status: o.Status, Cause: cause, Via: l.Via,
		Hops: l.Hops, Site: c.Sites[l.Site],
	}
	return c.commit(ctx, v, func(tx *store.Tx) error {
		o.Visit = v.Seq
		_, err := c.Frontier.Finish(tx, l, o)
		return err
	})
}

// permit asks robots.txt. Where it is not known, one request for it is made under the lease, which
// ends: the URL's turn comes again when the host has rested.
func (c *Crawler) permit(ctx context.Context, w *fetch.Worker, l *frontier.Lease, touched *bool) (ended bool,
	err error,
) {
	now := time.Now()
	a, err := c.ask(l.URL, now)
	if err != nil {
		return false, err
	}
	switch a.State {
	case robots.Known:
		if l.URL.PathQuery() == "/robots.txt" { // it has been fetched, or it would not be known
			return true, c.conclude(ctx, l, frontier.Outcome{Status: 200, Unsent: true})
		}
		if a.Verdict.Allowed {
			return false, nil
		}
		o := frontier.Outcome{
			Status: page.StatusRobots, Skip: store.Robots, Rule: short(a.Verdict.String()),
			Unsent: true,
		}
		return true, c.without(ctx, l, o, a.Verdict.String())
	case robots.Waiting:
		o := frontier.Outcome{
			Status: page.StatusUnreachable, RetryAfter: seconds(a.Until.Sub(now)),
			Unsent: true, Evidence: a.Verdict.Cause,
		}
		if c.Frontier.Foretell(l, o).State == store.Pending {
			return true, c.conclude(ctx, l, o)
		}
		return true, c.without(ctx, l, o, a.Verdict.Cause)
	}
	return c.fetchRobots(ctx, w, l, touched)
}

// seconds is a time to wait as Retry-After has it.
func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second)+1, 10) }

// short cuts a rule to what a URL's record holds; the visit's cause has all of it.
func short(rule string) string { return rule[:min(len(rule), 255)] }

// ask asks the cache, and the store for what an earlier process learnt.
func (c *Crawler) ask(u page.URL, now time.Time) (robots.Answer, error) {
	policy := robots.Obey
	if !c.opt.ObeyRobots(u.Host()) {
		policy = robots.Ignore
	}
	if _, err := c.robotsFile(robots.Origin(u)); err != nil {
		return robots.Answer{}, err
	}
	return c.Robots.AskUnder(policy, u, now), nil
}

// robotsFile is the robots.txt of an origin as this process or an earlier one has read it; nil
// where none has.
func (c *Crawler) robotsFile(origin string) (*robots.File, error) {
	if file := c.Robots.Get(origin); file != nil {
		return file, nil
	}
	var blob []byte
	err := c.Store.View(func(tx *store.Tx) (err error) {
		blob, _, err = tx.Robots(origin)
		return err
	})
	var file robots.File
	if err != nil || blob == nil || file.UnmarshalBinary(blob) != nil { // what cannot be read is fetched anew
		return nil, err
	}
	if file.Fetched.Before(c.Started) && file.Failing.Before(c.Started) {
		// each run asks once itself: its archive has the file, and its survey the sitemaps it names
		file.Until = time.Time{}
		file.Tries = 0 // and does not wait the longer for what earlier ones could not reach
	}
	c.Robots.Put(&file)
	return &file, nil
}

// fetching is the robots.txt of a URL's origin, as far as it has been fetched.
func (c *Crawler) fetching(u page.URL) *robots.Fetching {
	c.mu.Lock()
	defer c.mu.Unlock()
	origin := robots.Origin(u)
	f := c.robots[origin]
	if f == nil {
		f = c.Robots.Start(u)
		c.robots[origin] = f
	}
	return f
}

// step gives an exchange to a fetching, under the lock that circular needs to read where it leads.
func (c *Crawler) step(f *robots.Fetching, x *page.Exchange) *robots.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.Step(x, time.Now())
	return f.File()
}

// fetchRobots makes the next request for a robots.txt.
func (c *Crawler) fetchRobots(ctx context.Context, w *fetch.Worker, l *frontier.Lease,
	touched *bool,
) (ended bool, err error) {
	f := c.fetching(l.URL)
	next, _ := f.URL()
	if next.Host() != l.Host {
		return c.foreignRobots(ctx, f, next, l)
	}
	*touched = true
	x := w.Fetch(ctx, fetch.Request{URL: next, Address: l.Address, MaxBody: robots.MaxWire})
	defer x.Close() // frees a temporary file; what was needed of it is in the archive by now
	if ended, err := c.spoiled(ctx, x); ended {
		return false, err
	}
	v := visitOf(l, x)
	v.URL, v.Via, v.Hops, v.Site = next, l.URL, l.Hops+"P", c.Sites[l.Site]
	c.read(x, v, prior{})
	file := c.step(f, x)
	if file != nil && file.Rules != nil {
		v.Links = append(v.Links, SitemapLinks(next, file.Rules.Sitemaps())...)
	}
	if err := c.record(ctx, x, v, prior{}, &frontier.Lease{Part: true}); err != nil {
		return false, err
	}
	o := outcomeOf(x)
	if closed := file != nil && file.Rules == nil; closed && o.Status > 0 && o.RetryAfter == "" {
		// The host answers, but its answer allows no fetch. The frontier must not count that as an
		// answer, or the origin would never be given up.
		o.Status, o.RetryAfter = page.StatusUnreachable, seconds(time.Until(file.Until))
	}
	if o.Evidence == "" && file != nil {
		o.Evidence = file.Cause
	}
	hopeless := c.Frontier.Foretell(l, o).GivenUp
	err = c.commit(ctx, v, func(tx *store.Tx) error {
		if err := c.keepRobots(tx, l.Host, file); err != nil || hopeless {
			return err
		}
		o.Visit = v.Seq
		return c.Frontier.Postpone(tx, l, o)
	})
	if err != nil {
		return false, err
	}
	c.knowRobots(file)
	if hopeless { // the host never answers: the URL ends here, and the host with it
		return true, c.without(ctx, l, o, o.Evidence)
	}
	return true, nil
}

// foreignWait is how long a host waits when its robots.txt redirects to another host.
const foreignWait = 500 * time.Millisecond

// foreignRobots follows a redirect of a robots.txt to another host. The target is fetched under a
// lease of that host, as any of its URLs: it joins the queue there, and until it is known the first
// host waits.
func (c *Crawler) foreignRobots(ctx context.Context, f *robots.Fetching, next page.URL,
	l *frontier.Lease,
) (ended bool, err error) {
	other, err := c.robotsFile(robots.Origin(next))
	if err != nil {
		return false, err
	}
	asked, found, err := c.Frontier.Explain(next)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	again := c.settleForeign(f, next, l, other, &asked, found)
	file := f.File()
	if file == nil {
		if to, _ := f.URL(); to != next { // it leads on
			return c.waitForRobots(ctx, l, nil, 0)
		}
	}
	if file != nil {
		err = c.update(ctx, func(tx *store.Tx) error {
			if err := c.keepRobots(tx, l.Host, file); err != nil {
				return err
			}
			return c.Frontier.Postpone(tx, l, frontier.Outcome{Status: 301, Unsent: true})
		})
		if err == nil {
			c.Robots.Put(file)
			delete(c.robots, file.Origin)
		}
		return err == nil, err
	}
	return c.waitForRobots(ctx, l, func(tx *store.Tx) error {
		if again {
			if err := c.Frontier.Again(tx, []page.URL{next}); err != nil {
				return err
			}
		}
		wish := frontier.Candidate{
			URL: next, Via: l.URL, Hops: l.Hops + "P", Kind: page.Redirect, Wanted: true,
			Site: l.Site, Forced: true,
			Priority: robotsPriority,
		}
		_, err := c.Frontier.Add(tx, []frontier.Candidate{wish})
		return err
	}, foreignWait)
}

// settleForeign ends the fetching, or takes it a step further, if enough is known of the next URL.
// again says that the URL is to be fetched anew, because its former answer is out of date. The
// caller holds the commit lock.
func (c *Crawler) settleForeign(f *robots.Fetching, next page.URL, l *frontier.Lease, other *robots.File,
	asked *frontier.Explanation, found bool,
) (again bool) {
	now := time.Now()
	own := next.PathQuery() == "/robots.txt" // of the other origin
	switch {
	case own && other != nil && now.Before(other.Until):
		f.Adopt(other)
	case !own && c.elsewhere[next] != nil:
		f.Step(c.elsewhere[next], now)
	case found && (asked.State == store.Failed || asked.State == store.Skipped):
		f.Fail(page.StatusUnreachable, fmt.Errorf("robots.txt redirects to %s: %s", next, asked.Reason), now)
	case c.circular(robots.Origin(l.URL), next):
		f.GoesRound(now)
	default:
		if !own {
			c.elsewhere.await(next)
		}
		return found && asked.State == store.Done
	}
	return false
}

// waitForRobots ends a lease until a robots.txt elsewhere is known. The caller holds the commit
// lock.
func (c *Crawler) waitForRobots(ctx context.Context, l *frontier.Lease, ask func(*store.Tx) error,
	wait time.Duration,
) (ended bool, err error) {
	err = c.update(ctx, func(tx *store.Tx) error {
		if ask != nil {
			if err := ask(tx); err != nil {
				return err
			}
		}
		return c.Frontier.Postpone(tx, l, frontier.Outcome{Status: 301, Unsent: true, Rest: wait})
	})
	return err == nil, err
}

// robotsPriority is above that of any page.
const robotsPriority = 10_000 * graph.Unit

// keepRobots stores what a robots.txt says, once it is known.
func (c *Crawler) keepRobots(tx *store.Tx, host page.Host, file *robots.File) error {
	if file == nil {
		return nil
	}
	blob, err := file.MarshalBinary()
	if err == nil {
		err = tx.PutRobots(file.Origin, blob)
	}
	if err != nil {
		return fmt.Errorf("keep robots.txt of %s: %w", file.Origin, err)
	}
	if file.Rules == nil {
		return nil
	}
	delay := file.Rules.CrawlDelay()
	for _, scheme := range []string{"http", "https"} { // the host's other origin may ask for more
		if other := c.Robots.Get(scheme + "://" + string(host)); other != nil &&
			other.Origin != file.Origin && other.Rules != nil {
			delay = max(delay, other.Rules.CrawlDelay())
		}
	}
	return c.Frontier.SetCrawlDelay(tx, host, delay)
}

// knowRobots puts a robots.txt that is known into the cache.
func (c *Crawler) knowRobots(file *robots.File) {
	if file == nil {
		return
	}
	c.Robots.Put(file)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.robots, file.Origin)
}

// SitemapLinks are the sitemaps that a robots.txt names.
func SitemapLinks(base page.URL, refs []string) []page.Link {
	var links []page.Link
	for _, ref := range refs {
		if u, err := base.Resolve(ref); err == nil {
			links = append(links, page.Link{URL: u, Kind: page.Sitemap, Context: "robots.txt/Sitemap"})
		}
	}
	return links
}
