package crawler

import (
	"context"
	"fmt"
	"time"

	"watershed/archive"
	"watershed/crawler/fetch"
	"watershed/crawler/login"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// loggedIn makes the next request of the login of a URL's origin, if one is due: under the lease,
// which ends, as permit does for a robots.txt. Where the login is lost the URL fails: what its
// server shows to strangers is not the page.
func (p *permits) loggedIn(ctx context.Context, w *fetch.Worker, l *frontier.Lease,
	touched *bool,
) (ended bool, err error) {
	in := p.Logins.Of(l.URL)
	if in == nil {
		return false, nil
	}
	if cause := in.Lost(); cause != "" {
		o := frontier.Outcome{Status: page.StatusLogin, Unsent: true, Evidence: "no login: " + cause}
		return true, p.without(ctx, l, o, o.Evidence)
	}
	step, due := in.Due()
	switch {
	case !due:
		return false, nil
	case step.URL.Host() != l.Host:
		return p.loginElsewhere(ctx, in, l)
	}
	a, err := p.ask(step.URL, time.Now())
	switch {
	case err != nil:
		return false, err
	case a.State == robots.Unknown:
		at := *l
		at.URL = step.URL // the other origin of the host
		return p.fetchRobots(ctx, w, &at, touched)
	case a.State == robots.Waiting:
		in.Lose("%s may not be asked for: %s", step.URL, a.Verdict.Cause)
	case !a.Verdict.Allowed:
		in.Lose("%s may not be asked for: %s", step.URL, a.Verdict.String())
	default:
		*touched = true
		return p.logIn(ctx, w, in, &step, l)
	}
	return p.postpone(ctx, l, frontier.Outcome{Unsent: true})
}

// logIn makes a request of a login.
func (p *permits) logIn(ctx context.Context, w *fetch.Worker, in *login.Login, step *login.Step,
	l *frontier.Lease,
) (ended bool, err error) {
	session := in.Session(step.URL)
	x := fetchUnder(ctx, w, l, fetch.Request{
		URL: step.URL, Method: step.Method, Body: step.Body, Header: step.Header, Address: l.Address,
		Login: session, MaxBody: maxProbe,
	})
	defer x.Close() // frees a temporary file; what was needed of it is in the archive by now
	if ended, err := p.spoiled(ctx, l, x); ended {
		return false, err
	}
	p.opt.Log.Info("login", "site", session.Name(), "method", step.Method, "url", step.URL,
		"status", statusOf(x))
	if session.Betrays(x) {
		p.opt.Log.Warn("an answer to the login repeats a secret and is not archived", "url", step.URL)
	} else if err := p.keepStep(ctx, x, l); err != nil {
		return false, err
	}
	in.Took(x)
	return p.postpone(ctx, l, outcomeOf(x))
}

// keepStep archives an exchange of a login.
func (p *permits) keepStep(ctx context.Context, x *page.Exchange, l *frontier.Lease) error {
	drafts, err := archive.Capture(x, archive.Meta{
		Via: l.URL, Hops: l.Hops + "P", Site: p.Sites[l.Site], Step: true,
	}, page.Origin{})
	if err != nil || len(drafts) == 0 {
		return err
	}
	if _, err := p.write(ctx, x.Login, drafts...); err != nil {
		return fmt.Errorf("archive the login at %s: %w", x.URL, err)
	}
	return nil
}

// loginElsewhere has the page of a login's form, on another host, wait for its turn there: whoever
// leases it logs in. Until then the first host waits.
func (p *permits) loginElsewhere(ctx context.Context, in *login.Login, l *frontier.Lease) (ended bool,
	err error,
) {
	u := in.Page()
	asked, found, err := p.Frontier.Explain(u)
	if err != nil {
		return false, err
	}
	if found && (asked.State == store.Failed || asked.State == store.Skipped) {
		in.Lose("%s could not be asked for: %s", u, asked.Reason.Says())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waitElsewhere(ctx, l, func(tx *store.Tx) error {
		if found && asked.State == store.Done {
			if err := p.Frontier.Again(tx, []page.URL{u}); err != nil {
				return err
			}
		}
		_, err := p.Frontier.Add(tx, []frontier.Candidate{{
			URL: u, Via: l.URL, Hops: l.Hops + "P", Kind: page.Redirect, Wanted: true, Site: l.Site,
			Forced: true, Priority: robotsPriority,
		}})
		return err
	}, foreignWait)
}

// judged ends the lease where the answer to a request with a login is not the page: it is asked for
// again when the login is renewed, or it repeats a secret.
func (p *permits) judged(ctx context.Context, s *login.Session, l *frontier.Lease,
	x *page.Exchange,
) (ended bool, err error) {
	o := outcomeOf(x)
	if s.Betrays(x) {
		o.Status, o.Evidence = page.StatusLogin, "the answer repeats a secret of the login: not archived"
		return true, p.without(ctx, l, o, o.Evidence)
	}
	if s.Judge(x) != login.Again {
		return false, nil
	}
	return p.postpone(ctx, l, o)
}

// postpone ends a lease whose host was asked for something else first.
func (p *permits) postpone(
	ctx context.Context, l *frontier.Lease, o frontier.Outcome,
) (ended bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err = p.update(ctx, func(tx *store.Tx) error { return p.Frontier.Postpone(tx, l, o) })
	return err == nil, err
}
