package sitemap

import (
	"fmt"
	"math"
	"slices"

	"watershed/flow"
	"watershed/page"
)

// Scale is one boundary of the nested family that a site has when α, the worth that a page must
// have, varies and everything else stays as it was when the map was drawn. Each scale contains
// those before it.
type Scale struct {
	Least float64 `json:"least"` // the boundary is this one for α from Least
	Most  float64 `json:"most"`  // to just below Most; at the first scale Most too
	Pages int     `json:"pages"` // that belong
	Known int     `json:"known"` // of these, not fetched

	// Cut is the capacity of the links that lead out, and of the soft sources of pages left out, in
	// millionths.
	Cut int64 `json:"cut"`

	// Fetches is Map.Fetches at Least.
	Fetches int64 `json:"fetches,omitempty"`

	Blocks []int `json:"blocks,omitempty"` // that begin to have pages inside: indices in Map.Blocks
}

// Persistence is the length of the scale on a logarithmic axis of α.
func (s Scale) Persistence() float64 { return math.Log(s.Most / s.Least) }

// leastAlpha and mostAlpha bound the scales of a map, and widen where Options.Alpha lies beyond. At
// mostAlpha a page outside the prefix must be worth three links.
const (
	leastAlpha = 1e-4
	mostAlpha  = 1.0
)

// Alpha of the boundary that the map draws; 0 where the boundary is a simple predicate.
func (m *Map) Alpha() float64 {
	if m.Certificate == nil {
		return 0
	}
	return m.Certificate.Alpha
}

// ScaleAt gives the index in Scales of the boundary at α. The error is for an α out of their range,
// or a map without scales.
func (m *Map) ScaleAt(alpha float64) (int, error) {
	const rounding = 1e-12 // of an α that was made from a toll
	n := len(m.Scales)
	switch {
	case n == 0:
		return 0, fmt.Errorf("site %s: a boundary by %s has no scales", m.Site, m.Boundary)
	case !(alpha*(1+rounding) >= m.Scales[n-1].Least && alpha <= m.Scales[0].Most*(1+rounding)):
		return 0, fmt.Errorf("site %s: α = %g: its scales are known from %g to %g", m.Site, alpha,
			m.Scales[n-1].Least, m.Scales[0].Most)
	case alpha == m.Alpha():
		return m.Scale, nil
	}
	i := slices.IndexFunc(m.Scales, func(s Scale) bool { return alpha*(1+rounding) >= s.Least })
	return i, nil
}

// Fetches is the most pages that a harvest at a smaller α can ask for beyond those of the map, as
// long as the capacities stay what they are: the capacity that leaves the present boundary over
// what a page must be worth, less the pages that the wider scale takes in and that are known
// already. Samples of blocks that may belong come on top, some Options.Probes a block. It is 0 for
// an α that is not smaller, or out of range.
func (m *Map) Fetches(alpha float64) int64 {
	k, err := m.ScaleAt(alpha)
	if err != nil || alpha >= m.Alpha() {
		return 0
	}
	own, at := &m.Scales[m.Scale], &m.Scales[k]
	taken := int64(at.Pages - at.Known - own.Pages + own.Known)
	toll := max(1, int64(math.Round(float64(m.Certificate.Toll)*alpha/m.Alpha())))
	return max(0, flow.MostFetches(own.Cut, toll)-taken)
}

// At gives the map at another scale from the known pages: no page is fetched for it, and m stays as
// it is. Members and requisites are exact. Outside loses pages that a wider scale takes in and
// gains those that a narrower one leaves out; the counts of links there, and of everything in
// Blocks but Inside, remain those of m. So does the context, but for what belongs at that scale.
// Cut is empty and Certificate bare, for m does not have the links: the one tells α and toll alone,
// and Scales the value of each cut. It costs O(pages of m).
func (m *Map) At(alpha float64) (*Map, error) {
	k, err := m.ScaleAt(alpha)
	if err != nil || k == m.Scale {
		return m, err
	}
	at := *m
	at.Scale, at.Converged, at.Cut = k, m.Converged && k < m.Scale, nil
	at.Certificate = &Certificate{
		Alpha: alpha,
		Toll:  int64(math.Round(float64(m.Certificate.Toll) * alpha / m.Alpha())),
	}
	at.Requisites, at.Needed, at.Outside = nil, nil, nil
	at.Blocks = slices.Clone(m.Blocks)
	for i := range at.Blocks {
		at.Blocks[i].Inside = 0
	}
	var members, wider []Member
	for _, list := range []Members{m.Members, m.Wider} {
		for _, x := range list.All() {
			if x.Scale > k {
				wider = append(wider, x)
				continue
			}
			members = append(members, x)
			if x.Block >= 0 && x.State != "redirect" {
				at.Blocks[x.Block].Inside++
			}
		}
	}
	at.Members, at.Wider = MembersOf(members...), MembersOf(wider...)
	for _, list := range [][]Requisite{m.Requisites, m.Needed} {
		for _, x := range list {
			if x.Scale > k || at.Members.Has(x.URL) {
				at.Needed = append(at.Needed, x)
			} else {
				at.Requisites = append(at.Requisites, x)
			}
		}
	}
	at.leave(m, k)
	at.sort()
	at.Context = slices.DeleteFunc(slices.Clone(m.Context), func(x Neighbour) bool {
		return at.Has(x.URL)
	})
	return &at, nil
}

// leave fills Outside and others of a map at another scale.
func (at *Map) leave(m *Map, k int) {
	for _, x := range m.Outside {
		if !at.Members.Has(x.URL) {
			at.Outside = append(at.Outside, x)
		}
	}
	var others []page.URL
	for r := m.others.from(0); r.next(); {
		if u := page.URL(r.text); !at.Members.Has(u) {
			others = append(others, u)
		}
	}
	for _, x := range m.Members.All() {
		if x.Scale > k {
			note := "inside for alpha below " + short(m.Scales[x.Scale].Most)
			at.Outside = append(at.Outside, Outsider{
				URL: x.URL, Reason: outOfBoundary, Note: note,
				Block: x.Block,
			})
			others = append(others, x.URL)
		}
	}
	at.others = packURLs(others)
}
