// Package copies decides which pages a run leaves out because others hold the same, and answers one
// question for everybody: what stands for this URL, in this run, on what evidence.
//
// # Words
//
//   - The stand of a URL is the page that is kept in place of it: by an entry of the table of
//     replicas, or by the list of single pages.
//   - A page held what its last whole capture before this run has.
//   - The known pages of a copy are those that it held, and those that the run before left out.
//   - The stand is had when this run has fetched it, or was told that it has not changed.
//
// # Rules
//
// A URL is left out only by one of two rules. By the first, what it held has the same payload as
// what its stand held, or, both being text, resembles that at the level set; and it still does so
// when the stand is had. By the second, the URL was never captured; it lies in a copy of which
// enough pages of its kind (Kind) were compared and agreed; and the stand is had.
//
// # Invariants
//
//  1. At the end of a run each URL that was left out has a stand that the run had.
//  2. A page that is known to differ from its stand is never left out.
//  3. Samples are compared with the stands, as the run has both. Each page that agreed before and
//     differs now has the pages of its directory and kind fetched; two reopen the copy. A page that
//     differs and was never compared before doubles the sample of its kind.
//  4. A page that is left out, and was captured before, lends its links of then to the crawl: what
//     they lead to, and an earlier run captured or left out, is asked for, or left out in its turn.
//
// Pseudo code of a run:
//
//	open:     draw samples of the known pages
//	add u:    stand(u) is had, or may be → u is left out; else it is fetched
//	visit v:  compare v with its stand, or with the pages for which it stands
//	the end:  for each u left out: follow its links; its stand was not had → fetch u;
//	          too few of its kind were compared → fetch u as a sample
//	          and again, until nothing is asked for
package copies

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/sitemap"
	"watershed/store"
)

// Options of a room. The zero value has the documented defaults.
type Options struct {
	Table replica.Options // of entries and samples
	// Level is the resemblance from which on a text may stand for another one. Default 0.8.
	Level float64
	// Single is that for pages left out one by one; 1 asks for the same words in the same order, 0
	// leaves out none.
	Single float64
	// Failover has pages that could not be had asked of their copies of level 1 to 3.
	Failover bool
	// Login is whose login a URL is asked for with, "" for none: a page that is had with one stands
	// for no page that is had without, or with another one. nil has none.
	Login func(page.URL) string
	Log   *slog.Logger // nil is silent
}

// DefaultLevel is the default of Options.Level.
const DefaultLevel = 0.8

