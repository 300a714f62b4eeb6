package copies

import (
	"slices"
	"strings"

	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// owners tell which pages may belong to the harvest's sites, as far as their YAML says, and what
// was decided by hand to exclude.
type owners struct {
	sites []sitemap.Site
	// the indexes of the sites that begin on a host, of those bounded by a domain, and of those that
	// are computed, or list their rules
	on       map[page.Host][]int
	within   map[string][]int
	anywhere []int
	belongs  func(page.URL) bool // that a page is a site's, as things stand; nil for none
}

func ownersOf(sites []sitemap.Site) owners {
	o := owners{sites: sites, on: map[page.Host][]int{}, within: map[string][]int{}}
	for i := range sites {
		s := &sites[i]
		if s.Boundary == sitemap.Logical || len(s.Include) > 0 {
			o.anywhere = append(o.anywhere, i)
		}
		for _, u := range slices.Concat(s.Seeds, s.Characteristic) {
			h := u.Host()
			o.on[h] = append(o.on[h], i)
			if s.Boundary == sitemap.Domain {
				o.within[h.Registrable()] = append(o.within[h.Registrable()], i)
			}
		}
	}
	return o
}

// may reports that a page may be of the harvest.
func (o *owners) may(u page.URL) bool {
	return len(o.sites) == 0 || slices.ContainsFunc(o.of(u), func(i int) bool {
		return !excludes(&o.sites[i], u)
	})
}

// bars reports a page that the sites to which it may belong exclude.
func (o *owners) bars(u page.URL) bool { return len(o.of(u)) > 0 && !o.may(u) }

// of gives the sites to which a page may belong: those of begun, else those that may reach anywhere.
func (o *owners) of(u page.URL) []int {
	if list := o.begun(u); len(list) > 0 {
		return list
	}
	return o.anywhere
}

// begun gives the sites that begin closest to a page: in its directory or above, on its host, or in the
// domain that bounds them.
func (o *owners) begun(u page.URL) []int {
	if on := o.on[u.Host()]; len(on) > 0 {
		above := func(seed page.URL) bool { return strings.HasPrefix(string(u), seed.Directory()) }
		var near []int
		for _, i := range on {
			s := &o.sites[i]
			if slices.ContainsFunc(s.Seeds, above) || slices.ContainsFunc(s.Characteristic, above) {
				near = append(near, i)
			}
		}
		if len(near) > 0 {
			return near
		}
		return on
	}
	return o.within[u.Host().Registrable()]
}

// whole reports a site of which each page of its hosts is a part, unless it is excluded.
func whole(s *sitemap.Site) bool {
	return s.Boundary == sitemap.HostOnly || s.Boundary == sitemap.Domain
}

// computed reports a page that a site takes in by its links, as things stand.
func (o *owners) computed(u *store.URL) bool {
	return o.belongs != nil && int(u.Site) < len(o.sites) &&
		o.sites[u.Site].Boundary == sitemap.Logical && o.belongs(u.URL)
}

// below reports a page in or below the directory of a seed, by which a boundary that is computed,
// or drawn by prefix, takes it in by either scheme.
func below(s *sitemap.Site, u page.URL) bool {
	return (s.Boundary == sitemap.Logical || s.Boundary == sitemap.Prefix) &&
		slices.ContainsFunc(s.Seeds, func(seed page.URL) bool {
			dir := seed.Directory()
			if name := string(seed[len(dir):]); name != "" && !strings.Contains(name, ".") {
				dir = string(seed) + "/" // a directory that is named without its slash
			}
			return seed.Query() == "" && under(u, dir)
		}) && !slices.ContainsFunc(s.Apart, func(dir page.URL) bool { return under(u, string(dir)) })
}

// under reports a page in a directory or below, whatever the scheme of either.
func under(u page.URL, dir string) bool {
	return strings.HasPrefix(string(u[len(u.Scheme()):]), dir[len(page.URL(dir).Scheme()):])
}

func excludes(s *sitemap.Site, u page.URL) bool {
	return slices.ContainsFunc(s.Exclude, func(x page.Rule) bool { return x.Match(u) })
}

// siteOf is the index of a site by its name.
func (o *owners) siteOf(name string) (uint32, bool) {
	i := slices.IndexFunc(o.sites, func(s sitemap.Site) bool { return s.Name == name })
	return uint32(max(i, 0)), i >= 0
}
