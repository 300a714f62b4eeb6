package harvest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"watershed/crawler"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// A run that extends another one fetches what a change of the harvest adds: a wider scale, a rule,
// a site. Its survey first learns what the archive of the other run has, and wants the rest. Pages
// that the other run left out in the end, the samples outside the boundary, were dropped and are
// asked for again where they are wanted; so are URLs that failed without an answer.

// replay teaches the survey the visits of the run, and of those that it extends. It gives the pages
// that are wanted and missing.
func (h *Harvest) replay(also func(*page.Visit)) (missing []sitemap.Want, err error) {
	extended, err := h.extended()
	if err != nil {
		return nil, err
	}
	done, err := crawler.Replay(h.survey, h.store, h.record.Number, also, extended...)
	h.Visits, h.plan.Frontier.Waiting = done.Visits, done.Waiting
	return done.Missing, err
}

// extended are the runs that this one extends, the first one first.
func (h *Harvest) extended() (list []crawler.Extended, err error) {
	before := map[store.Run]store.Run{}
	err = h.store.View(func(tx *store.Tx) error {
		for r, err := range tx.Runs() {
			if err != nil {
				return err
			}
			before[r.Number] = r.Extends
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the runs that %s extends: %w", h.run, err)
	}
	for n := h.record.Extends; n != 0; n = before[n] {
		held, err := h.folder.Run(int(n)).held()
		if err != nil {
			return nil, fmt.Errorf("extend run %d: %w", n, err)
		}
		list = append(list, crawler.Extended{Run: n, Held: held})
	}
	slices.Reverse(list)
	return list, nil
}

// held tells which visits of a delivered run its archive has: those of the pages, requisites and
// context of its maps, and of pages that are gone, and robots.txt and sitemaps of their hosts. A
// page that robots.txt forbade is not asked for a second time either.
func (r Run) held() (func(*page.Visit) bool, error) {
	paths, err := filepath.Glob(filepath.Join(r.Sites(), "*", "map.json"))
	if err != nil {
		return nil, fmt.Errorf("list maps of %s: %w", r, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no map: it was not delivered", r)
	}
	var maps []*sitemap.Map
	for _, path := range paths {
		m, err := readMap(path)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	kept, hosts := ownPages(maps)
	slices.Sort(kept)
	return func(v *page.Visit) bool {
		return v.Status == page.StatusRobots ||
			v.Status > 0 && (kept.has(v.URL.Key()) || hosts[v.URL.Host()] && support(v))
	}, nil
}

func readMap(path string) (_ *sitemap.Map, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return sitemap.ReadMap(f)
}
