package collections

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"watershed/replica/collection"
)

// WriteTop writes the n collections of largest cardinality: Table 2 of the paper, where no name is
// known but the representative's prefix.
func WriteTop(w io.Writer, r *collection.Result, n int) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tcardinality\tsize\t  representative") // a tabwriter keeps its error for Flush
	for i := range r.Collections[:min(n, len(r.Collections))] {
		c := &r.Collections[i]
		fmt.Fprintf(t, "%d\t%d\t%d\t  %s\n", c.ID, c.Cardinality(), c.Size, c.Representative().Prefix)
	}
	return t.Flush()
}

// Bar of a histogram: the pages that have From to To similar pages, themselves included.
type Bar struct {
	From, To int // To is 0 for no bound
	Pages    int
	Share    float64 // of all pages
}

// label is "1", "3–9" or "100–".
func (b Bar) label() string {
	switch b.To {
	case 0:
		return fmt.Sprintf("%d–", b.From)
	case b.From:
		return fmt.Sprint(b.From)
	}
	return fmt.Sprintf("%d–%d", b.From, b.To)
}

// Histogram says how many pages are replicated how often: one series of Figure 11.
func Histogram(r *collection.Result) []Bar {
	bars := []Bar{{From: 1, To: 1}, {From: 2, To: 2}, {From: 3, To: 9}, {From: 10, To: 99}, {From: 100}}
	for _, k := range r.Replication {
		i, _ := slices.BinarySearchFunc(bars, int(k), func(b Bar, k int) int {
			if b.To != 0 && b.To < k {
				return -1
			}
			return 0
		})
		bars[i].Pages++
	}
	for i := range bars {
		bars[i].Share = float64(bars[i].Pages) / float64(max(1, len(r.Replication)))
	}
	return bars
}

// Series is a histogram with a name: one way to say which pages are similar.
type Series struct {
	Name string
	Bars []Bar
}

// WriteHistogram writes Figure 11 as text: a block of bars a series.
func WriteHistogram(w io.Writer, all []Series) error {
	b := bufio.NewWriter(w)
	for _, s := range all {
		fmt.Fprintf(b, "%s\n", s.Name)
		for _, bar := range s.Bars {
			fmt.Fprintf(b, "  %6s %5.1f %% %8d %s\n", bar.label(), 100*bar.Share, bar.Pages,
				strings.Repeat("#", int(50*bar.Share+0.5)))
		}
	}
	return b.Flush()
}

// WriteScatter writes Figure 12 as text: a character stands for the collections of about that
// cardinality (upwards) and size (rightwards), both on scales of logarithms: 1 … 9, then +.
func WriteScatter(w io.Writer, r *collection.Result) error {
	const columns, rows = 60, 16
	card, size := extremes(r)
	var grid [rows][columns]int
	for i := range r.Collections {
		c := &r.Collections[i]
		x, y := logScale(c.Size, size), logScale(c.Cardinality(), card)
		grid[int(y*(rows-1)+0.5)][int(x*(columns-1)+0.5)]++
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "cardinality 1 … %d (up), size 1 … %d (right), logarithmic\n", card, size)
	for y := rows - 1; y >= 0; y-- {
		line := make([]byte, columns)
		for x, n := range grid[y] {
			switch {
			case n == 0:
				line[x] = ' '
			case n < 10:
				line[x] = byte('0' + n)
			default:
				line[x] = '+'
			}
		}
		fmt.Fprintf(b, "|%s\n", strings.TrimRight(string(line), " "))
	}
	fmt.Fprintf(b, "+%s\n", strings.Repeat("-", columns))
	return b.Flush()
}

// extremes are the largest cardinality and size, at least 10 each.
func extremes(r *collection.Result) (card, size int) {
	card, size = 10, 10
	for i := range r.Collections {
		card, size = max(card, r.Collections[i].Cardinality()), max(size, r.Collections[i].Size)
	}
	return card, size
}

// logScale puts 1 at 0 and most at 1.
func logScale(n, most int) float64 { return math.Log(float64(max(1, n))) / math.Log(float64(most)) }
