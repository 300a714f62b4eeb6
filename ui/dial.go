package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"watershed/internal/console"
	"watershed/sitemap"
)

// dial leads from one boundary of a site to the next narrower or wider one: it has no place between
// two.
type dial struct {
	Rows  []ScaleRow // the longest scales with the one looked at, the narrowest first
	Place int        // of that one
	// what the next narrower and the next wider boundary would change
	Near []dialStep
	// places below the seeds that are outside of the boundary looked at
	Out []sitemap.LeftBelow
	// what a page has cost in the run, with the files that it needs; 0 where that is not known
	seconds, bytes float64
}

// dialStep is a step to the next boundary.
type dialStep struct {
	ScaleRow
	Wider  bool
	Pages  int           // that join or leave
	Blocks []blockChange // the three in which most do
	Others int           // blocks beside these
	Below  []string      // places below the seeds that fall outside with it, or come back
}

// dialBlocks is how many blocks a step names.
const dialBlocks = 3

// dialAt is the dial of a site at one of its scales; it costs O(blocks of the site). The zero dial
// is that of a boundary without scales. The run's status may be nil.
func (x *siteMap) dialAt(chosen int, run *Status) (d dial) {
	if len(x.Scales) == 0 {
		return d
	}
	for _, i := range sitemap.LongestScales(x.Scales, scaleRows, x.Scale, chosen) {
		if i == chosen {
			d.Place = len(d.Rows)
		}
		d.Rows = append(d.Rows, x.scaleRow(i))
	}
	if d.Place > 0 {
		d.Near = append(d.Near, x.stepTo(d.Rows[d.Place-1], chosen))
	}
	if d.Place < len(d.Rows)-1 {
		d.Near = append(d.Near, x.stepTo(d.Rows[d.Place+1], chosen))
	}
	d.Out = x.belowAt(chosen)
	if run != nil && run.Visits > 0 && run.Rate > 0 && x.Members.Len() > 0 {
		requests := 1 + float64(len(x.Requisites))/float64(x.Members.Len())
		d.seconds, d.bytes = requests/run.Rate, requests*float64(run.Bytes)/float64(run.Visits)
	}
	return d
}

// Cost is what it takes to fetch so many pages at the pace of the run, "" where that is not known.
func (d dial) Cost(pages int64) string {
	if d.seconds == 0 || pages == 0 {
		return ""
	}
	n := float64(pages)
	return console.Size(int64(d.bytes*n)) + ", " + span(time.Duration(d.seconds*n*float64(time.Second)))
}

// belowSince is a place below the seeds, and the scale from which on a page of it belongs.
type belowSince struct {
	sitemap.LeftBelow
	since int
}

// countBelow finds the places below the seeds, each as if it were outside.
func (x *siteMap) countBelow() {
	without, since := *x.Map, map[string]int{}
	without.Blocks = slices.Clone(without.Blocks)
	for k := range without.Blocks {
		without.Blocks[k].Inside, since[without.Blocks[k].Name] = 0, x.blockSince[k]
	}
	for _, l := range without.LeftBelow() {
		x.below = append(x.below, belowSince{l, since[l.Name]})
	}
}

// belowAt are the places below the seeds that are outside at a scale.
func (x *siteMap) belowAt(scale int) (list []sitemap.LeftBelow) {
	for i := range x.below {
		if x.below[i].since > scale {
			list = append(list, x.below[i].LeftBelow)
		}
	}
	return list
}

// outsideBelow is how many they are.
func (x *siteMap) outsideBelow(scale int) (n int) {
	for i := range x.below {
		n += b2i(x.below[i].since > scale)
	}
	return n
}

// stepTo is the step from one scale to another.
func (x *siteMap) stepTo(to ScaleRow, from int) dialStep {
	s := dialStep{ScaleRow: to, Wider: to.Index > from}
	low, high := min(from, to.Index), max(from, to.Index)
	for _, l := range x.below {
		if l.since > low && l.since <= high {
			s.Below = append(s.Below, l.Name)
		}
	}
	counts := map[int]int{}
	for k := low + 1; k <= high; k++ {
		for _, c := range x.comes[k] {
			counts[c.block] += c.pages
			s.Pages += c.pages
		}
	}
	s.Blocks = x.blockChanges(counts)
	s.Others = len(s.Blocks)
	s.Blocks = s.Blocks[:min(len(s.Blocks), dialBlocks)]
	s.Others -= len(s.Blocks)
	return s
}

// blockChanges names the blocks, those of most pages first.
func (x *siteMap) blockChanges(counts map[int]int) []blockChange {
	list := make([]blockChange, 0, len(counts))
	for k, n := range counts {
		list = append(list, blockChange{x.blockName(k), n})
	}
	slices.SortFunc(list, func(a, b blockChange) int {
		return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Last is the place of the widest boundary; -1 where there are no scales.
func (d dial) Last() int { return len(d.Rows) - 1 }

// Stops are the places of the dial for its script: the α of each, and what is read out there.
func (d dial) Stops() (string, error) {
	type stop struct {
		At   float64 `json:"at"`
		Says string  `json:"says"`
	}
	list := make([]stop, 0, len(d.Rows))
	for i := range d.Rows {
		r := &d.Rows[i]
		says := fmt.Sprintf("%s, boundary %d of %d", plural(r.Pages, "page", "pages"), i+1, len(d.Rows))
		if r.Below > 0 {
			says += "; " + plural(r.Below, "place", "places") + " below the seed outside"
		}
		list = append(list, stop{r.At, says})
	}
	text, err := json.Marshal(list)
	return string(text), err
}
