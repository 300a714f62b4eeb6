package page

import (
	"net/netip"
	"sort"
	"strings"
)

// SURT is the sort-friendly form of a URL that archives index by: the host's labels reversed, then port, ")", path and
// query: "http://www.Example.org:8080/a?b=2&a=1" is "org,example:8080)/a?a=1&b=2". Scheme and leading "www." are off, all
// is lower case, arguments are sorted, an empty query and a trailing "/" (but the root's) are off. It is a key to look up
// by, not a name: several URLs share one.
// Source: Internet Archive, surt (Python), the "IAURLCanonicalizer" rules as CDXJ indexers apply them.
func (u URL) SURT() string {
	host := u.Host()
	var b strings.Builder
	b.Grow(len(u) + 1)
	b.WriteString(SURTHost(host))
	b.WriteByte(')')
	path, query := strings.ToLower(u.Path()), strings.ToLower(u.Query())
	if len(path) > 1 {
		path = strings.TrimRight(path, "/")
	}
	if path == "" {
		path = "/"
	}
	b.WriteString(path)
	if query != "" {
		args := strings.Split(query, "&")
		sort.Strings(args)
		b.WriteByte('?')
		b.WriteString(strings.Join(args, "&"))
	}
	return b.String()
}

// SURTHost is the host's part of a SURT: "org,example:8080" for "www.example.org:8080".
func SURTHost(h Host) string {
	name := strings.TrimPrefix(strings.ToLower(h.Name()), "www.")
	if a, err := netip.ParseAddr(name); err == nil && a.Is6() {
		name = "[" + name + "]"
	} else {
		labels := strings.Split(name, ".")
		for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
			labels[i], labels[j] = labels[j], labels[i]
		}
		name = strings.Join(labels, ",")
	}
	if port := h.Port(); port != "" {
		name += ":" + port
	}
	return name
}
