package crawler

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/graph"
	"watershed/page"
	"watershed/store"
)

// permits ask robots.txt, and fetch it where it is not known.
type permits struct {
	*commits
	recorder  *recorder
	robots    map[string]*robots.Fetching // robots.txt under way, by origin; the commit lock guards it
	elsewhere elsewhere                   // robots.txt that others redirect to
	browsing  *browsing                   // nil where no page is drawn
}

// permit asks robots.txt. Where it is not known, one request for it is made under the lease, which
// ends: the URL's turn comes again when the host has rested.
func (p *permits) permit(ctx context.Context, w *fetch.Worker, l *frontier.Lease, touched *bool) (ended bool,
	err error,
) {
	now := time.Now()
	a, err := p.ask(p.browsing.target(l.URL), now)
	if err != nil {
		return false, err
	}
	switch a.State {
	case robots.Known:
		if l.URL.PathQuery() == "/robots.txt" { // it has been fetched, or it would not be known
			return true, p.conclude(ctx, l, frontier.Outcome{Status: 200, Unsent: true})
		}
		if a.Verdict.Allowed {
			return false, nil
		}
		o := frontier.Outcome{
			Status: page.StatusRobots, Skip: store.Robots, Rule: short(a.Verdict.String()),
			Unsent: true,
		}
		return true, p.without(ctx, l, o, a.Verdict.String())
	case robots.Waiting:
		o := frontier.Outcome{
			Status: page.StatusUnreachable, RetryAfter: seconds(a.Until.Sub(now)),
			Unsent: true, Evidence: a.Verdict.Cause,
		}
		if p.Frontier.Foretell(l, o).State == store.Pending {
			return true, p.conclude(ctx, l, o)
		}
		return true, p.without(ctx, l, o, a.Verdict.Cause)
	}
	return p.fetchRobots(ctx, w, l, touched)
}

// seconds is a time to wait as Retry-After has it.
func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second)+1, 10) }

// short cuts a rule to what a URL's record holds; the visit's cause has all of it.
func short(rule string) string { return rule[:min(len(rule), 255)] }

// ask asks the cache, and the store for what an earlier process learnt.
func (p *permits) ask(u page.URL, now time.Time) (robots.Answer, error) {
	if origin := robots.Origin(u); p.Robots.Get(origin) == nil {
		p.mu.Lock()
		_, err := p.robotsFile(origin)
		p.mu.Unlock()
		if err != nil {
			return robots.Answer{}, err
		}
	}
	answer := p.Robots.Ask(u, now)
	if !p.opt.ObeyRobots(u.Host()) {
		answer = answer.Ignore()
	}
	return answer, nil
}

// robotsFile is the robots.txt of an origin as this process or an earlier one has read it; nil
// where none has. The caller holds the commit lock: what is read from the store must not come into
// the cache after a file that was fetched meanwhile.
func (p *permits) robotsFile(origin string) (*robots.File, error) {
	if file := p.Robots.Get(origin); file != nil {
		return file, nil
	}
	var blob []byte
	err := p.Store.View(func(tx *store.Tx) (err error) {
		blob, _, err = tx.Robots(origin)
		return err
	})
	var file robots.File
	if err != nil || blob == nil || file.UnmarshalBinary(blob) != nil { // what cannot be read is fetched anew
		return nil, err
	}
	earlier := file.Fetched.Before(p.Started) && file.Failing.Before(p.Started)
	if earlier || file.Fetched.After(time.Now()) { // the clock was set back since
		// each run asks once itself: its archive has the file, and its survey the sitemaps it names
		// itself, and counts no failures of earlier ones
		file.Until = time.Time{}
		file.Tries = 0
	}
	p.Robots.Put(&file)
	return &file, nil
}

// fetching is the robots.txt of a URL's origin, as far as it has been fetched.
func (p *permits) fetching(u page.URL) *robots.Fetching {
	p.mu.Lock()
	defer p.mu.Unlock()
	origin := robots.Origin(u)
	f := p.robots[origin]
	if f == nil {
		f = p.Robots.Start(u)
		p.robots[origin] = f
	}
	return f
}

