package demo

import (
	"fmt"
	"strings"
)

// rules are a host's robots.txt: one group, for all crawlers.
type rules struct {
	disallow, allow []string
	delay           string // Crawl-delay, in seconds
	sitemap         string
}

// none tells that the host has no robots.txt.
func (r rules) none() bool {
	return len(r.disallow)+len(r.allow) == 0 && r.delay == "" && r.sitemap == ""
}

// text is the file.
func (r rules) text() string {
	var b strings.Builder
	b.WriteString("# rules for all\nUser-agent: *\n")
	if r.delay != "" {
		fmt.Fprintf(&b, "Crawl-delay: %s\n", r.delay)
	}
	for _, p := range r.disallow {
		fmt.Fprintf(&b, "Disallow: %s\n", p)
	}
	for _, p := range r.allow {
		fmt.Fprintf(&b, "Allow: %s\n", p)
	}
	if r.sitemap != "" {
		fmt.Fprintf(&b, "\nSitemap: %s\n", r.sitemap)
	}
	return b.String()
}

// allows tells whether a path with its query may be fetched: the longest rule that matches decides,
// and of two equal ones the one that allows (RFC 9309, section 2.2.2).
func (r rules) allows(path string) bool {
	if path == "/robots.txt" {
		return true
	}
	return longest(r.allow, path) >= longest(r.disallow, path)
}

// longest is the length of the longest pattern that matches, 0 for none.
func longest(patterns []string, path string) (n int) {
	for _, p := range patterns {
		if matches(p, path) {
			n = max(n, len(p))
		}
	}
	return n
}

// matches tells whether a pattern with "*" for any run of characters, and "$" at its end for the
// end, begins a path.
func matches(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	for i, p := range parts[1:] {
		if anchored && i == len(parts)-2 {
			return strings.HasSuffix(rest, p)
		}
		j := strings.Index(rest, p)
		if j < 0 {
			return false
		}
		rest = rest[j+len(p):]
	}
	return !anchored || rest == ""
}
