package sitemap

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteScaleTable writes the scales as a table for people, the narrowest first: the least α, pages,
// pages not fetched, the cut, the most pages that a harvest at that scale can ask for, and in lines
// below the blocks that begin there. "*" is the map's own scale. Of more than rows scales the longest
// are told; rows of 0 means all.
func (m *Map) WriteScaleTable(w io.Writer, rows int) error {
	out := bufio.NewWriter(w)
	// Flush tells of it
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	if len(m.Scales) == 0 {
		line("site %s: a boundary by %s has no scales", m.Site, m.Boundary)
	} else {
		line("site %s: %s; drawn at alpha %s, %s", m.Site, counted(len(m.Scales), "scale", "scales"),
			short(m.Alpha()), counted(m.Scales[m.Scale].Pages, "page", "pages"))
		line("   %-9s %8s %8s %12s %9s", "alpha to", "pages", "unasked", "cut", "fetches")
		if rows <= 0 {
			rows = len(m.Scales)
		}
		shown := LongestScales(m.Scales, rows, m.Scale)
		for _, i := range shown {
			s := &m.Scales[i]
			own := map[bool]string{true: "*", false: " "}[i == m.Scale]
			line("%s  %-9s %8d %8d %12.3f %9s", own, short(s.Least), s.Pages, s.Known, float64(s.Cut)/1e6,
				fetches(i, m))
			for _, name := range m.begins(s) {
				line("      %s", name)
			}
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
func (m *Map) begins(s *Scale) (names []string) {
	const most = 3
	for _, k := range s.Blocks[:min(most, len(s.Blocks))] {
		names = append(names, m.Blocks[k].Name)
	}
	if n := len(s.Blocks) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return names
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
	lines := make([]string, 0, m.Members.Len())
	for _, x := range m.Members.All() {
		lines = append(lines, string(x.URL))
	}
	return writeLines(w, m.Site, "URLs", lines)
}
