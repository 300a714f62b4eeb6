package page

import (
	"fmt"
	"iter"
	"net/netip"
	"strings"

	"github.com/nlnwa/whatwg-url/url"
	"github.com/zeebo/xxh3"
	"golang.org/x/net/publicsuffix"
)

// URL is a canonical absolute web address, for example "http://example.org/a/b?c=d": scheme http or
// https, host in lower case and in its ASCII form, no default port, no user name or password, at
// least the path "/", no dot segments, no fragment, percent escapes in upper case. It is made by
// ParseURL and Resolve and by nothing else; equal strings are the same page. The scheme and a
// leading "www." stay as they are: folding them takes evidence, which is a replica's matter.
//
// But for the case of those escapes it is what the WHATWG URL standard serialises: a "%" that
// begins no escape, as in "50%off", stays as it is. The escapes as they were written are a
// Spelling, and servers are asked for that.
type URL string

// Key is the 64-bit xxh3 of a URL: the same on every machine and in every harvest. Two URLs share
// one with a probability of 3e-6 in ten million; a table that stores URLs by key compares the text
// on insertion.
type Key uint64

// Host is a host name or address with its port where that is not the scheme's own: "example.org",
// "[2001:db8::1]:8080". It is the unit of politeness: http and https of one name are one host.
type Host string

// maxURL bounds the text of a URL, in bytes. Browsers and servers refuse longer ones long before.
const maxURL = 16 << 10

// URLError says why a text is no URL that can be fetched.
type URLError struct {
	Text   string // at most the first 200 bytes of what was given
	Reason string
}

func (e *URLError) Error() string { return fmt.Sprintf("URL %q: %s", Redact(e.Text), e.Reason) }

func urlError(text, reason string) error {
	return &URLError{Text: text[:min(len(text), 200)], Reason: reason}
}

// parser follows the WHATWG URL standard; percent escapes and the rest of our canonical form come
// after it. hostParser takes hosts as they stand where parser refuses them.
var (
	parser     = url.NewParser(inPaths)
	hostParser = url.NewParser(inPaths, url.WithLaxHostParsing())
)

// inPaths has "^" escaped in paths, as the standard's path percent-encode set has it. The parser
// knows an older edition, without "^".
var inPaths = url.WithPathPercentEncodeSet(url.PathPercentEncodeSet.Set('^'))

// ParseURL makes the canonical form of an absolute URL, as the WHATWG URL standard parses it. The
// error is a *URLError: another scheme than http and https, no valid host, or longer than 16 KiB.
func ParseURL(text string) (URL, error) {
	u, _, err := ParseSpelled(text)
	return u, err
}

// ParseSpelled is ParseURL that also tells how the URL was written.
func ParseSpelled(text string) (URL, Spelling, error) {
	if u, ok := quick(text); ok {
		return u, "", nil
	}
	return parse(text, "")
}

// Resolve makes the canonical URL of a reference as it stands in a page whose base is u. The error
// is as for ParseURL.
func (u URL) Resolve(ref string) (URL, error) {
	v, _, err := u.ResolveSpelled(ref, "")
	return v, err
}

// ResolveSpelled is Resolve that also tells how the URL is written, where the base is spelled so.
func (u URL) ResolveSpelled(ref string, base Spelling) (URL, Spelling, error) {
	if base == "" {
		if v, ok := u.quickResolve(ref); ok {
			return v, "", nil
		}
	}
	return parse(ref, u.As(base))
}

