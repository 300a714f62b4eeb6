package harvest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"watershed/harvest/copies"
	"watershed/internal/disk"
	"watershed/replica"
	"watershed/replica/catalog"
	"watershed/store"
)

// Replicas has the options of a plan on replicas.
type Replicas struct {
	Options replica.Options
	Find    bool // look for mirrors and replicated collections when a run has ended
	Confirm bool // leave those with full evidence out from the next run on, and test what is proposed
	Now     bool // where Confirm is set, leave out what the crawl shows to be a copy in the same run
	// Rule defines full evidence of a replicated collection.
	Rule catalog.Rule
	// Override wins over the harvest's own table. It may be nil.
	Override *replica.Table
	// Aliases are rules written by hand that win over both, in the grammar of replica.Aliases.
	Aliases []string
	// Failover has pages that cannot be had from their host fetched from a replica of level 1 to 3, or
	// without a level.
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
		return nil, fmt.Errorf("%s: %w\nmend it there, or bring the file back from a copy", path, err)
	}
	return t, nil
}

// WriteTable writes a table of replicas where a person wants it, as CSV where the name ends so, else
// as YAML.
func WriteTable(path string, t *replica.Table) error {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return disk.WriteNamed(path, t.WriteCSV)
	}
	return disk.WriteNamed(path, t.WriteYAML)
}

func writeTable(d disk.FS, path string, t *replica.Table) error {
	return disk.WriteFile(d, path, 0o644, t.WriteYAML)
}

// EditTable changes the harvest's table of replicas. The next run goes by it. The error is
// store.ErrLocked while a run is under way, because that would write over the change.
func (f Folder) EditTable(change func(*replica.Table) error) error {
	return f.editTable(disk.OS{}, change)
}

func (f Folder) editTable(d disk.FS, change func(*replica.Table) error) (err error) {
	if isDir(string(f)) { // else no run can be under way
		release, err := store.Hold(f.State())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, release()) }()
	}
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

// room decides which copies are left out; its table and its list of single pages lie in the folder.
type room struct {
	*ground
	*copies.Room
}

// readRoom makes the room that decides for a run.
func readRoom(g *ground, run store.Run) (*room, error) {
	p := &g.plan.Replicas
	table, err := ReadTable(g.folder.Replicas())
	if err != nil {
		return nil, err
	}
	if p.Override != nil {
		if err := table.Merge(p.Override); err != nil {
			return nil, fmt.Errorf("the table that the harvest names: %w", err)
		}
	}
	singles, err := copies.ReadSingles(g.folder.Copies())
	if err != nil {
		return nil, err
	}
	for _, u := range g.seeds() {
		delete(singles, u)
	}
	for u, x := range singles {
		if _, chain := singles[x.Stand]; chain || p.Singles == 0 {
			delete(singles, u)
		}
	}
	o := p.Options.WithDefaults()
	if o.Expire > 0 {
		for _, e := range table.Expire(o.Expire, time.Now()) {
			g.log.Warn("a copy is fetched again because nothing has agreed with it for too long",
				"copy", e.From, "stand", e.To)
		}
	}
	parts := copies.Parts{Table: table, Singles: singles, Store: g.store, Run: run}
	if parts.Sites, err = g.limited(); err != nil {
		return nil, err
	}
	if run == g.record.Number {
		before, err := g.before()
		if err != nil {
			return nil, err
		}
		if len(before) > 0 {
			parts.Extends = before[len(before)-1]
		}
		if p.Confirm && p.Now {
			parts.Began = g.record.Started
		}
	}
	texts, err := newShownReader(g, g.openRecord)
	if err != nil {
		return nil, err
	}
	opt := copies.Options{
		Table: o, Level: p.Rule.Resemblance, Single: p.Singles, Failover: p.Failover, Log: g.log,
		Login: g.plan.LoginOf, Whole: texts.whole,
	}
	x, err := copies.New(parts, opt, p.Aliases, g.met)
	return &room{g, x}, err
}

// judge acts on what the samples have shown: copies that have drifted are fetched again at once. A
// table that was changed is written.
func (r *room) judge() error {
	changed, err := r.Changed()
	if err != nil {
		return err
	}
	if changed {
		err = r.save()
	}
	return errors.Join(err, r.GiveBack())
}

// save writes the harvest's table.
func (r *room) save() error { return writeTable(r.disk(), r.folder.Replicas(), r.Table) }
