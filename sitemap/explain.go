package sitemap

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"watershed/page"
)

// Explanation says whether a page is of the site, and why.
type Explanation struct {
	URL    page.URL `json:"url"`
	Inside bool     `json:"inside"`
	// the scale at which this holds; 0 where the boundary is a simple predicate
	Alpha  float64  `json:"alpha,omitempty"`
	Why    Why      `json:"why"`             // of a member or requisite
	State  string   `json:"state,omitempty"` // of a member or requisite
	Reason string   `json:"reason,omitempty"`
	Note   string   `json:"note,omitempty"` // the rule, the redirect's target, why it was skipped
	From   page.URL `json:"from,omitempty"` // links or redirects to it, or needs it
	// Below is a seed below whose directory, or on whose host or domain, the page lies, so that it
	// would be of the site if it had been found, or could have been had; "" for a page of which
	// that is not so.
	Below  page.URL   `json:"below,omitempty"`
	Links  int        `json:"links,omitempty"`   // of an outsider: pages of the site that link to it
	Around *Neighbour `json:"context,omitempty"` // of a page that is captured as context; nil for others
	Block  *Block     `json:"block,omitempty"`   // nil without
	Cut    []CutEdge  `json:"cut,omitempty"`     // edges of the cut at the page
	// Left is the place below a seed's directory in which the page lies and that is outside, else
	// nil.
	Left *LeftBelow `json:"leftBelow,omitempty"`

	// Place is the place in which the page lies, with its pages that are outside, as the page is, or that
	// are inside; nil for a place of one page, and of a page inside for one that holds a seed.
	Place *LeftBelow `json:"place,omitempty"`

	// Since is the α below which the page is inside, Always that it is at every scale. Since is 0
	// for a page that is inside at no scale that is known.
	Since  float64 `json:"since,omitempty"`
	Always bool    `json:"always,omitempty"`

	// Only Survey.Explain fills the fields below.

	// of the flow, from a seed to the page, or from a page that is fed softly
	Path []Step `json:"path,omitempty"`
	// flow that reaches the page and goes no further, with what it pays
	Excess   int64   `json:"excess"`
	Cluster  Cluster `json:"cluster,omitempty"`
	LinkedBy *Linked `json:"linkedBy,omitempty"`

	block    int
	boundary string // Map.Boundary

	counterpart *Counterpart // in which a page inside lies, else nil
	sister      bool         // it lies below no seed's directory, and in the prefix by the name of its host
}

// Step is a page on the path of flow, and the link by which the flow came to it. Capacities are in
// millionths.
type Step struct {
	URL      page.URL `json:"url"`
	Capacity int64    `json:"capacity,omitempty"` // of the link
	Flow     int64    `json:"flow,omitempty"`     // that it carries; 0 where no flow needs it
	Against  bool     `json:"against,omitempty"`  // the link leads the other way
}

// Cluster is the opinion of the Markov clusters on a page.
type Cluster string

// The site's cluster is that of the seeds' prefix, with all clusters of which the prefix is half.
// Pages that were not fetched are in none.
const (
	ClusterUnasked Cluster = ""    // the page was not fetched, or nothing was clustered
	ClusterIn      Cluster = "in"  // in the site's cluster
	ClusterOut     Cluster = "out" // in another one
)

// Linked tells who links to a page, of all pages that the site has fetched.
type Linked struct {
	Inside  int `json:"inside"`  // pages of the site
	Outside int `json:"outside"` // other pages
	// redirects that lead to it; a link to one of them is a link to the page
	Redirects int `json:"redirects,omitempty"`
	// ten of them at most, those inside first, then those outside, then redirects, each by URL
	First []page.URL `json:"first"`
}

// Any reports a page to which a page or a redirect leads that the site has fetched.
func (l *Linked) Any() bool { return l != nil && len(l.First) > 0 }

