package page

import (
	"encoding/binary"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// SURT is the sort-friendly form of the URL that archives index by, see the function SURT.
func (u URL) SURT() string { return SURT(string(u)) }

// SURT is the sort-friendly form of an address that archives index by: the host's labels reversed,
// then port, ")", path and query: "http://www.Example.org:8080/a?b=2&a=1" is
// "org,example:8080)/a?a=1&b=2". Of an http or https address scheme, user and leading "www." (or
// "www2.") are off, all is lower case, percent escapes are undone but where they are needed, dot
// segments and doubled slashes are resolved, arguments are sorted, well-known session identifiers,
// an empty query and a trailing "/" (but the root's) are off. It is a key to look up by, not a
// name: several addresses share one.
//
// The address may be any text that a WARC file of other people has. A text that is no address at
// all is its own key. Source: the answers of Internet Archive's surt (Python), with its default
// options; the test has a table of them.
func SURT(address string) string {
	if address == "" {
		return "-"
	}
	a, ok := splitAddress(address)
	if !ok {
		return address
	}
	host := keyHost(a.host)
	path := keyPath(a.path, a.host != "")
	query := keyQuery(a.query)

	var b strings.Builder
	b.Grow(len(address) + 2)
	if host != "" {
		b.WriteString(reverseLabels(host))
		if a.port != "" {
			b.WriteByte(':')
			b.WriteString(a.port)
		}
		b.WriteByte(')')
	} else {
		b.WriteString(a.scheme)
		b.WriteByte(':')
	}
	if path == "" && query != "" {
		path = "/"
	}
	b.WriteString(path)
	if query != "" {
		b.WriteByte('?')
		b.WriteString(query)
	}
	return b.String()
}

// address is a URI in its parts (RFC 3986, appendix B), the user left out.
type address struct{ scheme, host, port, path, query string }

// splitAddress takes an address apart; ok is false where its authority makes no sense.
func splitAddress(text string) (a address, ok bool) {
	text = strings.Trim(text, " \t\n\r\v\f")
	if strings.ContainsAny(text, "\t\n\r") {
		text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	}
	if text == "" {
		return a, false
	}
	scheme, rest := cutScheme(text)
	if scheme == "" {
		scheme, rest = "http", "//"+text
	}
	for isWeb(scheme) && strings.HasPrefix(rest, "//") { // "http://https://example.org/" happens
		inner, innerRest := cutScheme(rest[2:])
		if !(inner == "http" || inner == "https") || !strings.HasPrefix(innerRest, "//") {
			break
		}
		scheme, rest = inner, innerRest
	}
	a.scheme = scheme
	rest, _, _ = strings.Cut(rest, "#")
	rest, a.query, _ = strings.Cut(rest, "?")
	if after, found := strings.CutPrefix(rest, "//"); found {
		authority := after
		rest = ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			authority, rest = after[:i], after[i:]
		}
		if !a.authority(authority) {
			return a, false
		}
	}
	a.path = rest
	if strings.HasPrefix(scheme, "http") && a.host == "" && a.path != "" {
		a.host, a.path, _ = strings.Cut(strings.TrimLeft(a.path, "/"), "/") // "http:////example.org/"
		a.path = "/" + a.path
	}
	return a, true
}

// isWeb reports http or https as they are mostly written.
func isWeb(scheme string) bool { return scheme == "http" || scheme == "https" }

// cutScheme splits "scheme:rest"; the scheme is "" where there is none.
func cutScheme(s string) (scheme, rest string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return s[:i], s[i+1:]
		default:
			return "", s
		}
	}
	return "", s
}

// authority takes host and port from "user@host:port"; a default port is left out.
func (a *address) authority(s string) bool {
	s = strings.TrimRight(s, ":")
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	host, port := s, ""
	if inner, found := strings.CutPrefix(s, "["); found {
		var rest string
		host, rest, _ = strings.Cut(inner, "]")
		_, port, _ = strings.Cut(rest, ":")
	} else {
		host, port, _ = strings.Cut(s, ":")
	}
	a.host = strings.ToLower(host)
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}
	if n == 0 || n == 80 && strings.EqualFold(a.scheme, "http") ||
		n == 443 && strings.EqualFold(a.scheme, "https") {
		return true
	}
	a.port = strconv.FormatUint(n, 10)
	return true
}

// keyHost is a host as keys have it, its labels not yet reversed.
func keyHost(host string) string {
	host = unescapeAll(host)
	if !ascii(host) {
		if name, err := idna.Punycode.ToASCII(strings.ToLower(strings.ToValidUTF8(host, ""))); err == nil {
			host = name
		}
	}
	host = strings.Trim(strings.ReplaceAll(host, "..", "."), ".")
	if ip, ok := looseIPv4(host); ok {
		host = ip
	} else {
		host = escape(strings.ToLower(host))
	}
	return trimWWW(host)
}

