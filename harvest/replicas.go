package harvest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/frontier"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/catalog"
	"watershed/replica/prove"
	"watershed/replica/sketch"
	"watershed/store"
)

// Replicas has the options of a plan on replicas.
type Replicas struct {
	Options replica.Options
	Find    bool // look for mirrors and replicated collections when a run has ended
	Confirm bool // leave those with full evidence out from the next run on, and test what is proposed
	// Prove says how mirrors are tested.
	Prove prove.Options
	// Rule defines full evidence of a replicated collection.
	Rule catalog.Rule
	// Override wins over the harvest's own table. It may be nil.
	Override *replica.Table
	// Aliases are rules written by hand that win over both, in the grammar of replica.Aliases.
	Aliases []string
	// Failover has pages that cannot be had from their host fetched from a replica of level 1 to 3.
	Failover bool
	// Singles is the resemblance from which on pages that no entry covers are left out one by one,
	// where Confirm is set; 1 for the same text only, 0 for never. SingleRuns is in how many runs a
	// page must have been found so; 0 is catalog.DefaultSweeps.
	Singles    float64
	SingleRuns int
}

// Replicas is the harvest's table of replicas.
func (f Folder) Replicas() string { return filepath.Join(string(f), "replicas.yaml") }

// ReadTable reads a table of replicas, as CSV where its name ends so, else as YAML. A file that is
// not there is an empty table.
func ReadTable(path string) (*replica.Table, error) {
	text, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return new(replica.Table), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table of replicas: %w", err)
	}
	var t *replica.Table
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		t, err = replica.ReadCSV(strings.NewReader(string(text)))
	} else {
		t, err = replica.ReadYAML(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// WriteTable writes a table of replicas in place of what was there, as CSV where its name ends so,
// else as YAML.
func WriteTable(path string, t *replica.Table) error {
	return writeTable(disk.OS{}, path, t)
}

func writeTable(d disk.FS, path string, t *replica.Table) error {
	return disk.WriteFile(d, path, 0o644, func(w io.Writer) error {
		if strings.EqualFold(filepath.Ext(path), ".csv") {
			return t.WriteCSV(w)
		}
		return t.WriteYAML(w)
	})
}

// EditTable changes the harvest's table of replicas. The next run goes by it. The error is
// store.ErrLocked while a run is under way, because that would write over the change.
func (f Folder) EditTable(change func(*replica.Table) error) error {
	return f.editTable(disk.OS{}, change)
}

func (f Folder) editTable(d disk.FS, change func(*replica.Table) error) (err error) {
	if _, err := os.Stat(f.State()); err == nil {
		st, err := store.Open(store.Options{Dir: f.State(), SkipCheck: true, MinFreeBytes: 1})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, st.Close()) }()
	}
	t, err := ReadTable(f.Replicas())
	if err != nil {
		return err
	}
	if err := change(t); err != nil {
		return err
	}
	if err := d.MkdirAll(string(f), 0o777); err != nil {
		return fmt.Errorf("make the harvest's folder: %w", err)
	}
	return writeTable(d, f.Replicas(), t)
}

// copies has the replicas that a run leaves out because other pages hold the same, and the samples
// by which it tests that. It implements crawler.Aside.
type copies struct {
	h     *Harvest
	opts  replica.Options
	table *replica.Table
	trial *replica.Trial
	alone []page.URL // pages of replicas that have nothing to stand for them, until they are wanted
	rules rules      // the aliases of the plan
	// singles are left out page by page.
	singles singles
	// recalled are pages whose stands have changed, until they are wanted.
	recalled []page.URL
	err      error // that kept from knowing
}

// openCopies reads the table, makes the frontier's prune rules agree with it, and draws the samples
// of the run.
func (h *Harvest) openCopies() error {
	c, err := h.readCopies()
	if err != nil {
		return err
	}
	h.copies = c
	if err := c.prune(); err != nil {
		return err
	}
	c.trial = replica.NewTrial(c.opts, Similar)
	if err := c.openSingles(); err != nil {
		return err
	}
	if err := c.draw(); err != nil {
		return fmt.Errorf("draw samples of replicas: %w", err)
	}
	c.drawSingles()
	return errors.Join(c.judge(), c.save())
}

