package sitemap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"watershed/graph"
	"watershed/page"
)

// Mode says how the boundary of a site is drawn.
type Mode uint8

const (
	Logical  Mode = iota // computed: the prefix of the seeds, and what the links prove to belong to it
	Prefix               // below a directory of a seed
	HostOnly             // on the host of a seed
	Domain               // under the registrable domain of a seed
	List                 // the seeds and nothing else
	modes
)

var modeNames = [modes]string{"logical", "prefix", "host", "domain", "list"}

func (m Mode) String() string {
	if m >= modes {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return modeNames[m]
}

// ParseMode reads what String writes; "" is Logical.
func ParseMode(s string) (Mode, error) {
	if s == "" {
		return Logical, nil
	}
	for m, name := range modeNames {
		if s == name {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("boundary %q: want one of %v", s, modeNames)
}

// Site has the archivist's instructions for one logical website.
type Site struct {
	Name  string     // unique in a survey
	Seeds []page.URL // at least one, or a characteristic page, or a keyword and a superset

	// Characteristic pages are typical of the site, better than an entry page. They are inside
	// whatever the links say, but their directories are not: those of the seeds are, where there
	// are seeds.
	Characteristic []page.URL

	// Keyword is a part of many of the site's URLs; it picks the cluster that helps the cut. Case
	// does not count.
	Keyword string

	// Superset are entry pages of the hosts or domains that are surveyed to find a site without
	// seeds by its keyword: their hosts or domains, as ProcessOptions.Superset says. The process of
	// figure 9 surveys them beside those of the seeds. They are no seeds.
	Superset []page.URL

	Boundary Mode

	// Apart are directories below those of the seeds that are not of the prefix, as URLs that end
	// in "/": each is a block of its own, which the links may still bring in. It is for those who
	// know that a host holds several sites.
	Apart []page.URL

	// Include and Exclude always win over what is computed, and Exclude over Include. The pages that a
	// rule of Include matches count as the prefix does, but for a page that a rule names by its whole
	// address: it belongs as if it were pinned, and its directory and host remain what they are.
	Include, Exclude []page.Rule

	// ExtraHops has pages outside captured as context (Neighbour) that lie up to so many links
	// beyond one that belongs, once the boundary has settled. They are no evidence. At most 10.
	ExtraHops int
	// Links are rules for links, by the page on which they stand.
	Links []LinkRule

	// MaxPages bounds the pages asked for on behalf of the site, those of its context too,
	// requisites apart; 0 is no bound.
	MaxPages int
}

func (s *Site) validate() error {
	switch {
	case s.Name == "":
		return errors.New("site without a name")
	case len(s.Seeds)+len(s.Characteristic) == 0 && (s.Boundary != Logical || s.Keyword == "" ||
		len(s.Superset) == 0):
		return fmt.Errorf("site %q has no seed", s.Name)
	case s.Boundary >= modes:
		return fmt.Errorf("site %q: boundary %v is none", s.Name, s.Boundary)
	case s.MaxPages < 0:
		return fmt.Errorf("site %q: %d pages at most", s.Name, s.MaxPages)
	}
	if err := s.validateScope(); err != nil {
		return err
	}
	for _, u := range slices.Concat(s.Seeds, s.Characteristic, s.Superset, s.Apart) {
		if canonical, err := page.ParseURL(string(u)); err != nil {
			return fmt.Errorf("site %q: seed: %w", s.Name, err)
		} else if canonical != u {
			return fmt.Errorf("site %q: seed %s is not canonical: want %s", s.Name, u, canonical)
		}
	}
	return nil
}

// Options are the constants of the method. The zero value of each means the default that its
// comment gives; a negative value means 0 where 0 has a meaning of its own. All defaults stem from
// the measurements on which the method was chosen and are flat optima: halving or doubling one
// changes a mean F1 by a hundredth or two.
type Options struct {
	// Preset draws the boundaries of logical sites. Default Shares, of which all options below are
	// but Process.
	Preset Preset
	// Process has the parameters of the other presets, and of the survey of a superset for a site
	// without seeds.
	Process ProcessOptions

	// Alpha is the scale: how much capacity of links a page must be worth to belong, three times as
	// much outside the prefix (foreignFactor). Default 0.01.
	Alpha float64
	// Soft is the capacity that the source feeds into each page of the prefix (β). Default 0.2.
	Soft float64
	// Bundle bounds the capacity of all links from one block to one page outside it together, as a
	// multiple of that of one link (m). Default 4.
	Bundle float64

	// Midpoint is the mutual share at which a link between blocks carries one half (x₀). Default
	// 0.3.
	Midpoint float64
	// Prior is the traffic with other blocks that each block is taken to have besides its known
	// traffic, in link weight, so that a link or two between tiny blocks prove little. Default 2;
	// negative, none.
	Prior float64
	// StrangerPrior is the same where the name of a block, host and directory, shares no telling
	// word with that of the prefix. Default 16; negative, none.
	StrangerPrior float64
	// Kinship is how much of a mutual share the kinship of a block counts for: the part of its
	// pages that pages of the prefix with a like name link to. Default 1; negative, nothing.
	Kinship float64
	// AnchorMass is the part of the site's links to a foreign host that its anchor directory
	// receives. Default 0.6.
	AnchorMass float64

	// Probes is how many pages of an unknown block are tried before its links count as known.
	// Default 3.
	Probes int

	// WardSample is how many pages are asked for of a ward, a directory of a seed's host where the
	// seed's own is the root, before it is known to be tied to the pages right in the root. Default
	// 8; negative: the prefix is not divided, and all of it asked for at once.
	WardSample int

	// FlatSample is how many pages are asked for, as they come, of a prefix that is a whole host
	// whose pages lie right in its root, before it is known which of them are the site's. Default
	// 128; negative: all of the host is asked for.
	FlatSample int

	// Documents is the least part of a block's documents to which the site leads that it alone must
	// lead to for those to belong. Default 0.5; negative: none belongs for that.
	Documents float64

	// ListSample is how many pages of a block are asked for first because a sitemap or a feed lists
	// them, or because they are its index. Default 8; negative: only what is listed in the prefix
	// is asked for.
	ListSample int

	// GuessSitemaps asks for /sitemap.xml of a host that a seed stands for as a whole and whose robots.txt
	// names no sitemap.
	GuessSitemaps bool

	// MinBatch is the least number of the wanted pages that one epoch asks for, if there are as
	// many; of more than twice as many it asks for half. Default 48.
	MinBatch int
	// Growth is the least part by which the fetched pages of a site must grow before an epoch while
	// others are still open; it bounds the epochs to a logarithm of the site's size. Default 0.125.
	// Negative: no epoch while any is open, so that the boundary does not depend on the order of
	// the answers, and one slow host holds up its site.
	Growth float64

	// ContextUnasked has maps list the known context, and no page asked for that is only context.
	ContextUnasked bool

	// HeedNoFollow has links that ask not to be followed make nothing known; maps list the pages to
	// which no others lead. Else they make pages known, and are no evidence.
	HeedNoFollow bool

	// NoEditDistance has each link inside a block carry 1, in place of exp(−d²/2σ²), d the edit distance
	// of the two URLs in tokens, and no names of pages compared.
	NoEditDistance bool
	// NoClusters computes no Markov clusters of the fetched pages. Else pages of the site's cluster are
	// fed from the source, softly.
	NoClusters bool
	// ClusterSource is the capacity that the source feeds into each page of the site's cluster (μ).
	// Default 0.1.
	ClusterSource float64
	// Lean is the part of a cluster's links that must lead to another for the two to be one site,
	// where the prefix is a whole host whose URLs say nothing: of flat or hashed names. Default
	// 0.03; negative, the whole host is the site.
	Lean float64
	// ClusterPages is the most fetched pages that are clustered; a larger site keeps the clusters
	// it had. Default 20000.
	ClusterPages int
}

const defaultSoft = 0.2

// foreignFactor multiplies the toll of pages outside the prefix. It is a part of what α means, and
// no parameter beside it: the pages of the prefix pay none.
const foreignFactor = 3

// Toll is what a page outside the prefix pays at the scale Alpha, in millionths of a link.
func (o Options) Toll() int64 { return graph.Fixed(o.Alpha * foreignFactor) }

// parameter is an option that is a number.
type parameter[T int | float64] struct {
	name                  string
	value                 *T
	standard, least, most T
}

func (o *Options) numbers() []parameter[float64] {
	return []parameter[float64]{
		{"Alpha", &o.Alpha, 0.01, 1e-6, 1e3},
		{"Soft", &o.Soft, defaultSoft, 0, 1e3},
		{"Bundle", &o.Bundle, 4, 1, 1e3},
		{"Midpoint", &o.Midpoint, 0.3, 1e-3, 1},
		{"Prior", &o.Prior, 2, 0, 1000},
		{"StrangerPrior", &o.StrangerPrior, 16, 0, 1000},
		{"Kinship", &o.Kinship, 1, 0, 10},
		{"AnchorMass", &o.AnchorMass, 0.6, 0.501, 1},
		{"Documents", &o.Documents, 0.5, 0, 1},
		{"Growth", &o.Growth, 0.125, 0, 10},
		{"ClusterSource", &o.ClusterSource, 0.1, 0, 1e3},
		{"Lean", &o.Lean, 0.03, 0, 1},
	}
}

func (o *Options) counts() []parameter[int] {
	return []parameter[int]{
		{"Probes", &o.Probes, 3, 0, 1e6},
		{"WardSample", &o.WardSample, 8, 0, 1e6},
		{"FlatSample", &o.FlatSample, 128, 0, 1e6},
		{"ListSample", &o.ListSample, 8, 0, 1e6},
		{"MinBatch", &o.MinBatch, 48, 1, 1e9},
		{"ClusterPages", &o.ClusterPages, 20_000, 0, 1e9},
	}
}

// check reports a value outside its range.
func check[T int | float64](list []parameter[T]) error {
	for _, c := range list {
		if v := *c.value; !(v >= c.least && v <= c.most) {
			return fmt.Errorf("survey option %s is %v: want %v to %v", c.name, v, c.least, c.most)
		}
	}
	return nil
}

// Validate reports a value outside its range.
func (o Options) Validate() error {
	o = o.WithDefaults()
	if err := cmp.Or(check(o.numbers()), check(o.counts())); err != nil {
		return err
	}
	if o.Preset >= presets {
		return fmt.Errorf("survey option Preset is %v", o.Preset)
	}
	if err := o.Process.Validate(); err != nil {
		return fmt.Errorf("survey option Process: %w", err)
	}
	return nil
}

// WithDefaults is o with each option that is not given at its default.
func (o Options) WithDefaults() Options {
	for _, c := range o.numbers() {
		*c.value = orDefault(*c.value, c.standard)
	}
	for _, c := range o.counts() {
		*c.value = orDefault(*c.value, c.standard)
	}
	return o
}

// orDefault is d for 0, and 0 for a negative value.
func orDefault[T int | float64](v, d T) T {
	switch {
	case v == 0:
		return d
	case v < 0:
		return 0
	}
	return v
}
