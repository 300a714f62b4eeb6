package harvest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"watershed/archive"
	"watershed/crawler"
	"watershed/frontier"
	"watershed/internal/console"
	"watershed/page"
	"watershed/replica/sketch"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
)

// tally finds out what became of every URL of a run.
type tally struct {
	*ground
	frontier *frontier.Frontier
	maps     []*sitemap.Map      // nil for a run that was interrupted: nothing is drawn then
	mentions *sitemap.Mentions   // in the maps
	dropped  map[page.Key]bool   // answered, and not in the archive: the boundary leaves them out
	parts    map[page.Key]string // what is lacking of captures that are in the archive in part
	undrawn  map[page.Key]string // pages that were to be drawn and were not, and why
	inPart   map[page.Key]bool   // pages that were read or drawn in part, and streams
	browser  error               // why there is none; nil where there is one, or none was asked for
	gone     map[page.Key]bool   // their captures are lost
	seeds    map[page.Key]string // that led to no page, and why; "" where their own answer says it
	hosts    map[page.Host]bool  // given up
	logins   map[string]int64    // answers that were had with each
	refused  map[page.Key]string // the login to which a URL's last answer was 401
	limits   map[string]bool     // of sites and hosts that kept something from being fetched
	moved    map[page.Key]move   // redirects to the same place on another host
	surveyed bool                // nothing is kept of the run
	unfound  []report.Missed     // by site
	report.Ending
}

// move is a redirect of a page to the same place on another host.
type move struct {
	site     string
	from, to page.URL
}

// leastMoved is of how many pages of a host Moved tells.
const leastMoved = 3

// movedAway finds the hosts of seeds whose pages lead to the same places on another host, which is outside
// or was followed.
func (t *tally) movedAway() {
	drawn := make(map[string]*sitemap.Map, len(t.maps))
	for _, m := range t.maps {
		drawn[m.Site] = m
	}
	count := map[report.Moved]int{}
	for _, x := range t.moved {
		m := drawn[x.site]
		if m == nil || m.Boundary == sitemap.List.String() {
			continue
		}
		followed := slices.ContainsFunc(m.Counterparts, func(c sitemap.Counterpart) bool {
			return c.Follows(x.from, x.to)
		})
		if followed || !m.Has(x.to) {
			count[report.Moved{
				Site: x.site, From: x.from.Host(), To: x.to.Root(), Followed: followed,
			}]++
		}
	}
	for x, n := range count {
		i, known := t.siteOf(x.Site)
		if x.Pages = n; n >= leastMoved && known && slices.ContainsFunc(t.plan.Sites[i].Seeds,
			func(seed page.URL) bool { return seed.Host() == x.From }) {
			t.Moved = append(t.Moved, x)
		}
	}
	slices.SortFunc(t.Moved, func(a, b report.Moved) int {
		return cmp.Or(strings.Compare(a.Site, b.Site), b.Pages-a.Pages,
			strings.Compare(string(a.To), string(b.To)))
	})
}

// end tells how a run ends whose visits the tally has learnt; stop is what ended the crawl, nil
// where nothing was left to fetch.
func (t *tally) end(ctx context.Context, stop error) (*report.Ending, error) {
	if err := t.count(ctx); err != nil {
		return nil, fmt.Errorf("count what became of the URLs: %w", err)
	}
	limit := LimitOf(stop)
	switch {
	case limit != "":
		t.Limit, t.Cause = limit, stop.Error()
	case stop != nil:
		t.Ended, t.Cause = endedBy(stop), stop.Error()
		return &t.Ending, nil
	}
	t.Judge(t.hadPage(), limit != "")
	return &t.Ending, nil
}

// endedBy is how a run ends that something other than a limit ended.
func endedBy(stop error) report.Ended {
	if errors.Is(stop, context.Canceled) || errors.Is(stop, ErrStopped) || FullDisk(stop) {
		return report.Interrupted
	}
	return report.Failed
}

