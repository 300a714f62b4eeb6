package ui

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"watershed/sitemap"
)

// Measures of the picture of scales, in units of its own.
const (
	dialWidth, dialHeight                    = 960.0, 300.0
	dialLeft, dialRight, dialTop, dialBottom = 80.0, 16.0, 30.0, 44.0
	dialPlotWidth, dialPlotHeight            = dialWidth - dialLeft - dialRight,
		dialHeight - dialTop - dialBottom
)

// Picture draws pages over α, both on logarithmic axes, α falling to the right; each scale of the
// list is a link. It is empty where α has no range.
func (m ScalesModel) Picture(v *shown) (template.HTML, error) {
	if len(m.all) == 0 {
		return "", nil
	}
	first, last := &m.all[0], &m.all[len(m.all)-1]
	if !(last.Least > 0 && first.Most > last.Least && !math.IsInf(first.Most, 0)) {
		return "", nil
	}
	d := dialPicture{
		m: &m, from: first.Most, to: last.Least,
		decades: max(1, math.Ceil(math.Log10(float64(max(1, last.Pages))))),
	}
	fmt.Fprintf(&d.out,
		`<svg class="scales" viewBox="0 0 %g %g" role="group" aria-label="Pages by α; the table below `+
			`has the numbers">`, dialWidth, dialHeight)
	d.grid()
	if err := d.links(v); err != nil {
		return "", err
	}
	d.steps()
	d.marks()
	d.out.WriteString("</svg>")
	return template.HTML(d.out.String()), nil
}

type dialPicture struct {
	out      strings.Builder
	m        *ScalesModel
	from, to float64 // α at the left and at the right
	decades  float64 // of pages, from bottom to top
}

func (d *dialPicture) x(alpha float64) float64 {
	return dialLeft + dialPlotWidth*min(1, max(0, math.Log(d.from/alpha)/math.Log(d.from/d.to)))
}

func (d *dialPicture) y(pages int) float64 {
	return dialTop + dialPlotHeight*(1-math.Log10(float64(max(1, pages)))/d.decades)
}

func alphaText(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

func (d *dialPicture) grid() {
	const bottom, right = dialTop + dialPlotHeight, dialLeft + dialPlotWidth
	const rounding = 1e-9 // of a power of ten
	for e := math.Ceil(math.Log10(d.to) - rounding); e <= math.Log10(d.from)+rounding; e++ {
		x, anchor := d.x(math.Pow(10, e)), "middle"
		if x > right-2*letterWidth { // else its end would lie outside of the picture
			anchor = "end"
		}
		fmt.Fprintf(&d.out,
			`<path class="grid" d="M%.1f %gV%g"/><text x="%.1f" y="%g" text-anchor="%s">%s</text>`, x,
			dialTop, bottom, x, bottom+18, anchor, alphaText(math.Pow(10, e)))
	}
	for e := range int(d.decades) + 1 {
		y := dialTop + dialPlotHeight*(1-float64(e)/d.decades)
		fmt.Fprintf(&d.out,
			`<path class="grid" d="M%g %.1fH%g"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`, dialLeft,
			y, right, dialLeft-8, y+4, count(strconv.FormatFloat(math.Pow(10, float64(e)), 'f', 0, 64)))
	}
	fmt.Fprintf(&d.out,
		`<text x="%g" y="%g" text-anchor="middle">α; the boundary is wider to the right</text>`,
		dialLeft+dialPlotWidth/2, dialHeight-6)
}

// links makes the height of the picture above each scale of the list a link.
func (d *dialPicture) links(v *shown) error {
	for i := range d.m.Scales {
		r := &d.m.Scales[i]
		address, err := v.With("at", r.At)
		if err != nil {
			return err
		}
		class := "reach"
		if r.Index == d.m.Chosen {
			class = "reach chosen"
		}
		x := d.x(r.Most)
		label := fmt.Sprintf("α from %s to %s: %s pages", alphaText(r.Least), alphaText(r.Most),
			count(r.Pages))
		fmt.Fprintf(&d.out,
			`<a href="%s" aria-label="%s"><rect class="%s" x="%.1f" y="%g" width="%.1f" height="%g"/>`+
				`<title>%s</title></a>`,
			template.HTMLEscapeString(address), label, class, x, dialTop, max(1, d.x(r.Least)-x),
			dialPlotHeight, label)
	}
	return nil
}

// steps draws the line, without the steps that are not seen.
func (d *dialPicture) steps() {
	var path strings.Builder
	drawn := math.Inf(-1)
	for i := range d.m.all {
		c := &d.m.all[i]
		y, to := d.y(c.Pages), d.x(c.Least)
		switch {
		case i == 0:
			fmt.Fprintf(&path, "M%.1f %.1fH%.1f", d.x(c.Most), y, to)
		case to-drawn < .5 && i < len(d.m.all)-1:
			continue
		default:
			fmt.Fprintf(&path, "V%.1fH%.1f", y, to)
		}
		drawn = to
	}
	fmt.Fprintf(&d.out, `<path class="steps" d="%s"/>`, path.String())
}

// marks draws where the map is, and what is proposed. Their texts lie at the bottom, where the line
// is left of the widest boundaries.
func (d *dialPicture) marks() {
	const bottom = dialTop + dialPlotHeight
	at := func(class string, alpha float64, c *sitemap.Scale, text string, line float64) {
		x := d.x(alpha)
		anchor, aside := "start", 8.0
		if x > dialWidth/2 {
			anchor, aside = "end", -8
		}
		fmt.Fprintf(&d.out,
			`<path class="%s" d="M%.1f %gV%g"/><circle class="%s" cx="%.1f" cy="%.1f" r="5"/>`+
				`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`,
			class, x, dialTop, dialTop+dialPlotHeight, class, x, d.y(c.Pages), x+aside, line, anchor, text)
	}
	m := d.m
	at("own", m.Alpha, &m.all[m.Scale], fmt.Sprintf("the map: α %s, %s pages", alphaText(m.Alpha),
		count(m.all[m.Scale].Pages)), bottom-12)
	if m.Proposed != m.Scale {
		c := &m.all[m.Proposed]
		at("proposed", middle(c), c, fmt.Sprintf("proposed: %s pages", count(c.Pages)), bottom-28)
	}
	if m.At != m.Alpha {
		c := &m.all[m.Chosen]
		at("here", m.At, c, fmt.Sprintf("here: α %s, %s pages", alphaText(m.At), count(c.Pages)), bottom-44)
	}
}
