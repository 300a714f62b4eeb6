package sitemap

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"watershed/graph"
	"watershed/page"
)

// scope says by its address where a URL lies for a site: by the archivist's instructions, and by
// the directories that stand for its seeds. It knows no page and no link.
type scope struct {
	Site
	web *web

	prefix    []dirID            // directories that stand for the seeds
	stands    map[dirID]bool     // whether a directory is one of them, for these and the roots of their hosts
	indices   map[dirID][]string // seeds without a slash that stand for a directory, by where they lie
	tenants   map[dirID][]string // parts of queries for which seeds stand, by their directory
	apart     map[dirID]bool
	hosts     map[page.Host]bool
	domain    map[string]bool
	ofDomains map[dirID]bool // by the root of a host: whether it is of one of the domains

	named       []page.Rule // those of Site.Include that name one address; Include has the others
	pins        []pinRule   // the last one that matches holds
	take, leave linkRules

	// the mode whose predicate is the superset of figure 9, as long as its process draws the boundary;
	// else Logical
	superset Mode
}

func newScope(w *web, site Site) scope {
	b := scope{
		Site: site, web: w, apart: make(map[dirID]bool), hosts: make(map[page.Host]bool),
		domain: make(map[string]bool), ofDomains: make(map[dirID]bool), stands: make(map[dirID]bool),
		indices: make(map[dirID][]string), tenants: make(map[dirID][]string),
		take: site.linkRules(true), leave: site.linkRules(false),
	}
	b.Include = nil
	for _, r := range site.Include {
		if r.Kind == page.RuleURL {
			b.named = append(b.named, r)
		} else {
			b.Include = append(b.Include, r)
		}
	}
	for _, u := range site.Apart {
		b.apart[w.dir[w.intern(u, graph.None, 0)]] = true
	}
	return b
}

// computed reports that a cut draws the boundary.
func (b *scope) computed() bool { return b.Boundary == Logical && b.superset == Logical }

// widen extends the predicate of the mode, or the superset, by a seed's directory, host or domain.
func (b *scope) widen(seed page.URL) {
	switch cmp.Or(b.superset, b.Boundary) {
	case HostOnly:
		b.hosts[seed.Host()] = true
	case Domain:
		b.domain[seed.Host().Registrable()] = true
		clear(b.ofDomains)
	case Logical, Prefix:
		d, _ := b.web.dirs.add(seed)
		b.extend(d)
	}
}

// extend adds some directories to the prefix.
func (b *scope) extend(dirs ...dirID) {
	for _, d := range dirs {
		if root := b.web.dirs.nodes[d].root; !b.onSeedHost(root) {
			b.stands[root] = false
		}
		b.stands[d] = true
	}
	b.prefix = append(b.prefix, dirs...)
}

// let makes the pages of a directory that have a part of a query those of the prefix.
func (b *scope) let(d dirID, part string) {
	if root := b.web.dirs.nodes[d].root; !b.onSeedHost(root) {
		b.stands[root] = false
	}
	b.tenants[d] = append(b.tenants[d], part)
	b.prefix = append(b.prefix, d)
}

// within is the predicate of the mode, or the superset.
func (b *scope) within(id graph.ID) bool {
	switch cmp.Or(b.superset, b.Boundary) {
	case HostOnly:
		return b.hosts[b.web.dirs.host(b.web.dir[id])]
	case Domain:
		return b.ofDomain(b.web.root(id))
	case List:
		return false
	}
	return b.prefixOf(b.web.dir[id]) != noDir || b.isIndex(id) || b.isTenant(id)
}

// isIndex reports whether a page has the path of a seed that stands for a directory without a slash at
// its end: /kim, and /kim?page=2.
func (b *scope) isIndex(id graph.ID) bool {
	names := b.indices[b.web.dir[id]]
	if len(names) == 0 {
		return false
	}
	_, name := cutName(b.web.text(id))
	name, _, _ = strings.Cut(name, "?")
	return slices.Contains(names, name)
}

// ofDomain reports whether a host, by its root, is of a seed's domain. It asks the Public Suffix
// List once a host.
func (b *scope) ofDomain(root dirID) bool {
	is, known := b.ofDomains[root]
	if !known {
		is = b.domain[b.web.dirs.host(root).Registrable()]
		b.ofDomains[root] = is
	}
	return is
}

