package frontier

import (
	"strings"

	"watershed/page"
	"watershed/store"
)

// Past is what the runs have taken that a run extends, and that counts for its limits. The zero Past
// is of a run that extends none.
type Past struct {
	all   taken
	hosts map[page.Host]taken
	sites map[uint32]taken
}

// taken counts what was fetched, redirects left out, as limits count it.
type taken struct{ pages, files, bytes int64 }

func (t taken) plus(o taken) taken {
	return taken{pages: t.pages + o.pages, files: t.files + o.files, bytes: t.bytes + o.bytes}
}

// Learn counts a visit of such a run, on behalf of a site of the present one.
func (p *Past) Learn(v *page.Visit, site uint32) {
	if _, failed := retried[v.Status]; failed || v.Status <= 0 || v.URL.PathQuery() == "/robots.txt" {
		return
	}
	t := taken{bytes: v.Size}
	switch u := adopted(v, site); {
	case u.File:
		t.files = 1
	case !u.Redirects():
		t.pages = 1
	}
	if p.hosts == nil {
		p.hosts, p.sites = map[page.Host]taken{}, map[uint32]taken{}
	}
	host := v.URL.Host()
	if _, known := p.hosts[host]; !known {
		host = page.Host(strings.Clone(string(host)))
	}
	p.all, p.hosts[host], p.sites[site] = p.all.plus(t), p.hosts[host].plus(t), p.sites[site].plus(t)
}

// took is what totals say.
func took(t *store.Totals) taken {
	return taken{pages: t.Pages(), files: t.Files(), bytes: t.Bytes}
}
