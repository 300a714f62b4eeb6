// Package copies decides which pages a run leaves out because others hold the same, and answers one
// question for everybody: what stands for this URL, in this run, on what evidence.
//
// # Words
//
//   - The stand of a URL is the page that is kept in place of it: by an entry of the table of
//     replicas, or by the list of single pages.
//   - A page held what its last whole capture before this run has.
//   - The known pages of a copy are those that it held, and those that an earlier run left out last.
//   - The stand is had when this run has fetched it, or was told that it has not changed.
//
// # Rules
//
// A URL is left out only by one of two rules. By the first, what it held has the same payload as
// what its stand held, or, both being text, resembles that at the level set; and it still does so
// when the stand is had. By the second, the URL was never captured; its stand is a text, and is had;
// and it lies in a copy of which this run has compared enough such pages of the same directory, all of
// which agreed. If an earlier run left the URL out, the stand still resembles what it was then.
//
// # Invariants
//
//  1. At the end of a run each URL that was left out has a stand that the run had.
//  2. A page that is known to differ from its stand is never left out.
//  3. Samples are compared with the stands, as the run has both. Each page that agreed before and
//     differs now has the pages of its directory and kind fetched; two reopen the copy. A page that
//     differs and was never compared before doubles the sample of its kind.
//     A page that shows or leads to what nobody else knows of counts as one that differs: the run
//     would not know what others like it lead to. A link that three pages have is one of their frame.
//  4. A page of a copy that is left out lends the links of its stand, as they would lie in the
//     copy: where it was captured before, those that the stand has got since, or all, where a page
//     of the copy has come to lead to what its stand led to before. A single page of which nothing
//     tells where they would lie is fetched, and a page of a copy that lacks what was lent to it.
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
	"sync"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
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
	// Failover has pages that could not be had asked of their copies of level 1 to 3, or without one.
	Failover bool
	// Login is whose login a URL is asked for with, "" for none: a page that is had with one stands
	// for no page that is had without, or with another one. nil has none.
	Login func(page.URL) string
	// Whole reads the text of a capture out of the archive, and makes a sketch of all its shingles; nil
	// where none is read.
	Whole func(*page.Visit) (sketch.Sketch, error)
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
	captures
	frontier *frontier.Frontier // nil where nothing is crawled
	rules    rules

	mu sync.Mutex // guards what follows
	samples
	waiting   map[page.URL][]*page.Visit // samples by the stand that they wait for
	wants     []frontier.Candidate
	asked     map[page.URL]bool      // for the sake of pages left out
	walked    map[page.URL]bool      // failed, whose links were followed
	lent      map[page.URL]bool      // left out, to which those of the stand were lent
	fetched   map[page.URL]bool      // of copies; the survey may not know the way there
	spelt     map[string]spellings   // by copy
	caughtUp  map[string]bool        // copies: see catchesUp
	strangers map[page.URL]*stranger // see stray
	astray    map[page.Key]bool      // pages that lead to what their copy lacks, as far as is known
	finds     finds
}

// samples are the pages that are compared with those that stand for them, and what they show of the
// table's entries.
type samples struct {
	stands
	made    time.Time // when the room was
	strata  map[stratumKey]*stratum
	drawn   map[page.URL]ticket
	early   map[page.URL]bool // that were compared, and that a browser may draw yet
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
	Extends store.Run // the first of the runs that this one extends, 0 for none
	Sites   []sitemap.Site
	// Began is when the run began, of one that leaves out copies as soon as it finds them; zero for
	// none.
	Began time.Time
}

// New makes the room of a run, with rules written by hand: see alias. Entries of which the stand
// lies outside the harvest are told.
func New(p Parts, o Options, aliases []string, met func() ([]page.Host, error)) (*Room, error) {
	r := &Room{
		captures: captures{st: p.Store, run: p.Run, since: cmp.Or(p.Extends, p.Run)},
		samples: samples{
			stands: stands{
				Table: p.Table, Singles: p.Singles,
				siblings: map[page.URL]page.URL{}, paired: map[page.URL][]page.URL{},
				exact: map[[2]uint64]float64{}, kin: map[string][]kin{}, opt: o.withDefaults(),
				owners: ownersOf(p.Sites),
			},
			made: time.Now(), strata: map[stratumKey]*stratum{},
			drawn: map[page.URL]ticket{}, doubted: map[page.URL]bool{}, early: map[page.URL]bool{},
		},
		waiting: map[page.URL][]*page.Visit{}, asked: map[page.URL]bool{}, walked: map[page.URL]bool{},
		lent: map[page.URL]bool{}, spelt: map[string]spellings{}, caughtUp: map[string]bool{},
		strangers: map[page.URL]*stranger{}, astray: map[page.Key]bool{}, fetched: map[page.URL]bool{},
		finds: newFinds(&p),
	}
	if err := r.keepSeeds(); err != nil {
		return nil, err
	}
	if err := r.alias(aliases, met); err != nil {
		return nil, err
	}
	for _, e := range r.InForce() {
		if !r.owners.may(replica.RootOf(e.To)) {
			r.opt.Log.Warn("the original of a copy is no part of the harvest any more, so the copy is "+
				"fetched",
				"copy", e.From, "original", e.To)
		}
	}
	return r, nil
}