// prefixOf gives the deepest directory of a seed that contains d, or noDir. It costs O(depth).
func (b *scope) prefixOf(d dirID) dirID {
	if !b.onSeedHost(b.web.dirs.nodes[d].root) || b.apartOf(d) != noDir {
		return noDir
	}
	for d != noDir && !b.stands[d] {
		d = b.web.dirs.nodes[d].parent
	}
	return d
}

// apartOf gives the nearest directory that is d or contains it and is apart, or noDir. It costs
// O(depth) where there are any.
func (b *scope) apartOf(d dirID) dirID {
	if len(b.apart) == 0 {
		return noDir
	}
	for ; d != noDir; d = b.web.dirs.nodes[d].parent {
		if b.apart[d] {
			return d
		}
	}
	return noDir
}

// characteristic reports whether a seed is inside without its directory: only characteristic pages
// are, or lead to, it.
func (b *scope) characteristic(id graph.ID) bool {
	return len(b.Seeds) > 0 && b.web.lead(b.Characteristic, id) && !b.web.lead(b.Seeds, id)
}

// hasKeyword reports whether the URL of a vertex has the keyword of the site.
func (b *scope) hasKeyword(id graph.ID) bool {
	return b.isNamed(string(b.web.text(id)))
}

// isNamed reports whether an address, or a part of one, has the keyword of the site, as it is written or
// as it is read.
func (b *scope) isNamed(address string) bool {
	read := func(text string) string {
		plain, _ := url.PathUnescape(text) // "" for what has a wrong escape
		return strings.ToLower(cmp.Or(plain, text))
	}
	return strings.Contains(read(address), read(b.Keyword))
}

// onSeedHost reports whether a host, by its root, holds a prefix.
func (b *scope) onSeedHost(root dirID) bool {
	_, is := b.stands[root]
	return is
}

// each calls yield with those of some links of a page that no rule leaves.
func (b *scope) each(from graph.ID, links []graph.ID, yield func(to graph.ID)) {
	leaving := b.leaving(from)
	for _, to := range links {
		if !b.leaves(leaving, to) {
			yield(to)
		}
	}
}

// leaving are the rules that leave links of a page.
func (b *scope) leaving(from graph.ID) linkRules {
	if len(b.leave) == 0 {
		return nil
	}
	return b.leave.on(b.web.text(from))
}

// leaves reports whether one of those rules leaves a link.
func (b *scope) leaves(leaving linkRules, to graph.ID) bool {
	if len(leaving) == 0 {
		return false
	}
	_, is := leaving.to(b.web.text(to))
	return is
}

// pinOf gives the pin that holds for a URL, the last one that matches, else that of an address which
// Site.Include names; the zero one for none.
func (b *scope) pinOf(u page.URL) pinRule {
	for _, x := range slices.Backward(b.pins) {
		if x.rule.Match(u) {
			return x
		}
	}
	if r, ok := matching(b.named, u); ok {
		return pinRule{r, pinnedAlone}
	}
	return pinRule{}
}

// ruleOf gives the rule that has a page inside: its pin, or the first of Site.Include.
func (b *scope) ruleOf(u page.URL) page.Rule {
	if x := b.pinOf(u); x.pin.inside() {
		return x.rule
	}
	r, _ := matching(b.Include, u)
	return r
}

// includes is included of a vertex.
func (b *scope) includes(id graph.ID) bool {
	return len(b.Include) > 0 && b.included(b.web.text(id))
}

// excludes is excluded of a vertex.
func (b *scope) excludes(id graph.ID) bool {
	return len(b.Exclude) > 0 && b.excluded(b.web.text(id))
}

// matching gives the first rule that matches.
func matching(rules []page.Rule, u page.URL) (page.Rule, bool) {
	for _, r := range rules {
		if r.Match(u) {
			return r, true
		}
	}
	return page.Rule{}, false
}

// included reports whether a rule of the site wants u inside.
func (s *Site) included(u page.URL) bool {
	_, ok := matching(s.Include, u)
	return ok
}

// excluded reports whether a rule of the site keeps u out.
func (s *Site) excluded(u page.URL) bool {
	_, ok := matching(s.Exclude, u)
	return ok
}
