package sitemap

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// pin is a decision of the archivist on a place while the survey goes on.
type pin uint8

const (
	unpinned pin = iota
	pinnedIn
	pinnedOut
	pinnedAlone // inside, and nothing is fed: its neighbours are judged as if it were not pinned
	pinnedSoft  // fed as pages of the prefix are, and free to be outside
)

// inside reports whether a place so pinned belongs whatever the cut says.
func (x pin) inside() bool { return x == pinnedIn || x == pinnedAlone }

// pinInside is the pin of the pages that a rule has inside: an address that it names in full is
// meant alone.
func pinInside(r page.Rule) pin {
	if r.Kind == page.RuleURL {
		return pinnedAlone
	}
	return pinnedIn
}

// pinRule pins the pages that a rule matches.
type pinRule struct {
	rule page.Rule
	pin  pin
}

// Pin puts the pages that a rule matches inside or outside of a site, those known and those that
// will be, and draws its boundary anew from what is known. It may be called at any time, on a
// settled or stopped site too. A page pinned inside is wanted; its directory does not become part
// of the prefix. Pages that a rule matches are fed without bound, so that what they are tied to
// comes in with them; a page that a rule names by its whole address comes in alone. A page pinned
// outside belongs to the site in no way and is not wanted, not even as a seed; other than with
// Site.Exclude its links remain evidence. Of several pins that match a page the last one holds; to
// pin a rule again replaces its former pin. Only Exclude wins over pins. Where another Preset draws
// the boundary, pins add and take away single pages.
//
// Pins are events as visits are: a replay repeats them in their place. The error is for a site that
// the survey does not have.
//
// Since no page is learned, the boundary is drawn from the flow as it runs: that costs a few passes
// over the site's pages and links, and the same over its URLs where the rule is not the address of
// one page.
func (s *Survey) Pin(site string, r page.Rule, inside bool) error {
	as := pinnedOut
	if inside {
		as = pinInside(r)
	}
	return s.repin(site, r, as)
}

// PinSoftly makes the pages that a rule matches soft sources of a site: each is fed what a page of
// the prefix is fed, Options.Soft or 0.2 where that is 0, and pays as before, so that it belongs
// unless the links around it speak against that. In all else it is as Pin says. Where no flow draws
// the boundary it changes nothing.
func (s *Survey) PinSoftly(site string, r page.Rule) error { return s.repin(site, r, pinnedSoft) }

// Unpin takes back the pin that Pin or PinSoftly gave a rule, and draws the boundary anew. A rule
// that was not pinned changes nothing.
func (s *Survey) Unpin(site string, r page.Rule) error { return s.repin(site, r, unpinned) }

func (s *Survey) repin(site string, r page.Rule, as pin) error {
	b, err := s.boundary(site)
	if err != nil {
		return fmt.Errorf("pin %s: %w", r, err)
	}
	before := len(b.pins)
	b.pins = slices.DeleteFunc(b.pins, func(x pinRule) bool { return x.rule.Equal(r) })
	if as != unpinned {
		b.pins = append(b.pins, pinRule{r, as})
	} else if len(b.pins) == before {
		return nil
	}
	for _, p := range b.matches(r, as) {
		b.applyPins(p)
	}
	s.redraw(b)
	return nil
}

// redraw draws a boundary anew after a decision of the archivist.
func (s *Survey) redraw(b *boundary) {
	before := b.epochs
	b.around.stale = true
	b.advance() // what is asked for may have been visited
	if b.computed() && b.epochs == before {
		b.epoch()
		b.advance()
	}
	s.forget(b)
}

// matches lists the places that a rule matches. The address of one page is made known to be pinned
// inside.
func (b *boundary) matches(r page.Rule, as pin) (list []uint32) {
	if u, err := page.ParseURL(r.Value); r.Kind == page.RuleURL && err == nil && r.Match(u) {
		id := b.web.find(u)
		known := as == pinnedAlone || as == pinnedSoft
		if id == graph.None && known {
			id = b.web.intern(u, graph.None, 0)
		}
		if id == graph.None {
			return nil
		}
		if known {
			return []uint32{b.know(id)}
		}
		if p := b.find(id); p != none {
			list = append(list, p)
		}
		return list
	}
	for p := range b.places {
		if r.Match(b.web.text(b.places[p].id)) {
			list = append(list, uint32(p))
		}
	}
	return list
}

// applyPins gives a place the pin of the last rule that matches it, and asks for it if it is wanted
// by that.
func (b *boundary) applyPins(p uint32) {
	pl := &b.places[p]
	was := pl.pin
	pl.pin = b.pinOf(b.web.text(pl.id)).pin
	if !b.counts(p) {
		return
	}
	if b.folds.folding() && pl.is(isAnswered) && pl.pin != was {
		b.unsettle() // a pinned page is no copy
	}
	b.recount(p)
	switch {
	case pl.pin.inside():
		b.ask(p, WhyRule, 0)
	case pl.is(isSeed):
		b.ask(p, WhySeed, 0)
	case pl.is(inPrefix):
		b.ask(p, WhyPrefix, 0)
	}
}

// softPin is the capacity that the source feeds into a page that is pinned softly.
func (o *Options) softPin() int64 { return graph.Fixed(cmp.Or(o.Soft, defaultSoft)) }
