package harvest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"watershed/crawler"
	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/prove"
	"watershed/replica/witness"
	"watershed/sitemap"
	"watershed/store"
)

// asides joins several parts that ask for URLs beside the survey. It implements crawler.Aside.
type asides []crawler.Aside

// Learn implements crawler.Aside.
func (a asides) Learn(v *page.Visit) {
	for _, x := range a {
		x.Learn(v)
	}
}

// Wants implements crawler.Aside.
func (a asides) Wants() (list []frontier.Candidate) {
	for _, x := range a {
		list = append(list, x.Wants()...)
	}
	return list
}

// proof tests pairs through the frontier of a run. It implements crawler.Aside.
type proof struct {
	*ground  // of the run that fetches for it; nil while nothing is fetched
	frontier *frontier.Frontier
	copies   *room
	prover   *prove.Prover
	wants    []prove.Want
	pages    map[string]int // known of each name
	origins  *witness.Origins
	table    *replica.Table
	source   []captures // where visits are looked up
	tested   []Proved
	beside   map[page.Host]page.Host // the two hosts of a pair
}

// Proved is the verdict of a test, and the state of the entry after it.
type Proved struct {
	prove.Verdict
	Entry replica.Entry `json:"entry,omitzero"` // as the table has it now; the zero Entry where it has none
}

// proofPriority brings tests behind samples and before what the survey wants.
const proofPriority = 1 << 29

// openProof prepares the tests of entries that wait for proof: in a harvest that confirms by
// itself, those proposed or expired, but not collections, whose pages were compared when they were
// found.
func openProof(g *ground, f *frontier.Frontier, copies *room) (*proof, error) {
	x := g.plan.proof
	if x == nil {
		pairs := waitingPairs(&g.plan, copies.Table)
		if len(pairs) == 0 {
			return nil, nil
		}
		var err error
		source := captures{g.store, []store.Run{g.record.Number, g.record.Number - 1}}
		if x, err = newProof(pairs, source, copies.Table, g.seeds()); err != nil {
			return nil, err
		}
	} else {
		x.source = append(x.source, captures{g.store, []store.Run{g.record.Number}})
	}
	x.ground, x.frontier, x.copies = g, f, copies
	for v, err := range g.store.Visits(g.record.Number, 0) {
		if err != nil {
			return nil, err
		}
		x.Learn(v)
	}
	return x, nil
}

// waitingPairs are the entries of a table that wait for a test, in a harvest that confirms by
// itself.
func waitingPairs(p *Plan, table *replica.Table) (pairs []prove.Pair) {
	if !p.Replicas.Confirm || p.Crawl.Sketch == nil {
		return nil
	}
	for _, e := range table.All() {
		if (e.State == replica.Proposed || e.State == replica.Expired) && e.Method != "collection" {
			pairs = append(pairs, prove.Pair{A: e.To, B: e.From})
		}
	}
	return pairs
}

// newProof prepares tests of pairs with the captures of source.
func newProof(pairs []prove.Pair, source captures, table *replica.Table, seeds []page.URL) (*proof, error) {
	x := &proof{
		table: table, pages: map[string]int{}, source: []captures{source}, beside: map[page.Host]page.Host{},
	}
	var err error
	if x.prover, err = prove.New(prove.Options{}, x.visit); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	tested := map[prove.Pair]bool{}
	for _, p := range pairs {
		names[p.A], names[p.B] = true, true
		a, b := replica.HostOf(p.A), replica.HostOf(p.B)
		x.beside[a], x.beside[b] = b, a
		tested[p], tested[prove.Pair{A: p.B, B: p.A}] = true, true
	}
	known, err := source.pages(names)
	if err != nil {
		return nil, err
	}
	if x.origins, err = source.originsOf(seeds); err != nil {
		return nil, err
	}
	for name, pages := range known {
		x.prover.Paths(name, pages)
		x.pages[name] = len(pages)
	}
	for _, e := range table.All() { // what is in force helps where a host is out of reach
		p := prove.Pair{A: e.To, B: e.From}
		if e.State.InForce() && e.Level >= 1 && e.Level <= 3 && !tested[p] {
			x.prover.Know(p, prove.Class(e.Level))
		}
	}
	for _, p := range pairs {
		x.prover.Add(p)
	}
	return x, nil
}