// keepSeeds ends entries in force by which a seed is left out for a host without one, unless somebody
// wrote or confirmed them.
func (r *samples) keepSeeds() error {
	for _, e := range r.InForce() {
		if !e.ByRule() || !r.Demotes(&e) {
			continue
		}
		err := r.Table.Reopen(e.From, replica.Change{
			Time: time.Now(), By: "rule", Note: "a seed is no copy of a host without one",
		})
		if err != nil {
			return err
		}
		r.changed = true
		r.opt.Log.Warn("a seed is no copy of a host without one, so it is fetched", "seed", e.From,
			"copy", e.To)
	}
	return nil
}

// Use tells the room of the frontier that it fills, and of what tells that a page belongs to a site as
// things stand. It is called before the crawl begins.
func (r *Room) Use(f *frontier.Frontier, belongs func(page.URL) bool) {
	r.frontier, r.owners.belongs = f, belongs
}

// Keeps reports that a fetched page belongs in the archive whatever the maps say: it is a copy of
// pages that belong, as an earlier run knew it, or was asked for because the pages that link to it
// are left out.
func (r *Room) Keeps(u page.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, ok := r.of(u)
	return ok && !r.finds.late(&x) || r.asked[u]
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
	_, sampled = r.drawn[u]
	return v.URL != "", sampled, err
}

// verdict is a stand, and whether more is to be known of it.
type verdict struct {
	frontier.Stand
	rule rule
	kind Kind
	// short says that too few pages of the directory were compared
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
	if r.opened(&x, v.kind, u) || r.astray[u.Key()] || x.leadsOn(u, before, now) {
		return verdict{}, nil
	}
	evidence, stands := "", false
	if mine != nil {
		if now != nil {
			r.read(&x, mine, now)
		}
		if evidence, stands = x.byContent(mine, before, now); !stands && before != nil {
			if agreed, _ := x.alike(mine, before); agreed {
				r.doubt(u, &x, v.kind)
			}
		}
	} else if v.kind == Text {
		doubtful, err := r.doubtful(tx, u, &x, before, now)
		if err != nil || doubtful {
			return verdict{}, err
		}
		evidence, stands, v.short = r.unseen(&x, u, end)
	}
	if !stands && !v.short {
		return verdict{}, nil
	}
	v.rule, v.held = x, mine
	// a stand is asked for of a host that the run has met, or begins with
	met := r.frontier == nil || len(r.owners.on[x.stand.Host()]) > 0
	if !met {
		_, met = r.frontier.Host(x.stand.Host())
	}
	v.Stand = frontier.Stand{
		URL: x.stand, Reason: x.reason, Rule: x.name, Evidence: x.words + "; " + evidence,
		Ask: state == unknown && met,
	}
	if x.name == "" {
		v.Rule = "copy"
	}
	if v.Ask { // where no site begins there, for that of the URL
		if of := r.owners.begun(x.stand); len(of) > 0 {
			v.Site = of[0] + 1
		}
		r.asked[x.stand] = true
	}
	if now != nil {
		v.Evidence += "; its stand was had at " + now.Time.UTC().Format(time.RFC3339)
	}
	return v, nil
}

// unseen is the second rule, by the evidence for the directory of a text. Short says that the URL waits
// for more of that; at the end of a run it does not stand then.
func (r *samples) unseen(x *rule, u page.URL, end bool) (evidence string, stands, short bool) {
	if x.name == "" {
		return "", false, false
	}
	s := r.stratum(x.names[0], Text)
	if s.covers(r.least(), u) {
		return fmt.Sprintf("rule 2, never captured; %d such pages of its directory and %d of %d of the "+
			"copy agree", s.in(u).alike, s.alike(), s.compared()), true, false
	}
	return "rule 2 waits for a sample", !end, true
}

// doubtful reports a text that an earlier run left out for something else than its stand has now.
func (c *captures) doubtful(tx *store.Tx, u page.URL, x *rule, before, now *page.Visit) (bool, error) {
	if before == nil || now == nil {
		return false, nil
	}
	if same, _ := x.alike(before, now); same {
		return false, nil
	}
	return c.leftOut(tx, u)
}
