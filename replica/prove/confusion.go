package prove

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Confusion counts verdicts against what the pairs are in truth: rows are the truth, columns the verdicts.
type Confusion struct {
	Count [classes][classes]int
}

// Add counts a verdict.
func (c *Confusion) Add(truth, found Class) { c.Count[truth][found]++ }

// Total is the number of pairs.
func (c *Confusion) Total() (n int) {
	for _, row := range c.Count {
		for _, k := range row {
			n += k
		}
	}
	return n
}

// Exact is the part of the pairs whose verdict is the truth, those left out whose verdict is a failure or undetermined.
func (c *Confusion) Exact() float64 {
	right, n := 0, 0
	for truth, row := range c.Count {
		for found, k := range row {
			if f := Class(found); f.Replicates() || f == Mismatch {
				n += k
				if truth == found {
					right += k
				}
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(right) / float64(n)
}

// WriteText prints the table, its classes in the order of Bharat and Broder's Table 2.
func (c *Confusion) WriteText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	order := []Class{Level1, Level2, Level3, Level4, Level5, Mirror, Mismatch, ServerFailure, DNSFailure, Undetermined}
	used := func(k Class) bool {
		for i := range c.Count {
			if c.Count[k][i]+c.Count[i][k] > 0 {
				return true
			}
		}
		return false
	}
	fmt.Fprint(w, "truth\t")
	for _, k := range order {
		if used(k) {
			fmt.Fprintf(w, "%s\t", k)
		}
	}
	fmt.Fprintln(w, "all\t")
	for _, truth := range order {
		if !used(truth) {
			continue
		}
		all := 0
		fmt.Fprintf(w, "%s\t", truth)
		for _, found := range order {
			if used(found) {
				fmt.Fprintf(w, "%d\t", c.Count[truth][found])
				all += c.Count[truth][found]
			}
		}
		fmt.Fprintf(w, "%d\t\n", all)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the confusion matrix: %w", err)
	}
	return nil
}
