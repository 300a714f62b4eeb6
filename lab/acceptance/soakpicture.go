package acceptance

import (
	"bytes"
	"fmt"
)

// curve is a quantity of a soak, drawn in a panel of its own from 0 up.
type curve struct {
	name, unit string
	of         func(footprint) float64
}

var soakCurves = []curve{
	{"known URLs", "million", func(h footprint) float64 { return float64(h.known) / 1e6 }},
	{"visited pages", "thousand", func(h footprint) float64 { return float64(h.visits) / 1e3 }},
	{"resident memory", "MiB", func(h footprint) float64 { return float64(h.resident) / (1 << 20) }},
	{"goroutines", "", func(h footprint) float64 { return float64(h.goroutines) }},
	{"descriptors", "", func(h footprint) float64 { return float64(h.descriptors) }},
	{"disk", "MiB", func(h footprint) float64 { return float64(h.disk) / (1 << 20) }},
}

// The measures of the picture, in pixels.
const (
	panelWidth, panelHeight = 640, 90
	panelLeft, panelTop     = 60, 26
	panelRight, panelFoot   = 16, 20
)

// soakPicture draws each curve over time. A panel ends at the greatest value that was met.
func soakPicture(all []footprint) []byte {
	var b bytes.Buffer
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	step := panelTop + panelHeight
	height := step*len(soakCurves) + panelFoot
	put(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d"`,
		panelWidth, height)
	put(` font-family="sans-serif" font-size="11" fill="#222">`)
	put(`<rect width="%d" height="%d" fill="#fff"/>`, panelWidth, height)
	last := 1.0
	if len(all) > 0 {
		last = max(last, all[len(all)-1].at.Seconds())
	}
	const width = panelWidth - panelLeft - panelRight
	for i, c := range soakCurves {
		most := 0.0
		for _, h := range all {
			most = max(most, c.of(h))
		}
		top, foot := i*step+panelTop, (i+1)*step
		put(`<text x="%d" y="%d">%s: at most %.4g %s</text>`, panelLeft, top-6, c.name, most, c.unit)
		put(`<path d="M%d %dV%dH%d" fill="none" stroke="#555"/>`, panelLeft, top, foot, panelLeft+width)
		b.WriteString(`<polyline fill="none" stroke="#1f5f99" points="`)
		for _, h := range all {
			x := panelLeft + width*h.at.Seconds()/last
			fmt.Fprintf(&b, "%.1f,%.1f ", x, float64(foot)-float64(panelHeight)*c.of(h)/max(most, 1e-9))
		}
		put(`"/>`)
	}
	for i := range 7 {
		x := panelLeft + width*i/6
		put(`<text x="%d" y="%d" text-anchor="middle">%.3g min</text>`, x, height-6, last/60*float64(i)/6)
	}
	put(`</svg>`)
	return b.Bytes()
}