// readCopies reads the table as it holds from now on.
func (h *Harvest) readCopies() (*copies, error) {
	c := &copies{h: h, opts: h.plan.Replicas.Options.WithDefaults()}
	var err error
	if c.table, err = ReadTable(h.folder.Replicas()); err != nil {
		return nil, err
	}
	if o := h.plan.Replicas.Override; o != nil {
		if err := c.table.Merge(o); err != nil {
			return nil, fmt.Errorf("the table that the harvest names: %w", err)
		}
	}
	if err := c.addAliases(h.plan.Replicas.Aliases); err != nil {
		return nil, err
	}
	if c.opts.Expire > 0 {
		for _, e := range c.table.Expire(c.opts.Expire, time.Now()) {
			h.log.Warn("a replica is fetched again because nothing has agreed with it for too long",
				"replica", e.From, "representative", e.To)
		}
	}
	return c, nil
}

// prune makes the frontier's rules agree with the entries of the table in force.
func (c *copies) prune() error {
	want := map[string]store.Prune{}
	for _, e := range c.table.InForce(c.opts.Skip) {
		want[e.From] = pruneOf(&e)
	}
	var old []store.Prune
	err := c.h.store.View(func(tx *store.Tx) error {
		for p, err := range tx.Prunes() {
			if err != nil {
				return err
			}
			old = append(old, p)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the prunes: %w", err)
	}
	for _, p := range old {
		if w, stays := want[p.From]; stays && w.To == p.To && w.Reason == p.Reason {
			delete(want, p.From)
			continue
		}
		if _, err := c.h.frontier.Unprune(p.From); err != nil {
			return err
		}
	}
	for _, from := range slices.Sorted(maps.Keys(want)) {
		if err := c.h.frontier.Prune(want[from]); err != nil {
			return err
		}
	}
	return nil
}

// pruneOf is an entry as the frontier and the store have it.
func pruneOf(e *replica.Entry) store.Prune {
	reason := store.Mirror
	if e.Level == 0 && !replica.IsHost(e.From) {
		reason = store.Collection
	}
	method := strings.TrimSpace(strings.Join([]string{e.Method, evidenceText(e)}, " "))
	return store.Prune{
		From: e.From, To: e.To, Reason: reason, Method: method, Evidence: e.String(),
		Time: e.Decided,
	}
}

// evidenceText tells, for the ledger, on what an entry rests.
func evidenceText(e *replica.Entry) string {
	var parts []string
	if e.Level > 0 {
		parts = append(parts, fmt.Sprintf("level %d", e.Level))
	}
	if v := e.Evidence; v.Tested > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d pages agree, mean resemblance %.3f", v.Agreed, v.Tested,
			v.Resemblance))
	}
	if v := e.Evidence; v.Pages > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d pages in common", v.Common, v.Pages))
	}
	return strings.Join(append(parts, e.State.String()+" "+e.Decided.UTC().Format(time.DateOnly)), ", ")
}

// draw hands the run's samples to the trial. A run that goes on draws as it drew at its beginning,
// and learns what it has visited since.
func (c *copies) draw() error {
	number := c.h.record.Number
	samples, err := c.samples(number)
	if err != nil {
		return err
	}
	resolve := func(u page.URL) (page.URL, bool) {
		_, _, ok := c.table.Resolve(u)
		return c.stand(u), ok
	}
	for _, from := range slices.Sorted(maps.Keys(samples)) {
		c.trial.Add(from, samples[from].sample, samples[from].reserve, resolve)
	}
	if len(samples) == 0 {
		return nil
	}
	for v, err := range c.h.store.Visits(number, 0) {
		if err != nil {
			return err
		}
		c.trial.Learn(v)
	}
	return nil
}

// drawn has the pages of a replica that are fetched nevertheless, and those that are fetched, too,
// if some of the first do not agree.
type drawn struct{ sample, reserve []page.URL }

