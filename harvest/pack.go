package harvest

import (
	"errors"
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

// packer writes the package of a run.
type packer struct {
	*ground
	losses *losses
}

// pack writes the WACZ of the run.
func (p *packer) pack(d *Delivered) (err error) {
	logs, err := p.run.logs()
	if err != nil {
		return err
	}
	if _, err := os.Stat(p.run.Mirrors()); err == nil {
		logs = append(logs, p.run.Mirrors()) // py-wacz refuses files at the top of a package
	}
	out := archive.Package{
		Title: p.plan.Title, Description: fmt.Sprintf("Harvest %s, run %d", p.plan.Name, p.record.Number),
		Software: Software, Created: time.Now(), WARCs: d.Files, Index: p.run.Index(), Logs: logs,
		Key: p.plan.Key,
	}
	seeds := map[page.URL]bool{}
	for i, m := range d.Maps {
		for _, u := range m.Seeds {
			seeds[u] = true
		}
		if i == 0 && len(m.Seeds) > 0 {
			out.MainPage = m.Seeds[len(m.Seeds)-1]
		}
	}
	members := membersOf(d.Maps)
	around := surroundingsOf(d.Maps)
	if main, ok := p.capturedAt(out.MainPage); ok {
		out.MainDate = main
	} else {
		out.MainPage = ""
	}
	var shown *shownReader
	if p.plan.PageText {
		if shown, err = newShownReader(p.ground); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, shown.close()) }()
	}
	out.Pages = p.pages(shown, members, around, func(u page.URL) bool { return seeds[u] })
	out.Extra = p.pages(shown, members, around, func(u page.URL) bool { return !seeds[u] })
	d.Package = filepath.Join(string(p.run), fmt.Sprintf("%s-%04d.wacz", p.plan.Name, p.record.Number))
	guard, err := guardOf(p.ground, d.Package, packageEntries)
	if err == nil {
		err = guard.compare(p.run.Index())
	}
	if err != nil {
		return err
	}
	return archive.WriteWACZ(p.disk(), d.Package, out)
}

// capturedAt is when the run captured a URL with success.
func (p *packer) capturedAt(u page.URL) (at time.Time, ok bool) {
	for v, err := range p.store.Heads(p.record.Number, 0) {
		if err != nil {
			return time.Time{}, false
		}
		if v.URL == u && isPage(v) && !p.losses.of(v) {
			at, ok = v.Time, true
		}
	}
	return at, ok
}

// isPage reports a capture that a reader would open by itself.
func isPage(v *page.Visit) bool { return !v.Record.IsZero() && v.Page() }

// pages are the lines of pages.jsonl for those pages of the sites, and around them, that fit. shown
// reads their texts and icons; nil leaves these out.
func (p *packer) pages(shown *shownReader, members keys, around surroundings,
	fits func(page.URL) bool,
) iter.Seq2[archive.PackagePage, error] {
	return func(yield func(archive.PackagePage, error) bool) {
		seen := map[page.Key]bool{}
		for v, err := range p.store.Heads(p.record.Number, 0) {
			if err != nil {
				yield(archive.PackagePage{}, err)
				return
			}
			key := v.URL.Key()
			hops, context := around[key]
			if seen[key] || !members.has(key) && !context || !isPage(v) || !fits(v.URL) || p.losses.of(v) {
				continue
			}
			seen[key] = true
			line := archive.PackagePage{
				ID: archive.PageID(v.URL), URL: v.URL.As(v.Spelled), Date: archive.Date(v.Time),
				Title: v.Title, MIME: v.MIME,
				Status: v.Status, Size: v.Size, Seed: v.Via == "", Depth: len(v.Hops), Context: hops,
			}
			if shown != nil {
				line.Text, line.Icon, err = shown.shown(v)
			}
			if !yield(line, err) {
				return
			}
		}
	}
}
