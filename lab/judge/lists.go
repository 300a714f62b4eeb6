package judge

import (
	"cmp"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
)

// sitemapName is where an evaluated host that has a sitemap keeps it.
const sitemapName = "sitemap.xml"

// fetch is what a fetch of a URL brings on the web of the truth, with the sitemaps that the
// evaluation gives to some hosts.
func (e *Evaluation) fetch(u page.URL) *page.Visit {
	if root := u.Root(); e.hasSitemap(u.Host()) {
		switch strings.TrimPrefix(string(u), string(root)) {
		case "robots.txt":
			return &page.Visit{
				URL: u, Status: 200, MIME: "text/plain",
				Links: []page.Link{{URL: root + sitemapName, Kind: page.Sitemap}},
			}
		case sitemapName:
			v := &page.Visit{URL: u, Status: 200, MIME: "application/xml"}
			for _, p := range e.pagesOf(u.Host()) {
				v.Links = append(v.Links, page.Link{URL: e.Truth.urls[p], Kind: page.Sitemap})
			}
			return v
		}
	}
	return e.Truth.visitOf(u)
}

// hasSitemap draws whether a host has one.
func (e *Evaluation) hasSitemap(h page.Host) bool {
	if e.Sitemaps <= 0 {
		return false
	}
	const digits = 1 << 20
	return float64(xxh3.HashStringSeed(string(h), uint64(cmp.Or(e.Seed, 5)))%digits) < e.Sitemaps*digits
}

// pagesOf gives the HTML pages of a host.
func (e *Evaluation) pagesOf(h page.Host) []int32 {
	if e.byHost == nil {
		e.byHost = make(map[page.Host][]int32)
		for v, u := range e.Truth.urls {
			if e.Truth.site[v] >= 0 {
				e.byHost[u.Host()] = append(e.byHost[u.Host()], int32(v))
			}
		}
	}
	return e.byHost[h]
}
