package harvest

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"watershed/archive"
	"watershed/frontier"
	"watershed/internal/console"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/sitemap"
	"watershed/store"
)

// ground is what every part of an opened harvest stands on: its plan, its folder, its state, and
// the run that it is about.
type ground struct {
	plan   Plan
	folder Folder
	run    Run
	record store.RunRecord
	store  *store.Store
	log    *slog.Logger

	numbered sync.Once
	numbers  map[string]uint32 // of the sites, by name
}

// newGround gives the ground of a harvest whose state is not open yet.
func newGround(folder Folder, plan Plan) *ground {
	if plan.Log == nil {
		plan.Log = slog.New(slog.DiscardHandler)
	}
	return &ground{plan: plan, folder: folder, log: plan.Log}
}

// Run is the folder of the run.
func (g *ground) Run() Run { return g.run }

// Extends is the number of the run that this one extends, 0 for none.
func (g *ground) Extends() int { return int(g.record.Extends) }

// Number counts the harvest's runs, from 1; the second and later ones are recrawls, or extensions.
func (g *ground) Number() int { return int(g.record.Number) }

// begin finds the run that is to go on, or starts one.
func (g *ground) begin() (resumed bool, err error) {
	var last store.RunRecord
	var found bool
	err = g.store.View(func(tx *store.Tx) (err error) {
		last, found, err = tx.LastRun()
		return err
	})
	if err != nil {
		return false, err
	}
	resumed = found && (last.State != store.RunFinished || g.folder.Run(int(last.Number)).spooled())
	if resumed {
		err = g.goOn(last)
	} else {
		err = g.startRun(last, found)
	}
	if err != nil {
		return resumed, fmt.Errorf("begin run: %w", err)
	}
	g.run = g.folder.Run(int(g.record.Number))
	if err := errors.Join(g.run.make(g.disk()), g.inTheWay()); err != nil {
		return resumed, err
	}
	config := extending(g.plan.Config, g.Extends())
	if err := disk.WriteText(g.disk(), g.run.Config(), 0o644, config); err != nil {
		return resumed, fmt.Errorf("keep the configuration: %w", err)
	}
	return resumed, nil
}

// inTheWay tells of a file in place of a folder that the delivery needs, hours later.
func (g *ground) inTheWay() error {
	runs, err := g.folder.Runs()
	folders := []string{g.folder.Catalog()}
	for _, r := range runs {
		folders = append(folders, r.Reports(), r.Sites())
	}
	for _, path := range folders {
		if info, e := os.Stat(path); e == nil && !info.IsDir() {
			err = errors.Join(err, fmt.Errorf("%s is a file, where a folder should be: move it away", path))
		}
	}
	return err
}

// goOn takes up a run that was not finished, or that was finished and still has its spool, because
// the process ended at that moment.
func (g *ground) goOn(last store.RunRecord) error {
	order, err := g.siteOrder(&last)
	if err != nil {
		return err
	}
	if last.Config != g.plan.Changed {
		g.log.Warn("the configuration has changed since the run began; what was decided before stays")
	}
	if gone := g.plan.keepOrder(order); gone != "" {
		return fmt.Errorf("it has begun with site %s, which the YAML does not have any more: put that "+
			"back until the run has ended, or start over with --fresh", gone)
	}
	last.State = store.RunOpen
	g.record = last
	return g.store.Update(func(tx *store.Tx) error {
		tx.PutRun(last)
		if len(order) == 0 { // begun by a version that did not keep their names
			return nil
		}
		return store.PutSiteNames(tx, last.Number, g.plan.sites())
	})
}

// siteOrder gives the names of a run's sites in the order by which the state names them, none where that
// is not kept. Format 10 may have them behind the record's configuration.
func (g *ground) siteOrder(r *store.RunRecord) (order []string, err error) {
	config, behind, known := strings.Cut(r.Config, "\x00")
	r.Config = config
	err = g.store.View(func(tx *store.Tx) (err error) {
		order, err = store.SiteNames(tx, r.Number)
		return err
	})
	if known && len(order) == 0 {
		order = strings.Split(behind, "\x00")
	}
	return order, err
}

// sites are the names of the sites, in the order of their numbers.
func (p *Plan) sites() []string {
	names := make([]string, len(p.Sites))
	for i := range p.Sites {
		names[i] = p.Sites[i].Name
	}
	return names
}

