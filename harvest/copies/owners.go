package copies

import (
	"slices"

	"watershed/page"
	"watershed/sitemap"
)

// owners tell which pages may belong to the harvest's sites, as far as their YAML says.
type owners struct {
	any   bool // a site is computed, or lists its rules
	hosts map[page.Host]bool
	roots map[string]bool
	sites []sitemap.Site
}

func ownersOf(sites []sitemap.Site) owners {
	o := owners{hosts: map[page.Host]bool{}, roots: map[string]bool{}, sites: sites, any: len(sites) == 0}
	for i := range sites {
		s := &sites[i]
		o.any = o.any || s.Boundary == sitemap.Logical || len(s.Include) > 0
		for _, u := range slices.Concat(s.Seeds, s.Characteristic) {
			o.hosts[u.Host()] = true
			if s.Boundary == sitemap.Domain {
				o.roots[u.Host().Registrable()] = true
			}
		}
	}
	return o
}

// may reports that a page may be of the harvest.
func (o *owners) may(u page.URL) bool {
	if !o.any && !o.hosts[u.Host()] && !o.roots[u.Host().Registrable()] {
		return false
	}
	for i := range o.sites {
		if !excludes(&o.sites[i], u) {
			return true
		}
	}
	return len(o.sites) == 0
}

// whole reports a site of which each page of its hosts is a part, unless it is excluded.
func whole(s *sitemap.Site) bool {
	return s.Boundary == sitemap.HostOnly || s.Boundary == sitemap.Domain
}

func excludes(s *sitemap.Site, u page.URL) bool {
	return slices.ContainsFunc(s.Exclude, func(x page.Rule) bool { return x.Match(u) })
}

// siteOf is the index of a site by its name.
func (o *owners) siteOf(name string) (uint32, bool) {
	i := slices.IndexFunc(o.sites, func(s sitemap.Site) bool { return s.Name == name })
	return uint32(max(i, 0)), i >= 0
}
