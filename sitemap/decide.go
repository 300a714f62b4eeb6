package sitemap

import (
	"fmt"
	"slices"

	"watershed/page"
)

// Exclude keeps what a rule matches out of a site from now on, as Site.Exclude does from the
// beginning: pages that were fetched are no evidence any more, and pages that were wanted and not
// yet fetched are no longer wanted on behalf of the site (Open tells which still are). The boundary
// is drawn anew from the known pages. Exclusion wins over pins. Exclude and Readmit cost a pass
// over the site's URLs and an epoch from nothing. The error is for a site that the survey does not
// have.
func (s *Survey) Exclude(site string, r page.Rule) error {
	b, err := s.boundary(site)
	if err != nil {
		return fmt.Errorf("exclude %s: %w", r, err)
	}
	if slices.ContainsFunc(b.Site.Exclude, r.Equal) {
		return nil
	}
	b.Site.Exclude = append(slices.Clip(b.Site.Exclude), r)
	s.judgeExcluded(b, r)
	return nil
}

// Excludes gives the rule by which a site excludes a URL, if there is one.
func (s *Survey) Excludes(site string, u page.URL) (r page.Rule, excluded bool) {
	b, err := s.boundary(site)
	if err != nil {
		return r, false
	}
	return matching(b.Site.Exclude, u)
}

// HasExclusions reports that a site has rules of what is excluded.
func (s *Survey) HasExclusions() bool {
	return slices.ContainsFunc(s.sites, func(b *boundary) bool { return len(b.Site.Exclude) > 0 })
}

// Readmit takes an exclusion back, whether Exclude or Site.Exclude said it. Pages that were asked
// for before are asked for again where they are wanted; the caller sees to it that pages skipped
// for the rule can be fetched.
func (s *Survey) Readmit(site string, r page.Rule) error {
	b, err := s.boundary(site)
	if err != nil {
		return fmt.Errorf("readmit %s: %w", r, err)
	}
	before := len(b.Site.Exclude)
	b.Site.Exclude = slices.DeleteFunc(slices.Clone(b.Site.Exclude), r.Equal)
	if len(b.Site.Exclude) < before {
		s.judgeExcluded(b, r)
	}
	return nil
}

// Rescale draws the boundary of a site at another α from now on; 0 stands for that of the survey's
// Options. Only sites that have scales have one: logical ones of Preset Shares.
func (s *Survey) Rescale(site string, alpha float64) error {
	b, err := s.boundary(site)
	if err != nil {
		return fmt.Errorf("rescale: %w", err)
	}
	o := b.opts
	if o.Alpha = alpha; alpha == 0 {
		o.Alpha = s.alpha
	}
	switch err := o.Validate(); {
	case err != nil:
		return fmt.Errorf("rescale site %s: %w", site, err)
	case !b.computed():
		return fmt.Errorf("rescale site %s: %w", site, ErrNoScale)
	case o.Alpha == b.opts.Alpha:
		return nil
	}
	b.opts.Alpha = o.Alpha
	b.unsettle()
	s.redraw(b)
	return nil
}

func (s *Survey) boundary(site string) (*boundary, error) {
	i, ok := s.names[site]
	if !ok {
		return nil, fmt.Errorf("no site is named %q", site)
	}
	return s.sites[i], nil
}

// judgeExcluded applies the present rules to the places of a site that a rule matches, and draws
// the boundary anew.
func (s *Survey) judgeExcluded(b *boundary, r page.Rule) {
	changed := false
	for p := range b.places {
		u := b.web.text(b.places[p].id)
		if is := b.excluded(u); r.Match(u) && is != b.places[p].is(isExcluded) {
			changed = true
			if is {
				b.expelPlace(uint32(p))
			} else {
				b.readmitPlace(uint32(p))
			}
		}
	}
	if !changed {
		return
	}
	b.around.stale = true
	b.queue = slices.DeleteFunc(b.queue, func(w wish) bool {
		return b.excluded(b.web.text(b.places[w.place].id))
	})
	b.unsettle()
	b.dirty = true
	if b.process != nil {
		b.process.search = nil // it begins anew
	}
	s.redraw(b)
}

// expelPlace makes a place as if the rule had always been there: never asked for, no page of the
// graph that counts.
func (b *boundary) expelPlace(p uint32) {
	pl := &b.places[p]
	if pl.is(isVertex) {
		b.known--
	}
	if pl.is(isAsked) {
		b.asked--
		if b.process != nil && pl.why == WhySuperset {
			b.process.members--
		}
		if pl.is(isAnswered) {
			b.joined--
			b.vain -= b2i(b.web.files.has(pl.id))
		} else {
			b.open--
		}
	}
	b.files.count(p, -1)
	pl.flags &^= inPrefix | isAsked | isAnswered | isInside | isStray | inCluster | isQueued |
		partsAsked | isOwned
	pl.flags |= isExcluded
	b.recount(p)
}

// readmitPlace takes a place up as if it were met now.
func (b *boundary) readmitPlace(p uint32) {
	pl := &b.places[p]
	pl.flags &^= isExcluded
	b.files.count(p, 1)
	if pl.is(isRequisite | isSitemap) {
		why := WhyRequisite
		if pl.is(isSitemap) {
			why = WhySitemap
		}
		b.want(p, why, 0)
	}
	if !b.places[p].is(isVertex) {
		return
	}
	b.known++
	if len(b.pins) > 0 {
		b.applyPins(p)
	}
	if b.places[p].is(isSeed) {
		b.recount(p)
		b.ask(p, WhySeed, 0)
	}
	b.judge(p)
}