// step gives an exchange to a fetching, under the lock that circular needs to read where it leads.
func (p *permits) step(f *robots.Fetching, x *page.Exchange) *robots.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	f.Step(x, time.Now())
	return f.File()
}

// fetchRobots makes the next request for a robots.txt.
func (p *permits) fetchRobots(ctx context.Context, w *fetch.Worker, l *frontier.Lease,
	touched *bool,
) (ended bool, err error) {
	f := p.fetching(l.URL)
	next, _ := f.URL()
	if next.Host() != l.Host {
		return p.foreignRobots(ctx, f, next, l)
	}
	*touched = true
	q := fetch.Request{URL: next, Address: l.Address, MaxBody: robots.MaxWire}
	session := p.Logins.Session(next)
	if session != nil {
		q.Login = session
	}
	x := fetchUnder(ctx, w, l, q)
	defer x.Close() // frees a temporary file; what was needed of it is in the archive by now
	if ended, err := p.spoiled(ctx, l, x); ended {
		return false, err
	}
	if session != nil && session.Challenged(x) {
		return p.postpone(ctx, l, outcomeOf(x))
	}
	v := visitOf(l, x)
	v.URL, v.Via, v.Hops, v.Site = next, l.URL, l.Hops+"P", p.Sites[l.Site]
	p.recorder.read(x, v, prior{})
	file := p.step(f, x)
	if file != nil && file.Rules != nil {
		v.Links = append(v.Links, SitemapLinks(next, file.Rules.Sitemaps())...)
	}
	if err := p.recorder.record(ctx, x, v, prior{}, &frontier.Lease{Part: true}); err != nil {
		return false, err
	}
	o := outcomeOf(x)
	throttled := o.RetryAfter != "" && (o.Status == 429 || o.Status == 503)
	if closed := file != nil && file.Rules == nil; closed && o.Status > 0 && !throttled {
		// The host answers, but its answer allows no fetch. The frontier must not count that as an
		// answer, or the origin would never be given up.
		o.Status, o.RetryAfter = page.StatusUnreachable, seconds(time.Until(file.Until))
	}
	if o.Evidence == "" && file != nil {
		o.Evidence = file.Cause
	}
	hopeless := p.Frontier.Foretell(l, o).GivenUp
	err = p.commit(ctx, v, func(tx *store.Tx) error {
		if err := p.keepRobots(tx, l.Host, file); err != nil || hopeless {
			return err
		}
		o.Visit = v.Seq
		return p.Frontier.Postpone(tx, l, o)
	})
	if err != nil {
		return false, err
	}
	if hopeless { // the host never answers: the URL ends here, and the host with it
		return true, p.without(ctx, l, o, o.Evidence)
	}
	return true, nil
}

// foreignWait is how long a host waits when its robots.txt redirects to another host.
const foreignWait = 500 * time.Millisecond

// foreignRobots follows a redirect of a robots.txt to another host. The target is fetched under a
// lease of that host, as any of its URLs: it joins the queue there, and until it is known the first
// host waits.
func (p *permits) foreignRobots(ctx context.Context, f *robots.Fetching, next page.URL,
	l *frontier.Lease,
) (ended bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	other, err := p.robotsFile(robots.Origin(next))
	if err != nil {
		return false, err
	}
	asked, found, err := p.Frontier.Explain(next)
	if err != nil {
		return false, err
	}
	again := p.settleForeign(f, next, l, other, &asked, found)
	file := f.File()
	if file == nil {
		if to, _ := f.URL(); to != next { // it leads on
			return p.waitElsewhere(ctx, l, nil, 0)
		}
	}
	if file != nil {
		err = p.update(ctx, func(tx *store.Tx) error {
			if err := p.keepRobots(tx, l.Host, file); err != nil {
				return err
			}
			return p.Frontier.Postpone(tx, l, frontier.Outcome{Status: 301, Unsent: true})
		})
		return err == nil, err
	}
	return p.waitElsewhere(ctx, l, func(tx *store.Tx) error {
		if again {
			if err := p.Frontier.Again(tx, []page.URL{next}); err != nil {
				return err
			}
		}
		wish := frontier.Candidate{
			URL: next, Via: l.URL, Hops: l.Hops + "P", Kind: page.Redirect, Wanted: true,
			Site: l.Site, Forced: true,
			Priority: robotsPriority,
		}
		_, err := p.Frontier.Add(tx, []frontier.Candidate{wish})
		return err
	}, foreignWait)
}

