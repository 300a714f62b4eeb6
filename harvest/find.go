package harvest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"syscall"
	"time"

	"watershed/internal/extsort"
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

// findReplicas brings the catalog up to the run, looks for replicated collections among the
// archived pages, proposes them in the harvest's table, and confirms those with full evidence where
// the plan says so. The next run goes by it. Doing it again changes nothing but dates.
func (h *Harvest) findReplicas(ctx context.Context) (_ *Found, err error) {
	c, err := h.openCatalog(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for replicas: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	finding, err := c.Find(ctx)
	if err != nil {
		return nil, err
	}
	rule := h.plan.Replicas.Rule
	if rule.Similar == 0 {
		rule.Similar = max(h.plan.Replicas.Options.WithDefaults().Similar, 0)
	}
	now := time.Now()
	list, err := finding.Propose(rule, now)
	if err != nil {
		return nil, err
	}
	f := &Found{Pages: len(finding.Pages), Collections: len(finding.Result.Collections), Proposed: len(list)}
	for i := range list {
		fresh, err := h.copies.Table.Propose(list[i].Entry)
		if err != nil {
			return nil, fmt.Errorf("propose a replica: %w", err)
		}
		if fresh {
			f.New++
		}
	}
	if h.plan.Replicas.Confirm {
		if f.Confirmed, err = finding.Confirm(h.copies.Table, list, rule,
			replica.Change{Time: now, By: "rule"}); err != nil {
			return nil, err
		}
	}
	if f.Singles, err = h.findSingles(ctx, finding, now); err != nil {
		return nil, err
	}
	h.log.Info("looked for replicas", "pages", f.Pages, "collections", f.Collections, "proposed", f.Proposed,
		"new", f.New, "confirmed", len(f.Confirmed), "singles", f.Singles)
	return f, errors.Join(h.saveTable(), h.writeFound(finding, list))
}

// writeFound writes reports/replicas.txt and the tables of collections.
func (h *Harvest) writeFound(finding *catalog.Finding, list []catalog.Proposal) error {
	pages := make([]collection.Page, len(finding.Pages))
	for i := range pages {
		pages[i].URL = finding.Pages[i].URL
	}
	return errors.Join(
		h.write(h.run.path("reports", "replicas.txt"), func(w io.Writer) error {
			return h.tellFound(w, finding, list)
		}),
		h.write(h.run.path("reports", "collections.tsv"), finding.Result.WriteCollections),
		h.write(h.run.path("reports", "mapping.tsv"), func(w io.Writer) error {
			return finding.Result.WriteMapping(w, pages)
		}),
	)
}

func (h *Harvest) tellFound(out io.Writer, finding *catalog.Finding, list []catalog.Proposal) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%d pages compared, %d replicated collections, %d replicas\n", len(finding.Pages),
		len(finding.Result.Collections), len(list))
	for i := range list {
		p := &list[i]
		e, _ := h.copies.Table.Get(p.Entry.From)
		v := &p.Entry.Evidence
		fmt.Fprintf(w, "\n%s %s = %s\n  %d pages, %d with a counterpart, %d similar, mean resemblance "+
			"%.3f, containment %.3f, purity %.3f, alone %d\n",
			e.State, p.Entry.From, p.Entry.To, v.Pages, v.Common, v.Agreed, v.Resemblance, v.Containment,
			v.Purity, p.Alone)
		if !p.Full() {
			fmt.Fprintf(w, "  not full evidence: %s\n", p.Lacks)
		}
	}
	return w.Flush()
}

// openCatalog opens the catalog and adds the runs that it lacks. A damaged catalog is made anew
// from the store.
func (h *Harvest) openCatalog(ctx context.Context) (*catalog.Catalog, error) {
	c, err := h.filledCatalog(ctx)
	if err == nil || ctx.Err() != nil || !damagedCatalog(err) {
		return c, err
	}
	h.log.Warn("the catalog of copies cannot be used and is made anew", "cause", err)
	if err := h.disk().RemoveAll(h.folder.Catalog()); err != nil {
		return nil, fmt.Errorf("take away the catalog: %w", err)
	}
	return h.filledCatalog(ctx)
}

// damagedCatalog reports an error that is the fault of the catalog's own files. Errors of system
// calls, such as a full disk or too many open files, are not; only a missing file is.
func damagedCatalog(err error) bool {
	var call syscall.Errno
	return !errors.Is(err, extsort.ErrInUse) && (!errors.As(err, &call) || call == syscall.ENOENT)
}

func (h *Harvest) filledCatalog(ctx context.Context) (*catalog.Catalog, error) {
	c, err := catalog.Open(h.folder.Catalog(), catalog.Options{
		Disk:       h.disk(),
		Collection: collection.Options{Rank: collection.Prefer(h.representatives(), collection.Fullest)},
	})
	if err != nil {
		return nil, err
	}
	if err := h.fillCatalog(ctx, c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// fillCatalog adds the runs that the catalog lacks.
func (h *Harvest) fillCatalog(ctx context.Context, c *catalog.Catalog) error {
	last := uint32(0)
	if sweeps := c.Sweeps(); len(sweeps) > 0 {
		last = sweeps[len(sweeps)-1].Number
	}
	var lacking []store.Run
	for r, err := range h.runs() {
		if err != nil {
			return err
		}
		if uint32(r.Number) > last {
			lacking = append(lacking, r.Number)
		}
	}
	for _, r := range lacking {
		if _, _, err := c.Add(ctx, uint32(r), h.folder.Run(int(r)).Name(), h.documents(r)); err != nil {
			return err
		}
	}
	return nil
}

// representatives are the prefixes that stand for others already, and go on doing so.
func (h *Harvest) representatives() []string {
	var list []string
	for _, e := range h.copies.Table.InForce(nil) {
		if replica.IsHost(e.To) {
			list = append(list, "http://"+e.To+"/", "https://"+e.To+"/")
		} else {
			list = append(list, e.To)
		}
	}
	return list
}

// documents are the pages of a run as the catalog takes them. A page that the archive does not hold
// is told as gone.
func (h *Harvest) documents(run store.Run) iter.Seq2[catalog.Document, error] {
	return func(yield func(catalog.Document, error) bool) {
		for v, err := range h.store.Visits(run, 0) {
			var d catalog.Document
			ok := false
			if err == nil {
				d, ok, err = h.document(v)
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

func (h *Harvest) document(v *page.Visit) (d catalog.Document, ok bool, err error) {
	d, ok = catalog.Of(v)
	if !ok || d.Gone {
		return d, ok, nil
	}
	err = h.store.View(func(tx *store.Tx) error {
		_, held, err := tx.Capture(v.URL)
		if !held {
			d = catalog.Document{URL: v.URL, Gone: true}
		}
		return err
	})
	return d, true, err
}
