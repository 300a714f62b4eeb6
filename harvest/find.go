package harvest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"watershed/harvest/copies"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/catalog"
	"watershed/replica/collection"
	"watershed/store"
)

// Catalog is the folder of the catalog of the harvest's pages, a sweep for each run (package
// replica/catalog). It is made from the store, and may be removed: the next run makes it again.
func (f Folder) Catalog() string { return filepath.Join(string(f), "catalog") }

// Found sums up a search for replicated collections.
type Found struct {
	Pages       int // that were compared
	Collections int
	Proposed    int // replicas that may be left out
	New         int // of them, those that the table did not have
	Confirmed   []string
	Singles     int // pages that the next run leaves out one by one
}

// finder looks for copies among the pages that the harvest holds, and enters them in its table.
type finder struct {
	*ground
	copies *room
}

// findReplicas brings the catalog up to the run, looks for replicated collections among the
// archived pages, proposes them in the harvest's table, and confirms those with full evidence where
// the plan says so. The next run goes by it. Doing it again changes nothing but dates.
func (f *finder) findReplicas(ctx context.Context) (_ *Found, err error) {
	c, finding, err := f.searchCatalog(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for replicas: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	rule := f.plan.Replicas.Rule
	now := time.Now()
	list, err := finding.Propose(rule, now)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p catalog.Proposal) bool { return f.copies.Demotes(&p.Entry) })
	found := &Found{Pages: len(finding.Pages), Collections: len(finding.Result.Collections)}
	for i := range list {
		// what was entered while a part of a copy was had, and did not hold, is judged anew by the whole
		old, _ := f.copies.Table.Get(list[i].Entry.From)
		anew := old.State == replica.Reopened && old.Method == copies.Grown &&
			!old.Found.Before(f.record.Started.Truncate(time.Second))
		if anew {
			f.copies.Table.Delete(old.From)
		}
		fresh, err := f.copies.Table.Propose(list[i].Entry)
		if _, there := f.copies.Table.Get(list[i].Entry.From); anew && !there { // the table says the opposite
			err = errors.Join(err, f.copies.Table.Put(old))
		}
		if err != nil {
			return nil, fmt.Errorf("propose a replica: %w", err)
		}
		if fresh {
			found.New++
		}
	}
	list = slices.DeleteFunc(list, func(p catalog.Proposal) bool { // the table says the opposite
		_, there := f.copies.Table.Get(p.Entry.From)
		return !there
	})
	found.Proposed = len(list)
	if f.plan.Replicas.Confirm {
		if found.Confirmed, err = finding.Confirm(f.copies.Table, list, rule,
			replica.Change{Time: now, By: "rule"}); err != nil {
			return nil, err
		}
	}
	if found.Singles, err = f.findSingles(ctx, finding, now); err != nil {
		return nil, err
	}
	f.log.Info("looked for replicas", "pages", found.Pages, "collections", found.Collections,
		"proposed", found.Proposed, "new", found.New, "confirmed", len(found.Confirmed),
		"singles", found.Singles)
	return found, errors.Join(f.copies.save(), f.writeFound(finding, list))
}

// writeFound writes reports/replicas.txt and the tables of collections.
func (f *finder) writeFound(finding *catalog.Finding, list []catalog.Proposal) error {
	pages := make([]collection.Page, len(finding.Pages))
	for i := range pages {
		pages[i].URL = finding.Pages[i].URL
	}
	return errors.Join(
		f.write(f.run.path("reports", "replicas.txt"), func(w io.Writer) error {
			return f.tellFound(w, finding, list)
		}),
		f.write(f.run.path("reports", "collections.tsv"), finding.Result.WriteCollections),
		f.write(f.run.path("reports", "mapping.tsv"), func(w io.Writer) error {
			return finding.Result.WriteMapping(w, pages)
		}),
	)
}

func (f *finder) tellFound(out io.Writer, finding *catalog.Finding, list []catalog.Proposal) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d pages compared, %d replicated collections, %d replicas\n", len(finding.Pages),
		len(finding.Result.Collections), len(list))
	for i := range list {
		p := &list[i]
		e, _ := f.copies.Table.Get(p.Entry.From)
		v := &p.Entry.Evidence
		fmt.Fprintf(w, "\n%s %s = %s\n  %d pages, %d with a counterpart, %d alike, mean resemblance "+
			"%.3f, containment %.3f, purity %.3f, alone %d\n",
			e.State, p.Entry.From, p.Entry.To, v.Pages, v.Common, v.Agreed, v.Resemblance, v.Containment,
			v.Purity, p.Alone)
		if !p.Full() {
			fmt.Fprintf(w, "  not full evidence: %s\n", p.Lacks)
		}
	}
	return w.Flush()
}

