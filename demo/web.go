package demo

import (
	"maps"
	"net/netip"
	"slices"
	"sync"

	"watershed/page"
)

// Web is the web. Its hosts and pages never change; its memory of requests does, under mu. It is
// safe for concurrent use.
type Web struct {
	hosts   map[page.Host]*host
	order   []page.Host
	docs    map[page.URL]*document
	sites   []*site
	changes []change

	mu       sync.Mutex // guards what follows
	addrs    map[page.Host]netip.Addr
	port     uint16
	serving  bool
	log      []Request
	refusals map[page.Host]int
}

// New makes a web; it is not served yet. It takes some milliseconds.
func New(o Options) *Web {
	o.Epoch = max(o.Epoch, 0)
	b := build(o)
	w := &Web{
		hosts: map[page.Host]*host{}, docs: map[page.URL]*document{}, sites: b.sites,
		changes:  b.changes,
		refusals: map[page.Host]int{},
	}
	for _, h := range b.hosts {
		w.hosts[h.name] = h
		w.order = append(w.order, h.name)
	}
	w.addrs = apart(w.order)
	for _, d := range b.docs {
		d.render()
		w.docs[d.url] = d
	}
	return w
}

// build puts all sites together: first each for itself, then what time does to them, then those
// that copy or cite others. The older edition is made before time passes, the mirror after.
func build(o Options) *builder {
	b := &builder{seed: o.Seed, trees: map[string]*tree{}}
	b.institute()
	b.tenants()
	b.society()
	atlas := b.atlas()
	b.library()
	b.calendar()
	b.tired()
	b.host(host{name: page.URL(files).Host(), dated: true})
	b.edition(atlas)
	b.citing(atlas)
	b.age(o.Epoch)
	b.mirror(atlas)
	b.letters()
	return b
}

// citing makes the sites that link to all others, and lets some tenants cite what they like; the
// others are known to nobody but the host's home page, and know nobody else.
func (b *builder) citing(atlas *tree) {
	b.redirects(atlas.home)
	gemo := find(b.docs, "http://www.gemo.example/")
	society := b.trees["society"]
	for i, name := range []string{"anna", "clara", "emil"} {
		t := b.trees[name]
		for _, d := range []*document{
			gemo, atlas.home, atlas.leaves[i], society.home, society.leaves[3*i],
			b.trees["library"].leaves[i],
		} {
			t.leaves[len(t.leaves)-1].link(to(d))
		}
	}
	b.wanderer([]*document{
		gemo, b.trees["anna"].home, b.trees["society"].home, atlas.home,
		b.trees["library"].home, b.trees["parish"].home,
	})
	homes := []*document{
		gemo, find(b.docs, "http://docs.gemo.example/"), find(b.docs, "http://osage.example/verso/"),
		find(b.docs, "http://osage.example/"),
		find(b.docs, "http://people.campus.example/"), find(b.docs, editionBase),
		find(b.docs, "http://go.example/"),
	}
	var deep []*document
	for _, name := range slices.Sorted(maps.Keys(b.trees)) {
		homes = append(homes, b.trees[name].home)
		deep = append(deep, b.trees[name].leaves[:min(3, len(b.trees[name].leaves))]...)
	}
	mirror := &document{url: mirrorBase, title: "The Atlas Handbook, mirror"}
	b.directory(append(homes, mirror), deep)
}

// find is the document of an address; nil where there is none.
func find(docs []*document, u page.URL) *document {
	for _, d := range docs {
		if d.url == u {
			return d
		}
	}
	return nil
}

// Hosts are all hosts with the address of each. Until Start, and wherever the machine has all
// loopback addresses, each has its own; else Start gives all of them 127.0.0.1. The map is the
// caller's.
func (w *Web) Hosts() map[page.Host]netip.Addr {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.addrs)
}

// Port is the port that all hosts are served at, 0 before Start.
func (w *Web) Port() uint16 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.port
}

// find is the document at a URL, made on the spot where it is one of a trap; nil where there is
// none.
func (w *Web) find(u page.URL) *document {
	if d := w.docs[u]; d != nil {
		return d
	}
	h := w.hosts[u.Host()]
	switch {
	case h == nil:
	case h.renamed != "":
		return &document{
			url: u, form: moved, status: 301,
			goes: page.URL("http://" + string(h.renamed) + u.PathQuery()),
		}
	case h.endless != nil:
		if d := h.endless(u); d != nil {
			d.render()
			return d
		}
	}
	return nil
}

// destination is where a document that moved is.
func (d *document) destination() page.URL {
	if d.to != nil {
		return d.to.url
	}
	return d.goes
}