// FullDisk reports that a full disk or quota is a cause of an error.
func FullDisk(err error) bool {
	for _, cause := range []error{
		crawler.ErrNoSpace, archive.ErrNoSpace, store.ErrNoSpace, syscall.ENOSPC, syscall.EDQUOT,
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// Interrupted tells how a run ends that is not delivered, because of what ended its crawl. It reads
// what is known of each URL, some seconds for a million.
func (h *Harvest) Interrupted(stop error) (*report.Ending, error) {
	t := &tally{ground: h.ground, frontier: h.frontier}
	if err := t.count(context.Background()); err != nil {
		return nil, fmt.Errorf("count what became of the URLs: %w", err)
	}
	t.Ended, t.Cause = endedBy(stop), stop.Error()
	return &t.Ending, nil
}

// hadPage reports that any site has a page. A run that only tests mirrors has no sites.
func (t *tally) hadPage() bool {
	return len(t.maps) == 0 || slices.ContainsFunc(t.maps, func(m *sitemap.Map) bool {
		return m.Members.Fetched() > 0
	})
}

func (t *tally) count(ctx context.Context) error {
	t.mentions, t.unfound = sitemap.MentionsIn(t.maps), make([]report.Missed, len(t.maps))
	t.givenUp()
	if err := t.lostSeeds(); err != nil {
		return err
	}
	for u, err := range t.store.URLs(t.record.Number) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := t.add(&u); err != nil {
			return err
		}
	}
	if err := t.addUnasked(); err != nil {
		return err
	}
	for _, m := range t.maps {
		if m.Limited || m.ContextLimited {
			t.reached(report.LimitPages, t.limitOf(m.Site))
		}
	}
	for _, x := range t.unfound {
		if x.Answers > x.Pages {
			t.Missed = append(t.Missed, x)
		}
	}
	t.movedAway()
	t.tellLimits()
	t.tellLogins()
	t.Damaged = Damaged(t.run, nil)
	t.Losses.Hosts = 0
	for _, lies := range t.hosts {
		if lies {
			t.Losses.Hosts++
		}
	}
	slices.SortFunc(t.Lost, func(a, b report.Lost) int {
		return strings.Compare(string(a.URL), string(b.URL))
	})
	return nil
}

// tellLogins tells what was had with logins, and which of them are lost.
func (t *tally) tellLogins() {
	had, lost := maps.Clone(t.logins), map[string]string{}
	if had == nil {
		had = map[string]int64{}
	}
	for _, x := range t.plan.Logins.Lost() {
		lost[x.Name] = x.Cause
		had[x.Name] += 0
	}
	for _, site := range slices.Sorted(maps.Keys(had)) {
		x := report.Login{Site: site, Captures: had[site], Lost: lost[site]}
		for _, by := range t.refused {
			if by == site {
				x.Refused++
			}
		}
		t.Logins = append(t.Logins, x)
	}
}

// givenUp finds the hosts that were given up.
func (t *tally) givenUp() {
	t.hosts = map[page.Host]bool{}
	for _, x := range t.frontier.Hosts() {
		if x.Host.GivenUp() {
			t.hosts[x.Name] = false
		}
	}
}

// add counts a URL that the store has.
func (t *tally) add(u *store.URL) error {
	key := u.URL.Key()
	if had := u.State == store.Done && !u.Vain() && !t.dropped[key]; !had && madeUp(u, t.mentions) {
		return nil // nobody's page
	}
	t.Sum.Known++
	switch {
	case t.gone[key]:
		t.Sum.Failed++
		cause := "its capture is in no WARC file"
		if u.State == store.Done && u.Status >= http.StatusBadRequest {
			cause = fmt.Sprintf("what it held is in no WARC file, and its server answers %d by now", u.Status)
		}
		t.lose("capture", u, cause)
		return nil
	case u.Vain():
		t.Sum.Failed++
		return t.addFailed(u)
	case u.State == store.Done && t.dropped[key] && t.ruledOut(u.URL):
		t.Sum.LeftOut++
	case u.State == store.Done && t.dropped[key]:
		t.Sum.Outside++
	case u.State == store.Done:
		t.Sum.Captured++
		if lacks := t.parts[key]; lacks != "" {
			t.lose("part", u, lacks)
			return nil
		}
		if cause := t.undrawn[key]; cause != "" && t.has(u) {
			t.lose("drawing", u, cause)
			return nil
		}
		if t.inPart[key] && t.has(u) {
			t.InPart++
		}
		if site := t.refused[key]; site != "" && !t.lostSeed(key) &&
			t.loseOf(u, fmt.Sprintf("the login of site %s is refused: %s", site, u.Failure())) {
			return nil
		}
	case u.State == store.Skipped && u.Reason == store.OutOfBoundary:
		t.Sum.Outside++
	case u.State == store.Skipped && limits[u.Reason] != "":
		t.Sum.NotReached++
		t.reached(limits[u.Reason], u.Rule)
	case u.State == store.Skipped:
		t.Sum.LeftOut++
		if u.Reason == store.LowNovelty {
			t.Endless++
		}
	case u.State == store.Known && !t.mentions.Any(u.URL, (*sitemap.Map).Waits):
		t.Sum.Outside++
	default:
		t.Sum.NotReached++
	}
	switch cause, seed := t.seeds[key]; {
	case !seed:
		t.notFound(u)
	case cause != "":
		t.lose("seed", u, cause)
	case u.State == store.Done && u.Status < http.StatusMultipleChoices:
		t.lose("seed", u, "it is no page, and none that it lists is of the site")
	default:
		t.lose("seed", u, u.Failure())
	}
	return nil
}

// notFound counts a page that its site leads to, and of which the server says that there is none.
func (t *tally) notFound(u *store.URL) {
	none := u.Status == http.StatusNotFound || u.Status == http.StatusGone
	if !none || u.Part || int(u.Site) >= len(t.maps) || !t.maps[u.Site].NotHad(u.URL) {
		return
	}
	x := &t.unfound[u.Site]
	if x.Answers++; x.Answers == 1 {
		m := t.maps[u.Site]
		x.Site, x.Pages, x.URL = m.Site, m.Pages, u.URL
	}
	x.URL = min(x.URL, u.URL)
}

// has reports a page or a required file of a site.
func (t *tally) has(u *store.URL) bool {
	return int(u.Site) < len(t.maps) && t.maps[u.Site].Has(u.URL) ||
		slices.ContainsFunc(t.maps, func(m *sitemap.Map) bool { return m.Has(u.URL) })
}

// loseOf counts what a site has lost with a URL that was answered by a refusal, if it is of a site.
func (t *tally) loseOf(u *store.URL, cause string) bool {
	switch {
	case u.Part:
		t.lose("requisite", u, cause)
	case t.mentions.Any(u.URL, (*sitemap.Map).NotHad):
		t.lose("page", u, cause)
	default:
		return false
	}
	return true
}

// limits that keep single URLs from being fetched.
var limits = map[store.Reason]report.Limit{
	store.LimitPages: report.LimitPages, store.LimitFiles: report.LimitFiles,
	store.LimitBytes: report.LimitBytes,
}

// addFailed finds out whether something of a site was lost with a URL that failed.
func (t *tally) addFailed(u *store.URL) error {
	if t.lostSeed(u.URL.Key()) {
		t.lose("seed", u, u.Failure())
		return nil
	}
	if held, err := t.rescued(u); held || err != nil {
		return err
	}
	as := sitemap.VainNothing
	for m := range t.mentions.Of(u.URL) {
		if v := m.Vain(u.URL); v != sitemap.VainNothing && (as == sitemap.VainNothing || v < as) {
			as = v
		}
	}
	switch had := as == sitemap.VainNothing && t.has(u); { // had: by an answer that is in place of it
	case as == sitemap.VainPage, had && !u.Part:
		t.lose("page", u, u.Failure())
	case as == sitemap.VainRequisite, had:
		t.lose("requisite", u, u.Failure())
	}
	return nil
}

// lose counts something lost.
func (t *tally) lose(what string, u *store.URL, cause string) {
	switch what {
	case "seed":
		t.Losses.Seeds++
	case "page":
		t.Losses.Pages++
	case "requisite":
		t.Losses.Requisites++
	case "part":
		t.Losses.Parts++
	case "drawing":
		t.Losses.Drawings++
	case "capture":
		t.Losses.Captures++
	}
	if _, is := t.hosts[u.URL.Host()]; is && u.State == store.Failed {
		t.hosts[u.URL.Host()] = true
	}
	if len(t.Lost) < report.MaxLost {
		t.Lost = append(t.Lost, report.Lost{What: what, URL: u.URL, Status: u.Status, Cause: cause})
	}
}

// rescued reports that a replica stands in for a URL that failed, and was captured.
func (t *tally) rescued(u *store.URL) (held bool, err error) {
	err = t.store.View(func(tx *store.Tx) error {
		x, _, err := tx.Entry(t.record.Number, u.URL.Key())
		if err != nil || x.Representative == "" {
			return err
		}
		stand, found, err := tx.URL(t.record.Number, x.Representative.Key())
		held = found && stand.State == store.Done && stand.Status < http.StatusBadRequest
		return err
	})
	return held, err
}

// Surveyed tells how a crawl ended of which nothing is delivered, by the maps of what it knows: the
// limit that it reached, and the seeds that led to no page. stop is what ended it, nil for nothing.
func (h *Harvest) Surveyed(maps []*sitemap.Map, stop error) (*report.Ending, error) {
	t := &tally{ground: h.ground, frontier: h.frontier, maps: maps, surveyed: true}
	return t.end(context.Background(), stop)
}

// GivenUp tells of each host and scheme that was given up, a line each.
func (h *Harvest) GivenUp() (lines []string) {
	for _, x := range h.frontier.Hosts() {
		for lane, o := range x.Origins {
			if o.GivenUp {
				tries := console.Plural(int(o.Failures), "attempt", "attempts")
				lines = append(lines, fmt.Sprintf("%s://%s was given up after %s: %s", store.Lane(lane),
					x.Name, tries, o.Cause))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// lostSeeds finds the seeds that led to no page, and the ones that led to a whole host.
func (t *tally) lostSeeds() error {
	t.seeds = map[page.Key]string{}
	if t.maps == nil {
		return nil
	}
	return t.store.View(func(tx *store.Tx) error {
		for i, s := range t.plan.Sites {
			if len(s.Seeds)+len(s.Characteristic)+len(t.maps[i].Seeds) == 0 {
				said := fmt.Sprintf("no address of the superset of site %s that was had has its keyword %q: "+
					"another part of its addresses, or a seed, finds it", s.Name, s.Keyword)
				t.lose("seed", &store.URL{URL: s.Superset[0]}, said)
			}
			for _, u := range s.Seeds {
				led, to, why, err := t.leads(tx, u)
				if err != nil {
					return err
				}
				if led && widens(&s, u, to) {
					t.Wide = append(t.Wide, report.Wide{Site: s.Name, Seed: u, To: to})
				}
				if !led {
					t.seeds[u.Key()] = why
				} else if err := t.door(tx, &s, u, to); err != nil {
					return err
				}
				i := slices.IndexFunc(s.Exclude, func(r page.Rule) bool { return r.Match(u) })
				if _, asked, err := tx.URL(t.record.Number, u.Key()); err != nil {
					return err
				} else if led || asked || i < 0 {
					continue
				}
				t.lose("seed", &store.URL{URL: u}, "it was not asked for: "+s.Exclude[i].String()+
					" keeps it out, under exclude or by a decision")
			}
		}
		return nil
	})
}

func (t *tally) lostSeed(key page.Key) bool {
	_, is := t.seeds[key]
	return is
}

// maxLed is how many redirects of a seed are followed, as many as browsers do.
const maxLed = 20

// widens reports that a seed for a place of a host leads to the root of one.
func widens(s *sitemap.Site, seed, to page.URL) bool {
	whole := func(u page.URL) bool { return u.Directory() == string(u.Root()) }
	return (s.Boundary == sitemap.Logical || s.Boundary == sitemap.Prefix) && to != seed && whole(to) &&
		(!whole(seed) || to.Path() == "/" && seed.Path() != "/" && !strings.Contains(seed.Path(), "."))
}

const (
	// mostDoors is to how many other hosts, or places of its own, a page leads at most that is a door: more
	// are those of a list.
	mostDoors = 3
	// mostAlone is of how many pages a site is at most that may be no more than its door.
	mostAlone = 5
	// mostVeiled is of how many pages a site is at most that a question at every address veils: an imprint
	// and a notice on data are beside it.
	mostVeiled = 3
	// fewWords is how many words a page has at least that is no notice or question in front of a site.
	fewWords = 100
)

// door notes a seed whose site may lie behind it: a site of one page that leads to another host, or to
// nothing, as a list that a script fetches, or a form whose choices are the pages; or one of some pages,
// where the seed's leads to other places of its host, or the seed redirects to a page of few words, as to a
// question beside which an imprint is all that can be read, or is such a page itself.
func (t *tally) door(tx *store.Tx, s *sitemap.Site, given, seed page.URL) error {
	i := slices.IndexFunc(t.maps, func(m *sitemap.Map) bool { return m.Site == s.Name })
	if i < 0 || !t.maps[i].Has(seed) || t.maps[i].Pages > mostAlone || s.Boundary == sitemap.List ||
		!t.maps[i].Converged { // as by a limit, which is told
		return nil
	}
	x, n, text := report.Alone{Site: s.Name, Seed: seed, Pages: t.maps[i].Pages}, 0, sketch.Sketch{}
	v, _, err := t.page(tx, seed)
	if err != nil || v == nil {
		return err
	}
	ends := !slices.ContainsFunc(v.Links, func(l page.Link) bool {
		return l.Kind == page.Navigation && l.URL.Host() == seed.Host() && l.URL != seed
	})
	if x.Pages == 1 && ends {
		x.To, n, _ = apart(v, page.URL.Host, func(u page.URL) (bool, error) {
			return u.Host() != seed.Host(), nil
		})
	}
	if n == 0 {
		x.To, n, err = apart(v, page.URL.Directory, func(u page.URL) (bool, error) {
			if u.Host() != seed.Host() || strings.HasPrefix(string(seed), u.Directory()) ||
				t.maps[i].Has(u) || excluded(s, u) {
				return false, nil
			}
			other, asked, err := t.page(tx, u)
			return other != nil || !asked, err
		})
	}
	if n == 0 && err == nil && slices.ContainsFunc(v.Links, func(l page.Link) bool {
		if l.Kind != page.Navigation || l.URL.Host() != seed.Host() {
			return false
		}
		to, found, e := tx.URL(t.record.Number, l.URL.Key())
		leads := to.Status/100 == 2 || to.Status == http.StatusNotModified
		if to.Status/100 == 3 && !leads { // where it leads stands among its links
			v, _, no := tx.Visit(t.record.Number, to.Visit)
			leads, err = v.Redirected() != nil, errors.Join(err, no)
		}
		err = errors.Join(err, e)
		return excluded(s, l.URL) || found && to.State != store.Known && (to.State != store.Done || !leads)
	}) { // it is not the page that leads nowhere
		return err
	}
	switch unread := v.Unread && strings.HasPrefix(v.Cause, "not read: "); {
	case err != nil, n > mostDoors:
		return err
	case n == 0 && x.Pages == 1 && unread:
		x.Flaw = v.Cause
	case n == 0 && (x.Pages > 1 && !turned(given, seed) && (x.Pages > mostVeiled || !t.veils(tx, v)) ||
		t.plan.Crawl.Sketch == nil || !v.OK() || v.MIME != "text/html" || v.Undrawn() ||
		v.Sketch != nil && text.Decode(v.Sketch) != nil || text.Tokens >= fewWords && (x.Pages > 1 || !ends)):
		return nil
	}
	if x.Words = text.Tokens; v.Unended && x.Flaw == "" {
		x.Flaw = "it has no end tag, as if it was cut"
	}
	t.Alone = append(t.Alone, x)
	return nil
}

// excluded reports a page that a rule of the site leaves out.
func excluded(s *sitemap.Site, u page.URL) bool {
	return slices.ContainsFunc(s.Exclude, func(r page.Rule) bool { return r.Match(u) })
}

// veils reports a page that is given in place of files of its host, too.
func (t *tally) veils(tx *store.Tx, v *page.Visit) bool {
	return slices.ContainsFunc([]page.URL{"favicon.ico", "sitemap.xml"}, func(file page.URL) bool {
		x, _, err := t.page(tx, v.URL.Root()+file)
		return err == nil && x != nil && x.Title == v.Title && x.MIME == v.MIME
	})
}

// turned reports a seed that redirects on its host to a page of another name, and not to the index of what it
// stands for.
func turned(seed, to page.URL) bool {
	return to.Host() == seed.Host() && to.Directory() != string(to) && to.Path() != seed.Path()
}

// apart counts the places of which a page's links lead to pages that count, and gives the first such link.
func apart[P comparable](v *page.Visit, place func(page.URL) P, counts func(page.URL) (bool, error)) (
	first page.URL, n int, err error,
) {
	seen := map[P]bool{}
	for _, l := range v.Links {
		if p := place(l.URL); l.Kind.Joins() && l.Kind != page.Canonical && !seen[p] {
			if seen[p], err = counts(l.URL); err != nil {
				return "", 0, err
			} else if seen[p] {
				first, n = cmp.Or(first, l.URL), n+1
			}
		}
	}
	return first, n, nil
}

// page is the visit of a page that the run has, nil for none; asked says whether the run wanted it.
func (t *tally) page(tx *store.Tx, u page.URL) (_ *page.Visit, asked bool, err error) {
	x, found, err := tx.URL(t.record.Number, u.Key())
	if err != nil || !found || x.State != store.Done {
		return nil, found && x.State != store.Known, err
	}
	v, found, err := tx.Visit(t.record.Number, x.Visit)
	if err != nil || !found || !v.Page() {
		return nil, true, err
	}
	return &v, true, nil
}

// leads reports that a seed led to a page, or that it was not asked: it is left out because
// something stands for it, still waits, or is held from the run that this one extends. why says why
// it did not; "" where the seed's own answer does. to is where its redirects end.
func (t *tally) leads(tx *store.Tx, seed page.URL) (led bool, to page.URL, why string, err error) {
	to = seed
	for n := range maxLed {
		run, x, found, err := t.answer(tx, to)
		if err != nil {
			return false, to, "", err
		}
		switch {
		case !found:
			return t.Extends() > 0, to, "", nil
		case x.State == store.Skipped && x.Reason.Stood(), x.State == store.Pending, x.State == store.Known:
			return true, to, "", nil
		case x.State != store.Done || x.Status >= http.StatusBadRequest:
			if n > 0 {
				why = fmt.Sprintf("%s led to %s: %s", console.Plural(int64(n), "redirect", "redirects"), to,
					x.Failure())
			}
			return false, to, why, nil
		case x.Status == http.StatusNotModified:
			return true, to, "", nil
		}
		v, found, err := tx.Visit(run, x.Visit)
		switch {
		case !page.Redirects(x.Status):
			return !found || v.Page() || !t.fruitless(&v), to, "", err
		case err != nil || !found:
			return false, to, "", err
		}
		i := slices.IndexFunc(v.Links, func(l page.Link) bool { return l.Kind == page.Redirect })
		if i < 0 || v.Links[i].URL == to {
			return false, to, "", nil
		}
		to = v.Links[i].URL
	}
	why = fmt.Sprintf("it leads from redirect to redirect: %d were followed, as many as browsers do", maxLed)
	return false, to, why, nil
}

// answer is what became of a URL in the run, or in one that it extends where that had the URL and this one
// asked for it again in vain.
func (t *tally) answer(tx *store.Tx, u page.URL) (run store.Run, x store.URL, found bool, err error) {
	run = t.record.Number
	x, found, err = tx.URL(run, u.Key())
	if err != nil || !found || !x.Vain() {
		return run, x, found, err
	}
	before, err := lineage(tx, t.record.Extends)
	for i := 0; i < len(before) && err == nil; i++ {
		var old store.URL
		old, found, err = tx.URL(before[i], u.Key())
		if found && old.State == store.Done && old.Status < http.StatusBadRequest {
			return before[i], old, true, err
		}
	}
	return run, x, true, err
}

// fruitless reports that nothing which a file links to, as the entries of a sitemap, belongs to a site.
func (t *tally) fruitless(v *page.Visit) bool {
	own, known := t.siteOf(v.Site)
	for _, l := range v.Links {
		belongs := func(m *sitemap.Map) bool { return m.Boundary == sitemap.List.String() || m.Has(l.URL) }
		if l.Kind != page.Sitemap || known && belongs(t.maps[own]) || slices.ContainsFunc(t.maps, belongs) {
			return false
		}
	}
	return true
}

// ruledOut reports a page to which pages of a site lead, and that a rule keeps out of it.
func (t *tally) ruledOut(u page.URL) bool {
	return t.mentions.Any(u, func(m *sitemap.Map, u page.URL) bool {
		return m.Excludes(u) && m.Explain(u).Reason != "outOfBoundary"
	})
}

// addUnasked counts what the maps have and the store has not: what is wanted and was never asked
// for, and what the boundary or a rule keeps out.
func (t *tally) addUnasked() error {
	if len(t.maps) == 0 {
		return nil
	}
	var fates *store.Fates
	err := t.store.View(func(tx *store.Tx) (err error) {
		fates, err = tx.Fates(t.record.Number)
		return err
	})
	if err != nil {
		return err
	}
	var lists [3]keys // waiting, excluded, outside: the first one that has a URL counts
	note := func(list int, u page.URL) {
		if _, known := fates.Of(u.Key()); !known {
			lists[list] = append(lists[list], u.Key())
		}
	}
	for _, m := range t.maps {
		for u := range m.Waiting() {
			note(0, u)
		}
		for i := range m.Outside {
			switch x := &m.Outside[i]; x.Reason {
			case "rule", "noFollow":
				note(1, x.URL)
			case "outOfBoundary":
				note(2, x.URL)
			}
		}
	}
	for i, n := range []*int64{&t.Sum.NotReached, &t.Sum.LeftOut, &t.Sum.Outside} {
		slices.Sort(lists[i])
		lists[i] = slices.Compact(lists[i])
		for _, key := range lists[i] {
			if !slices.ContainsFunc(lists[:i], func(before keys) bool { return before.has(key) }) {
				*n++
				t.Sum.Known++
			}
		}
	}
	return nil
}

// learn takes over what a visit says of its URL's capture; kept tells whether that is in the
// archive.
func (t *tally) learn(v *page.Visit, kept bool) {
	if t.dropped == nil {
		t.dropped, t.logins, t.parts = map[page.Key]bool{}, map[string]int64{}, map[page.Key]string{}
		t.refused = map[page.Key]string{}
		t.undrawn, t.inPart = map[page.Key]string{}, map[page.Key]bool{}
		t.moved = map[page.Key]move{}
	}
	t.learnDrawing(v)
	delete(t.moved, v.URL.Key())
	if to := v.Redirected(); to != nil && to.URL.Host() != v.URL.Host() &&
		to.URL.PathQuery() == v.URL.PathQuery() && page.FoundBy(v.Hops) == page.Navigation.Hop() {
		t.moved[v.URL.Key()] = move{v.Site, v.URL, to.URL}
	}
	if delete(t.refused, v.URL.Key()); v.Status == http.StatusUnauthorized && v.Login != "" {
		t.refused[v.URL.Key()] = v.Login
	}
	if delete(t.parts, v.URL.Key()); kept && !v.Record.IsZero() {
		if lacks := lacking(v); lacks != "" {
			t.parts[v.URL.Key()] = lacks
		}
	}
	if v.Login != "" && v.Status > 0 {
		t.logins[v.Login]++
	}
	if v.Record.IsZero() || kept {
		delete(t.dropped, v.URL.Key())
	} else {
		t.dropped[v.URL.Key()] = true
	}
}

// learnDrawing takes over whether a page was drawn that was to be, and whether all of it was read.
func (t *tally) learnDrawing(v *page.Visit) {
	key := v.URL.Key()
	delete(t.undrawn, key)
	delete(t.inPart, key)
	switch {
	case v.Drawing == page.DrawFailed:
		t.undrawn[key] = v.Cause
	case v.Drawing == page.ToBeDrawn && t.browser != nil:
		t.undrawn[key] = "not drawn: " + t.browser.Error()
	case v.Drawing == page.ToBeDrawn:
		t.undrawn[key] = "not drawn: the run ended before its turn"
	case v.Unread && (v.Page() || v.Truncated == page.CutEndless):
		t.inPart[key] = true
	}
}

// lacking says why a capture has not all of what its URL has, though the server answered with success;
// "" where it has.
func lacking(v *page.Visit) string {
	switch {
	case v.Truncated == page.CutConnected:
		return "the connection broke before the whole answer had come"
	case v.Truncated == page.CutLength:
		return tooLong
	case v.Truncated == page.CutTime:
		return "the answer did not end in time, and was cut"
	case v.Status == http.StatusPartialContent && v.Unread:
		return "the server sent a part that nobody asked for"
	case v.Status == http.StatusNotModified && !v.Revisit:
		return "the server answered 304 Not Modified where nothing was known that could be modified"
	}
	return ""
}

// tooLong is what a capture lacks that fetch.max_body cut.
const tooLong = "the answer is longer than fetch.max_body, and was cut"

// miss takes over the captures that are lost.
func (t *tally) miss(list []*page.Visit) {
	t.gone = map[page.Key]bool{}
	for _, v := range list {
		t.gone[v.URL.Key()] = true
	}
}

// reached takes note of a limit of a site or host that kept something from being fetched. The first
// one is named.
func (t *tally) reached(limit report.Limit, whose string) {
	if t.limits == nil {
		t.limits = map[string]bool{}
		t.Limit, t.Cause = limit, "the limit of "+whose+", was reached"
	}
	t.limits[whose] = true
}

// tellLimits tells how many limits there are beside the first one, and what to do about them.
func (t *tally) tellLimits() {
	raised := "it is raised"
	switch n := len(t.limits) - 1; {
	case n < 0:
		return
	case n > 0:
		t.Cause += fmt.Sprintf(", and %s", console.Plural(n, "other limit", "other limits"))
		raised = "they are raised"
	}
	if !t.surveyed {
		t.Cause += "; once " + raised + ", harvest --extend fetches what is missing"
	}
}

// LimitOf is what the limit of the harvest is of that ended its crawl; "" for anything else that
// did.
func LimitOf(stop error) report.Limit {
	switch {
	case errors.Is(stop, crawler.ErrTime):
		return report.LimitTime
	case errors.Is(stop, frontier.ErrLimit):
		return report.LimitBytes
	}
	return ""
}