// visit gives the last visit of a URL, nil where there is none.
func (x *proof) visit(u page.URL) *page.Visit {
	for _, c := range x.source {
		if v := c.visit(u); v != nil {
			return v
		}
	}
	return nil
}

// Learn implements crawler.Aside.
func (x *proof) Learn(v *page.Visit) { x.prover.Learn(v) }

// Wants implements crawler.Aside.
func (x *proof) Wants() []frontier.Candidate {
	var list []frontier.Candidate
	for _, w := range append(x.wants, x.prover.Wants()...) {
		list = append(list, frontier.Candidate{
			URL: w.URL, Wanted: true, Forced: true,
			Priority: proofPriority, Site: x.site(w.URL.Host()),
		})
	}
	x.wants = nil
	return list
}

// site is the site that a test's request is for: that which begins on its host, else on the other one of
// the pair; else the first.
func (x *proof) site(h page.Host) uint32 {
	for _, host := range []page.Host{h, x.beside[h]} {
		i := slices.IndexFunc(x.plan.Sites, func(s sitemap.Site) bool {
			return slices.ContainsFunc(s.Seeds, func(u page.URL) bool { return u.Host() == host })
		})
		if i >= 0 {
			return uint32(i)
		}
	}
	return 0
}

// goOn is called when nothing is left to fetch: it takes up tests that were put off, and gives up
// pages that will not come. It reports whether there is more to fetch.
func (x *proof) goOn() (bool, error) {
	for len(x.wants) == 0 {
		if err := x.giveUp(); err != nil {
			return false, err
		}
		if x.wants = append(x.wants, x.prover.Wants()...); len(x.wants) > 0 {
			break
		}
		if x.prover.Retry() == 0 {
			return false, x.judge()
		}
		x.wants = append(x.wants, x.prover.Wants()...)
	}
	if err := x.again(); err != nil {
		return false, err
	}
	return true, x.judge()
}

