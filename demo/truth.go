package demo

import (
	"maps"
	"slices"

	"watershed/page"
)

// Site is what is true of a logical site. All lists but Seeds are sorted and belong to the caller.
type Site struct {
	Name  string
	Seeds []page.URL
	Hosts []page.Host // that hold pages of it

	// Pages are those of status 200 that a crawler reaches which starts at Seeds, follows links,
	// frames, redirects, feeds and sitemaps, obeys robots.txt and never leaves the site. Links
	// marked nofollow are not followed.
	Pages []page.URL
	// NoFollow are further pages, reached when such links are followed too.
	NoFollow []page.URL
	// Requisites are what Pages need to be shown: images, styles, scripts, fonts, on whatever host.
	Requisites []page.URL
	// Discovery are the feeds and sitemaps that are read on the way.
	Discovery []page.URL
}

// Site is the site of a name; ok is false when there is none.
func (w *Web) Site(name string) (s Site, ok bool) {
	for _, s := range w.sites {
		if s.name == name {
			return w.site(s), true
		}
	}
	return Site{}, false
}

func (w *Web) site(s *site) Site {
	t := Site{Name: s.name, Seeds: slices.Clone(s.seeds), Hosts: slices.Clone(s.hosts)}
	slices.Sort(t.Hosts)
	strict := w.walk(s, false)
	t.Pages, t.Discovery = strict.list(htmlPage, raw), strict.list(feed, siteMap)
	for _, d := range strict.seen {
		strict.needs(d)
	}
	t.Requisites = slices.Sorted(maps.Keys(strict.requisites))
	for _, u := range w.walk(s, true).list(htmlPage, raw) {
		if strict.seen[u] == nil {
			t.NoFollow = append(t.NoFollow, u)
		}
	}
	return t
}

// walk is a crawl of a site inside the truth.
type walk struct {
	web        *Web
	site       string
	noFollow   bool // follow marked links too
	seen       map[page.URL]*document
	requisites map[page.URL]bool
}

func (w *Web) walk(s *site, noFollow bool) *walk {
	k := &walk{
		web: w, site: s.name, noFollow: noFollow, seen: map[page.URL]*document{},
		requisites: map[page.URL]bool{},
	}
	for _, h := range s.hosts {
		if u := w.hosts[h].rules.sitemap; u != "" {
			k.visit(page.URL(u))
		}
	}
	for _, u := range s.seeds {
		k.visit(u)
	}
	return k
}

// visit reads a document and all that it leads to. No path of links is so long that the recursion
// matters.
func (k *walk) visit(u page.URL) {
	d := k.web.docs[u]
	if d == nil || d.site != k.site || d.status >= 400 || k.seen[u] != nil ||
		!k.web.hosts[u.Host()].rules.allows(u.PathQuery()) {
		return
	}
	k.seen[u] = d
	if d.form == moved {
		k.visit(d.destination())
	}
	for _, l := range d.links {
		if k.noFollow || l.rel == "" && !d.noFollow {
			k.visit(l.target())
		}
	}
}

// needs notes what a document needs, and what that needs.
func (k *walk) needs(d *document) {
	for _, n := range d.needs {
		for _, x := range []*document{n.to, n.more} {
			if x != nil && !k.requisites[x.url] {
				k.requisites[x.url] = true
				k.needs(x)
			}
		}
	}
}

// list are the documents of some forms that were seen, sorted.
func (k *walk) list(forms ...form) []page.URL {
	var out []page.URL
	for u, d := range k.seen {
		if slices.Contains(forms, d.form) {
			out = append(out, u)
		}
	}
	slices.Sort(out)
	return out
}

// Owner is the name of the site that a URL belongs to, whether a crawler reaches it or not; ""
// where it is nobody's.
func (w *Web) Owner(u page.URL) string {
	if d := w.docs[u]; d != nil {
		return d.site
	}
	return ""
}
