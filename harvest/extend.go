package harvest

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"slices"

	"watershed/crawler"
	"watershed/crawler/ban"
	"watershed/frontier"
	"watershed/page"
	"watershed/replica/soft404"
	"watershed/sitemap"
	"watershed/store"
)

// A run that extends another one fetches what a change of the harvest adds: a wider scale, a rule,
// a site. Its survey first learns what the archive of the other run has, and wants the rest. Pages
// that the other run left out in the end, the samples outside the boundary, were dropped and are
// asked for again where they are wanted; so is all that was lost: URLs that failed without an answer,
// or by a fault of the server, were refused, came in part, or wait for a browser.

// past is what a run learns from its visits when it is opened.
type past struct {
	crawler.Replayed
	extended []crawler.Extended // the runs that it extends
	survey   *sitemap.Survey
	guard    *soft404.Guard // nil where pages are not sketched
	bans     *ban.Watch
	losses   *losses       // of a run that goes on
	lost     []*page.Visit // captures that are missing, of these
	taken    frontier.Past // by the runs that it extends
}

// noSite is the number of a site that the harvest does not have any more.
const noSite = math.MaxUint32

// relearn goes once through the visits of the run, for the survey, the guard against soft errors
// and, where the run goes on, the comparison of the state with the WARC files.
func relearn(r *rulings, resumed bool) (p *past, err error) {
	p = &past{losses: &losses{ground: r.ground}, bans: ban.New()}
	if p.survey, err = r.newSurvey(); err != nil {
		return nil, err
	}
	if r.plan.Crawl.Sketch != nil {
		p.guard = soft404.New(soft404.Options{Seed: uint64(r.record.Number)})
	}
	all := claims{}
	if p.extended, err = r.extended(); err != nil {
		return nil, err
	}
	for i := range p.extended {
		p.extended[i].Also = func(v *page.Visit) {
			site, is := r.siteOf(v.Site)
			if !is {
				site = noSite
			}
			p.taken.Learn(v, site)
			p.bans.LearnPast(v)
		}
	}
	p.Replayed, err = crawler.Replay(p.survey, r.store, r.record.Number, func(v *page.Visit) {
		all.add(v)
		p.bans.Relearn(v)
		if p.guard != nil {
			p.guard.Learn(v)
		}
	}, p.extended...)
	if err == nil && resumed {
		p.lost, err = p.losses.search(all, false)
	}
	return p, err
}

// replay teaches a survey the visits of the run, and of those that it extends.
func (g *ground) replay(s *sitemap.Survey, also func(*page.Visit)) (done crawler.Replayed, err error) {
	extended, err := g.extended()
	if err != nil {
		return done, err
	}
	return crawler.Replay(s, g.store, g.record.Number, also, extended...)
}

// before are the numbers of the runs that this one extends, the last one first.
func (g *ground) before() (list []store.Run, err error) {
	err = g.store.View(func(tx *store.Tx) (err error) {
		list, err = lineage(tx, g.record.Extends)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for the runs that %s extends: %w", g.run, err)
	}
	return list, nil
}

// extended are the runs that this one extends, the first one first.
func (g *ground) extended() (list []crawler.Extended, err error) {
	before, err := g.before()
	if err != nil {
		return nil, err
	}
	for _, n := range before {
		held, err := g.folder.Run(int(n)).held(&g.plan)
		if err != nil {
			return nil, fmt.Errorf("extend run %d: %w", n, err)
		}
		refused, err := g.refused(n)
		if err != nil {
			return nil, err
		}
		list = append(list, crawler.Extended{Run: n, Held: func(v *page.Visit) bool {
			return !refused[v.URL.Key()] && held(v)
		}})
	}
	slices.Reverse(list)
	return list, nil
}

// refused are the URLs of a run that a host answered which was given up: the answers may be in place of what
// they have.
func (g *ground) refused(n store.Run) (refused map[page.Key]bool, err error) {
	err = g.store.View(func(tx *store.Tx) (err error) {
		refused, err = store.FailedAfter(tx, n, store.HostGivenUp)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for what the hosts of run %d refused: %w", n, err)
	}
	return refused, nil
}

// held tells which visits of a delivered run its archive has: those of the pages, requisites and
// context of its maps, and of pages that are gone, and robots.txt and sitemaps of their hosts. A
// page that robots.txt forbade is not asked for a second time either, unless the plan says that
// robots.txt no longer binds the crawl on its host. A body that was cut is asked for again where the
// plan now allows more.
func (r Run) held(p *Plan) (func(*page.Visit) bool, error) {
	maps, err := r.Maps()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no map: it was not delivered", r)
	}
	if err != nil {
		return nil, err
	}
	kept, hosts := ownPages(maps)
	slices.Sort(kept)
	obey := p.Crawl.ObeyRobots // nil obeys everywhere
	return func(v *page.Visit) bool {
		return v.Status == page.StatusRobots && (obey == nil || obey(v.URL.Host())) ||
			v.Status > 0 && !fruitless(v, p) &&
				(kept.has(v.URL.Key()) || hosts[v.URL.Host()] && support(v))
	}, nil
}

// fruitless reports a visit that did not bring what its URL has, so that another one may.
func fruitless(v *page.Visit, p *Plan) bool {
	if v.Truncated == page.CutLength {
		return v.Size+v.Size/8 < p.Fetch.MaxBody // the limit is one of what is on the wire
	}
	return v.Status >= http.StatusInternalServerError || v.Status == http.StatusTooManyRequests ||
		v.Status == http.StatusUnauthorized || v.Status == http.StatusForbidden || lacking(v) != "" ||
		v.Undrawn() && p.Crawl.Draws != nil && p.Crawl.Draws(v.Site) != crawler.DrawNone
}

// errMap is the error of a map that cannot be read.
var errMap = errors.New("the map is damaged")

// ReadMap reads a map that WriteMap wrote.
func ReadMap(path string) (_ *sitemap.Map, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	m, err := sitemap.ReadMap(f)
	if err != nil {
		err = fmt.Errorf("%s: %w: %w: bring it back from a copy; the next recrawl draws one of its own",
			path, errMap, err)
	}
	return m, err
}
