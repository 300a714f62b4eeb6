package harvest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"watershed/internal/disk"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
)

// atlas draws the maps of the sites from a survey.
type atlas struct {
	*ground
	survey *sitemap.Survey
	maps   []*sitemap.Map // drawn and written for the delivery; the survey is empty then
	idle   []report.Idle  // found with them
}

// present draws the map of each site from the present knowledge. After a delivery it gives the
// delivered maps.
func (a *atlas) present() ([]*sitemap.Map, error) {
	if a.maps != nil {
		return a.maps, nil
	}
	var maps []*sitemap.Map
	for _, s := range a.plan.Sites {
		m, err := a.survey.Map(s.Name)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// deliver draws the map of each site, once, with the chart below it, and releases the survey,
// which takes the most memory of all and is not needed any more. Then it writes the maps in all
// their forms.
func (a *atlas) deliver(ctx context.Context) (_ []*sitemap.Map, err error) {
	if a.maps == nil {
		if err := makeEmpty(a.disk(), a.run.Sites()); err != nil {
			return nil, err
		}
		if a.maps, err = a.drawTo(ctx, a.run, func(draw func()) error {
			draw()
			return nil
		}); err != nil {
			return nil, err
		}
		a.idle = a.idleRules()
		*a.survey = sitemap.Survey{}
	}
	if err := a.writeTo(a.run, a.maps); err != nil {
		return nil, err
	}
	return a.maps, disk.SyncAll(a.disk(), a.run.Sites())
}

// idleRules finds the include and exclude rules of the sites that nothing matches of all that the
// survey has met. It costs a match of each rule and URL, as long as the rule has matched none; a rule of
// several sites counts once.
func (a *atlas) idleRules() (idle []report.Idle) {
	for _, s := range a.plan.Sites {
		for _, r := range s.Include {
			idle = append(idle, report.Idle{Site: s.Name, List: "include", Rule: r})
		}
		for _, r := range s.Exclude {
			idle = append(idle, report.Idle{Site: s.Name, List: "exclude", Rule: r})
		}
	}
	unmatched := map[string]page.Rule{}
	for _, x := range idle {
		unmatched[x.Rule.String()] = x.Rule
	}
	for u := range a.survey.URLs() {
		if len(unmatched) == 0 {
			break
		}
		maps.DeleteFunc(unmatched, func(_ string, r page.Rule) bool { return r.Match(u) })
	}
	return slices.DeleteFunc(idle, func(x report.Idle) bool {
		_, is := unmatched[x.Rule.String()]
		return !is
	})
}

// mostLeft is how many places an ending names. All are in the maps.
const mostLeft = 100

// Left lists the places below the seeds of the sites, and beside them, that are outside, the largest first.
func Left(maps ...*sitemap.Map) (list []report.Left) {
	for _, m := range maps {
		for _, x := range m.Left() {
			list = append(list, report.Left{
				Site: m.Site, Name: x.Name, Pages: x.Pages, Include: x.Include, Named: x.Named,
			})
		}
	}
	slices.SortStableFunc(list, func(a, b report.Left) int { return cmp.Compare(b.Pages, a.Pages) })
	return list[:min(len(list), mostLeft)]
}

// shrunk finds the sites that are much smaller than in the last run before that was delivered, pages left
// out as copies counted. A site of another name is the one before if it has all seeds of it. A report of
// that run which cannot be read tells nothing.
func shrunk(run Run, maps []*sitemap.Map, left map[uint32]int) (list []report.Shrunk) {
	folder := Folder(filepath.Dir(string(run)))
	runs, _ := folder.Runs() // none where they cannot be listed
	for _, r := range slices.Backward(runs) {
		text, err := os.ReadFile(filepath.Join(r.Reports(), "report.json"))
		if r.Number() >= run.Number() || err != nil {
			continue
		}
		var before struct {
			Sites []report.Site
			Seeds []report.Seed
		}
		if json.Unmarshal(text, &before) != nil {
			return nil
		}
		had, whole := map[string]int{}, r.Number()
		for _, s := range before.Sites {
			had[s.Name] = s.Pages
		}
		for n := whole; n > 0; n = extendedBy(folder.Run(n)) {
			whole = n
		}
		seeds, siteOf := map[string][]page.URL{}, map[page.URL]string{}
		for _, s := range before.Seeds {
			seeds[s.Site], siteOf[s.URL] = append(seeds[s.Site], s.URL), s.Site
		}
		for i, m := range maps {
			was, named := had[m.Site]
			for _, u := range m.Seeds {
				site := siteOf[u]
				other := func(u page.URL) bool { return !slices.Contains(m.Seeds, u) }
				if !named && !slices.ContainsFunc(seeds[site], other) {
					was = max(was, had[site])
				}
			}
			x := report.Shrunk{
				Site: m.Site, Pages: m.Pages, Before: was, Run: r.Number(), Whole: whole,
			}
			if x.Shrinks() && 2*(m.Pages+left[uint32(i)]) < was {
				list = append(list, x)
			}
		}
		return list
	}
	return nil
}

// drawTo draws the maps, and writes the charts below them into the folder of a run, where that
// of its sites is empty. Each map is drawn within a call of alone. The files are not durable yet.
func (a *atlas) drawTo(ctx context.Context, to Run, alone func(draw func()) error) (maps []*sitemap.Map,
	err error,
) {
	for i, s := range a.plan.Sites {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		m, err := a.drawSite(s.Name, to.Site(i, s.Name), alone)
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, nil
}

// writeTo writes the maps in all their forms into the folder of a run. The files are not durable yet.
func (a *atlas) writeTo(to Run, maps []*sitemap.Map) error {
	for i, m := range maps {
		if err := a.spell(m); err != nil {
			return err
		}
		if err := writeMap(disk.Unsynced{FS: a.disk()}, to.Site(i, m.Site), m); err != nil {
			return err
		}
	}
	return nil
}

// drawSite draws the map of a site, and writes the chart below it into a folder, made if need be;
// the chart is not kept in memory.
func (a *atlas) drawSite(site, dir string, alone func(draw func()) error) (m *sitemap.Map, err error) {
	if err := a.disk().MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	draw := func(w io.Writer) (err error) {
		interrupted := alone(func() { m, err = a.survey.Draw(site, w) })
		return errors.Join(interrupted, err)
	}
	return m, disk.WriteFile(disk.Unsynced{FS: a.disk()}, filepath.Join(dir, ChartFile), 0o644, draw)
}

// ChartFile is the name of the chart below a map, in the folder of a site
// (sitemap.Chart.WriteLines).
const ChartFile = "links.jsonl"

// WriteMap writes a map in all its forms into a folder, made if need be: map.json, pages.csv,
// surt.txt, regex.txt, sitemap.xml, and scales.csv where it has scales.
func WriteMap(dir string, m *sitemap.Map) error { return writeMap(disk.OS{}, dir, m) }

func writeMap(d disk.FS, dir string, m *sitemap.Map) error {
	if err := d.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	files := sitemap.Forms
	if len(m.Scales) > 0 {
		scales := sitemap.Form{File: "scales.csv", Write: (*sitemap.Map).WriteScaleCSV}
		files = append(slices.Clip(files), scales)
	}
	for _, f := range files {
		if f.File == "" {
			continue
		}
		write := func(w io.Writer) error { return f.Write(m, w) }
		if err := disk.WriteFile(d, filepath.Join(dir, f.File), 0o644, write); err != nil {
			return err
		}
	}
	return writeSitemap(d, dir, m)
}

// syncedFile is a file that is on disk when it has been closed.
type syncedFile struct{ disk.File }

func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }

func writeSitemap(d disk.FS, dir string, m *sitemap.Map) error {
	return m.WriteSitemap(func(name string) (io.WriteCloser, error) {
		f, err := d.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		return syncedFile{f}, err
	})
}