// trimWWW takes "www." or "www12." off the front.
func trimWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if name, ok := strings.CutPrefix(rest, "."); ok {
		return name
	}
	return host
}

// looseIPv4 reads the spellings of an IPv4 address that inet_aton takes: one to four numbers,
// decimal or octal.
func looseIPv4(host string) (string, bool) {
	if host == "" || host[0] < '0' || host[0] > '9' {
		return "", false
	}
	if strings.Trim(host, "0123456789") == "" {
		var n uint32
		for _, c := range []byte(host) {
			n = n*10 + uint32(c-'0') // the lowest 32 bits of a longer number
		}
		return dotted4(n), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return "", false
	}
	var n uint64
	for i, p := range parts {
		base := 10
		if len(p) > 1 && p[0] == '0' {
			base = 8
		}
		v, err := strconv.ParseUint(p, base, 32)
		last := i == len(parts)-1
		if err != nil || p[0] == '+' || !last && v > 255 || last && v >= 1<<(8*(5-len(parts))) {
			return "", false
		}
		if last {
			n = n<<(8*(5-len(parts))) | v
		} else {
			n = n<<8 | v
		}
	}
	return dotted4(uint32(n)), true
}

func dotted4(n uint32) string {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, n))).String()
}

func reverseLabels(host string) string {
	if !strings.Contains(host, ".") {
		return host
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ",")
}

// keyPath is a path as keys have it; one without a host before it is not divided at its slashes.
func keyPath(path string, divided bool) string {
	path = unescapeAll(path)
	if divided {
		path = resolveDots(path)
	}
	path = strings.ToLower(escape(path))
	path = stripPathSession(path)
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

// resolveDots removes ".", ".." with what is before it, and empty segments; a ".." at the root
// stays.
func resolveDots(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "//") && !dotted(path) {
		return path
	}
	var kept []string
	for _, s := range strings.Split(path, "/")[1:] {
		switch {
		case s == ".":
		case s == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, s)
		}
	}
	var b strings.Builder
	b.WriteByte('/')
	for i, s := range kept {
		b.WriteString(s)
		if i < len(kept)-1 && s != "" {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// keyQuery is a query as keys have it: without session identifiers, in lower case, sorted by name,
// then by value.
func keyQuery(query string) string {
	if query == "" {
		return ""
	}
	query = strings.ToLower(stripQuerySession(escape(unescapeAll(query))))
	if len(query) < 2 || !strings.Contains(query, "&") {
		return query
	}
	args := strings.Split(query, "&")
	slices.SortStableFunc(args, func(a, b string) int {
		aName, aValue, aHas := strings.Cut(a, "=")
		bName, bValue, bHas := strings.Cut(b, "=")
		if c := strings.Compare(aName, bName); c != 0 {
			return c
		}
		if aHas != bHas { // "a" comes before "a="
			if bHas {
				return -1
			}
			return 1
		}
		return strings.Compare(aValue, bValue)
	})
	return strings.Join(args, "&")
}

var (
	pathSessions = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(.*/)(?:\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$`),
		regexp.MustCompile(`(?i)^(.*/)(?:\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$`),
	}
	querySessions = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)sid=[0-9a-z]{32}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$`),
		regexp.MustCompile(`(?i)^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$`),
	}
)

// stripPathSession takes the session out of an ASP.NET path: "/(s(…24…))/page.aspx".
func stripPathSession(path string) string {
	if !strings.Contains(path, ".aspx") {
		return path
	}
	for _, re := range pathSessions {
		if m := re.FindStringSubmatch(path); m != nil {
			path = m[1] + m[2]
		}
	}
	return path
}

// stripQuerySession takes the arguments out that carry sessions of Java, PHP, ASP and ColdFusion.
func stripQuerySession(query string) string {
	if len(query) < 8 || !strings.ContainsAny(query, "dD") || !strings.Contains(query, "=") {
		return query
	}
	for _, re := range querySessions {
		if m := re.FindStringSubmatch(query); m != nil {
			query = m[1] + m[2]
		}
	}
	return query
}

// unescapeAll undoes percent escapes until none is left.
func unescapeAll(s string) string {
	for strings.IndexByte(s, '%') >= 0 {
		next := unescape(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

func unescape(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := Escaped(s[i:]); ok {
			b = append(b, c)
			i += 2
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// escape writes all but visible ASCII, and "#" and "%", as percent escapes.
func escape(s string) string {
	i := 0
	for i < len(s) && visible(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	const digits = "0123456789ABCDEF"
	b := append(make([]byte, 0, len(s)+16), s[:i]...)
	for ; i < len(s); i++ {
		if c := s[i]; visible(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(b)
}

func visible(c byte) bool { return c > ' ' && c < 0x7F && c != '#' && c != '%' }

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
