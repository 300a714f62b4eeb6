package demo

import "slices"

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
