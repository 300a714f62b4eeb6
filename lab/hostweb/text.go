package hostweb

import (
	"iter"
	"slices"

	"watershed/replica/mirror"
)

// pages are those that the crawler has read, with their clusters.
func (w *Web) pages() iter.Seq2[mirror.Page, error] {
	return func(yield func(mirror.Page, error) bool) {
		var url []byte
		for i, l := range w.each {
			for _, k := range l.pages {
				if !w.read(i, k) {
					continue
				}
				url = w.url(url[:0], i, l.path(k))
				p := w.text(i, k)
				p.URL = url
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// shingles is how many the text of a page has.
const shingles = 24

// text is what is known of a page's text: its least fingerprints, and the cluster of those that it
// is as good as equal to, which resemble each other by .8 or more.
//
// The parts are assumed. A host of level 1 or 2 shows its original's text; one of level 3 changes
// up to a third of the shingles on every page; of those of level 4, a third does so; one of level 5
// changes .3 to .97 of them, from another version to another language. On ContentDrift of the pages
// at most, up to all of them changed since. Up to .3 of the shingles of pages that a program made
// are the program's.
func (w *Web) text(i int, k known) (p mirror.Page) {
	h := &w.hosts[i]
	content := w.content(i, k.tree)
	template := 0.0
	if content != k.tree {
		template = .3 * part(k.tree, forText)
	}
	edit := w.edit(i)
	if h.level > 0 && chance(h.drift, uint64(i), forDrift, uint64(k.page)) {
		edit = 1 - (1-edit)*(1-max(.05, part(uint64(i), forEdit, uint64(k.page))))
	}
	var values [shingles]uint32
	for j := range uint64(shingles) {
		x := draw(content, forText, uint64(k.page), j)
		switch {
		case chance(edit, uint64(i), forEdit, uint64(k.page), j):
			x = draw(uint64(i), forText, uint64(k.page), j)
		case chance(template, k.tree, forText, j):
			x = draw(k.tree, forText, j)
		}
		values[j] = max(1, uint32(x>>32))
	}
	slices.Sort(values[:])
	copy(p.Least[:], values[:])
	if (1-edit)/(1+edit) >= .8 { // the resemblance to a text of which that part was changed
		p.Cluster = draw(content, forDrift, uint64(k.page))
	}
	return p
}

// edit is the part of the shingles that a host changes on every page.
func (w *Web) edit(i int) float64 {
	h := &w.hosts[i]
	x := part(h.site, forEdit, uint64(i))
	switch {
	case h.level == 3, h.level == 4 && chance(1./3, h.site, forEdit, uint64(i), 1):
		return .02 + .31*x
	case h.level == 5:
		return .3 + .67*x
	}
	return 0
}

// part is a number from 0 to 1, always the same for the same x.
func part(x ...uint64) float64 { return float64(draw(x...)>>11) / (1 << 53) }
