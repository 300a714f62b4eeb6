package rankings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"watershed/replica/mirror"
)

// WriteText writes what the rankings are worth, as tables: precision and recall of each, the
// paper's Table 1 up to rank k, the figures' points at some sizes, levels, mirrors across domains,
// how well the fused ranking is calibrated, and the counters of the terms.
func (e *Evaluation) WriteText(w io.Writer, k int) error {
	b := bufio.NewWriter(w)
	e.summary(b, k)
	e.table1(b, k)
	e.sizes(b)
	e.levels(b, k)
	e.crossed(b, k)
	e.calibration(b)
	e.terms(b)
	return b.Flush()
}

// table writes columns.
func table(b io.Writer, title string, rows func(out io.Writer)) {
	fmt.Fprintf(b, "\n%s\n", title)
	out := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows(out)
	_ = out.Flush() // b keeps the error
}

func (e *Evaluation) summary(b io.Writer, k int) {
	rep := e.r.Report
	fmt.Fprintf(b, "%d hosts of %d, %d URLs of %d; %d pairs of mirrors, %d of hosts with enough URLs; pool "+
		"of the nine up to rank %d: %d\n",
		rep.KeptHosts, rep.Hosts, rep.KeptURLs, rep.URLs, e.truth.mirrors(), e.Mirrors(), k, e.pool(k))
	table(b, "Rankings: pairs; at rank k precision and relative recall; at recall .8 and .9 the best "+
		"precision; area below precision–recall", func(out io.Writer) {
		fmt.Fprintln(out, "ranking\tpairs\tmirrors\tP@k\trelative recall@k\tP at R .8\tP at R .9\tarea\t")
		for _, m := range Methods() {
			if e.Len(m) == 0 {
				fmt.Fprintf(out, "%s\t0\t\t\t\t\t\t\t\n", m)
				continue
			}
			_, p8 := e.At(m, .8)
			_, p9 := e.At(m, .9)
			fmt.Fprintf(out, "%s\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t\n", m, e.Len(m), e.Hits(m, e.Len(m)),
				e.precision(m, k), e.relativeRecall(m, k), p8, p9, e.Average(m))
		}
	})
}

func (e *Evaluation) table1(b io.Writer, k int) {
	t := e.Table1(k)
	table(b, fmt.Sprintf("Part of the pool that one of two rankings found up to rank %d", k),
		func(out io.Writer) {
			for j := range mirror.Method(mirror.Nine) {
				fmt.Fprintf(out, "\t%s", j)
			}
			fmt.Fprintln(out, "\t")
			for i := range mirror.Method(mirror.Nine) {
				fmt.Fprint(out, i)
				for j := range i + 1 {
					fmt.Fprintf(out, "\t%.1f%%", 100*t[i][j])
				}
				fmt.Fprintln(out, "\t")
			}
		})
}

func (e *Evaluation) sizes(b io.Writer) {
	steps := e.bySize()
	if len(steps) == 0 {
		return
	}
	table(b, "Hosts and mirrors in clusters of one address, by size", func(out io.Writer) {
		fmt.Fprintln(out, "size ≤\thosts\tmirrors\t")
		for i, s := range steps {
			if i < 12 || i%(len(steps)/8+1) == 0 || i == len(steps)-1 {
				fmt.Fprintf(out, "%d\t%d\t%d\t\n", s.Size, s.Hosts, s.Mirrors)
			}
		}
	})
}

func (e *Evaluation) levels(b io.Writer, k int) {
	table(b, fmt.Sprintf("Levels among the first %d pairs (inferred: mirrors of one host)", k),
		func(out io.Writer) {
			fmt.Fprintln(out, "ranking\t1\t2\t3\t4\t5\tinferred\tmismatch\t")
			for _, m := range []mirror.Method{
				mirror.Stage1, mirror.Combined, mirror.Content, mirror.TopDown,
				mirror.Fused,
			} {
				n := e.Levels(m, k)
				fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", m, n[1], n[2], n[3], n[4], n[5],
					n[Inferred], n[Mismatch])
			}
		})
}

func (e *Evaluation) calibration(b io.Writer) {
	bins := e.Calibration(mirror.Fused)
	table(b, "Calibration of fused: pairs by probability, and the part that are mirrors",
		func(out io.Writer) {
			fmt.Fprintln(out, "mean\tpairs\tmirrors\t")
			for _, x := range bins {
				if x.Pairs > 0 {
					fmt.Fprintf(out, "%.3f\t%d\t%.3f\t\n", x.Mean, x.Pairs,
						float64(x.Mirrors)/float64(x.Pairs))
				}
			}
		})
}

func (e *Evaluation) terms(b io.Writer) {
	table(b, "Terms", func(out io.Writer) {
		fmt.Fprintln(out, "ranking\tpostings\tof more than one host\trejected\trestricted\tpairs\tfiltered\t")
		for m, t := range e.r.Report.Terms {
			if t.Postings > 0 {
				fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", mirror.Method(m), t.Postings, t.Shared,
					t.Rejected, t.Restricted, t.Pairs, t.Filtered)
			}
		}
	})
}

// WritePairs writes a ranking: rank, two hosts, score and, with evidence, what the fused ranking
// knows of the pair, what weighs most first. Columns are separated by tabs.
func WritePairs(w io.Writer, r *mirror.Result, m mirror.Method, most int, evidence bool) error {
	b := bufio.NewWriter(w)
	_, err := fmt.Fprintln(b, "#rank\thostA\thostB\tscore\tevidence")
	for i, p := range r.Ranking(m) {
		if i == most || err != nil {
			break
		}
		var why []mirror.Evidence
		if evidence {
			why = r.Explain(p)
		}
		_, err = fmt.Fprintf(b, "%d\t%s\t%s\t%.6g\t%s\n", i+1, r.Hosts[p.A], r.Hosts[p.B], p.Score,
			because(why))
	}
	return errors.Join(err, b.Flush())
}
