package sitemap

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"watershed/page"
)

// Explanation says whether a page is of the site, and why.
type Explanation struct {
	URL    page.URL  `json:"url"`
	Inside bool      `json:"inside"`
	Alpha  float64   `json:"alpha,omitempty"` // the scale at which this holds; 0 where the boundary is a simple predicate
	Why    Why       `json:"why"`             // of a member or requisite
	State  string    `json:"state,omitempty"` // of a member or requisite
	Reason string    `json:"reason,omitempty"`
	Note   string    `json:"note,omitempty"`  // the rule, the redirect's target, why it was skipped
	From   page.URL  `json:"from,omitempty"`  // a page of the site that links to it or needs it
	Links  int       `json:"links,omitempty"` // of an outsider: pages of the site that link to it
	Block  *Block    `json:"block,omitempty"` // nil without
	Cut    []CutEdge `json:"cut,omitempty"`   // edges of the cut at the page

	// Since is the α below which the page is inside, Always that it is at every scale. Since is 0 for a page that is inside
	// at no scale that is known. Fetches is what a harvest at a scale with the page may ask for at most (Map.Fetches).
	Since   float64 `json:"since,omitempty"`
	Always  bool    `json:"always,omitempty"`
	Fetches int64   `json:"fetches,omitempty"`

	// What follows only Survey.Explain tells.

	Path     []Step  `json:"path,omitempty"` // of the flow, from a seed to the page, or from a page that is fed softly
	Excess   int64   `json:"excess"`         // flow that reaches the page and goes no further, with what it pays
	Cluster  Cluster `json:"cluster,omitempty"`
	LinkedBy *Linked `json:"linkedBy,omitempty"`

	block int
}

// Step is a page on the path of flow, and the link by which the flow came to it. Capacities are in millionths.
type Step struct {
	URL      page.URL `json:"url"`
	Capacity int64    `json:"capacity,omitempty"` // of the link
	Flow     int64    `json:"flow,omitempty"`     // that it carries; 0 where no flow needs it
	Against  bool     `json:"against,omitempty"`  // the link leads the other way
}

// Cluster is what the Markov clusters say of a page.
type Cluster string

// The site's cluster is that of the seeds' prefix, with all clusters of which the prefix is half. Pages that were not
// fetched are in none.
const (
	ClusterUnasked Cluster = ""    // the page was not fetched, or nothing was clustered
	ClusterIn      Cluster = "in"  // in the site's cluster
	ClusterOut     Cluster = "out" // in another one
)

// Linked tells who links to a page, of all pages that the site has fetched.
type Linked struct {
	Inside  int        `json:"inside"`  // pages of the site
	Outside int        `json:"outside"` // other pages
	First   []page.URL `json:"first"`   // ten of them at most, those inside first, then by URL
}

// Explain says why a URL is in or out, by the map alone. It costs O(log pages + cut).
func (m *Map) Explain(u page.URL) Explanation {
	e := Explanation{URL: u, Alpha: m.Alpha(), Reason: unheardOf, block: -1}
	if i, ok := find(m.Members, u, func(x *Member) page.URL { return x.URL }); ok {
		x := &m.Members[i]
		e.Inside, e.Why, e.State, e.Note, e.Reason, e.block = true, x.Why, x.State, x.Note, "", x.Block
		e.since(m, x.Scale)
	} else if i, ok := find(m.Requisites, u, func(x *Requisite) page.URL { return x.URL }); ok {
		x := &m.Requisites[i]
		e.Inside, e.Why, e.State, e.Note, e.Reason, e.From = true, WhyRequisite, x.State, x.Note, "", x.For
		e.since(m, x.Scale)
	} else if i, ok := find(m.Outside, u, func(x *Outsider) page.URL { return x.URL }); ok {
		x := &m.Outside[i]
		e.Reason, e.Note, e.Links, e.From, e.block = x.Reason, x.Note, x.Links, x.From, x.Block
	}
	if i, ok := find(m.Wider, u, func(x *Member) page.URL { return x.URL }); ok && !e.Inside {
		x := &m.Wider[i]
		e.since(m, x.Scale)
		e.State, e.block = x.State, x.Block
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

// unheardOf is the reason of a page that the map does not have.
const unheardOf = "unknown"

// Known reports a page that the site's map has: inside, outside, or inside at a wider scale.
func (e *Explanation) Known() bool { return e.Reason != unheardOf || e.Since > 0 }

// find looks a URL up in a sorted list, whose elements it does not copy.
func find[T any](list []T, u page.URL, url func(*T) page.URL) (int, bool) {
	return sort.Find(len(list), func(i int) int { return cmp.Compare(u, url(&list[i])) })
}

// since takes over at which scale the page comes in.
func (e *Explanation) since(m *Map, scale int) {
	if scale >= len(m.Scales) {
		return
	}
	e.Since, e.Always = m.Scales[scale].Most, scale == 0
	e.Fetches = m.Scales[scale].Fetches
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
	case !e.Known():
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

// Details tells the rest, a sentence each: scales, cut, path, clusters, links.
func (e Explanation) Details() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case e.Always:
		add("scale: inside at every one")
	case e.Since > 0 && (e.Inside || e.Fetches == 0):
		add("scale: inside for alpha below %s; it is %s", short(e.Since), short(e.Alpha))
	case e.Since > 0:
		add("scale: inside for alpha below %s; it is %s. A harvest at that scale fetches %d pages more at most", short(e.Since), short(e.Alpha), e.Fetches)
	case e.Alpha > 0:
		add("scale: inside at none that is known")
	}
	if b := e.Block; b != nil && b.Links > 0 && b.With >= 0 {
		add("block: a link to or from the site carries %.4f; %.0f%% of its pages are named like those of the site that link to them", b.Links, 100*b.Kin)
	}
	for _, c := range e.Cut {
		add("cut edge of capacity %.4f: %s -> %s", float64(c.Capacity)/1e6, orBlock(c.From), orBlock(c.To))
	}
	list = append(list, e.pathDetails()...)
	switch {
	case e.Cluster == ClusterIn && e.Inside, e.Cluster == ClusterOut && !e.Inside:
		add("clusters: MCL agrees, it is %s the site's cluster", map[bool]string{true: "in", false: "outside"}[e.Inside])
	case e.Cluster != ClusterUnasked:
		add("clusters: MCL disagrees, it is %s the site's cluster", map[bool]string{true: "outside", false: "in"}[e.Inside])
	}
	if l := e.LinkedBy; l != nil {
		add("linked by %d pages of the site and %d others that were fetched", l.Inside, l.Outside)
		for _, u := range l.First {
			add("  %s", u)
		}
	}
	return list
}

func orBlock(u page.URL) string {
	if u == "" {
		return "(its block)"
	}
	return string(u)
}

// pathDetails tells the path of flow.
func (e Explanation) pathDetails() (list []string) {
	for i, x := range e.Path {
		switch {
		case i == 0 && len(e.Path) == 1:
			list = append(list, "flow: the source feeds it")
		case i == 0:
			list = append(list, fmt.Sprintf("flow: from %s", x.URL))
		default:
			carries := fmt.Sprintf("carries %.4f of %.4f", float64(x.Flow)/1e6, float64(x.Capacity)/1e6)
			if x.Flow == 0 {
				carries = fmt.Sprintf("could carry %.4f", float64(x.Capacity)/1e6)
			}
			arrow := "->"
			if x.Against {
				arrow = "<-"
			}
			list = append(list, fmt.Sprintf("  %s %s %s", arrow, x.URL, carries))
		}
	}
	return list
}
