package judge

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Figure is the distribution of cluster sizes, figure 10 of Senellart 2003: how many clusters have
// how many pages, both on logarithmic axes, where a Zipfian law, P(size) ∝ size^−a, is a straight
// line.
type Figure struct {
	Sizes  []int `json:"sizes"`  // distinct, ascending
	Counts []int `json:"counts"` // clusters of each size
}

// NewFigure counts sizes, all above 0.
func NewFigure(sizes []int) Figure {
	sorted := slices.Sorted(slices.Values(sizes))
	var f Figure
	for _, n := range sorted {
		if k := len(f.Sizes); k > 0 && f.Sizes[k-1] == n {
			f.Counts[k-1]++
		} else {
			f.Sizes, f.Counts = append(f.Sizes, n), append(f.Counts, 1)
		}
	}
	return f
}

// exponent is a, of greatest likelihood for whole sizes from 1 up: the greatest of −n·ln ζ(a) − a·Σ
// ln size (Clauset, Shalizi and Newman, Power-law distributions in empirical data, 2009, equation
// 3.5). It lies between 1.01 and 10, and is 0 without clusters.
func (f Figure) exponent() float64 {
	n, logs := 0.0, 0.0
	for i, s := range f.Sizes {
		n += float64(f.Counts[i])
		logs += float64(f.Counts[i]) * math.Log(float64(s))
	}
	if n == 0 {
		return 0
	}
	likelihood := func(a float64) float64 { return -n*math.Log(zeta(a)) - a*logs }
	low, high := 1.01, 10.0
	for high-low > 1e-6 { // it has one maximum
		a, b := low+(high-low)/3, high-(high-low)/3
		if likelihood(a) < likelihood(b) {
			low = a
		} else {
			high = b
		}
	}
	return (low + high) / 2
}

// zeta is the sum of k^−a over all whole k > 0, for a > 1, by Euler and Maclaurin: the first terms,
// and an integral with two corrections for the rest. Its error is below 1e-9.
func zeta(a float64) float64 {
	const n = 64
	sum := 0.0
	for k := 1.0; k < n; k++ {
		sum += math.Pow(k, -a)
	}
	return sum + math.Pow(n, 1-a)/(a-1) + math.Pow(n, -a)/2 + a*math.Pow(n, -a-1)/12
}

// bins halve the axes: clusters of 1, 2–3, 4–7, … pages.
func (f Figure) bins() []int {
	var bins []int
	for i, s := range f.Sizes {
		b := int(math.Log2(float64(s)))
		for len(bins) <= b {
			bins = append(bins, 0)
		}
		bins[b] += f.Counts[i]
	}
	return bins
}

// WriteText writes the distribution as a bar for each doubling of the size; the length of a bar is
// the logarithm of the count.
func (f Figure) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	for b, n := range f.bins() {
		bar := 0
		if n > 0 {
			bar = 1 + int(math.Round(5*math.Log2(float64(n))))
		}
		// Flush tells of an error
		fmt.Fprintf(out, "%7d–%-7d %7d %s\n", 1<<b, 1<<(b+1)-1, n, strings.Repeat("#", bar))
	}
	fmt.Fprintf(out, "P(size) ∝ size^-%.2f\n", f.exponent())
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write figure: %w", err)
	}
	return nil
}
