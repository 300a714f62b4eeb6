package demo

import (
	"slices"

	"watershed/page"
)

// URL is what was asked for.
func (r Request) URL() page.URL { return page.URL("http://" + string(r.Host) + r.Path) }

// Sites are all logical sites, with what can be reached of them.
func (w *Web) Sites() []Site {
	out := make([]Site, 0, len(w.sites))
	for _, s := range w.sites {
		out = append(out, w.site(s))
	}
	return out
}

// Changes are what Epoch made of the first web, in the order in which it happened. Pages of the
// mirror change with their originals and are not listed.
func (w *Web) Changes() []change { return slices.Clone(w.changes) }
