package copies

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// stratumKey names the pages that are sampled together: those of one kind in a copy. The single
// pages of a host are sampled as a copy is: see singlesOf.
type stratumKey struct {
	name string
	kind Kind
}

// stratum has what is known of them.
type stratum struct {
	before, unlike int // pages captured by earlier runs, with their stands: alike, and not
	known, asked   int // that may be left out, and those of them that this run fetches nevertheless
	again          int // of those alike before: what this run has compared, or known to have changed
	agreed         int // in this run
	sum            float64
	alone          int                // new pages that the copy alone has
	more           int                // asked besides, because pages of no earlier evidence differed
	unseen         map[string]*unseen // pages that no earlier run captured, by directory
	agree, others  int                // of all of these that were compared: those that agree, and not
	drifts         int                // those that agreed before, or are not as others did
	differ         map[string]bool    // the directories of such, and those whose own pages they are
	drifted        bool               // one of them agreed before
	strays         int                // places with such a page: see stray
}

// unseen counts the pages in a directory that no earlier run captured, those of them that were asked
// for as samples, and how those that were compared with their stands came out; and the others.
type unseen struct {
	shared, apart       int // pages that earlier runs captured, with their stands and without; not in known
	known, asked, alike int
	early               int  // that the run had before it found the copy, and that agree; not in known
	unlike              bool // one differs, or the directory's own page does
	strayed             bool // one has links of its own: see stray
}

// likely is how many directories that hold the same as the original's are taken to have been seen before
// the first one, beside one that holds something else.
const likely = 9

// enough is how many samples of the directory of a URL must agree before those pages of it that no run
// captured are left out. Pages that the run had before are as good as samples. Each page of another
// directory of the copy counts as a directory for how likely this one is to hold something else.
func (s *stratum) enough(least int, u page.URL) int {
	d := s.in(u)
	unlikely := float64(1+s.others) / float64(1+likely+s.others+s.agree-d.alike-d.early)
	return max(least, unnoticed(d.known+d.early, unlikely)-d.early)
}

// in has what is known of the pages in the directory of a URL that no earlier run captured. Files of
// plain text lie apart there: the pages that lead to them say little of them.
func (s *stratum) in(u page.URL) *unseen {
	if strings.HasSuffix(strings.ToLower(string(u)), ".txt") {
		return s.below(directory(u) + "*.txt")
	}
	return s.below(directory(u))
}

func (s *stratum) below(dir string) *unseen {
	if s.unseen[dir] == nil {
		s.unseen[dir] = new(unseen)
	}
	return s.unseen[dir]
}

// directory is that in which a page lies among its like. A directory's own page, /a/b/ or
// /a/b/index.html, lies in the directory above: many sites have a directory for each page.
func directory(u page.URL) string {
	dir := u.Directory()
	if !isIndex(u) || dir == string(u.Root()) {
		return dir
	}
	return page.URL(dir[:len(dir)-1]).Directory()
}

// isIndex reports a directory's own page.
func isIndex(u page.URL) bool {
	name, _, _ := strings.Cut(string(u[len(u.Directory()):]), ".")
	return (name == "" || name == "index") && u.Query() == ""
}

// alike is how many pages agree, as far as is known by now.
func (s *stratum) alike() int { return s.before - s.again + s.agreed }

func (r *samples) stratum(name string, kind Kind) *stratum {
	k := stratumKey{name, kind}
	if r.strata[k] == nil {
		r.strata[k] = &stratum{differ: map[string]bool{}, unseen: map[string]*unseen{}}
	}
	return r.strata[k]
}

// differing is how many differed in this run, and speak against the copy.
func (s *stratum) differing() int { return s.alone + s.strays + s.drifts }

// reopened reports a copy that is fetched again.
func (s *stratum) reopened() bool { return s.differing() >= 2 }

func (s *stratum) compared() int { return s.alike() + s.unlike + s.differing() }

