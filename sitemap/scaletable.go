package sitemap

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// plotWidth is how many characters wide the axis of a table of scales is: twelve a decade for the
// usual four.
const plotWidth = 48

// WriteScaleTable writes the scales as a table for people, the narrowest first: α, pages, pages not
// fetched, the cut, the most pages that a harvest at that scale can ask for, and a bar on the
// logarithmic axis of α. "*" is the map's own scale. Of more than rows scales
// the longest are told; rows of 0 means all. The bars are made for a width of so many characters,
// and left out where they would say nothing; names of blocks that do not fit have a line of their
// own. A width of 0 is without bound.
func (m *Map) WriteScaleTable(w io.Writer, rows, width int) error {
	out := bufio.NewWriter(w)
	// Flush tells of it
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	if len(m.Scales) == 0 {
		line("site %s: a boundary by %s has no scales", m.Site, m.Boundary)
	} else {
		axis := logAxis{from: m.Scales[0].Most, to: m.Scales[len(m.Scales)-1].Least, width: plotFor(width)}
		line("site %s: %s; drawn at alpha %s, %s", m.Site, counted(len(m.Scales), "scale", "scales"),
			short(m.Alpha()), counted(m.Scales[m.Scale].Pages, "page", "pages"))
		line("   %-9s %8s %8s %12s %9s  %s", "alpha to", "pages", "unasked", "cut", "fetches", axis.ticks())
		if rows <= 0 {
			rows = len(m.Scales)
		}
		shown := LongestScales(m.Scales, rows, m.Scale)
		for _, i := range shown {
			s := &m.Scales[i]
			own := map[bool]string{true: "*", false: " "}[i == m.Scale]
			row := fmt.Sprintf("%s  %-9s %8d %8d %12.3f %9s  %s", own, short(s.Least), s.Pages, s.Known,
				float64(s.Cut)/1e6, fetches(i, m), axis.bar(s))
			line("%s", withNames(row, m.begins(s), width))
		}
		if n := len(m.Scales) - len(shown); n > 0 {
			line("   %d shorter scales are not shown", n)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write scales of site %s: %w", m.Site, err)
	}
	return nil
}

// beforePlot is how many characters a row has before its bar.
const beforePlot = 55

// plotFor is the width of the axis where lines may have width characters, 0 where no axis fits.
func plotFor(width int) int {
	const (
		least = 10 // a decade would take two or three characters
		tick  = 6  // by which the last number on the axis may go beyond it
	)
	switch fits := width - beforePlot - tick; {
	case width == 0:
		return plotWidth
	case fits < least:
		return 0
	default:
		return min(fits, plotWidth)
	}
}

// withNames adds the names of blocks to a row, or in a line below it where they do not fit.
func withNames(row, names string, width int) string {
	if width > 0 && names != "" && len(row)+1+len(names) > width {
		return strings.TrimRight(row, " ") + "\n      from here: " + names
	}
	return row + " " + names
}

// short is a number with four digits that count.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// fetches is the column of that name; a scale that is not wider than the map has no fetches.
func fetches(i int, m *Map) string {
	if i <= m.Scale {
		return "-"
	}
	return strconv.FormatInt(m.Scales[i].Fetches, 10)
}

// LongestScales gives the indices of the longest scales in order, most of them, with those that are
// to be among them.
func LongestScales(scales []Scale, most int, among ...int) []int {
	order := make([]int, len(scales))
	for i := range order {
		order[i] = i
	}
	last := func(i int) int { return b2i(!slices.Contains(among, i)) }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(scales[b].Persistence(),
			scales[a].Persistence()))
	})
	order = order[:min(len(order), most)]
	slices.Sort(order)
	return order
}

// begins names blocks that have their first pages inside at a scale.
func (m *Map) begins(s *Scale) string {
	const most = 3
	var names []string
	for _, k := range s.Blocks[:min(most, len(s.Blocks))] {
		names = append(names, m.Blocks[k].Name)
	}
	if n := len(s.Blocks) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// logAxis runs from a large α down to a small one.
type logAxis struct {
	from, to float64
	width    int
}

// at is the position of α, 0 to width.
func (a logAxis) at(alpha float64) float64 {
	return float64(a.width) * math.Log(a.from/alpha) / math.Log(a.from/a.to)
}

// bar covers the α of a scale, at least with one character.
func (a logAxis) bar(s *Scale) string {
	if a.width == 0 {
		return ""
	}
	from := min(int(math.Round(a.at(s.Most))), a.width-1)
	to := max(int(math.Round(a.at(s.Least))), from+1)
	return strings.Repeat(" ", from) + strings.Repeat("=", to-from) + strings.Repeat(" ", a.width-to)
}

// ticks names the powers of ten, but for those that would touch the one before.
func (a logAxis) ticks() string {
	if a.width == 0 {
		return ""
	}
	text, end := []byte(strings.Repeat(" ", a.width+6)), 0
	for e := math.Floor(math.Log10(a.from) + 1e-9); e >= math.Ceil(math.Log10(a.to)-1e-9); e-- {
		at, name := int(math.Round(a.at(math.Pow(10, e)))), short(math.Pow(10, e))
		if at > end || end == 0 {
			end = at + copy(text[at:], name)
		}
	}
	return strings.TrimRight(string(text), " ")
}

// WriteScaleCSV writes the scales, a line each below a line of headings: least and most (α), pages,
// unasked, cut (in units of link capacity), fetches, persistence, chosen ("drawn" or
// nothing), blocks that begin, with blanks between them.
func (m *Map) WriteScaleCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := func(fields ...string) { _ = out.Write(fields) } // out.Error tells of it
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	line("least", "most", "pages", "unasked", "cut", "fetches", "persistence", "chosen", "blocks")
	for i := range m.Scales {
		s := &m.Scales[i]
		chosen := map[bool]string{true: "drawn"}[i == m.Scale]
		var blocks []string
		for _, k := range s.Blocks {
			blocks = append(blocks, m.Blocks[k].Name)
		}
		line(number(s.Least), number(s.Most), strconv.Itoa(s.Pages), strconv.Itoa(s.Known),
			number(float64(s.Cut)/1e6),
			strconv.FormatInt(s.Fetches, 10), strconv.FormatFloat(s.Persistence(), 'f', 4, 64),
			chosen, strings.Join(blocks, " "))
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write scales of site %s: %w", m.Site, err)
	}
	return nil
}

// WriteURLs writes the URLs of the members, one a line.
func (m *Map) WriteURLs(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, x := range m.Members.All() {
		_, _ = out.WriteString(string(x.URL) + "\n") // Flush tells of it
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write URLs of site %s: %w", m.Site, err)
	}
	return nil
}