// samples draws, for a run, from the known pages of each replica in force: those captured from it,
// and those that the run before left out of it.
func (c *copies) samples(number store.Run) (map[string]drawn, error) {
	entries := c.table.InForce(c.opts.Skip)
	if len(entries) == 0 {
		return nil, nil
	}
	var held []page.URL // by the archive, of what is left out
	known := map[string]map[page.URL]bool{}
	note := func(u page.URL) {
		for _, from := range c.table.Agreeing(u) {
			if known[from] == nil {
				known[from] = map[page.URL]bool{}
			}
			known[from][u] = true
		}
	}
	for x, err := range c.h.store.Captures() {
		if err != nil {
			return nil, err
		}
		if _, _, out := c.table.Resolve(x.URL); !out || x.Status != 200 && x.Status != 304 {
			continue
		}
		held = append(held, x.URL)
		isPage, err := c.wasPage(&x)
		if err != nil {
			return nil, err
		}
		if isPage {
			note(x.URL)
		}
	}
	for u, err := range c.h.store.URLs(number - 1) {
		if err != nil {
			return nil, err
		}
		if u.State == store.Skipped && u.Reason.Stood() && u.Kind != page.Embed {
			note(u.URL)
		}
	}
	if err := c.setApart(held, known); err != nil {
		return nil, err
	}
	samples := map[string]drawn{}
	for _, e := range entries {
		if pages := slices.Sorted(maps.Keys(known[e.From])); len(pages) > 0 {
			sample, reserve := c.opts.Draw(pages, c.stand, uint64(number))
			samples[e.From] = drawn{sample, reserve}
		}
	}
	return samples, nil
}

// stand is the page that stands for u: by the table, or, where the list of single pages leaves that
// page out in turn, by the list.
func (c *copies) stand(u page.URL) page.URL {
	stand, _, _ := c.table.Resolve(u)
	if x, single := c.singles.stand[stand]; single && x.Stand != u {
		return x.Stand
	}
	return stand
}

// wasPage reports that a capture is of a page that has text to be compared, not of an image or a
// script.
func (c *copies) wasPage(x *store.Capture) (is bool, err error) {
	err = c.h.store.View(func(tx *store.Tx) error {
		v, found, err := tx.Visit(x.Run, x.Visit)
		is = found && len(v.Sketch) > 0
		return err
	})
	return is, err
}

