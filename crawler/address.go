package crawler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watershed/archive"
	"watershed/crawler/fetch"
	"watershed/frontier"
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
		if _, err := c.write(ctx, "", answer); err != nil {
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
