// Package report counts what a run fetched and what it left out, by seed, host, site, media type,
// status and reason. The text tables have the columns of Heritrix' reports, so that tools which
// read those read these; the JSON has the same numbers under their names.
package report

import (
	"cmp"
	"maps"
	"slices"

	"watershed/page"
)

// Report is the fold of a run's visits and skips. The zero value is ready. It is not safe for
// concurrent use and takes a few hundred bytes a host.
type Report struct {
	Harvest string  `json:"harvest"`
	Run     int     `json:"run"`
	Seeds   []*Seed `json:"seeds"`
	Sites   []*Site `json:"sites"`
	// Missing are the captures that were made, are in no WARC file, and could not be made again.
	Missing []Missing `json:"missing,omitempty"`
	Ending  *Ending   `json:"ending,omitempty"` // nil while the run is under way

	hosts   map[page.Host]*Host
	mimes   map[string]*Count
	status  map[int]*Count
	reasons map[string]*Reason
	seeds   map[page.URL][]*Seed
	skips   map[page.Key]uint32 // the reasons of each URL, by their bits, where there are several sites
}

// Count is a number of URLs and of bytes of payload.
type Count struct {
	URLs  int64 `json:"urls"`
	Bytes int64 `json:"bytes"`
}

func (c *Count) add(bytes int64) { c.URLs++; c.Bytes += bytes }

// Seed is a line of the seeds report.
type Seed struct {
	URL      page.URL `json:"url"`
	Site     string   `json:"site"`
	Status   int      `json:"status"`             // of its visit; 0 when it was not tried
	Redirect page.URL `json:"redirect,omitempty"` // where it led to
	Cause    string   `json:"cause,omitempty"`
}

// Site is a line of the sites report.
type Site struct {
	Name       string `json:"name"`
	Boundary   string `json:"boundary"`
	Pages      int    `json:"pages"`      // members that were had, and that a reader opens
	Requisites int    `json:"requisites"` // that were had of them
	// pages outside, with their requisites, that were captured as context
	Context  int      `json:"context,omitempty"`
	Hosts    int      `json:"hosts"`
	Bytes    int64    `json:"bytes"`
	Cut      float64  `json:"cut"`     // capacity of the links that lead out
	Settled  bool     `json:"settled"` // its boundary: nothing that it asked for is open
	Folder   string   `json:"folder"`
	Title    string   `json:"title,omitempty"`    // of the entry page
	Names    []string `json:"names,omitempty"`    // what links from outside call it
	Keywords []string `json:"keywords,omitempty"` // that tell of it
	Entry    page.URL `json:"entry"`
}

// Missing is a line of the report of captures that are lost.
type Missing struct {
	URL    page.URL `json:"url"`
	Status int      `json:"status"` // of the answer
	File   string   `json:"file"`   // in which its record should be
	Offset int64    `json:"offset"`
}

// Host is a line of the hosts report.
type Host struct {
	Host        page.Host `json:"host"`
	Fetched     Count     `json:"fetched"`
	Novel       Count     `json:"novel"`        // payloads that were not held before
	Duplicate   Count     `json:"duplicate"`    // held before, found by digest
	NotModified Count     `json:"not_modified"` // answered 304
	Failed      int64     `json:"failed"`       // asked for and not had
	Robots      int64     `json:"robots"`       // forbidden by robots.txt
	Skipped     int64     `json:"skipped"`      // left out for any other reason
	Remaining   int64     `json:"remaining"`    // wanted and not yet fetched
}

// Reason is a line of the report on left out URLs.
type Reason struct {
	Reason  string     `json:"reason"`
	URLs    int64      `json:"urls"`
	Example []page.URL `json:"examples"` // the first three

	bit uint32 // of Report.skips
}

// AddSeed names a seed before its visit is learnt.
func (r *Report) AddSeed(site string, u page.URL) {
	if r.seeds == nil {
		r.seeds = map[page.URL][]*Seed{}
	}
	s := &Seed{URL: u, Site: site}
	r.seeds[u] = append(r.seeds[u], s)
	r.Seeds = append(r.Seeds, s)
}