// searchCatalog opens the catalog, adds the runs that it lacks, and searches it. A damaged catalog, which
// may be found so as late as by the search, is made anew from the store.
func (f *finder) searchCatalog(ctx context.Context) (*catalog.Catalog, *catalog.Finding, error) {
	c, finding, err := f.trySearch(ctx)
	if err == nil || ctx.Err() != nil || !damagedCatalog(err) {
		return c, finding, err
	}
	f.log.Warn("the catalog of copies cannot be used and is made anew", "cause", err)
	if err := f.disk().RemoveAll(f.folder.Catalog()); err != nil {
		return nil, nil, fmt.Errorf("take away the catalog: %w", err)
	}
	return f.trySearch(ctx)
}

// damagedCatalog reports an error that is the fault of the catalog's own files. Errors of system
// calls, such as a full disk or too many open files, are not; only a missing file is.
func damagedCatalog(err error) bool {
	var call syscall.Errno
	return !errors.Is(err, disk.ErrLocked) && (!errors.As(err, &call) || call == syscall.ENOENT)
}

// trySearch searches the catalog as it is, with the runs that it lacked.
func (f *finder) trySearch(ctx context.Context) (*catalog.Catalog, *catalog.Finding, error) {
	rank, err := f.rank()
	if err != nil {
		return nil, nil, err
	}
	c, err := catalog.Open(f.folder.Catalog(), catalog.Options{
		Disk: f.disk(), Collection: collection.Options{Rank: rank},
	})
	if err != nil {
		return nil, nil, err
	}
	if err = f.fillCatalog(ctx, c); err == nil {
		var finding *catalog.Finding
		if finding, err = c.Find(ctx); err == nil {
			return c, finding, nil
		}
	}
	return nil, nil, errors.Join(err, c.Close())
}

// rank puts first what stands for others already, then hosts with a seed, then the place that is likeliest
// the original, unless another one has three times its pages.
func (f *finder) rank() (collection.Rank, error) {
	origins, err := captures{f.store, []store.Run{f.record.Number}}.originsOf(f.seeds())
	return collection.Prefer(f.representatives(), func(a, b collection.Candidate) int {
		more := 0
		switch {
		case 3*a.Known < b.Known:
			more = 1
		case 3*b.Known < a.Known:
			more = -1
		}
		return cmp.Or(origins.Seeds(a.Host, b.Host), more,
			origins.Compare(page.URL(a.Prefix), page.URL(b.Prefix)),
			origins.Order(a.Host, b.Host), cmp.Compare(b.Pages, a.Pages))
	}), err
}

// fillCatalog adds the runs that the catalog lacks.
func (f *finder) fillCatalog(ctx context.Context, c *catalog.Catalog) error {
	last := uint32(0)
	if sweeps := c.Sweeps(); len(sweeps) > 0 {
		last = sweeps[len(sweeps)-1].Number
	}
	var lacking []store.Run
	for r, err := range f.runs() {
		if err != nil {
			return err
		}
		if uint32(r.Number) > last {
			lacking = append(lacking, r.Number)
		}
	}
	for _, r := range lacking {
		if _, err := c.Add(ctx, uint32(r), f.folder.Run(int(r)).Name(), f.documents(r)); err != nil {
			return err
		}
	}
	return nil
}

// representatives are the prefixes that stand for others since earlier runs, and go on doing so, or did
// before the copies went ways of their own.
func (f *finder) representatives() []string {
	var list []string
	for _, e := range f.copies.Table.All() {
		if (e.State.InForce() || e.Drifted()) && e.Found.Before(f.record.Started.Truncate(time.Second)) {
			list = append(list, replica.Prefixes(e.To)...)
		}
	}
	return list
}

// documents are the pages of a run as the catalog takes them. A page that the archive does not hold
// is told as gone. A document is good until the next one.
func (f *finder) documents(run store.Run) iter.Seq2[catalog.Document, error] {
	return func(yield func(catalog.Document, error) bool) {
		for v, err := range f.store.Lent(run, 0) {
			var d catalog.Document
			ok := false
			if err == nil {
				d, ok, err = f.document(v)
			}
			if err != nil {
				yield(d, err)
				return
			}
			if ok && !yield(d, nil) {
				return
			}
		}
	}
}

func (f *finder) document(v *page.Visit) (d catalog.Document, ok bool, err error) {
	d, ok = catalog.Of(v)
	if !ok || d.Gone {
		return d, ok, nil
	}
	err = f.store.View(func(tx *store.Tx) error {
		_, held, err := tx.Capture(v.URL)
		if !held {
			d = catalog.Document{URL: v.URL, Gone: true}
		}
		return err
	})
	return d, true, err
}
