package harvest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// rules are the aliases of a plan, whose patterns hold for hosts as they come to be known. The zero
// value has none.
//
// A page's links are learnt before anything that they lead to is wanted, so that not even the first
// page is fetched of a host that a pattern names. Rules that were applied stand in the harvest's
// table and among the frontier's rules.
type rules struct {
	aliases *replica.Aliases       // nil where no rule is a pattern
	asked   map[page.Host]struct{} // hosts that were looked at
	table   *replica.Table
	skip    []int // levels that are left out; nil for all
	prune   func(store.Prune) error
	changed bool // the table, since it was written
	err     error
}

// learn looks at the hosts of a visit and its links.
func (r *rules) learn(v *page.Visit) {
	if r.aliases == nil || r.err != nil {
		return
	}
	r.meet(v.URL.Host())
	for i := range v.Links {
		r.meet(v.Links[i].URL.Host())
	}
}

// meet applies the rules to a host that may not have been seen before. A host that would stand for
// itself by its rule, by way of others, is fetched.
func (r *rules) meet(h page.Host) {
	if _, asked := r.asked[h]; asked || r.err != nil {
		return
	}
	r.asked[h] = struct{}{}
	e, ok := r.aliases.Of(h, byPlan())
	if !ok || r.holds(&e) {
		return
	}
	if err := r.table.Put(e); err != nil {
		if !errors.Is(err, replica.ErrCircle) {
			r.err = err
		}
		return
	}
	r.changed = true
	e, _ = r.table.Get(e.From)
	if r.skip == nil || slices.Contains(r.skip, e.Level) {
		r.err = r.prune(pruneOf(&e))
	}
}

// holds reports that the table has the same entry already.
func (r *rules) holds(e *replica.Entry) bool {
	old, there := r.table.Get(e.From)
	return there && old.To == e.To && old.State.InForce()
}

// byPlan is the author of decisions that stand in the harvest's YAML.
func byPlan() replica.Change { return replica.Change{Time: time.Now(), By: "harvest file"} }

// addAliases takes the rules written by hand. Rules that say what the table says already change
// nothing. Patterns hold at once for the hosts that are known, and for others when they are met.
func (c *copies) addAliases(text []string) error {
	a, err := aliasesOf(text)
	if err != nil {
		return err
	}
	r := rules{table: c.table, skip: c.opts.Skip, asked: map[page.Host]struct{}{}}
	var hosts []page.Host
	if a.Patterns() {
		if hosts, err = c.h.met(c.table); err != nil {
			return err
		}
		r.aliases, r.prune = a, func(p store.Prune) error { return c.h.frontier.Prune(p) }
		for _, h := range hosts {
			r.asked[h] = struct{}{}
		}
	}
	t, err := a.Table(hosts, byPlan())
	if err != nil {
		return fmt.Errorf("replicas.aliases: %w", err)
	}
	for _, e := range t.All() {
		if r.holds(&e) {
			continue
		}
		if err := c.table.Put(e); err != nil {
			return fmt.Errorf("replicas.aliases: %w", err)
		}
	}
	c.rules = r
	return nil
}

// aliasesOf reads the rules of a plan.
func aliasesOf(text []string) (*replica.Aliases, error) {
	a, err := replica.ParseAliases(strings.NewReader(strings.Join(text, "\n")))
	if err != nil {
		return nil, fmt.Errorf("replicas.aliases: %w", err)
	}
	return a, nil
}

// met gives the hosts that the harvest knows: those of its seeds, of URLs that waited or were
// fetched in any run, and of replicas that are left out.
func (h *Harvest) met(t *replica.Table) ([]page.Host, error) {
	hosts := map[page.Host]bool{}
	for i := range h.plan.Sites {
		for _, u := range h.plan.Sites[i].Seeds {
			hosts[u.Host()] = true
		}
	}
	for _, e := range t.All() {
		if replica.IsHost(e.From) {
			hosts[page.Host(e.From)] = true
		}
	}
	err := h.store.View(func(tx *store.Tx) error {
		for p, err := range tx.Prunes() {
			if err != nil {
				return err
			}
			if name, ok := p.Host(); ok {
				hosts[name] = true
			}
		}
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
		return nil, fmt.Errorf("replicas.aliases: find the hosts that are known: %w", err)
	}
	return slices.Sorted(maps.Keys(hosts)), nil
}

// Hosts gives the hosts of all URLs that the runs of a harvest know, whether fetched or not, in
// order; none for a harvest that was never started. It reads every record, some hundred thousand a
// second. The error is store.ErrLocked while a run is under way.
func (f Folder) Hosts() (list []page.Host, err error) {
	if _, err := f.Last(); err != nil {
		if errors.Is(err, ErrNoRun) {
			err = nil
		}
		return nil, err
	}
	st, err := store.Open(store.Options{Dir: f.State(), ReadOnly: true, SkipCheck: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	hosts := map[page.Host]struct{}{}
	err = st.View(func(tx *store.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			for u, err := range tx.URLs(run.Number) {
				if err != nil {
					return err
				}
				hosts[u.URL.Host()] = struct{}{}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the hosts that are known: %w", err)
	}
	return slices.Sorted(maps.Keys(hosts)), nil
}
