package harvest

import (
	"errors"
	"fmt"
	"io/fs"

	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// patch fetches the URLs that an archivist asked for (Folder.Want), the targets of their redirects,
// and the requisites of style sheets and frames among them, unless these are held already. It
// implements crawler.Aside. All that it asks for belongs in the run's archive, whatever the
// boundary says.
type patch struct {
	*ground
	list  []Wanted
	files []string
	asked map[page.URL]int // and how many steps it is away from what was wanted
	wants []frontier.Candidate
	err   error // of a look into the store, for judge
}

// maxPatchSteps bounds how far redirects and requisites of requisites are followed.
const maxPatchSteps = 5

// openPatch reads the wanted URLs, and the visits that the run has made to them.
func openPatch(g *ground) (*patch, error) {
	p := &patch{ground: g, asked: map[page.URL]int{}}
	if g.plan.proof != nil { // a run of tests fetches nothing else
		return p, nil
	}
	var err error
	if p.list, p.files, err = g.folder.readWanted(); err != nil {
		return nil, fmt.Errorf("read what is wanted: %w", err)
	}
	for _, w := range p.list {
		if err := p.want(w); err != nil {
			return nil, err
		}
	}
	if len(p.list) == 0 {
		return p, nil
	}
	for v, err := range g.store.Visits(g.record.Number, 0) {
		if err != nil {
			return nil, err
		}
		p.Learn(v)
	}
	return p, p.err
}

// want asks for a URL, on behalf of the site for which its page was fetched.
func (p *patch) want(w Wanted) error {
	if _, known := p.asked[w.URL]; known {
		return nil
	}
	var site uint32
	err := p.store.View(func(tx *store.Tx) error {
		for run := p.record.Number; run > 0; run-- {
			u, found, err := tx.URL(run, w.For.Key())
			if err != nil {
				return err
			}
			if !found || u.URL != w.For {
				continue
			}
			names, err := store.SiteNames(tx, run) // another run may have them in another order
			if err != nil {
				return err
			}
			if int(u.Site) < len(names) {
				site, _ = p.siteOf(names[u.Site])
			}
			return nil
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find the site of %s: %w", w.For, err)
	}
	p.ask(frontier.Candidate{
		URL: w.URL, Spelled: w.Spelled, Via: w.For, Hops: string(page.Embed.Hop()), Kind: page.Embed,
		Site: site,
	}, 0)
	return nil
}

// ask puts a URL among the wanted ones, unless a rule of the harvest excludes it.
func (p *patch) ask(x frontier.Candidate, steps int) {
	p.asked[x.URL] = steps
	for _, s := range p.plan.Sites {
		for _, rule := range s.Exclude {
			if rule.Match(x.URL) {
				x.Skip, x.Rule = store.Excluded, rule.String()
			}
		}
	}
	x.Wanted, x.Forced = x.Skip == store.NoReason, x.Skip == store.NoReason
	p.wants = append(p.wants, x)
}

// Learn implements crawler.Aside.
func (p *patch) Learn(v *page.Visit) {
	steps, mine := p.asked[v.URL]
	if !mine || steps == maxPatchSteps {
		return
	}
	site, _ := p.siteOf(v.Site)
	for _, l := range v.Links {
		_, known := p.asked[l.URL]
		if known || l.Kind != page.Redirect && !l.Kind.Requisite() || l.Kind.Requisite() && p.held(l.URL) {
			continue
		}
		p.ask(frontier.Candidate{
			URL: l.URL, Spelled: l.Spelled, Via: v.URL,
			Hops: v.Hops + string(l.Kind.Hop()), Kind: l.Kind, Site: site,
		}, steps+1)
	}
}

// held reports whether any run has captured a URL.
func (p *patch) held(u page.URL) (found bool) {
	err := p.store.View(func(tx *store.Tx) (err error) {
		_, found, err = tx.Capture(u)
		return err
	})
	p.err = errors.Join(p.err, err)
	return found
}

// Wants implements crawler.Aside.
func (p *patch) Wants() []frontier.Candidate {
	wants := p.wants
	p.wants = nil
	return wants
}

// keeps reports whether a capture belongs in the archive because it was asked for.
func (p *patch) keeps(u page.URL) bool {
	_, asked := p.asked[u]
	return asked
}

// done removes the files with the wishes that the run has fulfilled, and has the next run asked for
// what a limit kept from being fetched. If the run ends before that, the next run asks for all again.
func (p *patch) done() error {
	var left []Wanted
	for _, w := range p.list {
		switch u, known, err := p.urlOf(w.URL); {
		case err != nil:
			return fmt.Errorf("look for what is wanted: %w", err)
		case !known || u.State == store.Pending || u.State == store.Skipped && limits[u.Reason] != "":
			left = append(left, w)
		}
	}
	if len(left) > 0 {
		if err := p.folder.putWanted(p.disk(), left); err != nil {
			return fmt.Errorf("keep what is still wanted: %w", err)
		}
	}
	for _, path := range p.files {
		if err := p.disk().Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take away what was wanted: %w", err)
		}
	}
	return nil
}
