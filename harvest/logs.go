package harvest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"watershed/archive"
	"watershed/frontier"
	"watershed/page"
	"watershed/report"
	"watershed/sitemap"
	"watershed/store"
)

// line is a visit as crawl.log has it.
func line(v *page.Visit, logged time.Time) archive.LogLine {
	l := archive.LogLine{
		Logged: logged, Status: v.Status, Size: v.Size, URL: v.URL, Spelled: v.Spelled, Hops: v.Hops,
		Via: v.Via, MIME: v.MIME,
		Start: v.Time, Duration: v.Duration, Digest: v.Digest, Source: v.Site, Record: v.Record,
	}
	if v.Status <= 0 {
		l.Size = -1
	}
	if note := archive.TruncationNote(v.Truncated); note != "" {
		l.Annotations = append(l.Annotations, note)
	}
	switch {
	case v.SoftError && v.OK():
		l.Annotations = append(l.Annotations, "soft404")
	case v.SoftError:
		l.Annotations = append(l.Annotations, "redirectLoop")
	}
	if v.Login != "" {
		l.Annotations = append(l.Annotations, "login")
	}
	if v.Unread {
		l.Annotations = append(l.Annotations, "unread")
	}
	if v.Revisit {
		note := "duplicate:digest"
		if v.Status == 304 {
			note = "duplicate:server-not-modified"
		}
		l.Annotations = append(l.Annotations, note)
	}
	return l
}

// reasons gives the words of skipped.jsonl for the store's.
var reasons = map[store.Reason]archive.Reason{
	store.OutOfBoundary: archive.ReasonOutOfScope, store.Excluded: archive.ReasonExcluded,
	store.Robots: archive.ReasonRobots, store.NoFollow: archive.ReasonNoFollow,
	store.LimitPages: archive.ReasonLimit, store.LimitBytes: archive.ReasonByteLimit,
	store.LimitFiles: archive.ReasonFileLimit,
	store.LimitDepth: archive.ReasonDepth, store.TrapHops: archive.ReasonDepth,
	store.TrapRepeat: archive.ReasonTrap, store.TrapQuery: archive.ReasonTrap,
	store.TrapDepth:  archive.ReasonTrap,
	store.TrapLength: archive.ReasonTrap, store.TrapHosts: archive.ReasonTrap,
	store.TrapNested: archive.ReasonTrap,
	store.LowNovelty: archive.ReasonLowNovelty,
	store.Mirror:     archive.ReasonMirror, store.Collection: archive.ReasonMirror,
	store.Copy:    archive.ReasonMirror,
	store.Private: archive.ReasonPrivate, store.Throttled: archive.ReasonRateLimited,
	store.Unread: archive.ReasonUnread,
}

