package sitemap

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/page"
)

// Explanation says whether a page is of the site, and why.
type Explanation struct {
	URL    page.URL
	Inside bool
	Why    Why       // of a member or requisite
	State  string    // of a member or requisite
	Reason string    // of an outsider: outOfBoundary, rule or failed; "unknown" for what no page of the site links to
	Note   string    // the rule, the redirect's target, why it was skipped
	From   page.URL  // a page of the site that links to it or needs it
	Links  int       // of an outsider: pages of the site that link to it
	Block  *Block    // nil without
	Cut    []CutEdge // edges of the cut at the page
	block  int
}

// Explain says why a URL is in or out. It costs O(log pages + cut).
func (m *Map) Explain(u page.URL) Explanation {
	e := Explanation{URL: u, Reason: "unknown", block: -1}
	if i, ok := slices.BinarySearchFunc(m.Members, u, func(x Member, u page.URL) int { return cmp.Compare(x.URL, u) }); ok {
		x := &m.Members[i]
		e.Inside, e.Why, e.State, e.Note, e.Reason, e.block = true, x.Why, x.State, x.Note, "", x.Block
	} else if i, ok := slices.BinarySearchFunc(m.Requisites, u, func(x Requisite, u page.URL) int { return cmp.Compare(x.URL, u) }); ok {
		x := &m.Requisites[i]
		e.Inside, e.Why, e.State, e.Note, e.Reason, e.From = true, WhyRequisite, x.State, x.Note, "", x.For
	} else if i, ok := slices.BinarySearchFunc(m.Outside, u, func(x Outsider, u page.URL) int { return cmp.Compare(x.URL, u) }); ok {
		x := &m.Outside[i]
		e.Reason, e.Note, e.Links, e.From, e.block = x.Reason, x.Note, x.Links, x.From, x.Block
	}
	if e.block >= 0 && e.block < len(m.Blocks) {
		e.Block = &m.Blocks[e.block]
	}
	for _, c := range m.Cut {
		if (c.From == u || c.To == u) && !slices.Contains(e.Cut, c) { // what two blocks carry may be cut on either side
			e.Cut = append(e.Cut, c)
		}
	}
	return e
}

// String tells it in one sentence or two.
func (e Explanation) String() string {
	text := string(e.URL) + " is outside: "
	if e.Inside {
		text = string(e.URL) + " is inside: "
	}
	switch {
	case e.Inside && e.Why == WhyFlow:
		text += "the cut runs beyond it"
	case e.Inside:
		text += e.Why.String()
	case e.Reason == "unknown":
		return text + "no page of the site links to it"
	default:
		text += e.Reason
	}
	if e.Note != "" {
		text += " (" + e.Note + ")"
	}
	if e.Links > 0 {
		text += fmt.Sprintf("; %d pages of the site link to it, first %s", e.Links, e.From)
	} else if e.From != "" {
		text += "; for " + string(e.From)
	}
	if e.Block == nil {
		return text
	}
	text += fmt.Sprintf(". Block %s: %s", e.Block.Name, e.Block.Why)
	if e.Block.With >= 0 {
		text += fmt.Sprintf(", mutual share %.3f, links of weight %.1f from the site and %.1f to it", e.Block.Share, e.Block.From, e.Block.To)
	}
	return text
}
