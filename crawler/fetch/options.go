package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Options of a Fetcher. The zero value of a field is its default; UserAgent alone has none.
type Options struct {
	// UserAgent is sent with each request: the name of the crawler, and an address of its operator.
	// Required.
	UserAgent string
	// From is the operator's mail address for the From field (RFC 9110, 10.1.2); "" sends none.
	From string
	// Header has more fields for each request, for example Accept-Language. A request's own fields
	// replace them.
	Header http.Header

	// Proxy is an HTTP proxy, scheme http or https. http URLs are asked of it in absolute form,
	// https ones through a CONNECT tunnel. It resolves the names, so addresses of hosts are neither
	// known nor checked, but for those that a URL itself spells out. Its user name and password are
	// sent to it and never recorded.
	Proxy *url.URL

	// MaxHead bounds the head of a response, interim ones counted in. 0 is 256 KiB, as browsers
	// allow.
	MaxHead int
	// MaxBody bounds the body, in bytes on the wire; the rest is cut off (page.CutLength). 0 is 100
	// MiB: above nearly every document, while sixteen workers together stay below 2 GiB of spool.
	MaxBody int64
	// MaxDecoded bounds the decoded body that is kept in memory to be read for links. 0 is 16 MiB:
	// four times the largest HTML that parses usefully. Images, audio, video and fonts are never
	// read for links and are bounded by 64 KiB.
	MaxDecoded int

	// Memory bounds the memory of all bodies that are being read, from the end of a response until
	// its exchange is closed: the decoded body, its text, and the data made from them. A body that
	// finds no room waits, its connection given back; one larger than all of it waits until it is
	// alone. Small bodies never wait. 0 is 256 MiB.
	Memory int64

	// ConnectTimeout bounds connecting, TLS and proxy included. 0 is 20 s, as in Heritrix.
	ConnectTimeout time.Duration
	// IdleTimeout bounds the wait for the next byte of a body. 0 is 30 s.
	IdleTimeout time.Duration
	// Timeout bounds the whole exchange, from the first byte sent to the last received. 0 is 20
	// min, as in Heritrix.
	Timeout time.Duration

	// SpoolDir holds the responses too large for memory, as files without a name where the system
	// permits it. "" is the system's folder for temporary files.
	SpoolDir string
	// SpoolAbove is the size of a response above which it goes to SpoolDir. 0 is 1 MiB.
	SpoolAbove int

	// AllowPrivate lists addresses that may be reached though they are not public.
	AllowPrivate []netip.Prefix
	// Hosts gives hosts an address without asking a name server. A key is a name, or "*.suffix" for
	// all names below it, or "*"; the longest that fits counts. Addresses given here are checked as
	// any other.
	Hosts map[string]netip.Addr
	// HostsFile is read as /etc/hosts is, once; its names come after Hosts. "" is /etc/hosts
	// itself, where there is one.
	HostsFile string
	// Resolvers are the name servers, tried in order. None are those of /etc/resolv.conf, or the
	// system's own way where there is no such file.
	Resolvers []netip.AddrPort
	// DNSMaxAge bounds the time that an address is kept; a smaller TTL counts, but none below a
	// minute. 0 is 1 h.
	DNSMaxAge time.Duration
	// DialPorts dials another port than the URL's. For test webs.
	DialPorts map[uint16]uint16

	// MaxIdle bounds the idle connections that are kept, over all hosts. 0 is 256; a negative
	// number keeps none.
	MaxIdle int
}

const (
	headTimeout = time.Minute // from the request to the end of the head
	idleFor     = time.Minute // an idle connection is kept so long
	// minRate is the average of bytes a second below which a body that has run for a minute is cut off
	// (page.CutTime): slower than the slowest modem.
	minRate = 64
)

// Validate reports the options that cannot be.
func (o Options) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if strings.TrimSpace(o.UserAgent) == "" {
		bad("user agent is empty")
	}
	if !httpguts.ValidHeaderFieldValue(o.UserAgent) || !httpguts.ValidHeaderFieldValue(o.From) {
		bad("user agent or from has control characters")
	}
	for name, values := range o.Header {
		if !validField(name, values) {
			bad("header field %q is not valid", name)
		}
	}
	if p := o.Proxy; p != nil && (p.Scheme != "http" && p.Scheme != "https" || p.Hostname() == "") {
		bad("proxy %s is not of the form http://host:port or https://host:port", p.Redacted())
	}
	if min(int64(o.MaxHead), o.MaxBody, int64(o.MaxDecoded), o.Memory, int64(o.SpoolAbove)) < 0 ||
		min(o.ConnectTimeout, o.IdleTimeout, o.Timeout, o.DNSMaxAge) < 0 {
		bad("a bound is negative")
	}
	for _, p := range o.AllowPrivate {
		if !p.IsValid() {
			bad("private range %v is not valid", p)
		}
	}
	for pattern, a := range o.Hosts {
		if !a.IsValid() || !validPattern(pattern) {
			bad("host %q: want a name, *.name or *, and an address", pattern)
		}
	}
	for _, r := range o.Resolvers {
		if !r.IsValid() {
			bad("name server %v is not valid", r)
		}
	}
	return errors.Join(errs...)
}

// withDefaults fills in the fields that are zero.
func (o Options) withDefaults() Options {
	o.MaxHead = cmp.Or(o.MaxHead, 256<<10)
	o.MaxBody = cmp.Or(o.MaxBody, 100<<20)
	o.MaxDecoded = cmp.Or(o.MaxDecoded, 16<<20)
	o.Memory = cmp.Or(o.Memory, 256<<20)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, 20*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 30*time.Second)
	o.Timeout = cmp.Or(o.Timeout, 20*time.Minute)
	o.SpoolAbove = cmp.Or(o.SpoolAbove, 1<<20)
	o.DNSMaxAge = cmp.Or(o.DNSMaxAge, time.Hour)
	o.MaxIdle = cmp.Or(o.MaxIdle, 256)
	return o
}

func validField(name string, values []string) bool {
	return httpguts.ValidHeaderFieldName(name) &&
		!slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) })
}

func validPattern(p string) bool {
	name := strings.TrimPrefix(p, "*.")
	return p == "*" || name != "" && !strings.Contains(name, "*")
}