// settleForeign ends the fetching, or takes it a step further, if enough is known of the next URL.
// again says that the URL is to be fetched anew, because its former answer is out of date. The
// caller holds the commit lock.
func (p *permits) settleForeign(f *robots.Fetching, next page.URL, l *frontier.Lease, other *robots.File,
	asked *frontier.Explanation, found bool,
) (again bool) {
	now := time.Now()
	own := next.PathQuery() == "/robots.txt" // of the other origin
	switch {
	case own && other != nil && now.Before(other.Until):
		f.Adopt(other)
	case !own && p.elsewhere.known(next, now):
		f.Step(p.elsewhere[next].Exchange, now)
	case found && (asked.State == store.Failed || asked.State == store.Skipped):
		f.Fail(page.StatusUnreachable, fmt.Errorf("robots.txt redirects to %s: %s", next, asked.Reason), now)
	case p.circular(robots.Origin(l.URL), next):
		f.GoesRound(now)
	default:
		if !own {
			p.elsewhere.await(next)
		}
		return found && asked.State == store.Done
	}
	return false
}

// waitElsewhere ends a lease until a robots.txt elsewhere is known, or a login is made there. The
// caller holds the commit lock.
func (p *permits) waitElsewhere(ctx context.Context, l *frontier.Lease, ask func(*store.Tx) error,
	wait time.Duration,
) (ended bool, err error) {
	err = p.update(ctx, func(tx *store.Tx) error {
		if ask != nil {
			if err := ask(tx); err != nil {
				return err
			}
		}
		return p.Frontier.Postpone(tx, l, frontier.Outcome{Status: 301, Unsent: true, Rest: wait})
	})
	return err == nil, err
}

// robotsPriority is above that of any page.
const robotsPriority = 10_000 * graph.Unit

// keepRobots stores what a robots.txt says, once it is known; the cache has it with the store, and
// before the frontier frees the host, whose next lease would ask for the file again. The caller holds
// the commit lock, and has changed nothing of the frontier in the transaction.
func (p *permits) keepRobots(tx *store.Tx, host page.Host, file *robots.File) error {
	if file == nil {
		return nil
	}
	tx.After(func(committed bool) {
		if committed {
			p.Robots.Put(file)
			delete(p.robots, file.Origin)
		}
	})
	blob, err := file.MarshalBinary()
	if err == nil {
		err = tx.PutRobots(file.Origin, blob)
	}
	if errors.Is(err, store.ErrTooLarge) { // it is asked for again when the cache has lost it
		tx.DeleteRobots(file.Origin)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("keep robots.txt of %s: %w", file.Origin, err)
	}
	if file.Rules == nil {
		return nil
	}
	delay := file.Rules.CrawlDelay()
	for _, scheme := range []string{"http", "https"} { // the host's other origin may ask for more
		origin := scheme + "://" + string(host)
		if origin == file.Origin {
			continue
		}
		other, err := p.robotsFile(origin)
		if err != nil {
			return err
		}
		if other != nil && other.Rules != nil {
			delay = max(delay, other.Rules.CrawlDelay())
		}
	}
	return p.Frontier.SetCrawlDelay(tx, host, delay)
}

// SitemapLinks are the sitemaps that a robots.txt names.
func SitemapLinks(base page.URL, refs []string) []page.Link {
	var links []page.Link
	for _, ref := range refs {
		if u, s, err := base.ResolveSpelled(ref, ""); err == nil {
			links = append(links, page.Link{
				URL: u, Spelled: s, Kind: page.Sitemap, Context: "robots.txt/Sitemap",
			})
		}
	}
	return links
}
