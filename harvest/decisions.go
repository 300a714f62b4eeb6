package harvest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"watershed/archive"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/internal/disk"
	"watershed/sitemap"
)

// Decisions is the file of what was decided by hand on the harvest's pages.
func (f Folder) Decisions() string { return filepath.Join(string(f), "decisions.yaml") }

// Socket is where a run takes orders while it crawls.
func (f Folder) Socket() string { return filepath.Join(string(f), "control.sock") }

// ReadDecisions reads a file of decisions; one that is not there has none.
func ReadDecisions(path string) (*decision.List, error) {
	text, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return new(decision.List), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the decisions: %w", err)
	}
	l, err := decision.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: mend it there, or bring the file back from a copy; without the "+
			"file nothing is decided", path, err)
	}
	return l, nil
}

func writeDecisions(d disk.FS, path string, l *decision.List) error {
	return disk.WriteFile(d, path, 0o644, func(w io.Writer) error { return l.Write(w) })
}

// EditDecisions changes the harvest's decisions. It may be called at any time, by any process; a
// second caller waits. A run under way takes no notice until it is told: see Decide.
func (f Folder) EditDecisions(change func(*decision.List) error) error {
	return f.editDecisions(disk.OS{}, change)
}

func (f Folder) editDecisions(d disk.FS, change func(*decision.List) error) (err error) {
	if err := d.MkdirAll(string(f), 0o777); err != nil {
		return fmt.Errorf("make the harvest's folder: %w", err)
	}
	unlock, err := f.lock()
	if err != nil {
		return fmt.Errorf("lock the decisions: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	l, err := ReadDecisions(f.Decisions())
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return err
	}
	return writeDecisions(d, f.Decisions(), l)
}

// lock keeps others from changing the decisions until unlock is called; it waits while another
// holds the lock.
func (f Folder) lock() (unlock func() error, err error) {
	lock, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	if err := disk.Lock(lock, disk.Exclusive); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil // which unlocks
}

// sweep removes the unfinished files that killed processes left in the folder itself. No other
// process can be writing them: the table of replicas is edited by the holder of the state, which
// the caller is, and decisions by the holder of the lock.
func (f Folder) sweep(d disk.FS) (err error) {
	unlock, err := f.lock()
	if err != nil {
		return fmt.Errorf("sweep the harvest's folder: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return disk.Sweep(d, string(f))
}

// Decide changes the harvest's decisions, and has a run under way obey them at once. done has the
// changes that the run made; taken is false where no run takes orders, so that the change counts
// from the next start on.
func (f Folder) Decide(ctx context.Context, by string,
	change func(*decision.List) error,
) (done []control.Entry, taken bool, err error) {
	if err := f.EditDecisions(change); err != nil {
		return nil, false, err
	}
	a, err := f.Order(ctx, control.Order{Do: control.Decisions, By: by})
	if errors.Is(err, control.ErrNoRun) {
		return nil, false, nil
	}
	return a.Done, err == nil, err
}

// Order gives an order to the run under way: see control.Ask.
func (f Folder) Order(ctx context.Context, o control.Order) (control.Answer, error) {
	return control.Ask(ctx, f.Socket(), o)
}

// Decisions is the file of the decisions that the run goes by. It lies among the logs, and with
// them in the package.
func (r Run) Decisions() string { return r.path("logs", "decisions.yaml") }

// rulings are the decisions made by hand, and what the run goes by.
type rulings struct {
	*ground
	decided *decision.List
	settled *decision.List // of these, what the run goes by
}

// readRulings reads the decisions of the harvest, and those that a run which goes on obeyed before.
func readRulings(g *ground, resumed bool) (r *rulings, err error) {
	r = &rulings{ground: g}
	if r.decided, err = ReadDecisions(g.folder.Decisions()); err != nil {
		return nil, err
	}
	r.settled = r.decided
	if resumed {
		r.settled, err = ReadDecisions(g.run.Decisions())
	} else if len(r.decided.Decisions) > 0 {
		err = writeDecisions(g.disk(), g.run.Decisions(), r.decided)
	}
	return r, err
}

// limited are the sites of the plan, with what was decided by hand to exclude.
func (g *ground) limited() ([]sitemap.Site, error) {
	l, err := ReadDecisions(g.folder.Decisions())
	if err != nil {
		return nil, err
	}
	sites := slices.Clone(g.plan.Sites)
	for i := range sites {
		s := &sites[i]
		s.Exclude = slices.Concat(s.Exclude, l.Of(s.Name).Exclude)
	}
	return sites, nil
}

// newSurvey gives a survey that knows the decisions, and has learnt no visit yet.
func (r *rulings) newSurvey() (*sitemap.Survey, error) {
	s, err := sitemap.NewSurvey(r.plan.Sites, r.plan.Survey)
	if err != nil {
		return nil, err
	}
	return s, r.instruct(s)
}

// instruct tells the decisions to a survey that has learnt no visit yet.
func (r *rulings) instruct(s *sitemap.Survey) error {
	known := map[string]bool{"": true}
	for _, site := range r.plan.Sites {
		known[site.Name] = true
		ruling := r.decided.Of(site.Name)
		for _, x := range ruling.Exclude {
			if err := s.Exclude(site.Name, x); err != nil {
				return err
			}
		}
		if err := r.rule(s, site.Name, decision.Ruling{}, ruling); err != nil {
			return err
		}
	}
	for i := range r.decided.Decisions {
		if d := &r.decided.Decisions[i]; !known[d.Site] {
			r.log.Warn("a decision is on a site that the harvest does not have", "decision", d.String())
		}
	}
	return nil
}

// rule brings the pins and the scale of a site from one ruling to another.
func (r *rulings) rule(s *sitemap.Survey, site string, from, to decision.Ruling) (err error) {
	if from.Alpha != to.Alpha {
		err = s.Rescale(site, to.Alpha)
		if errors.Is(err, sitemap.ErrNoScale) {
			r.log.Warn("a scale was decided for a site that has none", "site", site)
			err = nil
		}
	}
	was := map[string]string{}
	for _, d := range from.Pins {
		was[d.Rule.String()] = d.Do
	}
	for _, d := range to.Pins {
		before := was[d.Rule.String()]
		delete(was, d.Rule.String())
		if err != nil || before == d.Do {
			continue
		}
		if d.Do == decision.Soft {
			err = s.PinSoftly(site, d.Rule)
		} else {
			err = s.Pin(site, d.Rule, d.Do == decision.In)
		}
	}
	for _, d := range from.Pins {
		if was[d.Rule.String()] != "" && err == nil {
			err = s.Unpin(site, d.Rule)
		}
	}
	return err
}

// toldDecisions is how many decisions a WARC file's first record names.
const toldDecisions = 100

// tell has the first record of each WARC file name the decisions that the run begins with.
func (r *rulings) tell(info *archive.Info) {
	info.Extra = slices.Clip(info.Extra)
	for i := range r.decided.Decisions {
		if i == toldDecisions {
			info.Extra.Add("decision", fmt.Sprintf("and %d more", len(r.decided.Decisions)-i))
			return
		}
		info.Extra.Add("decision", r.decided.Decisions[i].String())
	}
}