// giveUp tells the tests which URLs the frontier has not fetched: a host was out of reach, or a
// rule or limit forbids it.
func (x *proof) giveUp() error {
	missing := x.prover.Missing()
	failed := map[page.URL]bool{}
	err := x.store.View(func(tx *store.Tx) error {
		for _, u := range missing {
			r, found, err := tx.URL(x.record.Number, u.Key())
			if err != nil {
				return err
			}
			failed[u] = found && r.URL == u && (r.State == store.Failed || r.Reason == store.HostGivenUp)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up what was not fetched: %w", err)
	}
	for _, u := range missing {
		if failed[u] {
			x.prover.Fail(u)
		} else {
			x.prover.Miss(u)
		}
	}
	return nil
}

// again queues URLs that were fetched before and failed.
func (x *proof) again() error {
	urls := map[page.URL]bool{}
	hosts := map[page.Host]bool{}
	var list []page.URL
	for _, w := range x.wants {
		if w.Again {
			urls[w.URL], hosts[w.URL.Host()] = true, true
			list = append(list, w.URL)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := x.frontier
	err := x.store.Update(func(tx *store.Tx) error {
		for name := range hosts {
			if err := f.ResumeHost(tx, name); err != nil {
				return err
			}
		}
		return f.Again(tx, list)
	})
	if err == nil {
		_, err = f.Reopen(func(u *store.URL) bool { return urls[u.URL] && u.State == store.Failed })
	}
	if err != nil {
		return fmt.Errorf("fetch again what could not be compared: %w", err)
	}
	return nil
}

// judge brings the verdicts into the table.
func (x *proof) judge() error {
	verdicts := x.prover.Verdicts()
	if len(verdicts) == 0 {
		return nil
	}
	changed := false
	for _, v := range verdicts {
		e, ok, err := x.enter(&v, time.Now())
		if err != nil {
			return err
		}
		changed = changed || ok
		x.tested = append(x.tested, Proved{v, e})
		if x.ground != nil {
			x.log.Info("tested whether one mirrors the other", "a", v.A, "b", v.B, "found", v.Note())
		}
	}
	if x.ground == nil || x.copies.Table != x.table || !changed {
		return nil
	}
	return x.copies.save()
}

// prefer is below 0 where the first of two hosts or directories stands for the second.
func (x *proof) prefer(a, b string) int {
	h, k, o := replica.HostOf(a), replica.HostOf(b), x.origins
	twice := 0
	if n, m := x.pages[a], x.pages[b]; max(n, m) >= 2*min(n, m) {
		twice = cmp.Compare(m, n)
	}
	return cmp.Or(o.Compare(replica.RootOf(a), replica.RootOf(b)), twice, o.Order(h, k),
		cmp.Compare(x.pages[b], x.pages[a]))
}

// originsOf gathers what the visits tell of the originals of copies.
func (c captures) originsOf(seeds []page.URL) (*witness.Origins, error) {
	o := witness.NewOrigins(seeds)
	for _, run := range c.runs {
		if run == 0 || c.store == nil {
			continue
		}
		for v, err := range c.store.Lent(run, 0) {
			if err != nil {
				return nil, fmt.Errorf("read what is known of originals: %w", err)
			}
			o.Learn(v)
		}
	}
	return o, nil
}

// enter takes a verdict into the table: a replica is confirmed, a mismatch is rejected or, where it
// was in force, reopened. A failure changes nothing, and a partial mirror whose pages differ stays
// proposed: leaving it out would lose something.
func (x *proof) enter(v *prove.Verdict, now time.Time) (e replica.Entry, changed bool, err error) {
	e, there := x.entryOf(v)
	switch {
	case v.Class.Replicates():
	case v.Class == prove.Mismatch && there && (e.State.InForce() || v.Refutes()):
	default:
		return e, false, nil
	}
	if there && v.Trees.A != "" && v.Class.Replicates() {
		if decided, err := x.leaveHosts(v, &e, now); decided || err != nil {
			return e, true, err
		}
		there = false
	}
	found := v.Entry(x.prefer)
	found.Found = now
	if old, ok := x.table.Get(found.From); !there && ok && old.To == found.To {
		e, there = old, true // of the directories
	}
	switch {
	case !there:
		// the replica has another representative
		if old, taken := x.table.Get(found.From); taken && !replaceable(&old) {
			x.warn(v, fmt.Errorf("%q stands for it", old.To))
			return replica.Entry{}, false, nil
		}
		x.table.Delete(found.From)
		e = found
		if _, err := x.table.Propose(e); err != nil {
			return e, false, err
		}
	case v.Class.Replicates() && e.State == replica.Proposed && found.From != e.From:
		x.table.Delete(e.From) // the other one is the copy
		if _, taken := x.table.Get(found.From); taken {
			return e, true, nil
		}
		found.Method, found.Found, e = cmp.Or(e.Method, found.Method), e.Found, found
		if _, err := x.table.Propose(e); err != nil {
			return e, false, err
		}
	case e.State == replica.Proposed:
		e.Evidence, e.Level = merge(e.Evidence, found.Evidence), found.Level
		if _, err := x.table.Propose(e); err != nil {
			return e, false, err
		}
	}
	err = x.decide(v, &e, found.Evidence, now)
	// it contradicts other entries: the entry stays as it was
	if refused := new(replica.EntryError); errors.As(err, &refused) {
		x.warn(v, err)
		err = nil
	}
	e, _ = x.table.Get(e.From)
	return e, true, err
}

// leaveHosts takes an entry of two hosts back of which only directories mirror each other, so that
// an entry of these can take its place. decided is true where somebody has rejected the hosts.
func (x *proof) leaveHosts(v *prove.Verdict, e *replica.Entry, now time.Time) (decided bool, err error) {
	switch {
	case e.State.InForce():
		return false, x.table.Reopen(e.From, replica.Change{Time: now, By: "test", Note: v.Note()})
	case replaceable(e):
		x.table.Delete(e.From)
		return false, nil
	}
	return true, nil
}

// warn tells that a verdict could not be brought into the table.
func (x *proof) warn(v *prove.Verdict, why error) {
	if x.ground != nil {
		x.log.Warn("the table of replicas stays as it is", "a", v.A, "b", v.B, "found", v.Note(),
			"because", why)
	}
}

// decide moves an entry to the state that a verdict asks for.
func (x *proof) decide(v *prove.Verdict, e *replica.Entry, seen replica.Evidence, now time.Time) error {
	c := replica.Change{Time: now, By: "test", Note: v.Note()}
	if v.Inferred {
		c.By = "inference"
	}
	switch {
	case v.Class == prove.Mismatch && e.State.InForce():
		return x.table.Reopen(e.From, c)
	case v.Class == prove.Mismatch:
		return x.table.Reject(e.From, c)
	case v.Class == prove.Level4 && !v.Safe():
		return nil
	case e.State == replica.Rejected && e.By != "test" && e.By != "inference":
		return nil // somebody has decided
	case e.State.InForce():
		return x.table.Verify(e.From, merge(e.Evidence, seen), now)
	}
	if err := x.table.Confirm(e.From, v.Class.Level(), c); err != nil {
		return err
	}
	return x.table.Verify(e.From, merge(e.Evidence, seen), now)
}

// replaceable reports an entry that a test of another representative replaces: nobody has decided
// on it, or a test has rejected it.
func replaceable(e *replica.Entry) bool {
	return e.State == replica.Proposed ||
		e.State == replica.Rejected && (e.By == "test" || e.By == "inference")
}

// merge is the older evidence with what a test has measured.
func merge(old, seen replica.Evidence) replica.Evidence {
	old.Tested, old.Agreed, old.Resemblance, old.Containment = seen.Tested, seen.Agreed, seen.Resemblance,
		seen.Containment
	return old
}

// entryOf is the table's entry for a pair, whichever way round.
func (x *proof) entryOf(v *prove.Verdict) (replica.Entry, bool) {
	for _, p := range []prove.Pair{{A: v.A, B: v.B}, {A: v.B, B: v.A}} {
		if e, ok := x.table.Get(p.B); ok && e.To == p.A {
			return e, true
		}
	}
	return replica.Entry{}, false
}

// captures are the fetched pages of a store's runs, the newest run first.
type captures struct {
	store *store.Store
	runs  []store.Run
}

// visit gives the last visit of a URL, nil where there is none.
func (c captures) visit(u page.URL) (last *page.Visit) {
	if c.store == nil {
		return nil
	}
	err := c.store.View(func(tx *store.Tx) error {
		for _, run := range c.runs {
			if run == 0 {
				continue
			}
			x, found, err := tx.URL(run, u.Key())
			if err != nil {
				return err
			}
			if !found || x.URL != u || x.Visit == 0 {
				continue
			}
			v, found, err := tx.Visit(run, x.Visit)
			if err != nil {
				return err
			}
			if found {
				last = &v
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil // it is fetched instead; what ails the store shows there
	}
	return last
}

// pages gives the captured pages with text of hosts and directories, in order.
func (c captures) pages(names map[string]bool) (map[string][]page.URL, error) {
	known := known{names: names, dirs: map[page.Host][]string{}, pages: map[string][]page.URL{}}
	for name := range names {
		if !replica.IsHost(name) {
			h := page.URL(name).Host()
			known.dirs[h] = append(known.dirs[h], name)
		}
	}
	for _, run := range c.runs {
		if run == 0 {
			continue
		}
		for v, err := range c.store.Heads(run, 0) {
			if err != nil {
				return nil, fmt.Errorf("read what is known of mirrors: %w", err)
			}
			if (v.OK() || v.Status == 304) && !v.SoftError && len(v.Sketch) > 0 {
				known.add(v.URL)
			}
		}
	}
	for name, list := range known.pages {
		slices.Sort(list)
		known.pages[name] = slices.Compact(list)
	}
	return known.pages, nil
}

// known gathers the pages of hosts and directories.
type known struct {
	names map[string]bool
	dirs  map[page.Host][]string
	pages map[string][]page.URL
}

func (k *known) add(u page.URL) {
	h := u.Host()
	if k.names[string(h)] {
		k.pages[string(h)] = append(k.pages[string(h)], u)
	}
	for _, d := range k.dirs[h] {
		if strings.HasPrefix(string(u), d) {
			k.pages[d] = append(k.pages[d], u)
		}
	}
}