// skipped calls yield with every URL that was left out: those the frontier refused or gave up, or
// that were not read, then those that the sites' pages link to and the boundary keeps out. While
// the run is under way, waiting URLs are not among them.
func (r *runReport) skipped(ctx context.Context, maps []*sitemap.Map, underWay bool,
	yield func(*archive.Skipped) error,
) error {
	around, mentions := surroundingsOf(maps), sitemap.MentionsIn(maps)
	var fates *store.Fates
	if err := r.store.View(func(tx *store.Tx) (err error) {
		fates, err = tx.Fates(r.record.Number)
		return err
	}); err != nil {
		return err
	}
	for x, err := range r.frontier.Left() {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if x.State == store.Known || underWay && x.State == store.Pending ||
			madeUp(&x.URL, mentions) || r.lookedAt(&x.URL) {
			continue
		}
		s := archive.Skipped{
			URL: x.URL.URL, Spelled: x.Spelled, Time: r.record.Started, Rule: x.Rule, Hops: x.Hops,
			Depth: int(x.Depth), Seed: x.Hops == "",
		}
		evidence := map[string]any{"why": x.Reason.String()}
		if int(x.Site) < len(r.plan.Sites) {
			s.Site = r.plan.Sites[x.Site].Name
		}
		if x.Vain() {
			s.Rule, evidence["why"] = x.Failure(), cmp.Or(x.Reason.String(), "serverError")
		}
		if x.Status != 0 {
			evidence["status"] = x.Status
		}
		if x.Tries > 0 {
			evidence["tries"] = x.Tries
		}
		if x.Entry.Evidence != "" {
			evidence["detail"] = x.Entry.Evidence
		}
		if x.Entry.Representative != "" {
			evidence["representative"] = x.Entry.Representative
		}
		if hops, is := around[x.URL.URL.Key()]; is {
			evidence["context"] = hops
		}
		var known bool
		if s.Reason, known = reasons[x.Reason]; !known || x.State == store.Done && x.Vain() {
			s.Reason = archive.ReasonFailed
		}
		if x.State == store.Pending {
			s.Reason, s.Rule = archive.ReasonLimit, "the run stopped before its turn came"
			evidence["why"] = s.Rule
		}
		s.Evidence = evidence
		if err := yield(&s); err != nil {
			return err
		}
	}
	for _, m := range maps {
		if !underWay || m.Limited || m.ContextLimited {
			if err := r.unasked(fates, m, yield); err != nil {
				return err
			}
		}
		if err := r.outsideOf(m, fates, underWay, yield); err != nil {
			return err
		}
	}
	return r.outsiders(ctx, mentions, yield)
}

// outsideOf yields what the pages of a site link to and the boundary keeps out, unless it is told of
// elsewhere.
func (r *runReport) outsideOf(m *sitemap.Map, fates *store.Fates, underWay bool,
	yield func(*archive.Skipped) error,
) error {
	for i := range m.Outside {
		o := &m.Outside[i]
		if _, is := m.Surrounds(o.URL); is {
			continue // it is captured, or told of above
		}
		var s *archive.Skipped
		if o.Reason == "failed" && r.soft[o.URL.Key()] {
			s = &archive.Skipped{
				URL: o.URL, Spelled: m.Spelled[o.URL], Time: r.record.Started, Site: m.Site,
				Reason: archive.ReasonSoftError, Evidence: map[string]any{"links_from_site": o.Links},
			}
		} else if told, err := r.toldOf(fates, o.URL, m.Site, underWay); err != nil {
			return err
		} else if told {
			continue
		} else if s, told = outsider(m, o, r.record.Started); !told {
			continue
		}
		if err := yield(s); err != nil {
			return err
		}
	}
	return nil
}

// outsiders yields the pages that were looked at and are outside, and to which no page of a site
// leads.
func (r *runReport) outsiders(ctx context.Context, mentions *sitemap.Mentions,
	yield func(*archive.Skipped) error,
) error {
	if len(r.dropped) == 0 {
		return nil
	}
	for u, err := range r.store.URLs(r.record.Number) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if !r.lookedAt(&u) || madeUp(&u, mentions) || mentions.Any(u.URL, (*sitemap.Map).Excludes) {
			continue
		}
		s := archive.Skipped{
			URL: u.URL, Spelled: u.Spelled, Time: r.record.Started, Reason: archive.ReasonOutOfScope,
			Hops: u.Hops, Depth: int(u.Depth),
			Evidence: map[string]any{"links_from_site": 0, "status": u.Status},
		}
		if int(u.Site) < len(r.plan.Sites) {
			site := &r.plan.Sites[u.Site]
			s.Site, s.Rule = site.Name, "boundary "+site.Boundary.String()
		}
		if err := yield(&s); err != nil {
			return err
		}
	}
	return nil
}

// lookedAt reports a URL that was answered and that the boundary leaves out of the archive.
func (r *runReport) lookedAt(u *store.URL) bool {
	return u.State == store.Done && !u.Vain() && r.dropped[u.URL.Key()]
}

