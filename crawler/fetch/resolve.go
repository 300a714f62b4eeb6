package fetch

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"watershed/page"
)

// Addresses are the addresses of a host, with the answers that tell them.
type Addresses struct {
	Host  page.Host
	Addrs []netip.Addr // in the order of the answer, IPv4 before IPv6
	When  time.Time    // of the answer; zero when no name server was asked
	Until time.Time    // good for so long; zero is for ever
	// Text is the answer as a DNS record of an archive tells it (text/dns): a line with the date,
	// then the answer's records in the form of a zone file. "" when no name server answered.
	Text string
}

// resolver finds addresses: by rule, in a hosts file, or from name servers. It is safe for
// concurrent use.
type resolver struct {
	rules  map[string]netip.Addr
	hosts  map[string][]netip.Addr
	dns    *dnsClient // nil when the system does not tell its name servers
	maxAge time.Duration

	mu    sync.Mutex
	cache map[string]remembered // guarded by mu
}

type remembered struct {
	found Addresses
	err   error
	until time.Time
}

const (
	minAge      = time.Minute // an answer is good for the pages that follow, whatever its TTL
	missAge     = time.Minute // of an answer without addresses
	maxRemember = 1 << 16     // hosts; some 20 MB
	systemHosts = "/etc/hosts"
	systemDNS   = "/etc/resolv.conf"
)

func newResolver(o Options) (*resolver, error) {
	r := &resolver{rules: map[string]netip.Addr{}, maxAge: o.DNSMaxAge, cache: map[string]remembered{}}
	for pattern, a := range o.Hosts {
		r.rules[strings.ToLower(pattern)] = a
	}
	name := cmp.Or(o.HostsFile, systemHosts)
	text, err := os.ReadFile(name)
	if err != nil && (o.HostsFile != "" || !errors.Is(err, os.ErrNotExist)) {
		return nil, fmt.Errorf("read hosts file: %w", err)
	}
	if r.hosts, err = parseHosts(strings.NewReader(string(text))); err != nil {
		return nil, fmt.Errorf("read hosts file %s: %w", name, err)
	}
	servers := o.Resolvers
	if len(servers) == 0 {
		text, err := os.ReadFile(systemDNS)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("read list of name servers: %w", err)
		}
		servers = parseResolvConf(string(text))
	}
	if len(servers) > 0 {
		r.dns = &dnsClient{servers: servers}
	}
	return r, nil
}

// parseHosts reads a hosts file: an address and its names a line, comments from "#". Lines without
// an address are passed over, as systems do.
func parseHosts(in io.Reader) (map[string][]netip.Addr, error) {
	hosts := map[string][]netip.Addr{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		a, err := netip.ParseAddr(fields[0])
		if err != nil {
			continue
		}
		for _, name := range fields[1:] {
			name = strings.ToLower(strings.TrimSuffix(name, "."))
			hosts[name] = append(hosts[name], a)
		}
	}
	return hosts, lines.Err()
}

// parseResolvConf reads the name servers of resolv.conf(5).
func parseResolvConf(text string) []netip.AddrPort {
	var servers []netip.AddrPort
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		if a, err := netip.ParseAddr(fields[1]); err == nil {
			servers = append(servers, netip.AddrPortFrom(a, 53))
		}
	}
	return servers
}

// lookup finds all addresses of a host, allowed or not. The error is a *DNSError or the context's.
func (r *resolver) lookup(ctx context.Context, host page.Host) (Addresses, error) {
	name := strings.ToLower(strings.TrimSuffix(host.Name(), "."))
	if a, ok := r.rule(name); ok {
		return Addresses{Host: host, Addrs: []netip.Addr{a.Unmap()}}, nil
	}
	if all := r.hosts[name]; len(all) > 0 {
		return Addresses{Host: host, Addrs: ordered(all)}, nil
	}
	now := time.Now()
	r.mu.Lock()
	known, ok := r.cache[name]
	r.mu.Unlock()
	if ok && now.Before(known.until) {
		known.found.Host = host
		return known.found, known.err
	}
	found, err := r.ask(ctx, host, name, now)
	if ctx.Err() == nil {
		r.remember(name, found, err, now)
	}
	return found, err
}

// rule is the longest of the configured patterns that fits.
func (r *resolver) rule(name string) (netip.Addr, bool) {
	if len(r.rules) == 0 {
		return netip.Addr{}, false
	}
	if a, ok := r.rules[name]; ok {
		return a, true
	}
	for rest := name; ; {
		i := strings.IndexByte(rest, '.')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		if a, ok := r.rules["*."+rest]; ok {
			return a, true
		}
	}
	a, ok := r.rules["*"]
	return a, ok
}

func (r *resolver) ask(ctx context.Context, host page.Host, name string, now time.Time) (Addresses, error) {
	found := Addresses{Host: host, When: now}
	if r.dns == nil {
		return r.system(ctx, found, name)
	}
	answer, err := r.dns.lookup(ctx, name)
	found.Addrs = ordered(answer.addrs)
	found.Until = now.Add(min(max(answer.ttl, minAge), r.maxAge))
	if answer.lines != "" {
		found.Text = now.UTC().Format("20060102150405") + "\n" + answer.lines
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return found, ctx.Err()
	case err != nil:
		return found, &DNSError{Host: host, Cause: err, Server: answer.server}
	case len(found.Addrs) == 0:
		return found, &DNSError{Host: host, NotFound: true, Server: answer.server}
	}
	return found, nil
}

// system asks the operating system, which tells no TTL.
func (r *resolver) system(ctx context.Context, found Addresses, name string) (Addresses, error) {
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	found.Until = found.When.Add(min(5*time.Minute, r.maxAge))
	for _, a := range all {
		found.Addrs = append(found.Addrs, a.Unmap())
	}
	found.Addrs = ordered(found.Addrs)
	if err == nil {
		return found, nil
	}
	if ctx.Err() != nil {
		return found, ctx.Err()
	}
	own := &DNSError{Host: found.Host, Cause: err}
	if e := (*net.DNSError)(nil); errors.As(err, &e) {
		own.NotFound, own.Server = e.IsNotFound, e.Server
	}
	return found, own
}

func (r *resolver) remember(name string, found Addresses, err error, now time.Time) {
	until := found.Until
	if err != nil {
		until = now.Add(missAge)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for old := range r.cache {
		if len(r.cache) < maxRemember {
			break
		}
		delete(r.cache, old) // any one: it is looked up again when it is wanted
	}
	r.cache[name] = remembered{found, err, until}
}

// ordered puts IPv4 before IPv6, which many crawling machines lack, and keeps the order otherwise;
// without repeats.
func ordered(all []netip.Addr) []netip.Addr {
	out := make([]netip.Addr, 0, len(all))
	for _, four := range []bool{true, false} {
		for _, a := range all {
			if a = a.Unmap(); a.Is4() == four && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}
