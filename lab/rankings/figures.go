package rankings

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"

	"watershed/replica/mirror"
)

// Figure is one of the papers' figures.
type Figure int

// The figures: 1 to 4 of A comparison of techniques, then figure 1 of Mirror, mirror on the Web.
const (
	PrecisionAtRank Figure = iota
	ClusterSizes
	RecallAtRank
	PrecisionRecall
	LevelsAtRank
	figures
)

var figureNames = [figures]string{
	"precision-at-rank", "cluster-sizes", "recall-at-rank", "precision-recall",
	"levels-at-rank",
}

func (f Figure) String() string { return figureNames[f] }

// Figures are all.
func Figures() []Figure {
	return []Figure{PrecisionAtRank, ClusterSizes, RecallAtRank, PrecisionRecall, LevelsAtRank}
}

// ranks are at most 200 ranks up to k, at even ratios.
func ranks(k int) []int {
	var list []int
	for i := range 201 {
		list = append(list, int(math.Round(math.Pow(float64(max(1, k)), float64(i)/200))))
	}
	return slices.Compact(list)
}

// line is a curve. Points come by increasing x.
type line struct {
	name   string
	points [][2]float64
}

// curves are those of a figure, up to rank k.
func (e *Evaluation) curves(f Figure, k int) (list []line) {
	byRank := func(of []mirror.Method, value func(m mirror.Method, k int) float64) {
		for _, m := range of {
			if e.Len(m) == 0 {
				continue
			}
			l := line{name: m.String()}
			for _, r := range ranks(min(k, e.Len(m))) {
				l.points = append(l.points, [2]float64{float64(r), value(m, r)})
			}
			list = append(list, l)
		}
	}
	switch f {
	case PrecisionAtRank:
		byRank(Methods(), e.precision)
	case RecallAtRank:
		pools := make(map[int]float64)
		for _, r := range ranks(k) {
			pools[r] = 0
		}
		byRank(Methods(), func(m mirror.Method, k int) float64 {
			if pools[k] == 0 {
				pools[k] = float64(max(1, e.pool(k)))
			}
			return float64(e.Hits(m, k)) / pools[k]
		})
	case PrecisionRecall:
		for _, m := range Methods() {
			l := line{name: m.String()}
			for _, r := range ranks(e.Len(m)) {
				if e.Len(m) > 0 {
					l.points = append(l.points, [2]float64{e.recall(m, r), e.precision(m, r)})
				}
			}
			if len(l.points) > 0 {
				list = append(list, l)
			}
		}
	case ClusterSizes:
		hosts, mirrors := line{name: "hosts"}, line{name: "mirrors"}
		for _, s := range e.bySize() {
			hosts.points = append(hosts.points, [2]float64{float64(s.Size), float64(s.Hosts)})
			mirrors.points = append(mirrors.points, [2]float64{float64(s.Size), float64(s.Mirrors)})
		}
		return []line{hosts, mirrors}
	case LevelsAtRank:
		three, four := line{name: "levels 1–3"}, line{name: "levels 1–4"}
		for _, r := range ranks(min(k, e.Len(mirror.Stage1))) {
			n := e.Levels(mirror.Stage1, r)
			sum := n[1] + n[2] + n[3]
			three.points = append(three.points, [2]float64{float64(r), float64(sum) / float64(max(1, r))})
			four.points = append(four.points, [2]float64{float64(r), float64(sum+n[4]) / float64(max(1, r))})
		}
		return []line{three, four}
	}
	return list
}

// WriteCSV writes what WriteText and the figures tell, up to rank k: figure, curve, x, y.
func (e *Evaluation) WriteCSV(w io.Writer, k int) error {
	b := bufio.NewWriter(w)
	row := func(figure, curve string, x, y float64) {
		fmt.Fprintf(b, "%s,%s,%.6g,%.6g\n", figure, curve, x, y) // b keeps the error
	}
	fmt.Fprintln(b, "figure,curve,x,y")
	for _, f := range Figures() {
		for _, l := range e.curves(f, k) {
			for _, p := range l.points {
				row(f.String(), l.name, p[0], p[1])
			}
		}
	}
	table := e.Table1(k)
	for i := range mirror.Method(mirror.Nine) {
		for j := range i + 1 {
			row("table-1", i.String()+"+"+j.String(), float64(k), table[i][j])
		}
	}
	for _, m := range Methods() {
		for _, recall := range []float64{.8, .9} {
			_, p := e.At(m, recall)
			row("precision-at-recall", m.String(), recall, p)
		}
		row("area", m.String(), 1, e.Average(m))
		for level, n := range e.Levels(m, k) {
			row("levels", m.String(), float64(level), float64(n))
		}
	}
	for i, bin := range e.Calibration(mirror.Fused) {
		if bin.Pairs > 0 {
			row("calibration", fmt.Sprintf("%d pairs from %.1f on", bin.Pairs, float64(i)/10), bin.Mean,
				float64(bin.Mirrors)/float64(bin.Pairs))
		}
	}
	e.crossDomain(k, func(c crossing) {
		row("cross-domain", c.levels+" "+c.domains, float64(c.pairs), c.part)
	})
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the figures as CSV: %w", err)
	}
	return nil
}