// Explain says why a URL is in or out, by the map alone. It costs O(log pages + cut), and
// for a page outside O(blocks).
func (m *Map) Explain(u page.URL) Explanation {
	e := Explanation{URL: u, Alpha: m.Alpha(), Reason: unheardOf, block: -1, boundary: m.Boundary}
	if i, ok := m.Members.Find(u); ok {
		x := m.Members.At(i)
		e.Inside, e.Why, e.State, e.Note, e.Reason, e.block = true, x.Why, x.State, x.Note, "", x.Block
		e.since(m, x.Scale)
	} else if x := requisiteOf(m, u); x != nil {
		e.Inside, e.Why, e.State, e.Note, e.Reason, e.From = true, WhyRequisite, x.State, x.Note, "", x.For
		e.since(m, x.Scale)
	} else if x := outsiderOf(m, u); x != nil {
		e.Reason, e.Note, e.Links, e.From, e.block = x.Reason, x.Note, x.Links, x.From, x.Block
	}
	if i, ok := m.Wider.Find(u); ok && !e.Inside {
		x := m.Wider.At(i)
		e.since(m, x.Scale)
		e.State, e.block = x.State, x.Block
	}
	if x, ok := m.Surrounds(u); ok {
		e.Around = x
		if e.Reason == unheardOf {
			e.Reason = outOfBoundary
		}
	}
	if !e.Inside && (e.Reason == unheardOf || e.Reason == notHad) {
		if e.Below = m.seedOf(u); e.block < 0 {
			e.block = blockAround(m, u, e.Below)
		}
	}
	if e.block >= 0 && e.block < len(m.Blocks) {
		e.Block = &m.Blocks[e.block]
		if x, ok := m.leftBelow(e.Block); ok && !e.Inside {
			e.Left, e.Below = &x, ""
		}
		if e.block != int(prefixBlock) && !e.Inside {
			e.Place = m.place(e.Block)
		}
	}
	if e.Inside {
		e.Place = placeInside(m, &e)
		e.counterpart = counterpartOf(m, u)
		e.sister = e.Why == WhyPrefix && isSister(m, u)
	}
	for _, c := range m.Cut {
		// the links between two blocks may be cut on either side
		if (c.From == u || c.To == u) && !slices.Contains(e.Cut, c) {
			e.Cut = append(e.Cut, c)
		}
	}
	return e
}

// isSister reports a page of the prefix on a host with no seed, which has come in by its name.
func isSister(m *Map, u page.URL) bool {
	return slices.Contains(m.Prefix, schemeless(u.Root())) &&
		!slices.ContainsFunc(m.Seeds, func(s page.URL) bool { return s.Host() == u.Host() })
}

// seedOf gives a seed below whose directory a URL lies, or on whose host or domain, as the boundary
// has it; "" for none.
func (m *Map) seedOf(u page.URL) page.URL {
	for _, s := range m.Seeds {
		under := false
		switch m.Boundary {
		case Logical.String(), Prefix.String():
			dir := directoryOf(m, s)
			under = dir != "" && strings.HasPrefix(schemeless(u), dir)
		case HostOnly.String():
			under = u.Host() == s.Host()
		case Domain.String():
			under = u.Host().Registrable() == s.Host().Registrable()
		}
		if under {
			return s
		}
	}
	return ""
}

// directoryOf is the directory that stands for a seed, host and path; "" where none does.
func directoryOf(m *Map, seed page.URL) string {
	own := schemeless(page.URL(seed.Directory()))
	if m.Prefix == nil {
		return own
	}
	for _, d := range append(directoriesOf(seed), page.URL(seed.Directory())) {
		if slices.Contains(m.Prefix, schemeless(d)) {
			return schemeless(d)
		}
	}
	return ""
}

// Reasons for which a page is outside, as maps have them.
const (
	outOfBoundary = "outOfBoundary"
	byRule        = "rule"
	byNoFollow    = "noFollow"
	notHad        = "failed"
	unheardOf     = "unknown" // the map does not have it
)

const notToBeFollowed = "only links that ask not to be followed lead to it"

// Known reports a page that the site's map has: inside, outside, or inside at a wider scale.
func (e *Explanation) Known() bool { return e.Reason != unheardOf || e.Since > 0 }

// Has reports a page or a requisite of the site. It costs O(log pages).
func (m *Map) Has(u page.URL) bool {
	return m.Members.Has(u) || requisiteOf(m, u) != nil
}

// requisiteOf and outsiderOf find a URL in the lists of a map, nil where it is not there.
func requisiteOf(m *Map, u page.URL) *Requisite {
	return find(m.Requisites, u, func(x *Requisite) page.URL { return x.URL })
}

func outsiderOf(m *Map, u page.URL) *Outsider {
	return find(m.Outside, u, func(x *Outsider) page.URL { return x.URL })
}

// find looks a URL up in a sorted list, whose elements it does not copy.
func find[T any](list []T, u page.URL, url func(*T) page.URL) *T {
	i, ok := sort.Find(len(list), func(i int) int { return cmp.Compare(u, url(&list[i])) })
	if !ok {
		return nil
	}
	return &list[i]
}

// since takes over at which scale the page comes in.
func (e *Explanation) since(m *Map, scale int) {
	if scale < len(m.Scales) {
		e.Since, e.Always = m.Scales[scale].Most, scale == 0
	}
}

// String tells it in a few sentences.
func (e Explanation) String() string {
	var b strings.Builder
	switch {
	case e.Inside:
		b.WriteString(string(e.URL) + " is inside: ")
	case e.Below != "":
		fmt.Fprintf(&b, "%s lies below the seed %s, so that it is of the site where there is such a page: ",
			e.URL, e.Below)
	default:
		b.WriteString(string(e.URL) + " is outside: ")
	}
	b.WriteString(e.ground())
	if e.Note != "" {
		b.WriteString(" (" + e.Note + ")")
	}
	switch {
	case e.Links == 1:
		b.WriteString("; one page of the site links to it, " + string(e.From))
	case e.Links > 1:
		fmt.Fprintf(&b, "; %d pages of the site link to it, first %s", e.Links, e.From)
	case e.From != "" && !e.Inside:
		b.WriteString("; the redirect " + string(e.From) + " leads to it")
	case e.From != "":
		b.WriteString("; for " + string(e.From))
	}
	if e.Block != nil {
		fmt.Fprintf(&b, ". Block %s: %s", e.Block.Name, e.Block.Why)
		if e.Block.With >= 0 {
			fmt.Fprintf(&b, ", mutual share %.3f, links of weight %.1f from the site and %.1f to it",
				e.Block.Share, e.Block.From, e.Block.To)
		}
	}
	if e.Around != nil {
		b.WriteString(". " + e.Around.String())
	}
	return b.String()
}

