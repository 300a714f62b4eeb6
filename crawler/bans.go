package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"watershed/archive"
	"watershed/crawler/ban"
	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// first makes what is to be asked of a host before the URL of a lease, which then ends.
func (p *permits) first(ctx context.Context, w *fetch.Worker, l *frontier.Lease, touched *bool) (
	ended bool, err error,
) {
	if ended, err = p.permit(ctx, w, l, touched); ended || err != nil {
		return ended, err
	}
	if ended, err = p.loggedIn(ctx, w, l, touched); ended || err != nil {
		return ended, err
	}
	return p.doubted(ctx, w, l, touched)
}

// doubted asks a host that may refuse the crawler, or that did not answer for some URLs in a row, for a page
// that it gave before, in place of the URL of the lease: see ban.Watch. The lease ends. The answer is not
// archived, as that of any attempt which is to be made again.
func (p *permits) doubted(ctx context.Context, w *fetch.Worker, l *frontier.Lease, touched *bool) (
	ended bool, err error,
) {
	given := p.Bans.Due(l.URL, l.Part)
	silent := given == ""
	if silent && l.Failing {
		given = p.Bans.Alive(l.URL, l.Slowed)
	}
	if given == "" || p.Logins.Session(l.URL) != nil {
		return false, nil
	}
	if may, err := p.mayStill(given); !may || err != nil {
		return false, err
	}
	*touched = true
	q := fetch.Request{URL: given, Address: l.Address, MaxBody: maxProbe, Referer: given.Root()}
	q.Header = p.needs.Fields(nil, given, "")
	x := fetchUnder(ctx, w, l, q)
	defer x.Close() // frees a temporary file
	if ended, err := p.spoiled(ctx, l, x); ended {
		return false, err
	}
	v, o := visitOf(l, x), outcomeOf(x)
	v.URL = given
	p.recorder.read(x, v, prior{})
	sum, err := archive.SumPayload(x)
	if err != nil {
		return false, fmt.Errorf("digest %s: %w", given, err)
	}
	v.Size = sum.Size
	var is ban.Verdict
	var row ban.Row
	switch {
	case !silent:
		is, row = p.Bans.Judge(v)
	case o.Status > 0:
		p.Bans.FoundAlive(given)
	}
	o.Spared = row.Refused
	if is == ban.Refuses {
		o.Status, o.Evidence = page.StatusDenied, refusal(v)
	}
	p.opt.Log.Info("a host that answered some pages alike, or none, was asked for one that it gave before",
		"url", given, "status", v.Status, "gives", is == ban.Gives,
		"alike", len(row.URLs), "refused_until_now", row.Refused)
	if p.Frontier.Foretell(l, o).GivenUp {
		return true, p.without(ctx, l, o, o.Evidence)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if row.URLs, err = p.askable(row.URLs); err != nil {
		return false, err
	}
	if !row.Refused && !p.needs.Offer(given, http.Header(x.Header), row.URLs, row.Like) {
		row.URLs = nil
	}
	err = p.update(ctx, func(tx *store.Tx) error {
		return errors.Join(p.Frontier.Again(tx, row.URLs), p.Frontier.Postpone(tx, l, o))
	})
	return err == nil, err
}

// mayStill reports that a page which was fetched may be fetched by now, too: its robots.txt may have been
// read anew since, and the archivist may have excluded it.
func (p *permits) mayStill(u page.URL) (bool, error) {
	a, err := p.ask(u, time.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	return a.State == robots.Known && a.Verdict.Allowed && !p.bars(u), err
}

// askable are those of some pages that may be asked for once more: what a POST sent is known no more, and the
// archivist may have excluded some since. The caller holds the commit lock.
func (c *commits) askable(list []page.URL) (may []page.URL, err error) {
	for _, u := range list {
		x, found, err := c.Frontier.Explain(u)
		if err != nil {
			return nil, err
		}
		if !found || posted(u) || c.bars(u) {
			continue
		}
		if i := int(x.URL.Site); i < len(c.Sites) {
			if _, excluded := c.Survey.Excludes(c.Sites[i], u); excluded {
				continue
			}
		}
		may = append(may, u)
	}
	return may, nil
}

// refusal says how a host refuses the crawler, by the visit of a page that it gave before.
func refusal(v *page.Visit) string {
	how := strings.TrimSpace(fmt.Sprintf("%d %s", v.Status, http.StatusText(v.Status)))
	switch to := v.Redirected(); {
	case to != nil:
		how = "a redirect to " + to.URL.String()
	case v.OK() && v.Title != "":
		how = fmt.Sprintf("the page %q", v.Title)
	case v.OK():
		how = "one and the same page"
	}
	return fmt.Sprintf("the host gives no page any more: it answers by %s, also %s, which it gave before",
		how, v.URL)
}