// covers reports evidence enough for the pages of a directory that nobody has captured: nine of ten
// of all pages that were compared agree; of those in the directory that nobody had captured, as
// many as are enough do, and none differs. Pages captured before say little of new ones: a copy that
// was a good one may go its own way from now on, and may do so in a single directory. Where two
// pages have links of their own, others may have, too.
func (s *stratum) covers(least int, u page.URL) bool {
	d := s.in(u)
	return 10*s.alike() >= 9*s.compared() && d.alike >= s.enough(least, u) && !d.unlike && s.strays < 2
}

// least is how many pages must agree before pages that were never captured are left out, however few
// are asked for as samples.
func (r *samples) least() int { return max(r.opt.Table.MinSample, replica.DefaultMinSample) }

// size is how many of a stratum's pages are asked for, while the given part of the other copies
// drifts. If of a copy that drifts any part of the pages is as likely to have changed as any other part,
// n samples agree with a probability of 1/(n+1). So where a drift is less likely than not, fewer samples
// will do than the least number: it is as improbable as before that the copy has drifted and none shows it.
func (r *samples) size(s *stratum, name string, drifting float64) int {
	n := r.opt.Table.MinSample
	if e, ok := r.Table.Get(name); ok && n > 1 && s.differing() == 0 {
		n = max(1, int(math.Ceil(2*float64(n+1)*e.Unsettled(r.made)))-1)
	}
	n = max(n, int(math.Ceil(r.opt.Table.Sample*float64(s.known))), 0)
	if s.before == 0 {
		n = max(n, r.least())
	}
	return max(n, unnoticed(s.known, drifting)) + s.more
}

// tolerated is how many pages of a copy may be expected to have changed unseen.
const tolerated = .01

// unnoticed is how many of a copy's pages are compared so that no more than the tolerated ones are
// expected to have changed unseen, when it drifts with the given probability. If of a copy that
// drifts any part of the pages is as likely to have changed as any other part, then n samples agree
// and another page has changed with a probability of 1/((n+1)(n+2)).
func unnoticed(pages int, drifting float64) int {
	b := 3*tolerated + drifting
	root := math.Sqrt(b*b + 4*tolerated*(drifting*float64(pages)-2*tolerated))
	return int(math.Ceil((root - b) / (2 * tolerated)))
}

// drift tells which copies were compared in this run, and of which of them a page has drifted.
type drift struct {
	compared map[string]bool
	drifted  int
	ended    []replica.Entry // that samples have ended, in whatever run: see early
	of       *samples
}

func (r *samples) drift() drift {
	d := drift{compared: map[string]bool{}, of: r}
	for k, s := range r.strata {
		if s.agreed+s.differing() > 0 {
			d.compared[k.name] = d.compared[k.name] || s.drifted
		}
	}
	for _, drifted := range d.compared {
		if drifted {
			d.drifted++
		}
	}
	for _, e := range r.Table.All() {
		if e.Drifted() && !early(&e) {
			d.ended = append(d.ended, e)
		}
	}
	return d
}

// early reports an entry that was found while a run went on, and that no run has verified since. Where a
// sample has ended it, it was taken for a copy too early, and nothing has drifted.
func early(e *replica.Entry) bool { return e.Method == Grown && !e.Verified.After(e.Found) }

// besides is the part of the other copies than one that have drifted. Where some have, that one is
// looked at the more: a copy in the same harvest may be kept as carelessly. A copy of which a part, or the
// place around it, has drifted is expected to do so again, less so with each harvest in which it did not.
// Where what it has of another kind has drifted in this run, it is as likely as not that this kind has.
func (d *drift) besides(name string, kind Kind) float64 {
	before := 0.
	for other := range kinds {
		if s := d.of.strata[stratumKey{name, other}]; other != kind && s != nil && s.drifted {
			before = .5
		}
	}
	if slices.ContainsFunc(d.ended, func(e replica.Entry) bool {
		return e.Meets(strings.TrimPrefix(name, " "))
	}) {
		e, _ := d.of.Table.Get(name)
		before = max(before, 2*e.Unsettled(d.of.made))
	}
	drifted, others := d.drifted, len(d.compared)
	if own, compared := d.compared[name]; compared {
		others--
		if own {
			drifted--
		}
	}
	return max(before, float64(drifted)/float64(max(1, others)))
}

