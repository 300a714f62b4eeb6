package frontier

import (
	"fmt"
	"strings"

	"watershed/page"
	"watershed/store"
)

// refuse finds the first rule that a URL breaks, to which a path of hops leads.
func (t *Traps) refuse(u page.URL, hops string) refusal {
	rule := func(r store.Reason, format string, args ...any) refusal {
		return refusal{reason: r, rule: fmt.Sprintf(format, args...)}
	}
	if t.Length >= 0 && len(u) > t.Length {
		return rule(store.TrapLength, "%d bytes, at most %d", len(u), t.Length)
	}
	if t.Hops >= 0 && len(hops) > t.Hops {
		return rule(store.TrapHops, "%d hops, at most %d", len(hops), t.Hops)
	}
	path := u.Path()
	if n := strings.Count(path, "/"); t.Segments >= 0 && n > t.Segments {
		return rule(store.TrapDepth, "%d path segments, at most %d", n, t.Segments)
	}
	if t.Repeats >= 0 {
		if run, n := repeated(path, t.Repeats); n > 0 {
			return rule(store.TrapRepeat, "%q %d times in a row, at most %d", run, n, t.Repeats)
		}
	}
	if t.Args >= 0 {
		if arg, n := repeatedArg(u.Query(), t.Args); n > 0 {
			return rule(store.TrapQuery, "%q %d times in the query, at most %d", arg, n, t.Args)
		}
	}
	return refusal{}
}

// repeated finds a run of whole segments that stands more than limit times in a row, as
// /a/b/a/b/a/b/ has "a/b" three times. It costs O(segments²) in the worst case, and little on a
// path without equal segments.
func repeated(path string, limit int) (run string, times int) {
	if strings.Count(path, "/") <= limit {
		return "", 0
	}
	seg := strings.Split(strings.Trim(path, "/"), "/")
	for period := 1; period*(limit+1) <= len(seg); period++ {
		same := 0 // how many segments in a row equal the one a period before
		for i := period; i < len(seg); i++ {
			if seg[i] != seg[i-period] {
				same = 0
				continue
			}
			if same++; same >= period*limit {
				for i+1 < len(seg) && seg[i+1] == seg[i+1-period] {
					i, same = i+1, same+1
				}
				return strings.Join(seg[i-period+1:i+1], "/"), same/period + 1
			}
		}
	}
	return "", 0
}

// repeatedArg finds an argument that stands more than limit times in a query.
func repeatedArg(query string, limit int) (arg string, times int) {
	if strings.Count(query, "&") < limit {
		return "", 0
	}
	counts := map[string]int{}
	for a := range strings.SplitSeq(query, "&") {
		if counts[a]++; counts[a] > limit && a != "" {
			return a, counts[a]
		}
	}
	return "", 0
}

// nestedFrom is from which link of a chain on files count as nested: a page leads to a frame, to a
// style sheet of it, and to a font of that; a robots.txt to an index, and to the site maps in it.
const nestedFrom = 4

// nested applies the limit of nested files to a URL that is wanted as one, and counts it.
func (c *changes) nested(u *store.URL, hops string) refusal {
	most := c.f.opt.Traps.Nested
	if most < 0 || !u.Part || chain(hops) < nestedFrom {
		return refusal{}
	}
	domain := u.URL.Host().Registrable()
	c.f.mu.Lock()
	n := c.f.nested[domain] + c.deep[domain]
	c.f.mu.Unlock()
	if n >= most {
		return refusal{
			reason: store.TrapNested,
			rule:   fmt.Sprintf("%d nested files of %s, at most %d", n, domain, most),
		}
	}
	if c.deep == nil {
		c.deep = map[string]int{}
	}
	c.deep[domain]++
	if hops[len(hops)-1] == page.Sitemap.Hop() { // pages come before an endless tree of site maps
		u.Priority = 0
	}
	return refusal{}
}

// chain is how many files in a row, redirects apart, a discovery path ends with.
func chain(hops string) (n int) {
	for i := len(hops) - 1; i >= 0 && hops[i] != page.Navigation.Hop(); i-- {
		n += b2i(hops[i] == page.Embed.Hop() || hops[i] == page.Sitemap.Hop())
	}
	return n
}

// crowded applies the limit of hosts of a domain to a URL whose host was never wanted before.
func (c *changes) crowded(u page.URL) refusal {
	name, most := u.Host(), c.f.opt.Traps.Hosts
	if most < 0 || c.fresh[name] != nil {
		return refusal{}
	}
	domain := name.Registrable()
	c.f.mu.Lock()
	known, n := c.f.hosts[name] != nil, c.f.kin[domain]
	c.f.mu.Unlock()
	if n += c.kin[domain]; known || n < most {
		return refusal{}
	}
	return refusal{reason: store.TrapHosts, rule: fmt.Sprintf("%d hosts of %s, at most %d", n, domain, most)}
}

// tooDeep applies the depth limit of the site.
func (m *manners) tooDeep(u *store.URL) refusal {
	if int(u.Site) >= len(m.opt.Sites) {
		return refusal{}
	}
	s := &m.opt.Sites[u.Site]
	if s.Limits.Depth == 0 || int(u.Depth) <= s.Limits.Depth {
		return refusal{}
	}
	return refusal{reason: store.LimitDepth, rule: fmt.Sprintf("site %s: depth %d", s.Name, s.Limits.Depth)}
}
