package prove

import (
	"watershed/page"
	"watershed/replica/sketch"
)

// state of a page, or of where its redirects lead.
type state uint8

const (
	unknown  state = iota
	fine           // a page was had
	gone           // the server says that there is none
	down           // out of reach at the moment
	nameless       // its host name has no address
	barred         // it may not be fetched, or was not
)

// seen is what is kept of a page.
type seen struct {
	state   state
	wanted  bool
	digest  page.Digest    // as sent
	content uint64         // without content coding, 0 for unknown
	sketch  *sketch.Sketch // nil without text
	to      page.URL       // of a redirect
	cases   []*trial       // that wait for it
}

// look takes over what a visit says.
func (s *seen) look(v *page.Visit) {
	s.state, s.to, s.sketch, s.digest, s.content = stateOf(v), "", nil, page.Digest{}, 0
	if v.Status >= 300 && v.Status < 400 && v.Status != 304 {
		s.state = gone
		for i := range v.Links {
			if v.Links[i].Kind == page.Redirect {
				s.state, s.to = fine, v.Links[i].URL
				break
			}
		}
		return
	}
	if s.state != fine {
		return
	}
	var text []byte
	if s.digest, text = v.Shown(); !s.digest.IsZero() {
		s.content = v.Content
	}
	if len(text) > 0 {
		x := new(sketch.Sketch)
		if x.Decode(text) == nil { // else it is of another version: nothing is known of the text
			s.sketch = x
		}
	}
}

// stateOf tells what a visit says of its page, redirects apart.
func stateOf(v *page.Visit) state {
	switch {
	case v.SoftError: // as soft404.Guard tells beside the crawl
		return gone
	case v.OK(), v.Status == 304:
		return fine
	case v.Status == page.StatusDNS:
		return nameless
	case v.Status == page.StatusRobots, v.Status == page.StatusPrivate, v.Status == page.StatusOutOfScope,
		v.Status == page.StatusBlocked:
		return barred
	case v.Status < 0, v.Status == 408, v.Status == 425, v.Status == 429, v.Status >= 500:
		return down
	}
	return gone
}

// end is where the redirects of an address lead.
type end struct {
	*seen
	url page.URL
}

// follow gives the end of a page's redirects; ok is false, and need the address, where a page on
// the way is not known yet.
func (p *evidence) follow(u page.URL) (e end, need page.URL, ok bool) {
	for range p.opts.Hops + 1 {
		s := p.page(u)
		if s.state == unknown {
			return end{}, u, false
		}
		if s.to == "" {
			return end{s, u}, "", true
		}
		u = s.to
	}
	return end{&seen{state: gone}, u}, "", true // too long, or a loop
}

// compare gives the outcome of two pages that were had, and their resemblance.
func (p *evidence) compare(a, b end) (Outcome, float64) {
	switch {
	case a.url == b.url, !a.digest.IsZero() && a.digest == b.digest, a.content != 0 && a.content == b.content:
		return FM, 1
	case a.sketch == nil && b.sketch == nil:
		return NT, 0 // pictures, or pages that a script fills: equal or not, nobody knows
	case a.sketch == nil || b.sketch == nil:
		return NS, 0
	case a.sketch.Lexical != 0 && a.sketch.Lexical == b.sketch.Lexical:
		return FS, 1
	}
	r, err := sketch.Resemblance(a.sketch, b.sketch)
	switch {
	case err != nil:
		return NT, 0 // sketched in different ways
	case r.Value >= p.opts.Full:
		return FS, r.Value
	case r.Value >= p.opts.Similar:
		return HS, r.Value
	case r.Value > p.opts.Trace:
		return TS, r.Value
	}
	return NS, r.Value
}