// opened reports a page whose copy is fetched again, or the directory in which it lies.
func (r *samples) opened(x *rule, kind Kind, u page.URL) bool {
	return slices.ContainsFunc(x.names, func(name string) bool {
		s := r.strata[stratumKey{name, kind}]
		return s != nil && (s.reopened() || s.differ[directory(u)])
	})
}

// ticket is a page that may be drawn.
type ticket struct {
	url  page.URL
	lot  uint64
	rule rule
	kind Kind
	site string // of the page when it was captured
	// no earlier run captured it; this one did before it found the copy; and too few such pages of its
	// directory were compared
	unseen, early, short bool
}

// draw asks for the samples among the tickets that the strata still lack, and gives them.
func (r *samples) draw(tickets []ticket) (chosen []ticket) {
	slices.SortFunc(tickets, func(a, b ticket) int {
		return cmp.Or(cmp.Compare(a.lot, b.lot), cmp.Compare(a.url, b.url))
	})
	r.know(tickets)
	drift := r.drift()
	for _, t := range tickets {
		if _, drawn := r.drawn[t.url]; drawn || !slices.ContainsFunc(t.rule.names, func(name string) bool {
			s := r.stratum(name, t.kind)
			return s.asked < r.size(s, name, drift.besides(name, t.kind)) ||
				t.unseen && s.in(t.url).asked < s.enough(r.least(), t.url)
		}) {
			continue
		}
		r.note(&t)
		chosen = append(chosen, t)
	}
	return chosen
}

// know counts the pages that may be left out: the tickets, and what was asked for besides.
func (r *samples) know(tickets []ticket) {
	strata, dirs := map[*stratum]int{}, map[*unseen]int{}
	for i := range tickets {
		t := &tickets[i]
		for _, name := range t.rule.names {
			s := r.stratum(name, t.kind)
			if strata[s]++; t.unseen {
				dirs[s.in(t.url)]++
			}
		}
	}
	for s, n := range strata {
		s.known = max(s.known, s.asked+n)
	}
	for d, n := range dirs {
		d.known = max(d.known, d.asked+n)
	}
}

// note counts a page as a sample.
func (r *samples) note(t *ticket) {
	if _, drawn := r.drawn[t.url]; drawn {
		return
	}
	r.drawn[t.url] = *t
	if t.rule.entry(t.url) {
		return
	}
	for _, name := range t.rule.names {
		s := r.stratum(name, t.kind)
		if s.asked++; t.unseen {
			s.in(t.url).asked++
		}
	}
}

// missed takes back a sample that says nothing of the other pages, so another one is drawn in its place: the
// copy does not have it, and no run captured it, or its stand cannot be had.
func (r *samples) missed(u page.URL) {
	t, drawn := r.drawn[u]
	if !drawn || t.rule.entry(u) {
		return
	}
	delete(r.drawn, u)
	for _, name := range t.rule.names {
		s := r.stratum(name, t.kind)
		s.asked--
		s.known--
		if d := s.in(u); t.unseen {
			d.asked--
			d.known--
		}
	}
}

// Open draws the samples of the run among the known pages, and learns the visits that the run has
// already.
func (r *Room) Open() error {
	tickets, err := r.tickets()
	if err != nil {
		return fmt.Errorf("draw samples of copies: %w", err)
	}
	r.mu.Lock()
	err = r.st.View(func(tx *store.Tx) error { return r.ask(tx, r.draw(tickets)) })
	r.mu.Unlock()
	if err != nil {
		return fmt.Errorf("ask for samples of copies: %w", err)
	}
	if err := r.learnVisits(); err != nil {
		return fmt.Errorf("learn what the run has of copies: %w", err)
	}
	return r.err
}

