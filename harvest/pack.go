package harvest

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"watershed/archive"
	"watershed/page"
)

// Software is the name of the program in the harvest's files.
const Software = "watershed"

// pack writes the WACZ of the run.
func (h *Harvest) pack(d *Delivered) error {
	logs, err := h.run.logs()
	if err != nil {
		return err
	}
	if _, err := os.Stat(h.run.Mirrors()); err == nil {
		logs = append(logs, h.run.Mirrors()) // py-wacz refuses files at the top of a package
	}
	p := archive.Package{
		Title: h.plan.Title, Description: fmt.Sprintf("Harvest %s, run %d", h.plan.Name, h.record.Number),
		Software: Software, Created: time.Now(), WARCs: d.Files, Index: h.run.Index(), Logs: logs,
		Key: h.plan.Key,
	}
	seeds := map[page.URL]bool{}
	for i, m := range d.Maps {
		for _, u := range m.Seeds {
			seeds[u] = true
		}
		if i == 0 && len(m.Seeds) > 0 {
			p.MainPage = m.Seeds[len(m.Seeds)-1]
		}
	}
	members := membersOf(d.Maps)
	around := surroundingsOf(d.Maps)
	if main, ok := h.capturedAt(p.MainPage); ok {
		p.MainDate = main
	} else {
		p.MainPage = ""
	}
	p.Pages = h.pages(members, around, func(u page.URL) bool { return seeds[u] })
	p.Extra = h.pages(members, around, func(u page.URL) bool { return !seeds[u] })
	d.Package = filepath.Join(string(h.run), fmt.Sprintf("%s-%04d.wacz", h.plan.Name, h.record.Number))
	guard, err := h.guard(d.Package, packageEntries)
	if err == nil {
		err = guard.compare(h.run.Index())
	}
	if err != nil {
		return err
	}
	return archive.WriteWACZ(h.disk(), d.Package, p)
}

// capturedAt is when the run captured a URL with success.
func (h *Harvest) capturedAt(u page.URL) (at time.Time, ok bool) {
	for v, err := range h.store.Heads(h.record.Number, 0) {
		if err != nil {
			return time.Time{}, false
		}
		if v.URL == u && isPage(v) && !h.losses.of(v) {
			at, ok = v.Time, true
		}
	}
	return at, ok
}

// isPage reports a capture that a reader would open by itself.
func isPage(v *page.Visit) bool { return !v.Record.IsZero() && v.Page() }

// pages are the lines of pages.jsonl for those pages of the sites, and around them, that fit.
func (h *Harvest) pages(members keys, around surroundings,
	fits func(page.URL) bool,
) iter.Seq2[archive.PackagePage, error] {
	return func(yield func(archive.PackagePage, error) bool) {
		seen := map[page.Key]bool{}
		for v, err := range h.store.Heads(h.record.Number, 0) {
			if err != nil {
				yield(archive.PackagePage{}, err)
				return
			}
			key := v.URL.Key()
			hops, context := around[key]
			if seen[key] || !members.has(key) && !context || !isPage(v) || !fits(v.URL) || h.losses.of(v) {
				continue
			}
			seen[key] = true
			p := archive.PackagePage{
				ID: archive.PageID(v.URL), URL: v.URL.As(v.Spelled), Date: archive.Date(v.Time),
				Title: v.Title, MIME: v.MIME,
				Status: v.Status, Size: v.Size, Seed: v.Via == "", Depth: len(v.Hops), Context: hops,
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}
