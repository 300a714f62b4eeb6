package sitemap

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteScaleSVG draws the scales as a picture: pages over α, both on logarithmic axes, α falling to
// the right, so that the site grows from left to right; a flat step is a boundary that stays what
// it is over a long range. A line marks the α of the map, a ring the step proposed.
func (m *Map) WriteScaleSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	p := scalePicture{out: out, m: m}
	p.draw()
	if err := out.Flush(); err != nil {
		return fmt.Errorf("draw scales of site %s: %w", m.Site, err)
	}
	return nil
}

// The picture's measures, in pixels.
const (
	svgWidth, svgHeight                   = 640, 280
	svgLeft, svgRight, svgTop, svgBottom  = 60, 16, 34, 44
	svgPlotWidth, svgPlotHeight           = svgWidth - svgLeft - svgRight, svgHeight - svgTop - svgBottom
	svgAxis, svgGrid, svgLine, svgOwnLine = "#555", "#ddd", "#1f5f99", "#b03a2e"
)

type scalePicture struct {
	out  *bufio.Writer // keeps the first error
	m    *Map
	axis logAxis
	most float64 // pages at the top, a power of ten
}

func (p *scalePicture) put(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...)
}

func (p *scalePicture) x(alpha float64) float64 { return svgLeft + p.axis.at(alpha) }

func (p *scalePicture) y(pages int) float64 {
	return svgTop + svgPlotHeight*(1-math.Log10(math.Max(1, float64(pages)))/math.Log10(p.most))
}

func (p *scalePicture) text(x, y float64, anchor, text string) {
	var safe strings.Builder
	_ = xml.EscapeText(&safe, []byte(text)) // a Builder takes everything
	p.put(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, safe.String())
}

func (p *scalePicture) draw() {
	p.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="11" fill="#222">`, svgWidth, svgHeight, svgWidth, svgHeight)
	p.put(`<rect width="%d" height="%d" fill="#fff"/>`, svgWidth, svgHeight)
	p.text(svgLeft, 18, "start", fmt.Sprintf("Scales of %s: pages by what a page must be worth", p.m.Site))
	if n := len(p.m.Scales); n > 0 {
		p.axis = logAxis{from: p.m.Scales[0].Most, to: p.m.Scales[n-1].Least, width: svgPlotWidth}
		p.most = math.Pow(10, math.Max(1, math.Ceil(math.Log10(float64(p.m.Scales[n-1].Pages)))))
		p.grid()
		p.steps()
	}
	p.put(`</svg>`)
}

func (p *scalePicture) grid() {
	const bottom = svgTop + svgPlotHeight
	for e := math.Ceil(math.Log10(p.axis.to) - 1e-9); e <= math.Floor(math.Log10(p.axis.from)+1e-9); e++ {
		x := p.x(math.Pow(10, e))
		p.put(`<path d="M%.1f %dV%d" stroke="%s"/>`, x, svgTop, bottom, svgGrid)
		p.text(x, bottom+16, "middle", short(math.Pow(10, e)))
	}
	for pages := 1; float64(pages) <= p.most; pages *= 10 {
		p.put(`<path d="M%d %.1fH%d" stroke="%s"/>`, svgLeft, p.y(pages), svgLeft+svgPlotWidth, svgGrid)
		p.text(svgLeft-6, p.y(pages)+4, "end", fmt.Sprint(pages))
	}
	p.put(`<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`, svgLeft, svgTop, bottom,
		svgLeft+svgPlotWidth, svgAxis)
	p.text(svgLeft+svgPlotWidth/2, svgHeight-8, "middle", "alpha (smaller: wider boundary)")
}

func (p *scalePicture) steps() {
	m := p.m
	var d strings.Builder
	for i := range m.Scales {
		s := &m.Scales[i]
		if i == 0 {
			fmt.Fprintf(&d, "M%.1f %.1f", p.x(s.Most), p.y(s.Pages))
		} else {
			fmt.Fprintf(&d, "V%.1f", p.y(s.Pages))
		}
		fmt.Fprintf(&d, "H%.1f", p.x(s.Least))
	}
	p.put(`<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`, d.String(), svgLine)
	x, pages := p.x(m.Alpha()), m.Scales[m.Scale].Pages
	p.put(`<path d="M%.1f %dV%d" stroke="%s" stroke-dasharray="4 3"/>`, x, svgTop,
		svgTop+svgPlotHeight, svgOwnLine)
	p.put(`<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`, x, p.y(pages), svgOwnLine)
	p.text(x+6, svgTop+12, "start", fmt.Sprintf("alpha %s: %d pages", short(m.Alpha()), pages))
	if q := &m.Scales[m.Proposed]; m.Proposed != m.Scale {
		middle := math.Sqrt(q.Least * q.Most)
		p.put(`<circle cx="%.1f" cy="%.1f" r="5" fill="none" stroke="%s" stroke-width="2"/>`, p.x(middle),
			p.y(q.Pages), svgLine)
		p.text(p.x(middle), p.y(q.Pages)-9, "middle", fmt.Sprintf("longest: %d pages", q.Pages))
	}
}