func (o Options) withDefaults() Options {
	o.Table = o.Table.WithDefaults()
	if o.Level == 0 {
		o.Level = DefaultLevel
	}
	if o.Login == nil {
		o.Login = func(page.URL) string { return "" }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Room decides for one run. Stand may be called by any goroutine; the other methods by one at a
// time. The fields must not change while the crawl goes on.
type Room struct {
	Singles map[page.URL]Single // pages left out one by one

	st       *store.Store
	run      store.Run
	since    store.Run          // what was captured from then on was had
	frontier *frontier.Frontier // nil where nothing is crawled
	sites    []sitemap.Site
	owners   owners
	rules    rules

	mu sync.Mutex // guards Singles, and what follows
	samples
	waiting map[page.URL][]*page.Visit // samples by the stand that they wait for
	wants   []frontier.Candidate
	asked   map[page.URL]bool // for the sake of pages left out
	walked  map[page.URL]bool // left out, whose links were followed
	blamed  map[page.URL]bool // see blame
}

// samples are the pages that are compared with those that stand for them, and what they show of the
// table's entries.
type samples struct {
	Table   *replica.Table
	opt     Options
	strata  map[stratumKey]*stratum
	drawn   map[page.URL]bool
	doubted map[page.URL]bool // see doubt
	drifted bool              // something was opened whose URLs still have to be given back
	changed bool              // the table, since Changed
	err     error             // that kept from knowing
}

// Parts are what a room works with.
type Parts struct {
	Table   *replica.Table
	Singles map[page.URL]Single
	Store   *store.Store
	Run     store.Run
	Extends store.Run // the run that this one extends, 0 for none
	Sites   []sitemap.Site
}

// New makes the room of a run, with rules written by hand: see alias. Entries of which the stand
// lies outside the harvest are told.
func New(p Parts, o Options, aliases []string, met func() ([]page.Host, error)) (*Room, error) {
	r := &Room{
		Singles: p.Singles, st: p.Store, run: p.Run, since: cmp.Or(p.Extends, p.Run), sites: p.Sites,
		owners: ownersOf(p.Sites),
		samples: samples{
			Table: p.Table, opt: o.withDefaults(), strata: map[stratumKey]*stratum{},
			drawn: map[page.URL]bool{}, doubted: map[page.URL]bool{},
		},
		waiting: map[page.URL][]*page.Visit{}, asked: map[page.URL]bool{}, walked: map[page.URL]bool{},
		blamed: map[page.URL]bool{},
	}
	if err := r.alias(aliases, met); err != nil {
		return nil, err
	}
	for _, e := range r.InForce() {
		if !r.owners.may(rootOf(e.To)) {
			r.opt.Log.Warn("the original of a copy is no part of the harvest any more, so the copy is "+
				"fetched",
				"copy", e.From, "original", e.To)
		}
	}
	return r, nil
}

// rootOf is the first URL of a host or directory.
func rootOf(name string) page.URL {
	if replica.IsHost(name) {
		return page.URL("http://" + name + "/")
	}
	return page.URL(name)
}

// InForce gives the entries by which URLs may be left out.
func (r *samples) InForce() []replica.Entry { return r.Table.InForce(r.opt.Table.Skip) }

// Use tells the room of the frontier that it fills. It is called before the crawl begins.
func (r *Room) Use(f *frontier.Frontier) { r.frontier = f }

// rule is by what a URL may be left out.
type rule struct {
	stand  page.URL
	name   string // the entry's From; "" for a single page
	reason store.Reason
	level  float64
	words  string // for people
	names  []string
}

// of finds the rule for a URL, and the page that stands for it; ok is false where there is none, or
// where following the rules from one page to the next leads back to the URL: table and list of
// single pages are made one after the other, and may disagree on which of two pages stands for the
// other one. The caller holds mu.
func (r *Room) of(u page.URL) (rule, bool) {
	x, ok := r.step(u)
	for next, n := x, 0; ok; n++ {
		if next.stand == u || n == maxSteps {
			return rule{}, false
		}
		var more bool
		if next, more = r.step(next.stand); !more {
			return x, true
		}
	}
	return rule{}, false
}

// maxSteps is how far rules are followed; farther they are taken to lead round.
const maxSteps = 16

// step is the rule for a URL, whatever the others say. A page that is had with a login stands for
// none that is had without, or with another one.
func (r *Room) step(u page.URL) (x rule, ok bool) {
	x, ok = r.named(u)
	return x, ok && r.opt.Login(u) == r.opt.Login(x.stand)
}

// named is the rule that table and list have for a URL.
func (r *Room) named(u page.URL) (x rule, ok bool) {
	if s, single := r.Singles[u]; single {
		return rule{
			stand: s.Stand, reason: store.Copy, level: r.opt.Single, words: "another page has its text",
			names: []string{""},
		}, s.Stand != u && r.owners.may(s.Stand)
	}
	stand, e, out := r.Table.Resolve(u)
	if !out || stand == u || u.PathQuery() == "/robots.txt" || !slices.Contains(r.opt.Table.Skip, e.Level) {
		return x, false
	}
	if _, again, out := r.Table.Resolve(stand); out && slices.Contains(r.opt.Table.Skip, again.Level) {
		return x, false // entries that lead on without an end stand for nothing
	}
	x = rule{
		stand: stand, name: e.From, reason: store.Mirror, level: r.opt.Level, words: e.From + " = " + e.To,
		names: r.Table.Agreeing(u),
	}
	if e.Level == 0 && !replica.IsHost(e.From) {
		x.reason = store.Collection
	}
	if s, single := r.Singles[stand]; single && s.Stand != u {
		x.stand = s.Stand
	}
	return x, r.owners.may(x.stand)
}

// Covered reports a URL that may be left out by an entry or the list of single pages.
func (r *Room) Covered(u page.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.of(u)
	return ok
}

// Keeps reports that a fetched page belongs in the archive whatever the maps say: it is a copy of
// pages that belong, or was asked for because the pages that link to it are left out.
func (r *Room) Keeps(u page.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.of(u)
	return ok || r.asked[u]
}

// Stand says what stands for a URL, in this run, on what evidence, as far as is known by now; the
// zero Stand says that the URL is to be fetched. It is meant for frontier.Options.Stand.
func (r *Room) Stand(tx *store.Tx, u page.URL) (frontier.Stand, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, err := r.judge(tx, u, false)
	return v.Stand, err
}

// Foresee says whether a run that has not begun will leave a URL out, and whether it will fetch it
// as a sample.
func (r *Room) Foresee(tx *store.Tx, u page.URL) (out, sampled bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, err := r.judge(tx, u, false)
	return v.URL != "", r.drawn[u], err
}

// verdict is a stand, and whether more is to be known of it.
type verdict struct {
	frontier.Stand
	rule  rule
	kind  Kind
	fresh bool // no earlier run knew the URL
	// short says that too few pages of the kind were compared
	short bool
	held  *page.Visit // what the URL held; nil where it was never captured
}

// judge is the decision. At the end of a run a stand that was not had stands for nothing. The
// caller holds mu.
func (r *Room) judge(tx *store.Tx, u page.URL, end bool) (v verdict, err error) {
	x, ok := r.of(u)
	if !ok {
		return v, nil
	}
	now, state, err := r.now(tx, x.stand)
	if err != nil || state == lost || end && state != had {
		return v, err
	}
	mine, err := r.held(tx, u)
	if err != nil {
		return v, err
	}
	before, err := r.held(tx, x.stand)
	if err != nil {
		return v, err
	}
	if v.kind, err = r.kindOf(tx, u, mine, now, before); err != nil || v.kind == kinds {
		return verdict{}, err
	}
	if r.opened(&x, v.kind, u) {
		return verdict{}, nil
	}
	evidence, stands := "", false
	if mine != nil {
		if evidence, stands = x.byContent(mine, before, now); !stands && before != nil {
			if agreed, _ := x.alike(mine, before); agreed {
				r.doubt(u, &x, v.kind)
			}
		}
	} else {
		if v.fresh, err = r.fresh(tx, u); err != nil {
			return verdict{}, err
		}
		evidence, stands, v.short = r.byKind(&x, v.kind, v.fresh, end)
	}
	if !stands && !v.short {
		return verdict{}, nil
	}
	v.rule, v.held = x, mine
	v.Stand = frontier.Stand{
		URL: x.stand, Reason: x.reason, Rule: x.name, Evidence: x.words + "; " + evidence,
		Ask: state == unknown && r.mayAsk(x.stand),
	}
	if x.name == "" {
		v.Rule = "copy"
	}
	if now != nil {
		v.Evidence += "; its stand was had at " + now.Time.UTC().Format(time.RFC3339)
	}
	return v, nil
}

// byContent is the first rule.
func (x *rule) byContent(mine, before, now *page.Visit) (evidence string, stands bool) {
	evidence = "what it held waits for its stand"
	for _, stand := range []*page.Visit{before, now} {
		if stand == nil {
			continue
		}
		alike, equal := x.alike(mine, stand)
		if !alike {
			return "", false
		}
		if equal < 0 {
			evidence = "rule 1, the same payload"
		} else {
			evidence = fmt.Sprintf("rule 1, resemblance %.3f", equal)
		}
	}
	return evidence + ", as captured at " + mine.Time.UTC().Format(time.RFC3339), true
}

// alike reports that what a page held may be kept by what its stand holds; r is their resemblance,
// -1 for equal payloads.
func (x *rule) alike(mine, stand *page.Visit) (alike bool, r float64) {
	r, equal := Likeness(mine, stand)
	switch {
	case equal:
		return true, -1
	case x.name == "" && mine.MIME != stand.MIME:
		return false, r
	case x.level >= 1:
		return sameWords(mine, stand), 1
	}
	return r > 0 && r >= x.level, r
}

// byKind is the second rule, by the evidence for the kind of content. Short says that the URL waits
// for more of that; at the end of a run it does not stand then.
func (r *Room) byKind(x *rule, kind Kind, fresh, end bool) (evidence string, stands, short bool) {
	if x.name == "" {
		return "", false, false
	}
	s := r.stratum(x.names[0], kind)
	covers := s.covers(r.least(), fresh)
	if !covers && end {
		return "rule 2 waits for a sample", false, true
	}
	if !covers {
		return "rule 2 waits for a sample", true, true
	}
	return fmt.Sprintf("rule 2, never captured; %d of %d pages of its kind (%s) agree", s.alike(),
		s.compared(), kind), true, false
}

// fresh reports a URL, never captured, that the run before did not leave out either.
func (r *Room) fresh(tx *store.Tx, u page.URL) (bool, error) {
	if r.run < 2 {
		return true, nil
	}
	old, found, err := tx.URL(r.run-1, u.Key())
	return !found || old.URL != u || old.State != store.Skipped || !old.Reason.Stood(), err
}

// kindOf is the kind of a URL's content, by what it held, or what its stand has; kinds where the
// last run asked for it and had no content, so that it is to be fetched. A kind that nobody
// knows is taken for text until the stand is had.
func (r *Room) kindOf(tx *store.Tx, u page.URL, mine, now, before *page.Visit) (Kind, error) {
	if mine != nil {
		return KindOf(mine.MIME), nil
	}
	if r.run > 1 {
		old, found, err := tx.URL(r.run-1, u.Key())
		if err != nil {
			return kinds, err
		}
		if found && old.URL == u && old.State == store.Done && old.Status != 200 && old.Status != 304 {
			return kinds, nil
		}
	}
	switch {
	case now != nil:
		return KindOf(now.MIME), nil
	case before != nil:
		return KindOf(before.MIME), nil
	}
	return Text, nil
}

// standing is what a run has of a stand.
type standing uint8

const (
	unknown standing = iota // nobody has asked for it
	waits
	had
	lost // it cannot be had
)

// now is what this run has of a page; of one that is lost, the answer, if there was one.
func (r *Room) now(tx *store.Tx, u page.URL) (*page.Visit, standing, error) {
	x, found, err := tx.URL(r.run, u.Key())
	switch {
	case err == nil && (!found || x.State == store.Known):
		return r.extended(tx, u)
	case err != nil:
		return nil, unknown, err
	case x.URL != u:
		return nil, lost, nil
	case x.State == store.Pending:
		return nil, waits, nil
	case x.State != store.Done:
		return nil, lost, nil
	}
	v, found, err := tx.Visit(r.run, x.Visit)
	switch {
	case err != nil || !found:
		return nil, lost, err
	case !good(&v):
		return &v, lost, nil
	}
	return &v, had, nil
}

// extended is what the run that this one extends has of a page, which is not asked for again.
func (r *Room) extended(tx *store.Tx, u page.URL) (*page.Visit, standing, error) {
	c, found, err := tx.Capture(u)
	if err != nil || !found || c.URL != u || r.since == r.run || c.Run < r.since {
		return nil, unknown, err
	}
	v, err := visitOf(tx, c.Run, c.Visit)
	if err != nil || v == nil || !good(v) {
		return nil, lost, err
	}
	return v, had, nil
}

// held is the last whole capture of a page before this run; nil where there is none.
func (r *Room) held(tx *store.Tx, u page.URL) (*page.Visit, error) {
	c, found, err := tx.Capture(u)
	if err != nil || !found || c.URL != u {
		return nil, err
	}
	if c.Run < r.run {
		return visitOf(tx, c.Run, c.Visit)
	}
	for n := r.run - 1; n > 0 && r.run-n <= maxRuns; n-- {
		x, found, err := tx.URL(n, u.Key())
		if err != nil {
			return nil, err
		}
		if found && x.URL == u && x.State == store.Done && (x.Status == 200 || x.Status == 304) {
			return visitOf(tx, n, x.Visit)
		}
	}
	return nil, nil
}

// maxRuns bounds how many runs are asked for what a page held that this run has captured.
const maxRuns = 64

func visitOf(tx *store.Tx, run store.Run, seq uint64) (*page.Visit, error) {
	v, found, err := tx.Visit(run, seq)
	if err != nil || !found {
		return nil, err
	}
	return &v, nil
}

// mayAsk reports that a stand may be asked for of a host that the run has met, or begins with.
func (r *Room) mayAsk(u page.URL) bool {
	if r.owners.hosts[u.Host()] || r.frontier == nil {
		return true
	}
	_, met := r.frontier.Host(u.Host())
	return met
}

// owners tell which pages may belong to the harvest's sites, as far as their YAML says.
type owners struct {
	any   bool // a site is computed, or lists its rules
	hosts map[page.Host]bool
	roots map[string]bool
	sites []sitemap.Site
}

func ownersOf(sites []sitemap.Site) owners {
	o := owners{hosts: map[page.Host]bool{}, roots: map[string]bool{}, sites: sites, any: len(sites) == 0}
	for i := range sites {
		s := &sites[i]
		o.any = o.any || s.Boundary == sitemap.Logical || len(s.Include) > 0
		for _, u := range slices.Concat(s.Seeds, s.Characteristic) {
			o.hosts[u.Host()] = true
			if s.Boundary == sitemap.Domain {
				o.roots[u.Host().Registrable()] = true
			}
		}
	}
	return o
}

// may reports that a page may be of the harvest.
func (o *owners) may(u page.URL) bool {
	if !o.any && !o.hosts[u.Host()] && !o.roots[u.Host().Registrable()] {
		return false
	}
	for i := range o.sites {
		if !excludes(&o.sites[i], u) {
			return true
		}
	}
	return len(o.sites) == 0
}

func excludes(s *sitemap.Site, u page.URL) bool {
	return slices.ContainsFunc(s.Exclude, func(x page.Rule) bool { return x.Match(u) })
}

// siteOf is the index of a site by its name.
func (r *Room) siteOf(name string) (uint32, bool) {
	i := slices.IndexFunc(r.sites, func(s sitemap.Site) bool { return s.Name == name })
	return uint32(max(i, 0)), i >= 0
}

// directory is a URL up to its last slash.
func directory(u page.URL) string {
	path, _, _ := strings.Cut(string(u), "?")
	return path[:strings.LastIndexByte(path, '/')+1]
}
