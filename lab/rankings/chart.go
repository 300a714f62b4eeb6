package rankings

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
)

// chart is a picture of curves.
type chart struct {
	title, across, up string
	lines             []line
	log               bool // the horizontal axis is logarithmic
	count             bool // the vertical axis counts instead of being a part of 1
}

// line is a curve. Points come by increasing x.
type line struct {
	name   string
	points [][2]float64
	dotted bool
}

const (
	chartWidth, chartHeight = 760, 480
	chartLeft, chartRight   = 70, 150
	chartTop, chartBottom   = 40, 50
)

// colours are those of Okabe and Ito, Color universal design, 2008, and darker ones of the same
// hues.
var colours = [...]string{
	"#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#000000",
	"#966800", "#38759a", "#00674b", "#9c942b", "#004a74", "#8a3d00", "#854f6d",
}

// most is how far the axes reach. The vertical one ends at a round number: a part of 1, or of more
// where the whole is another's.
func (c chart) most() (x, y float64) {
	x, y = 1, 1
	for _, l := range c.lines {
		for _, p := range l.points {
			x, y = max(x, p[0]), max(y, p[1])
		}
	}
	if !c.count {
		y = math.Ceil(y*10-1e-9) / 10
	}
	return x, y
}

// ticks are where the horizontal axis is marked: at even steps or, if it is logarithmic, at the
// whole numbers nearest to even ratios, each once.
func (c chart) ticks(most float64) []float64 {
	var list []float64
	for i := range 11 {
		part := float64(i) / 10
		at := part * most
		if c.log {
			at = math.Round(math.Pow(most, part))
		}
		list = append(list, at)
	}
	return slices.Compact(list)
}

// writeSVG draws the chart.
func (c chart) writeSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	mx, my := c.most()
	width, height := float64(chartWidth-chartLeft-chartRight), float64(chartHeight-chartTop-chartBottom)
	x := func(v float64) float64 {
		if c.log {
			v, mx := math.Log(max(1, v)), max(math.Log(mx), 1e-9)
			return chartLeft + v/mx*width
		}
		return chartLeft + v/mx*width
	}
	y := func(v float64) float64 { return chartTop + height - v/my*height }
	fmt.Fprintf(out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
			`font-family="sans-serif" font-size="11">`+"\n", chartWidth, chartHeight)
	fmt.Fprintf(out, `<title>%s</title><rect width="100%%" height="100%%" fill="white"/>`+"\n",
		html.EscapeString(c.title))
	label := func(x, y float64, anchor, text string) {
		fmt.Fprintf(out, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor,
			html.EscapeString(text))
	}
	for i := range 11 {
		part := float64(i) / 10
		fmt.Fprintf(out, `<line x1="%d" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", chartLeft,
			y(part*my), chartLeft+width, y(part*my))
		label(chartLeft-6, y(part*my)+4, "end", number(part*my))
	}
	for _, at := range c.ticks(mx) {
		label(x(at), chartTop+height+16, "middle", number(at))
	}
	label(chartLeft+width/2, chartHeight-10, "middle", c.across)
	label(chartLeft, chartTop-10, "middle", c.up)
	label(chartLeft+width/2, 20, "middle", c.title)
	for i, l := range c.lines {
		colour, dash := colours[i%len(colours)], ""
		if l.dotted {
			dash = ` stroke-dasharray="2 3"`
		}
		fmt.Fprintf(out, `<polyline fill="none" stroke="%s" stroke-width="1.5"%s points="`, colour, dash)
		for _, p := range l.points {
			fmt.Fprintf(out, "%.1f,%.1f ", x(p[0]), y(p[1]))
		}
		fmt.Fprintln(out, `"/>`)
		at := float64(chartTop + 14*i)
		fmt.Fprintf(out, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="2"%s/>`+
			"\n", chartLeft+width+10, at, chartLeft+width+35, at, colour, dash)
		label(chartLeft+width+40, at+4, "start", l.name)
	}
	fmt.Fprintln(out, "</svg>")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", c.title, err)
	}
	return nil
}

// number is short.
func number(v float64) string {
	if v == math.Round(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
