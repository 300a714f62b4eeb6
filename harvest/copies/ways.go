package copies

import (
	"watershed/page"
	"watershed/store"
)

// way is a link of pages of a copy.
type way struct {
	name string // of the copy
	to   page.URL
}

// ways are the links that pages of copies had and their stands had not. A page that was the only way
// to something may get another such link, and nobody would know of that while the page is left out.
type ways struct {
	pages map[page.URL][]way
	count map[way]int
}

// add takes the links of a page of a copy to what lies on its host or in a copy, of which neither the
// stand's links nor an earlier run know the like.
func (w *ways) add(r *Room, tx *store.Tx, mine, stand *page.Visit, name string) error {
	theirs := make(map[page.URL]bool, len(stand.Links))
	for i := range stand.Links {
		theirs[stand.Links[i].URL] = true
	}
	for i := range mine.Links {
		l := &mine.Links[i]
		if l.Kind != page.Embed && !l.Kind.Joins() || theirs[l.URL] {
			continue
		}
		x, covered := r.of(l.URL)
		if covered && theirs[x.stand] || !covered && l.URL.Host() != mine.URL.Host() {
			continue
		}
		if covered {
			if _, held, err := tx.Capture(x.stand); held || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		to := way{name, l.URL}
		theirs[l.URL] = true
		w.pages[mine.URL] = append(w.pages[mine.URL], to)
		w.count[to]++
	}
	return nil
}

// frame is from how many pages of a copy on a link is taken for one of the frame that its pages share.
const frame = 3

// alone gives the pages that are the only way to something.
func (w *ways) alone() map[page.URL]bool {
	pages := map[page.URL]bool{}
	for u, list := range w.pages {
		for _, to := range list {
			if w.count[to] < frame {
				pages[u] = true
				break
			}
		}
	}
	return pages
}