// learnVisits learns those visits of the run that Learn would not pass over.
func (r *Room) learnVisits() error {
	if len(r.Singles)+r.Table.Len() == 0 && r.rules.aliases == nil && r.finds.grower == nil {
		return nil // nothing can stand for anything, which spares a walk over all visits
	}
	for v, err := range r.st.Heads(r.run, 0) {
		if err != nil {
			return err
		}
		if !r.concerns(v.URL) {
			continue
		}
		var whole page.Visit
		err := r.st.View(func(tx *store.Tx) (err error) {
			whole, _, err = tx.Visit(r.run, v.Seq)
			return err
		})
		if err != nil {
			return err
		}
		r.Learn(&whole)
	}
	return nil
}

// concerns reports a page of which a visit may say something.
func (r *Room) concerns(u page.URL) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, covered := r.of(u)
	return covered || r.asked[u] || len(r.waiting[u])+len(r.paired[u]) > 0 ||
		r.rules.aliases != nil || r.finds.grower != nil
}

// ask has samples and their stands fetched early.
func (r *Room) ask(tx *store.Tx, samples []ticket) error {
	for _, t := range samples {
		captured, known := r.owners.siteOf(t.site)
		for _, u := range []page.URL{t.url, t.rule.stand} {
			site := captured
			if of := r.owners.begun(u); len(of) > 0 && (!known || u != t.url) {
				site = uint32(of[0])
			}
			if taken, err := r.taken(tx, u); taken || err != nil {
				if err != nil {
					return err
				}
				continue
			}
			r.asked[u] = true
			r.wants = append(r.wants, frontier.Candidate{
				URL: u, Wanted: true, Forced: true, Priority: samplePriority, Site: site,
			})
		}
	}
	return nil
}

// samplePriority brings samples early, so that a copy that has drifted is fetched while the harvest
// goes on.
const samplePriority = 1 << 30

