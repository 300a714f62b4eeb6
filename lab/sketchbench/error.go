// Package sketchbench measures package replica/sketch: the error of its estimates against exact
// resemblance.
package sketchbench

import (
	"fmt"
	"io"
	"math"
	"os"

	"watershed/lab/testweb"
	"watershed/replica/sketch"
)

// method is one way to sketch and compare.
type method struct {
	name     string
	options  sketch.Options
	estimate func(a, b *sketch.Sketch) (sketch.Estimate, error)
	modulus  modulus // of features that are selected by one; nil where the smallest are

	bytes, documents float64
	bins             [bins]bin
	wrong, at        int // pairs on the wrong side of .5, of those between .3 and .7
}

// bins is the number of equal parts of the resemblance from 0 to 1.
const bins = 20

// bin gathers the errors of pairs whose exact resemblance falls in it.
type bin struct{ n, resemblance, sum, squares, claimed, sample float64 }

func methods() []*method {
	of := func(name string, o sketch.Options) *method {
		o.NoSuper = true
		return &method{name: name, options: o, estimate: sketch.Resemblance}
	}
	paper := of("min 128, the paper's estimator", sketch.Options{})
	paper.estimate = MinResemblance
	by := func(name string, m modulus) *method {
		x := of(name, sketch.Options{Size: sketch.MaxValues})
		x.modulus, x.estimate = m, m.estimate
		return x
	}
	return []*method{
		of("min 64", sketch.Options{Size: 64}),
		of("min 128 (default)", sketch.Options{}),
		paper,
		of("min 256", sketch.Options{Size: 256}),
		by("mod 25", fixed(25)),
		by("mod by size", bySize),
		by("mod by size, halved", halved),
	}
}

// Error compares the estimates of each method with the exact resemblance, for the pairs of a web's
// neardups.tsv whose shingles are not held whole by the sketch.
type Error struct {
	Web   string `arg:""`
	SVG   string `name:"svg" placeholder:"FILE"`
	Every int    `default:"1"`
}

func (c *Error) Run(out io.Writer) error {
	dir := os.DirFS(c.Web)
	w, err := openWeb(dir)
	if err != nil {
		return err
	}
	defer w.bodies.Close() //nolint:errcheck // only read
	all := methods()
	builders := make([]*sketch.Builder, len(all))
	for i, m := range all {
		if builders[i], err = sketch.NewBuilder(m.options); err != nil {
			return err
		}
	}
	whole, err := sketch.NewBuilder(sketch.Options{
		Bits: 64, Size: sketch.MaxValues, NoSuper: true,
	})
	if err != nil {
		return err
	}
	pairs, taken := 0, 0
	err = testweb.Rows(dir, "neardups.tsv", 2, func(f []string) error {
		if pairs++; pairs%c.Every != 0 {
			return nil
		}
		a, okA, errA := w.page(f[0])
		b, okB, errB := w.page(f[1])
		if errA != nil || errB != nil || !okA || !okB {
			return errA
		}
		x, y := sketchHTML(whole, a), sketchHTML(whole, b)
		exact, err := sketch.Resemblance(&x, &y)
		if err != nil || !exact.Exact || len(x.Values) <= 256 || len(y.Values) <= 256 {
			return err
		}
		taken++
		for i, m := range all {
			x, y := sketchHTML(builders[i], a), sketchHTML(builders[i], b)
			if err := m.add(&x, &y, exact.Value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d pairs, of which %d of documents with more than 256 shingles\n\n", pairs, taken)
	table(out, all)
	if c.SVG == "" {
		return nil
	}
	return os.WriteFile(c.SVG, []byte(plot(all)), 0o644)
}

// sketchHTML sketches what can be read of the page.
func sketchHTML(b *sketch.Builder, page []byte) sketch.Sketch {
	_ = testweb.Text(page, b.Text) // the text before a fault counts
	return b.Sketch()
}

// add takes a pair of known resemblance.
func (m *method) add(x, y *sketch.Sketch, exact float64) error {
	e, err := m.estimate(x, y)
	if err != nil {
		return err
	}
	m.bytes += float64(m.size(x) + m.size(y))
	m.documents += 2
	b := &m.bins[min(bins-1, int(exact*bins))]
	b.n++
	b.resemblance += exact
	b.sum += e.Value - exact
	b.squares += (e.Value - exact) * (e.Value - exact)
	b.claimed += exact * (1 - exact) / float64(max(1, e.Sample))
	b.sample += float64(e.Sample)
	if exact > .3 && exact < .7 {
		m.at++
		if (e.Value >= .5) != (exact >= .5) {
			m.wrong++
		}
	}
	return nil
}

// size is how many bytes a sketch takes.
func (m *method) size(s *sketch.Sketch) int {
	if m.modulus != nil {
		selected := *s
		selected.Values = m.modulus.of(s)
		s = &selected
	}
	return len(s.AppendEncode(nil))
}

// between adds the bins of a range.
func (m *method) between(low, high float64) (b bin) {
	for i := int(math.Round(low * bins)); i < int(math.Round(high*bins)); i++ {
		b.n += m.bins[i].n
		b.resemblance += m.bins[i].resemblance
		b.sum += m.bins[i].sum
		b.squares += m.bins[i].squares
		b.claimed += m.bins[i].claimed
		b.sample += m.bins[i].sample
	}
	return b
}

// table prints, for all pairs and for those at the threshold, the bias, the root of the mean square
// error, and the standard error of theory: the root of the mean of r(1-r)/n, n the features that
// the estimate rests on.
func table(out io.Writer, all []*method) {
	fmt.Fprintf(out, "%-31s %6s | %21s %6s %6s | %30s %6s | %s\n", "", "", "all pairs", "", "",
		"resemblance .4 to .6", "", "wrong side of .5")
	fmt.Fprintf(out, "%-31s %6s | %7s %6s %6s %6s | %6s %7s %6s %6s %6s | %s\n", "method", "bytes", "bias",
		"error", "theory", "ratio", "pairs", "bias", "error", "theory", "sample", "of pairs .3 to .7")
	for _, m := range all {
		w, at := m.between(0, 1), m.between(.4, .6)
		fmt.Fprintf(out, "%-31s %6.0f | %+7.4f %6.4f %6.4f %6.2f | %6.0f %+7.4f %6.4f %6.4f %6.0f | %.2f%%\n",
			m.name, m.bytes/m.documents,
			w.sum/w.n, math.Sqrt(w.squares/w.n), math.Sqrt(w.claimed/w.n), math.Sqrt(w.squares/w.claimed),
			at.n, at.sum/at.n, math.Sqrt(at.squares/at.n), math.Sqrt(at.claimed/at.n), at.sample/at.n,
			100*float64(m.wrong)/float64(max(1, m.at)))
	}
}
