package sketchbench

import (
	"fmt"
	"math"
	"strings"
)

const (
	plotWidth, plotHeight = 640, 400
	left, top             = 60, 30
	tallest               = .1 // standard error at the upper end
)

// colors are told apart by people who see few colors; source: Okabe, Ito, Color Universal Design,
// 2008.
var colors = [...]string{"#E69F00", "#0072B2", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#000000"}

// plot draws the error of each method over exact resemblance as points, and what theory allows it
// as a line.
func plot(all []*method) string {
	var s strings.Builder
	x := func(r float64) float64 { return left + r*(plotWidth-left-170) }
	y := func(e float64) float64 { return plotHeight - 40 - min(e, tallest)/tallest*(plotHeight-40-top) }
	fmt.Fprintf(&s,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" `+
			`font-size="11">`+"\n", plotWidth, plotHeight)
	s.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	fmt.Fprintf(&s,
		`<text x="%d" y="16">Error of estimated resemblance (points: measured; lines: standard error of `+
			`theory)</text>`+"\n", left)
	for i := range 6 {
		e := tallest * float64(i) / 5
		fmt.Fprintf(&s,
			`<path d="M%.0f %.1fH%.0f" stroke="#ddd"/><text x="%.0f" y="%.1f" text-anchor="end">%.2f</text>`+
				"\n", x(0), y(e), x(1), x(0)-6, y(e)+4, e)
		r := float64(i) / 5
		fmt.Fprintf(&s, `<text x="%.0f" y="%d" text-anchor="middle">%.1f</text>`+"\n", x(r), plotHeight-22, r)
	}
	fmt.Fprintf(&s, `<text x="%.0f" y="%d" text-anchor="middle">exact resemblance</text>`+"\n",
		x(.5), plotHeight-6)
	for i, m := range all {
		color := colors[i%len(colors)]
		line := ""
		for _, b := range m.bins {
			if b.n < 20 {
				continue
			}
			at := x(b.resemblance / b.n)
			line += fmt.Sprintf("%c%.1f %.1f", "ML"[min(1, len(line))], at, y(math.Sqrt(b.claimed/b.n)))
			fmt.Fprintf(&s, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", at,
				y(math.Sqrt(b.squares/b.n)), color)
		}
		fmt.Fprintf(&s, `<path d="%s" fill="none" stroke="%s"/>`+"\n", line, color)
		fmt.Fprintf(&s, `<text x="%.0f" y="%d" fill="%s">%s</text>`+"\n", x(1)+10, top+14*i+10, color, m.name)
	}
	s.WriteString("</svg>\n")
	return s.String()
}