// tickets are the known pages that the run may leave out, but for those that a run has which it extends.
// They are compared with what their stands held, which is the evidence of the kinds.
func (r *Room) tickets() (list []ticket, err error) {
	if r.run < 2 {
		return nil, nil
	}
	apart := map[page.URL][]page.URL{} // texts like none that stand for them, by what would
	add := func(tx *store.Tx, u page.URL) error {
		x, ok := r.of(u)
		if !ok || r.owners.bars(u) {
			return nil
		}
		mine, err := r.held(tx, u)
		if err != nil {
			return err
		}
		stand, err := r.held(tx, x.stand)
		if err != nil {
			return err
		}
		t := ticket{url: u, rule: x, unseen: mine == nil}
		if t.kind, err = r.kindOf(tx, u, mine, nil, stand); err != nil || t.kind == kinds {
			return err
		}
		if t.lot, err = r.lot(tx, u, &x); err != nil {
			return err
		}
		alike := true
		if mine != nil && stand != nil {
			r.read(&x, mine, stand)
			alike, _ = x.alike(mine, stand)
		}
		if r.siblings[u] == "" {
			r.countHeld(&t, mine != nil, stand != nil, alike)
		}
		vain, err := r.vain(tx, x.stand)
		if mine != nil && t.kind == Text && (!alike || stand == nil) && x.name != "" {
			apart[x.stand] = append(apart[x.stand], u)
		}
		if taken, err2 := r.taken(tx, u); !alike || mine != nil && vain || taken || cmp.Or(err, err2) != nil {
			return cmp.Or(err, err2)
		}
		if mine != nil {
			t.site = mine.Site
		}
		list = append(list, t)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, err := range r.st.Captures() {
		if err != nil {
			return nil, err
		}
		if _, ok := r.of(c.URL); !ok {
			continue
		}
		if err := r.st.View(func(tx *store.Tx) error { return add(tx, c.URL) }); err != nil {
			return nil, err
		}
	}
	for u, err := range r.st.URLs(r.run - 1) {
		if err != nil {
			return nil, err
		}
		if u.State != store.Skipped || !u.Reason.Stood() {
			continue
		}
		err := r.st.View(func(tx *store.Tx) error {
			if _, held, err := tx.Capture(u.URL); held || err != nil {
				return err
			}
			return add(tx, u.URL)
		})
		if err != nil {
			return nil, err
		}
	}
	err = r.st.View(func(tx *store.Tx) error {
		for stand, pages := range apart {
			if err := r.pair(tx, &r.stands, stand, pages, add); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.DeleteFunc(list, func(t ticket) bool { // it waited for a stand that nobody has captured
		other, paired := r.siblings[t.url]
		return paired && t.rule.stand != other
	}), err
}

// part ends that pages of copies stand for each other because no run before had their original's page:
// this run has come to have it, and they wait for that.
func (s *stands) part(stand page.URL, waiting map[page.URL][]*page.Visit) {
	for _, u := range s.paired[stand] {
		other := s.siblings[u]
		delete(s.siblings, u)
		for _, v := range waiting[other] {
			if v.URL == u {
				waiting[stand] = append(waiting[stand], v)
			}
		}
	}
	delete(s.paired, stand)
}

// countHeld counts a page that earlier runs have, as to whether they have its stand, too, and it is alike.
func (r *samples) countHeld(t *ticket, mine, stand, alike bool) {
	for _, name := range t.rule.names {
		s := r.stratum(name, t.kind)
		switch {
		case !alike:
			s.unlike++
		case mine && stand:
			s.before++
		}
		switch {
		case stand:
			s.in(t.url).shared++
		case mine:
			s.in(t.url).apart++
		}
	}
}

// maxSiblings bounds with how many pages of other copies a page of one is compared.
const maxSiblings = 8

// pair has texts that copies of an original have under one path, and that it lacks or has otherwise, stand
// for each other: the first of those that are alike. It adds the others, which may be samples.
func (c *captures) pair(tx *store.Tx, s *stands, stand page.URL, pages []page.URL,
	add func(*store.Tx, page.URL) error,
) error {
	var kept []*page.Visit
	slices.Sort(pages)
	original, err := c.held(tx, stand)
	for k := 0; k < len(pages) && err == nil; k++ {
		u := pages[k]
		mine, err2 := c.held(tx, u)
		if err2 != nil {
			return err2
		}
		x, _ := s.of(u)
		i := slices.IndexFunc(kept, func(v *page.Visit) bool {
			s.read(&x, mine, v)
			alike, _ := x.alike(mine, v)
			return alike && s.owners.may(v.URL) && s.opt.Login(v.URL) == s.opt.Login(u)
		})
		if i < 0 && len(kept) < maxSiblings {
			kept = append(kept, mine)
		} else if i >= 0 {
			s.siblings[u] = kept[i].URL
			if original == nil {
				s.paired[stand] = append(s.paired[stand], u)
			}
			err = add(tx, u)
		}
	}
	return err
}

// Learn compares a page that was just fetched with its stand, or with the pages for which it
// stands. It is called before the visit is committed, once more when a browser has drawn it, and again
// for a run that goes on.
func (r *Room) Learn(v *page.Visit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		if err := r.learn(v); err != nil {
			r.err = fmt.Errorf("compare %s with its stand: %w", v.URL, err)
		}
	}
}

func (r *Room) learn(v *page.Visit) error {
	r.rules.learn(v)
	grown, err := r.finds.grow(v)
	if err != nil {
		return err
	}
	if err := r.enter(append(grown, r.finds.again(&r.samples, false)...), v.Time); err != nil {
		return err
	}
	if v.Drawing != page.ToBeDrawn {
		if good(v) {
			r.part(v.URL, r.waiting)
		}
		for _, u := range r.waiting[v.URL] {
			if x, covered := r.of(u.URL); !covered || x.stand != v.URL {
				continue // the copy has another original since
			}
			err := r.st.View(func(tx *store.Tx) error { return r.compare(tx, u, v) })
			if err != nil {
				return err
			}
		}
		delete(r.waiting, v.URL)
	}
	x, covered := r.of(v.URL)
	if !covered && !r.asked[v.URL] {
		return nil
	}
	if own, known := r.owners.siteOf(v.Site); covered && known && !whole(&r.owners.sites[own]) {
		r.fetched[v.URL] = true
	}
	return r.st.View(func(tx *store.Tx) error {
		if !covered || r.asked[v.URL] || !r.finds.late(&x) { // else the survey knows the way to it
			if err := r.lead(tx, v); err != nil {
				return err
			}
		}
		return r.confront(tx, v)
	})
}

// confront compares a page of a copy with its stand, or has it wait for that.
func (r *Room) confront(tx *store.Tx, v *page.Visit) error {
	x, covered := r.of(v.URL)
	if !covered || v.Undrawn() {
		return nil
	}
	stand, state, err := r.now(tx, x.stand)
	switch {
	case err != nil:
	case state == had, state == lost:
		return r.compare(tx, v, stand)
	default:
		list := r.waiting[x.stand]
		if i := slices.IndexFunc(list, func(w *page.Visit) bool { return w.URL == v.URL }); i >= 0 {
			list[i] = v // a later drawing, or the copy has its former original again
		} else {
			r.waiting[x.stand] = append(list, v)
		}
	}
	return err
}

// lead asks for what a page leads to that the run fetched although it may be left out, or because
// of pages left out: the survey may not follow it, since it does not know the way there. These are
// its requisites, what an earlier run captured or left out, and pages of the same host where the
// site is bounded by host or domain.
func (r *Room) lead(tx *store.Tx, v *page.Visit) error {
	own, known := r.owners.siteOf(v.Site)
	if !known || !v.Alive() {
		return nil
	}
	for i := range v.Links {
		l := &v.Links[i]
		site, want, err := r.follows(tx, own, v, l)
		if err != nil {
			return err
		}
		if !want {
			continue
		}
		r.asked[l.URL] = true
		r.wants = append(r.wants, linked(v.URL, v.Hops, l, l.URL, site))
	}
	return nil
}

// follows reports that what a page leads to is asked for, and for which site.
func (r *Room) follows(tx *store.Tx, own uint32, v *page.Visit, l *page.Link) (site uint32, want bool,
	err error,
) {
	if taken, err := r.taken(tx, l.URL); taken || err != nil {
		return own, false, err
	}
	if l.Kind.Requisite() {
		return own, !excludes(&r.owners.sites[own], l.URL), nil
	}
	if site, want, err = r.formerSite(tx, &r.owners, l.URL, v); want || err != nil {
		return site, want, err
	}
	s := &r.owners.sites[own]
	return own, whole(s) && l.Kind.Joins() && !l.NoFollow && l.URL.Host() == v.URL.Host() &&
		!excludes(s, l.URL) && !r.owners.bars(l.URL), nil
}

// compare counts a page of a copy that was fetched, and its stand, as the run has it. A page that
// was known to differ says nothing new; nor does one that is gone. A new page that the copy alone
// has speaks against it.
func (r *Room) compare(tx *store.Tx, u, stand *page.Visit) error {
	x, ok := r.of(u.URL)
	if !ok || stand != nil && stand.Undrawn() {
		return nil
	}
	mine, err := r.held(tx, u.URL)
	if err != nil {
		return err
	}
	alike, like := leadsTo(u, x.stand), -1.
	gone := !alike && !good(u)
	if gone && mine == nil {
		return x.absent(r, tx, u, stand)
	}
	before, err := r.held(tx, x.stand)
	if err != nil {
		return err
	}
	if mine != nil && before != nil {
		if as, _ := x.alike(mine, before); !as {
			return nil
		}
	}
	switch {
	case stand != nil && good(stand):
	case stand == nil || stand.Status < 400 || stand.Status > 499 || mine != nil || before != nil ||
		!r.sampledBefore(&x) || r.hadMore(&x, u.URL, KindOf(u.MIME)):
		// the stand is down or gone, or the copy always had more: what it has is fetched
		if mine != nil && before != nil {
			r.missed(u.URL)
		}
		return nil
	}
	if gone {
		if as, _ := x.alike(mine, stand); as || before == nil {
			return nil
		}
	} else if !alike && good(stand) {
		if mine != nil && before != nil {
			r.read(&x, u, stand)
		}
		alike, like = x.alike(u, stand)
	}
	what := unlike
	switch known := mine != nil && before != nil; {
	case alike && known:
		what = agreedAgain
	case alike:
		what = agrees
	case !good(stand):
		what = alone
	case known:
		what = drifts
		if as, _ := x.alike(u, mine); gone || as {
			what = standChanged
		}
	}
	if r.early[u.URL] && what <= agreedAgain {
		return nil // it was counted
	}
	if u.Drawing >= page.DrawDoubted {
		r.early[u.URL] = true
	}
	x.learnLinks(r, u, stand, mine, before)
	t := ticket{url: u.URL, rule: x, kind: KindOf(u.MIME), unseen: mine == nil}
	if r.finds.late(&x) && t.unseen { // a sample speaks for the rest, any other page against it only
		known, found, err := tx.URL(r.run, u.URL.Key())
		if err != nil {
			return err
		}
		sample := found && known.Forced && known.Via != 0
		t.early = !sample && what == agrees
		if t.unseen = sample || what == unlike; sample && what == unlike {
			what = unfaithful
		}
	}
	r.count(&t, what, like)
	if what > agreedAgain || !good(u) || r.strangers[u.URL] != nil {
		return nil
	}
	if own := r.own(&x, u, stand, mine); len(own) > 0 {
		t.unseen = mine == nil
		r.strangers[u.URL] = &stranger{ticket: t, own: own}
	}
	return nil
}

// absent takes note of a page that no run captured, and that the copy does not have. Where its stand was
// had, the page that leads there may lead elsewhere; if an earlier run left it out, that took it for one that
// the copy has, and another sample in its place would tell of nothing but what has stayed.
func (x *rule) absent(r *Room, tx *store.Tx, u, stand *page.Visit) error {
	site, known := r.owners.siteOf(u.Site)
	if u.Status > 0 && u.Status < http.StatusInternalServerError {
		stands := stand != nil && good(stand)
		own, _, err := tx.URL(r.run, u.URL.Key())
		r.astray[own.Via] = r.astray[own.Via] || stands
		out, err2 := r.leftOut(tx, u.URL)
		if stands && out {
			r.count(&ticket{url: u.URL, rule: *x, kind: KindOf(stand.MIME), unseen: true}, unlike, -1)
		} else {
			r.missed(u.URL)
		}
		return cmp.Or(err, err2)
	}
	r.missed(u.URL)
	if !known {
		return nil
	}
	// an earlier run may have what the page leads to, and nothing else tells the way there
	var lent round
	err := r.lend(tx, &lent, &store.URL{URL: u.URL, Hops: u.Hops, Site: site}, nil, x)
	r.wants = append(r.wants, lent.wants...)
	return err
}

// sampledBefore reports a copy with evidence of earlier runs.
func (r *samples) sampledBefore(x *rule) bool {
	for kind := range kinds {
		if s := r.strata[stratumKey{x.names[0], kind}]; s != nil && s.before > 0 {
			return true
		}
	}
	return false
}

// hadMore reports a directory of which earlier runs have files of a kind of the copy alone: new ones
// tell nothing of those that its original has, too, but none of them is left out unseen. A mirror may
// hold what the original has on several hosts.
func (r *samples) hadMore(x *rule, u page.URL, kind Kind) bool {
	d := r.stratum(x.names[0], kind).in(u)
	more := d.apart > 0 && d.shared == 0
	d.unlike = d.unlike || more
	return more
}

// outcome is what the comparison of a page of a copy with its stand says.
type outcome uint8

const (
	agrees       outcome = iota // for the first time
	agreedAgain                 // as it did before
	unlike                      // compared for the first time: the copy is no good one
	alone                       // a new page that the copy alone has
	strays                      // never captured, its words agree, and it has links of its own
	unfaithful                  // a sample of the rest of a copy that was found late, which differs
	drifts                      // it agreed before, and has changed
	standChanged                // it agreed before, and its stand has changed
)

// count takes the outcome of a comparison.
func (r *samples) count(t *ticket, what outcome, like float64) {
	r.note(t)
	if what == agreedAgain || what >= drifts {
		r.doubt(t.url, &t.rule, t.kind)
	}
	if what > agreedAgain {
		r.opt.Log.Info("a page of a copy differs from its stand", "url", t.url, "stand", t.rule.stand,
			"kind", t.kind.String(), "resemblance", like)
	}
	for _, name := range t.rule.names {
		s := r.stratum(name, t.kind)
		open := s.reopened()
		switch {
		case t.early && what == agrees:
			s.agree++
			s.in(t.url).early++
		case t.unseen && what == agrees:
			s.agree++
			s.in(t.url).alike++
		case t.unseen:
			s.others++
			s.in(t.url).unlike = true
			s.below(t.url.Directory()).unlike = true
		}
		switch what {
		case agrees, agreedAgain:
			s.agreed++
			s.sum += math.Abs(like)
		case unlike:
			s.unlike++
			s.more += max(s.asked, r.least())
		case strays:
			// a directory's own page, which lies in the one above, tells of the same place as its pages
			d, own := s.in(t.url), s.below(t.url.Directory())
			if !d.strayed && !own.strayed {
				s.strays++
				d.strayed, own.strayed = true, true
			}
		case standChanged:
			s.unlike++
		case alone:
			s.alone++
			s.more += max(s.asked, r.least())
		case drifts, unfaithful:
			s.drifted = s.drifted || what == drifts
			s.drifts++
			s.differ[directory(t.url)], s.differ[t.url.Directory()] = true, true
			r.drifted = true
		}
		if s.reopened() && !open {
			r.drifted = true
			r.reopen(name, t.kind, s)
		}
	}
}

// doubt takes a page out of the evidence of earlier runs: this run has compared it, or its stand has
// changed.
func (r *samples) doubt(u page.URL, x *rule, kind Kind) {
	if r.doubted[u] {
		return
	}
	r.doubted[u] = true
	for _, name := range x.names {
		s := r.stratum(name, kind)
		s.again = min(s.again+1, s.before)
	}
}

// reopen has a copy fetched again: the whole of it where its text differs, else what is of the kind.
func (r *samples) reopen(name string, kind Kind, s *stratum) {
	why := fmt.Sprintf("%d of %d sampled pages agree", s.agreed, s.agreed+s.differing())
	if _, entered := r.Table.Get(name); entered && kind == Text {
		err := r.Table.Reopen(name, replica.Change{Time: time.Now(), By: "sample", Note: why})
		if err != nil {
			r.err = err
			return
		}
		r.changed = true
	}
	r.opt.Log.Warn("a copy has drifted and is fetched again", "copy", name, "kind", kind.String(),
		"evidence", why)
}

// Wants gives the URLs that came to be wanted since the last call.
func (r *Room) Wants() []frontier.Candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.wants
	r.wants = nil
	return list
}

// Changed reports whether the table was changed since the last call, and what kept from knowing.
func (r *Room) Changed() (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := r.changed
	r.changed = false
	return changed, r.err
}

// Verify notes in the table which copies were sampled in this run, which began at a time, and agreed. A row
// of harvests whose samples agreed grows by one in which as many pages were compared as were to be, and ends
// with a page that differs.
func (r *Room) Verify(began, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	differs := map[string]bool{}
	for k, s := range r.strata {
		differs[k.name] = differs[k.name] || s.differing() > 0
	}
	for _, name := range slices.Sorted(maps.Keys(differs)) {
		e, ok := r.Table.Get(name)
		s := r.strata[stratumKey{name, Text}]
		agreed := s != nil && s.agreed > 0
		if !ok || !e.State.InForce() || !agreed && !differs[name] {
			continue
		}
		verified := e.Verified
		if agreed {
			v, n := &e.Evidence, s.agreed+s.differing()
			if e.Verified.Before(began) && n >= min(r.size(s, name, 0), s.known) {
				v.Harvests++
			}
			if e.Verified.Before(began) || n >= v.Tested { // else a test of this run has compared more
				v.Tested, v.Agreed, v.Resemblance = n, s.agreed, s.sum/float64(n)
			}
			verified = now
		}
		if differs[name] {
			e.Evidence.Harvests = 0
		}
		if err := r.Table.Verify(name, e.Evidence, verified); err != nil {
			return err
		}
		r.changed = true
	}
	return nil
}
