package rankings

import (
	"bufio"
	"fmt"
	"io"
	"text/tabwriter"

	"watershed/replica/prove"
)

// Confusion counts verdicts against what the pairs are in truth: rows are the truth, columns the
// verdicts.
type Confusion struct {
	Count [prove.ServerFailure + 1][prove.ServerFailure + 1]int
}

// Add counts a verdict.
func (c *Confusion) Add(truth, found prove.Class) { c.Count[truth][found]++ }

// Total is the number of pairs.
func (c *Confusion) Total() (n int) {
	for _, row := range c.Count {
		for _, k := range row {
			n += k
		}
	}
	return n
}

// Exact is the part of the pairs whose verdict is the truth, those left out whose verdict is a
// failure or undetermined.
func (c *Confusion) Exact() float64 { return c.exact(c.Count[:]) }

// ExactMirrors is that part of the pairs that are mirrors, levels 1 to 5: whoever tells only what
// is easy, that lookalikes are none, has nothing of it.
func (c *Confusion) ExactMirrors() float64 { return c.exact(c.Count[:prove.Level5+1]) }

func (c *Confusion) exact(rows [][prove.ServerFailure + 1]int) float64 {
	right, n := 0, 0
	for truth, row := range rows {
		for found, k := range row {
			if f := prove.Class(found); f.Replicates() || f == prove.Mismatch {
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

// order is that of Bharat and Broder's Table 2.
var order = [...]prove.Class{
	prove.Level1, prove.Level2, prove.Level3, prove.Level4, prove.Level5,
	prove.Mirror, prove.Mismatch, prove.ServerFailure, prove.DNSFailure, prove.Undetermined,
}

// used are the classes that occur, in order.
func (c *Confusion) used() (list []prove.Class) {
	for _, k := range order {
		for i := range c.Count {
			if c.Count[k][i]+c.Count[i][k] > 0 {
				list = append(list, k)
				break
			}
		}
	}
	return list
}

// of is the number of pairs that are of a class in truth.
func (c *Confusion) of(truth prove.Class) (n int) {
	for _, k := range c.Count[truth] {
		n += k
	}
	return n
}

// WriteText prints the table.
func (c *Confusion) WriteText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	used := c.used()
	fmt.Fprint(w, "truth\t")
	for _, k := range used {
		fmt.Fprintf(w, "%s\t", k)
	}
	fmt.Fprintln(w, "all\t")
	for _, truth := range used {
		fmt.Fprintf(w, "%s\t", truth)
		for _, found := range used {
			fmt.Fprintf(w, "%d\t", c.Count[truth][found])
		}
		fmt.Fprintf(w, "%d\t\n", c.of(truth))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the confusion matrix: %w", err)
	}
	return nil
}

// WriteCSV writes a line for each class in truth and each verdict: truth, found, pairs.
func (c *Confusion) WriteCSV(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "truth,found,pairs")
	used := c.used()
	for _, truth := range used {
		for _, found := range used {
			fmt.Fprintf(w, "%s,%s,%d\n", truth, found, c.Count[truth][found])
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the confusion matrix as CSV: %w", err)
	}
	return nil
}