// madeUp reports an address that the crawler made up, to see what is there, and that no page names
// as far as the maps know.
func madeUp(u *store.URL, maps *sitemap.Mentions) bool {
	return u.Kind == page.Inferred && (u.Via == 0 || maps.None() || maps.Any(u.URL, (*sitemap.Map).MadeUp))
}

// toldOf reports that skipped has told of a URL on behalf of a site because of its state, or that it
// is in the archive, for another site. fates spare a look at the URLs that were never wanted, which
// are most.
func (r *runReport) toldOf(fates *store.Fates, u page.URL, site string, underWay bool) (bool, error) {
	if _, found := fates.Of(u.Key()); !found {
		return false, nil
	}
	var x store.URL
	found := false
	err := r.store.View(func(tx *store.Tx) (err error) {
		x, found, err = tx.URL(r.record.Number, u.Key())
		return err
	})
	if err != nil || !found || x.URL != u {
		return false, err
	}
	if x.State == store.Done && !x.Vain() && !underWay && !r.lookedAt(&x) {
		return true, nil
	}
	if int(x.Site) >= len(r.plan.Sites) || r.plan.Sites[x.Site].Name != site {
		return false, nil
	}
	return x.Vain() || x.State == store.Skipped || x.State == store.Pending && !underWay, nil
}

// unasked yields the pages, requisites and context of a site that were never asked for, because its
// limit was reached or the run stopped before.
func (r *runReport) unasked(fates *store.Fates, m *sitemap.Map, yield func(*archive.Skipped) error) error {
	rule := "the run stopped before the boundary had settled"
	if m.Limited || m.ContextLimited {
		rule = r.limitOf(m.Site)
	}
	one := func(u page.URL, state string, evidence map[string]any) error {
		if state != "known" || fates.Wanted(u.Key()) { // the frontier has told of what was wanted
			return nil
		}
		return yield(&archive.Skipped{
			URL: u, Spelled: m.Spelled[u], Time: r.record.Started, Reason: archive.ReasonLimit, Rule: rule,
			Site: m.Site, Evidence: evidence,
		})
	}
	for _, x := range m.Members.All() {
		if err := one(x.URL, x.State, nil); err != nil {
			return err
		}
	}
	for i := range m.Requisites {
		if err := one(m.Requisites[i].URL, m.Requisites[i].State, nil); err != nil {
			return err
		}
	}
	for i := range m.Context {
		x := &m.Context[i]
		if err := one(x.URL, x.State, map[string]any{"context": x.Hops}); err != nil {
			return err
		}
	}
	return nil
}

// outsider is the line of a URL that the boundary keeps out, with the reason.
func outsider(m *sitemap.Map, o *sitemap.Outsider, at time.Time) (*archive.Skipped, bool) {
	s := &archive.Skipped{
		URL: o.URL, Spelled: m.Spelled[o.URL], Time: at, Site: m.Site,
		Evidence: map[string]any{"links_from_site": o.Links},
	}
	switch o.Reason {
	case "outOfBoundary":
		s.Reason, s.Rule = archive.ReasonOutOfScope, "boundary "+m.Boundary
		s.Evidence["cut"] = float64(o.Cut) / 1e6
		if o.Block >= 0 && o.Block < len(m.Blocks) {
			b := &m.Blocks[o.Block]
			s.Rule = "boundary of block " + b.Name
			s.Evidence["share"], s.Evidence["links_back"] = b.Share, b.To
		}
	case "rule":
		s.Reason, s.Rule = archive.ReasonExcluded, o.Note
	case "noFollow":
		s.Reason, s.Rule = archive.ReasonNoFollow, "politeness.nofollow"
	default:
		return nil, false // it failed, and the frontier has told so
	}
	return s, true
}

// runReport counts a run.
type runReport struct {
	*ground
	*report.Report
	frontier *frontier.Frontier
	bytes    map[page.Key]int64 // of each captured URL
	soft     map[page.Key]bool  // they answered with success, and are taken for errors
	dropped  map[page.Key]bool  // answered, and not in the archive: the boundary leaves them out
}