// keepOrder gives sites the places that they had when a run began; others come behind. It changes
// nothing where one is gone, which it names.
func (p *Plan) keepOrder(order []string) (gone string) {
	if len(order) == 0 {
		return ""
	}
	places, at := make([]int, 0, len(p.Sites)), make(map[string]int, len(p.Sites))
	for i := range p.Sites {
		at[p.Sites[i].Name] = i
	}
	for _, name := range order {
		i, is := at[name]
		if !is {
			return name
		}
		places = append(places, i)
		delete(at, name)
	}
	places = slices.AppendSeq(places, maps.Values(at))
	slices.Sort(places[len(order):])
	sites, limits := make([]sitemap.Site, len(places)), make([]frontier.Site, len(places))
	for to, from := range places {
		sites[to], limits[to] = p.Sites[from], p.Frontier.Sites[from]
	}
	p.Sites, p.Frontier.Sites = sites, limits
	return ""
}

// startRun begins a run. Its number is one more than the highest that the state or the folder has, or that
// is given.
func (g *ground) startRun(last store.RunRecord, found bool) error {
	if g.plan.Extend && !found {
		return fmt.Errorf("extend %s: %w", g.folder, ErrNoRun)
	}
	runs, err := g.folder.Runs()
	if err != nil {
		return err
	}
	g.record = store.RunRecord{
		Number: store.Run(g.plan.Former), Started: time.Now(), State: store.RunOpen,
		Config: g.plan.Changed,
	}
	if len(runs) > 0 {
		g.record.Number = max(g.record.Number, store.Run(runs[len(runs)-1].Number()))
	}
	if g.plan.Extend {
		g.record.Extends = last.Number
	}
	if g.record.Number, err = g.store.StartRun(g.record, g.plan.sites()...); err != nil {
		return err
	}
	for _, r := range runs {
		if err := g.sweepLost(r); err != nil {
			return fmt.Errorf("take away what is left of a run without captures: %w", err)
		}
	}
	return nil
}

// sweepLost takes away the spool and the unfinished files of a run that a power cut ended before it
// captured anything, and that the state lost with it.
func (g *ground) sweepLost(r Run) error {
	if r.captured() {
		return nil
	}
	return errors.Join(g.disk().RemoveAll(r.Spool()), disk.Sweep(g.disk(), string(r)))
}

// archiving says how WARC files are written.
func (g *ground) archiving() archive.Options {
	o := g.plan.Archive
	o.Disk = g.disk()
	return o
}

// disk is where the harvest's files are changed.
func (g *ground) disk() disk.FS { return disk.Or(g.plan.Disk) }

// write makes a file that appears under its name only when it is whole and on disk.
func (g *ground) write(path string, fill func(io.Writer) error) error {
	return disk.WriteFile(g.disk(), path, 0o644, fill)
}

func (g *ground) runs() iter.Seq2[store.RunRecord, error] {
	return func(yield func(store.RunRecord, error) bool) {
		err := g.store.View(func(tx *store.Tx) error {
			for r, err := range tx.Runs() {
				if !yield(r, err) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield(store.RunRecord{}, err)
		}
	}
}

// seeds are those of all sites.
func (g *ground) seeds() []page.URL { return seedsOf(g.plan.Sites) }

func seedsOf(sites []sitemap.Site) (list []page.URL) {
	for i := range sites {
		list = append(list, sites[i].Seeds...)
	}
	return list
}

// siteNames are the names of the sites, in the order of their numbers. A run that only tests mirrors
// has one site, of its own name.
func (g *ground) siteNames() []string {
	if g.plan.proof != nil {
		return []string{g.plan.Name}
	}
	return g.plan.sites()
}

// siteOf is the number of a site, by its name; 0 where there is none. It may be asked once the order of
// the sites is that of the run.
func (g *ground) siteOf(name string) (number uint32, is bool) {
	g.numbered.Do(func() {
		g.numbers = make(map[string]uint32, len(g.plan.Sites))
		for i := range g.plan.Sites {
			g.numbers[g.plan.Sites[i].Name] = uint32(i)
		}
	})
	number, is = g.numbers[name]
	return number, is
}

// recrawls reports that the run asks again for what an earlier run has.
func (g *ground) recrawls() bool { return g.record.Number >= 2 && g.record.Extends == 0 }

// limitOf names the limit of pages of a site, as the frontier does.
func (g *ground) limitOf(site string) string {
	i, _ := g.siteOf(site)
	return "site " + site + ": " + console.Plural(g.plan.Sites[i].MaxPages, "page", "pages")
}

// met gives the hosts that the harvest knows: those of its seeds, and of URLs that waited or were
// fetched in any run.
func (g *ground) met() ([]page.Host, error) {
	hosts := map[page.Host]bool{}
	for i := range g.plan.Sites {
		for _, u := range g.plan.Sites[i].Seeds {
			hosts[u.Host()] = true
		}
	}
	err := g.store.View(func(tx *store.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			for x, err := range tx.Hosts(run.Number) {
				if err != nil {
					return err
				}
				hosts[x.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("copies.aliases: find the hosts that are known: %w", err)
	}
	return slices.Sorted(maps.Keys(hosts)), nil
}