// Learn counts a visit.
func (r *Report) Learn(v *page.Visit) {
	for _, s := range r.seeds[v.URL] {
		s.Status, s.Cause = v.Status, v.Cause
		if l := v.Redirected(); l != nil {
			s.Redirect = l.URL
		}
	}
	at(&r.status, v.Status).add(v.Size)
	h := r.host(v.URL.Host())
	switch {
	case v.Status <= 0:
		return
	case v.Status == 304:
		h.NotModified.add(v.Size)
	case v.Revisit:
		h.Duplicate.add(v.Size)
	default:
		h.Novel.add(v.Size)
	}
	h.Fetched.add(v.Size)
	at(&r.mimes, cmp.Or(v.MIME, "no-type")).add(v.Size)
}

// Fate is what became of a URL that has a line in the ledger.
type Fate int

// The fates.
const (
	WasLeftOut   Fate = iota
	WasForbidden      // by robots.txt
	WasFailed         // asked for and not had
	WasCaptured       // and taken for an error, or not read in full
)

// Skip counts a line of the ledger. A URL that several sites leave out has a line for each of them; it
// counts once at its host, by its first line, and once under each reason.
func (r *Report) Skip(u page.URL, reason string, fate Fate) {
	s := at(&r.reasons, reason)
	if s.bit == 0 {
		s.Reason, s.bit = reason, 1<<(len(r.reasons)-1)
	}
	var before uint32 // the reasons of its lines before
	if len(r.Sites) > 1 {
		before = r.skips[u.Key()]
		if r.skips == nil {
			r.skips = map[page.Key]uint32{}
		}
		r.skips[u.Key()] = before | s.bit
	}
	if before == 0 {
		h := r.host(u.Host())
		switch fate {
		case WasLeftOut:
			h.Skipped++
		case WasForbidden:
			h.Robots++
		case WasFailed:
			h.Failed++
		case WasCaptured: // its visit was counted
		}
	}
	if before&s.bit != 0 {
		return
	}
	s.URLs++
	if len(s.Example) < 3 {
		s.Example = append(s.Example, u)
	}
}

// Remain counts a URL that is wanted and was not fetched.
func (r *Report) Remain(h page.Host) { r.host(h).Remaining++ }

func (r *Report) host(name page.Host) *Host {
	h := at(&r.hosts, name)
	h.Host = name
	return h
}

// at is the value of m at key, made where there is none.
func at[K comparable, V any](m *map[K]*V, key K) *V {
	if *m == nil {
		*m = map[K]*V{}
	}
	v := (*m)[key]
	if v == nil {
		v = new(V)
		(*m)[key] = v
	}
	return v
}

// Hosts are the hosts, those with most URLs first.
func (r *Report) Hosts() []*Host {
	return slices.SortedFunc(maps.Values(r.hosts), func(a, b *Host) int {
		return cmp.Or(cmp.Compare(b.Fetched.URLs, a.Fetched.URLs), cmp.Compare(a.Host, b.Host))
	})
}

// skipped are the reasons, the most frequent first.
func (r *Report) skipped() []*Reason {
	return slices.SortedFunc(maps.Values(r.reasons), func(a, b *Reason) int {
		return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Reason, b.Reason))
	})
}

// Line is a count under its name.
type Line[K cmp.Ordered] struct {
	Name K `json:"name"`
	Count
}

// mimeTypes are the declared media types, the most frequent first.
func (r *Report) mimeTypes() []Line[string] { return lines(r.mimes) }

// statuses are the statuses of all attempts, the most frequent first.
func (r *Report) statuses() []Line[int] { return lines(r.status) }

func lines[K cmp.Ordered](m map[K]*Count) []Line[K] {
	out := []Line[K]{}
	for k, c := range m {
		out = append(out, Line[K]{Name: k, Count: *c})
	}
	slices.SortFunc(out, func(a, b Line[K]) int {
		return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Name, b.Name))
	})
	return out
}
