package fetch

import (
	"context"
	"fmt"
	"net/netip"

	"watershed/page"
)

// Fetcher has the parts that the workers of a harvest share. It is safe for concurrent use, starts
// no goroutine, and keeps idle connections until Close.
type Fetcher struct {
	opt      Options
	resolver *resolver
	pool     *pool
	dialer   *dialer
	budget   *budget
}

// New makes a Fetcher. It reads the hosts file and the system's list of name servers; it asks
// nobody.
func New(o Options) (*Fetcher, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fetch options: %w", err)
	}
	o = o.withDefaults()
	f := &Fetcher{opt: o, pool: newPool(o.MaxIdle, idleFor), budget: newBudget(o.Memory)}
	var err error
	if f.resolver, err = newResolver(o); err != nil {
		return nil, err
	}
	f.dialer = newDialer(o, f.check)
	return f, nil
}

// Close ends the idle connections. Fetches under way end by themselves, their connections with
// them. It may be called twice. The error is nil.
func (f *Fetcher) Close() error {
	f.pool.close()
	return nil
}

// Worker makes a worker with a collector of its own. It needs no closing.
func (f *Fetcher) Worker() *Worker { return newWorker(f) }

// Resolve finds the addresses of a host. All of those that the harvest may reach are returned;
// where there is none, the error is a *DNSError or a *privateError, and the Addresses still have
// the text of the answer. Behind a proxy only a host that is itself an address has one. Answers are
// remembered for as long as they are good.
func (f *Fetcher) Resolve(ctx context.Context, host page.Host) (Addresses, error) {
	if a, ok := host.Address(); ok {
		if err := f.check(host, a); err != nil {
			return Addresses{Host: host}, err
		}
		return Addresses{Host: host, Addrs: []netip.Addr{a}}, nil
	}
	if f.opt.Proxy != nil {
		return Addresses{Host: host}, nil
	}
	found, err := f.resolver.lookup(ctx, host)
	if err != nil {
		return found, err
	}
	all := found.Addrs
	found.Addrs = make([]netip.Addr, 0, len(all))
	for _, a := range all {
		if e := f.check(host, a); e == nil {
			found.Addrs = append(found.Addrs, a)
		} else if err == nil {
			err = e
		}
	}
	if len(found.Addrs) > 0 {
		return found, nil
	}
	return found, err
}

// connection opens the way to a URL's host at an address; the zero address behind a proxy.
func (f *Fetcher) connection(ctx context.Context, u page.URL, addr netip.Addr, fresh bool) (*conn, error) {
	key := poolKey{tls: u.Scheme() == "https", host: u.Host(), addr: addr}
	if f.opt.Proxy != nil && !key.tls {
		key.host = "" // a proxy's connections serve all hosts
	}
	if !fresh {
		if c := f.pool.take(key); c != nil {
			return c, nil
		}
	}
	return f.dialer.dial(ctx, key, u)
}