// setApart takes out of the known pages of replicas those that the archive holds and for which no
// page of the archive stands: they have no counterpart, or are not like it (a rule written by hand
// asks for no likeness). Perhaps no page that the run fetches links to them, so each run asks for
// them by itself, but not for those that the list of single pages leaves out. A page of that list
// that has a stand by the table is left to the table.
func (c *copies) setApart(held []page.URL, known map[string]map[page.URL]bool) error {
	c.alone = nil
	apart := map[page.URL]bool{}
	err := c.h.store.View(func(tx *store.Tx) error {
		for _, u := range held {
			_, by, ok := c.table.Resolve(u)
			if !ok {
				continue
			}
			stands, err := c.standsFor(tx, c.stand(u), u, known[by.From][u] && !by.ByHand())
			if err != nil {
				return err
			}
			if stands {
				delete(c.singles.stand, u)
				continue
			}
			apart[u] = true
			for _, from := range c.table.Agreeing(u) {
				delete(known[from], u)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find the pages of replicas that nothing stands for: %w", err)
	}
	maps.DeleteFunc(c.singles.stand, func(_ page.URL, x catalog.Single) bool {
		_, _, out := c.table.Resolve(x.Stand)
		return out && !apart[x.Stand] // the table leaves the stand out by now
	})
	for _, u := range slices.Sorted(maps.Keys(apart)) {
		if _, single := c.singles.stand[u]; !single {
			c.alone = append(c.alone, u)
		}
	}
	return nil
}

// standsFor reports that the archive holds the page stand, and, where texts are compared, that u
// was like it when both were fetched last.
func (c *copies) standsFor(tx *store.Tx, stand, u page.URL, compare bool) (bool, error) {
	x, held, err := tx.Capture(stand)
	if err != nil || !held || !compare {
		return held, err
	}
	y, held, err := tx.Capture(u)
	if err != nil || !held || x.Digest == y.Digest {
		return true, err
	}
	a, foundA, err := tx.Visit(x.Run, x.Visit)
	if err != nil {
		return false, err
	}
	b, foundB, err := tx.Visit(y.Run, y.Visit)
	if err != nil {
		return false, err
	}
	return foundA && foundB && Similar(&a, &b) >= c.opts.Similar, nil
}

// keeps reports that a fetched page belongs in the archive whatever the maps say: it lies in a
// replica of pages that belong, and was fetched as a sample, because no page stands for it, or
// because the pages that link to it are left out.
func (c *copies) keeps(u page.URL) bool {
	if c == nil {
		return false
	}
	_, _, ok := c.table.Resolve(u)
	return ok || c.singles.asked[u]
}

// Learn implements crawler.Aside.
func (c *copies) Learn(v *page.Visit) {
	c.trial.Learn(v)
	c.rules.learn(v)
	c.recall(v)
}

// Wants implements crawler.Aside: the samples, the pages that stand for them, and the pages for
// which no page stands.
func (c *copies) Wants() []frontier.Candidate {
	var list []frontier.Candidate
	for _, u := range c.alone {
		list = append(list, frontier.Candidate{URL: u, Wanted: true, Forced: true})
	}
	c.alone = nil
	for _, u := range c.recalled {
		list = append(list, frontier.Candidate{URL: u, Wanted: true, Forced: true})
	}
	c.recalled = nil
	list = append(list, c.wantsOfSingles()...)
	for _, u := range c.trial.Wants() {
		list = append(list, frontier.Candidate{URL: u, Wanted: true, Forced: true, Priority: samplePriority})
	}
	return list
}

// samplePriority brings samples early, so that a replica that has drifted is fetched while the
// harvest goes on.
const samplePriority = 1 << 30

// judge acts on the verdicts of the trial: a replica that no longer agrees is fetched again, at
// once. Entries that the rules have added to the table are written.
func (c *copies) judge() error {
	verdicts := c.trial.Verdicts()
	if err := errors.Join(c.err, c.rules.err); err != nil || len(verdicts) == 0 && !c.rules.changed {
		return err
	}
	now := time.Now()
	for _, v := range verdicts {
		e, ok := c.table.Get(v.From)
		if !ok || !e.State.InForce() {
			continue
		}
		e.Evidence.Tested, e.Evidence.Agreed, e.Evidence.Resemblance = v.Evidence.Tested, v.Evidence.Agreed,
			v.Evidence.Resemblance
		if v.Agrees {
			if err := c.table.Verify(v.From, e.Evidence, now); err != nil {
				return err
			}
			continue
		}
		why := fmt.Sprintf("%d of %d sampled pages agree", v.Evidence.Agreed, v.Evidence.Tested)
		if err := c.table.Reopen(v.From, replica.Change{Time: now, By: "sample", Note: why}); err != nil {
			return err
		}
		n, err := c.h.frontier.Unprune(v.From)
		if err != nil {
			return err
		}
		c.h.log.Warn("a replica has drifted and is fetched again", "replica", v.From, "representative", e.To,
			"evidence", why, "urls", n)
	}
	return c.save()
}

// save writes the harvest's table.
func (c *copies) save() error {
	c.rules.changed = false
	return writeTable(c.h.disk(), c.h.folder.Replicas(), c.table)
}

// Similar is the resemblance of the pages of two visits by their sketches; without these, 1 for
// equal payloads and else 0.
func Similar(a, b *page.Visit) float64 {
	var x, y sketch.Sketch
	if len(a.Sketch) == 0 || len(b.Sketch) == 0 || x.Decode(a.Sketch) != nil || y.Decode(b.Sketch) != nil {
		if a.Digest == b.Digest && !a.Digest.IsZero() {
			return 1
		}
		return 0
	}
	r, err := sketch.Resemblance(&x, &y)
	if err != nil {
		return 0 // made in different ways: nothing is known
	}
	return r.Value
}