func parse(text, base string) (URL, Spelling, error) {
	if len(text) > maxURL {
		return "", "", urlError(text, "longer than 16 KiB")
	}
	p, err := parseStandard(text, base)
	if err != nil {
		return "", "", urlError(text, "not a valid URL")
	}
	if s := p.Scheme(); s != "http" && s != "https" {
		return "", "", urlError(text, "scheme is "+s+", not http or https")
	}
	written := p.Hostname()
	if encoded(written) {
		written = strings.ToLower(written)
	}
	host := strings.TrimSuffix(written, ".")
	if host == "" || host[0] == '.' || strings.Contains(host, "..") || len(host) > 255 {
		return "", "", urlError(text, "no valid host")
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	b.WriteString(p.Scheme())
	b.WriteString("://")
	b.WriteString(host)
	if port := p.Port(); port != "" {
		b.WriteByte(':')
		b.WriteString(port)
	}
	if !strings.HasPrefix(p.Pathname(), "/") {
		b.WriteByte('/')
	}
	b.WriteString(p.Pathname())
	if q := p.Search(); q != "" {
		b.WriteString(q)
	} else if strings.HasSuffix(p.Href(true), "?") {
		b.WriteByte('?') // an empty query is not the same address as none
	}
	if b.Len() > maxURL {
		return "", "", urlError(text, "longer than 16 KiB")
	}
	if host != written { // without its last dot the host may be an address, in any spelling
		return ParseSpelled(b.String())
	}
	u := upperEscapes(b.String())
	return u, u.Spelling(b.String()), nil
}

// parseStandard parses by the WHATWG URL standard. The standard takes a host in ASCII as it is, even
// where a label begins with "xn--" and encodes nothing; the parser refuses it, for it has an older
// edition. Other errors of hosts remain, so the host must stand in what was written.
func parseStandard(text, base string) (*url.Url, error) {
	with := func(p url.Parser) (*url.Url, error) {
		if base == "" {
			return p.Parse(text)
		}
		return p.ParseRef(base, text)
	}
	u, err := with(parser)
	if err == nil {
		return u, nil
	}
	if u, lax := with(hostParser); lax == nil && encoded(u.Hostname()) {
		if stands := strings.ToLower(u.Hostname()); strings.Contains(strings.ToLower(base+" "+text), stands) {
			return u, nil
		}
	}
	return nil, err
}

// encoded reports a name of ASCII labels of which one claims to encode another alphabet ("xn--"),
// and the last is no number.
func encoded(host string) bool {
	claims := false
	for label := range strings.SplitSeq(strings.ToLower(strings.TrimSuffix(host, ".")), ".") {
		if label == "" || strings.Trim(label, nameBytes) != "" {
			return false
		}
		claims = claims || strings.HasPrefix(label, "xn--")
	}
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	return claims && (last[0] < '0' || last[0] > '9')
}

// nameBytes are those of host names that are found in the Domain Name System.
const nameBytes = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// Scheme is "http" or "https".
func (u URL) Scheme() string {
	if i := strings.Index(string(u), "://"); i > 0 {
		return string(u[:i])
	}
	return ""
}

// Host is the host with its port, where that is not the scheme's own.
func (u URL) Host() Host {
	s := u.afterScheme()
	if i := strings.IndexByte(s, '/'); i >= 0 {
		s = s[:i]
	}
	return Host(s)
}

// PathQuery is the part behind the host, for example "/a/b?c=d".
func (u URL) PathQuery() string {
	s := u.afterScheme()
	if i := strings.IndexByte(s, '/'); i >= 0 {
		return s[i:]
	}
	return "/"
}

// Path is the path without the query.
func (u URL) Path() string {
	p, _, _ := strings.Cut(u.PathQuery(), "?")
	return p
}

// Query is the part behind the first "?", without it.
func (u URL) Query() string {
	_, q, _ := strings.Cut(u.PathQuery(), "?")
	return q
}

// Directory is the URL up to and with the last "/" of its path: "http://example.org/a/" for
// ".../a/b?c=d".
func (u URL) Directory() string {
	p, _, _ := strings.Cut(string(u), "?")
	return p[:strings.LastIndexByte(p, '/')+1]
}

// Directories are the host of a URL, as the directory of all its pages, and those below in which it
// lies, from the widest on.
func (u URL) Directories() iter.Seq[string] {
	return func(yield func(string) bool) {
		path, _, _ := strings.Cut(string(u), "?")
		for from := len(u) - len(u.PathQuery()); ; {
			k := strings.IndexByte(path[from:], '/')
			if k < 0 {
				return
			}
			if from += k + 1; !yield(path[:from]) {
				return
			}
		}
	}
}

// Root is the home page of the URL's host.
func (u URL) Root() URL { return u[:len(u)-len(u.PathQuery())] + "/" }

// Key is the 64-bit name under which the page is stored.
func (u URL) Key() Key { return Key(xxh3.HashString(string(u))) }

func (u URL) String() string { return string(u) }

func (u URL) afterScheme() string {
	if i := strings.Index(string(u), "://"); i >= 0 {
		return string(u[i+3:])
	}
	return string(u)
}

// Name is the host without its port, an IPv6 address without its brackets.
func (h Host) Name() string {
	s := string(h)
	if strings.HasPrefix(s, "[") {
		if i := strings.IndexByte(s, ']'); i > 0 {
			return s[1:i]
		}
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		return s[:i]
	}
	return s
}

// Port is the port that the host is named with, "" for the scheme's own.
func (h Host) Port() string {
	s := string(h)
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		return s[i+1:]
	}
	return ""
}

// Address is the host as an address, where it is written as one: an IPv4 address in the form of an
// IPv6 address (::ffff:192.0.2.1) is the IPv4 address, to which the system connects.
func (h Host) Address() (netip.Addr, bool) {
	a, err := netip.ParseAddr(h.Name())
	return a.Unmap(), err == nil
}

// Registrable is the registrable domain of the host by the Public Suffix List
// (https://publicsuffix.org), or the host's name where it has none: an address, a name without a
// dot, a public suffix itself.
func (h Host) Registrable() string {
	name := h.Name()
	if _, isAddress := h.Address(); isAddress {
		return name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}