func newReport(g *ground, f *frontier.Frontier) *runReport {
	r := &runReport{
		ground: g, frontier: f, bytes: map[page.Key]int64{}, soft: map[page.Key]bool{},
		Report: &report.Report{Harvest: g.plan.Name, Run: g.Number()},
	}
	for _, s := range g.plan.Sites {
		for _, u := range s.Seeds {
			r.AddSeed(s.Name, u)
		}
	}
	return r
}

func (r *runReport) learn(v *page.Visit) {
	r.Learn(v)
	if delete(r.soft, v.URL.Key()); v.SoftError && v.OK() {
		r.soft[v.URL.Key()] = true
	}
	if v.OK() || v.Status == 304 {
		r.bytes[v.URL.Key()] = v.Size
	}
}

// writeTo writes skipped.jsonl, every report as text, and all as JSON, into the folder of a run.
func (r *runReport) writeTo(ctx context.Context, to Run, maps []*sitemap.Map, underWay bool) error {
	for i, m := range maps {
		r.Sites = append(r.Sites, r.siteLine(i, m))
	}
	err := r.write(to.path("logs", "skipped.jsonl"), func(w io.Writer) error {
		return r.skipped(ctx, maps, underWay, func(s *archive.Skipped) error {
			r.Skip(s.URL, string(s.Reason), fateOf(s.Reason))
			text, err := s.Append(nil)
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	for _, x := range r.frontier.Hosts() {
		for range x.Pending {
			r.Remain(x.Name)
		}
	}
	return r.Files(func(name string, text func(io.Writer) error) error {
		return r.write(filepath.Join(to.Reports(), name), text)
	})
}

// fateOf is what became of a URL that is in the ledger for that reason.
func fateOf(why archive.Reason) report.Fate {
	switch why {
	case archive.ReasonFailed, archive.ReasonRateLimited:
		return report.WasFailed
	case archive.ReasonRobots:
		return report.WasForbidden
	case archive.ReasonSoftError, archive.ReasonUnread:
		return report.WasCaptured
	}
	return report.WasLeftOut
}

// fetched is the state in a map of what was had.
const fetched = "fetched"

// siteLine counts what was had of a site, in this run or, where it extends one, in that.
func (r *runReport) siteLine(i int, m *sitemap.Map) *report.Site {
	s := &report.Site{
		Name: m.Site, Boundary: m.Boundary, Settled: m.Converged, Pages: m.Pages,
		Folder: filepath.Base(r.run.Site(i, m.Site)),
		Title:  m.Title, Names: m.Names, Entry: r.entry(i, m),
	}
	for _, k := range m.Keywords {
		s.Keywords = append(s.Keywords, k.Term)
	}
	if m.Certificate != nil {
		s.Cut = float64(m.Certificate.Links) / 1e6
	}
	hosts := map[page.Host]bool{}
	for _, x := range m.Members.All() {
		if n, ok := r.bytes[x.URL.Key()]; ok {
			s.Bytes += n
			hosts[x.URL.Host()] = true
		}
	}
	for _, x := range m.Requisites {
		s.Bytes += r.bytes[x.URL.Key()]
		if x.State == fetched {
			s.Requisites++
		}
	}
	for _, x := range m.Context {
		if x.State == fetched {
			s.Context++
		}
	}
	s.Hosts = len(hosts)
	return s
}

// entry is the page by which a site is shown.
func (r *runReport) entry(i int, m *sitemap.Map) page.URL {
	site := &r.plan.Sites[i]
	for _, list := range [][]page.URL{site.Seeds, site.Characteristic, m.Seeds} {
		if len(list) > 0 {
			return list[0]
		}
	}
	return "" // a site given by a keyword has no seed until its cluster is found
}