// ground tells why the page is inside or outside, as a sentence without its subject.
func (e *Explanation) ground() string {
	switch {
	case e.Inside && e.Why == WhyPrefix && e.counterpart != nil:
		return e.counterpart.String()
	case e.sister:
		return "its host is named like that of an entry page, but for a year or the top-level domain"
	case e.Inside && e.Why == WhyPrefix:
		return prefixSays[e.boundary]
	case e.Inside:
		return whySays[e.Why]
	case !e.Known():
		return "no page of the site links to it"
	}
	switch e.Reason {
	case byRule:
		return "a rule keeps it out"
	case unheardOf: // of a page of a wider scale
		return Says(outOfBoundary)
	}
	return Says(e.Reason)
}

// whySays has the reasons for which a page is inside, as clauses.
var whySays = [whys]string{
	WhyNothing: "nothing is known of why", WhySeed: "it is an entry page, or what one leads to",
	WhyRule: "a rule takes it in", WhyFlow: "enough links join it to the site",
	WhyProbe: "a sample of its block", WhyRequisite: "a page of the site shows it, or names it for previews",
	WhyRedirect: "it is a redirect of the site",
	WhySitemap:  "a sitemap of the site", WhySuperset: "the site is looked for around it",
	WhyCopy: "a page of the site is the same", WhyListed: "a list names it",
	WhyContext: "context of the site", WhyDocument: "a document to which the site alone leads",
}

// Says is a word of a map, why a page is inside or the reason for which it is outside, as a clause
// for people; another text stays as it is.
func Says(word string) string {
	var w Why
	switch {
	case word == byRule:
		return "a rule" // that takes it in or keeps it out
	case word == byNoFollow:
		return notToBeFollowed
	case word == notHad:
		return "it could not be had"
	case word == outOfBoundary:
		return "the boundary leaves it out"
	case w.UnmarshalText([]byte(word)) != nil || w == WhyNothing:
		return word
	case w == WhyPrefix:
		return "it lies where the entry pages lie"
	}
	return whySays[w]
}

// prefixSays tells where a page lies that the predicate of a boundary has, by the boundary.
var prefixSays = map[string]string{
	"":                "the predicate of the boundary has it",
	Logical.String():  "it lies below an entry page's directory",
	Prefix.String():   "it lies below an entry page's directory",
	HostOnly.String(): "it lies on the host of an entry page",
	Domain.String():   "it lies in the domain of an entry page",
	List.String():     "it is one of the pages that are listed",
}

// Details tells the rest, a sentence each: scales, cut, path, clusters, links.
func (e Explanation) Details() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case e.Always:
		add("scale: inside at every one")
	case e.Since > 0:
		add("scale: inside for alpha below %s; it is %s", short(e.Since), short(e.Alpha))
	case e.Alpha > 0:
		add("scale: inside at none that is known")
	}
	if b := e.Block; b != nil && b.Links > 0 && b.With >= 0 {
		add("block: a link to or from the site carries %.4f; %.0f%% of its pages are named like those of "+
			"the site that link to them", b.Links, 100*b.Kin)
	}
	for _, c := range e.Cut {
		add("cut edge of capacity %.4f: %s -> %s", float64(c.Capacity)/1e6,
			cmp.Or(c.From, "(its block)"), cmp.Or(c.To, "(its block)"))
	}
	list = append(list, e.pathDetails()...)
	if e.Cluster != ClusterUnasked {
		text := "clusters: MCL agrees, it is %s the site's cluster"
		if (e.Cluster == ClusterIn) != e.Inside {
			text = "clusters: MCL disagrees, it is %s the site's cluster"
		}
		add(text, map[Cluster]string{ClusterIn: "in", ClusterOut: "outside"}[e.Cluster])
	}
	if l := e.LinkedBy; l != nil && (e.Why != WhyRequisite || l.Inside+l.Outside > 0) {
		text := fmt.Sprintf("linked by %s of the site and %s that were fetched",
			counted(l.Inside, "page", "pages"), counted(l.Outside, "other", "others"))
		if l.Redirects > 0 {
			text += ", and " + counted(l.Redirects, "redirect leads", "redirects lead") + " to it"
		}
		list = append(list, text)
		for _, u := range l.First {
			add("  %s", u)
		}
	}
	return list
}

// counted is a number of things.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
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
