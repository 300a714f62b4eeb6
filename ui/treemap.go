package ui

import (
	"fmt"
	"html/template"
	"strings"
)

// Size of the treemap, in units of its own.
const (
	mapWidth  = 960.0
	mapHeight = 480.0
)

// rect is a part of the picture.
type rect struct{ x, y, w, h float64 }

// squarify divides a rectangle into one for each weight, with areas in their proportion, as near to
// squares as a greedy choice of rows makes them. Weights are positive and fall. It costs O(n) for
// rows of bounded length, O(n²) at worst. Source: Bruls, Huizing and van Wijk, Squarified Treemaps,
// 2000, section 3.
func squarify(weights []float64, within rect) []rect {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	out := make([]rect, 0, len(weights))
	scale := within.w * within.h / sum
	for first := 0; first < len(weights); {
		side := min(within.w, within.h)
		area, last := weights[first]*scale, first+1
		for last < len(weights) {
			more := area + weights[last]*scale
			if worst(weights[first]*scale, weights[last]*scale, more, side) > worst(weights[first]*scale,
				weights[last-1]*scale, area, side) {
				break
			}
			area, last = more, last+1
		}
		depth := area / side
		at := 0.0
		for _, w := range weights[first:last] {
			length := w * scale / depth
			if within.w >= within.h {
				out = append(out, rect{within.x, within.y + at, depth, length})
			} else {
				out = append(out, rect{within.x + at, within.y, length, depth})
			}
			at += length
		}
		if within.w >= within.h {
			within.x, within.w = within.x+depth, within.w-depth
		} else {
			within.y, within.h = within.y+depth, within.h-depth
		}
		first = last
	}
	return out
}

// worst is the greatest ratio of sides in a row of a given area, along a side, whose largest and
// smallest areas are given.
func worst(largest, smallest, area, side float64) float64 {
	return max(side*side*largest/(area*area), area*area/(side*side*smallest))
}

// Sizes from which on a rectangle has a label, in units of the picture, and the width of a
// character.
const (
	labelWidth, labelHeight = 70.0, 22.0
	letterWidth             = 7.2
	headHeight              = 20.0 // of the name of a host
)

// hostPlaces are the places of one host.
type hostPlaces struct {
	name   string
	places []Place
	urls   int
}

// byHost groups places, which come with the fullest first; so do the hosts.
func byHost(places []Place) []hostPlaces {
	at := map[string]int{}
	var hosts []hostPlaces
	for _, p := range places {
		i, ok := at[p.Host]
		if !ok {
			i = len(hosts)
			at[p.Host] = i
			hosts = append(hosts, hostPlaces{name: p.Host})
		}
		hosts[i].places = append(hosts[i].places, p)
		hosts[i].urls += p.URLs()
	}
	for i := 1; i < len(hosts); i++ { // the order is nearly right
		for j := i; j > 0 && hosts[j].urls > hosts[j-1].urls; j-- {
			hosts[j], hosts[j-1] = hosts[j-1], hosts[j]
		}
	}
	return hosts
}

// drawPlaces draws a treemap: hosts, in them directories, in them what their URLs are, by number of
// URLs. The page needs the legend, which has the patterns. link gives the address of the list of
// such URLs of a prefix.
func drawPlaces(places []Place, link func(prefix, which string) (string, error)) (template.HTML, error) {
	if len(places) == 0 {
		return "", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg class="treemap" viewBox="0 0 %g %g" role="group" aria-label="Treemap of the site by host `+
			`and directory; the table below has the same numbers">`, mapWidth, mapHeight)
	hosts := byHost(places)
	weights := make([]float64, len(hosts))
	for i, h := range hosts {
		weights[i] = float64(h.urls)
	}
	for i, r := range squarify(weights, rect{0, 0, mapWidth, mapHeight}) {
		if err := drawHost(&b, &hosts[i], r, link); err != nil {
			return "", err
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()), nil // all that came from the web was escaped where it was written
}

func drawHost(b *strings.Builder, h *hostPlaces, r rect, link func(string, string) (string, error)) error {
	inner := r
	if r.h > 2*headHeight && r.w > labelWidth {
		label(b, h.name, rect{r.x, r.y, r.w, headHeight}, "host")
		inner.y, inner.h = r.y+headHeight, r.h-headHeight
	}
	weights := make([]float64, len(h.places))
	for i, p := range h.places {
		weights[i] = float64(p.URLs())
	}
	for i, at := range squarify(weights, inner) {
		if err := drawPlace(b, &h.places[i], at, link); err != nil {
			return err
		}
	}
	fmt.Fprintf(b, `<rect class="frame" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, r.x, r.y, r.w, r.h)
	return nil
}

// parts of a place, in the order in which they are drawn, each with the list of the site's page
// that has such URLs.
func (p *Place) parts() []placePart {
	return []placePart{
		{p.Inside, kindInside, "inside"},
		{p.Pinned, kindPinned, "inside"},
		{p.Missing, kindMissing, "inside"},
		{p.Pruned, kindPruned, "inside"},
		{p.Requisite, "requisite", "requisite"},
		{p.Context, kindContext, "context"},
		{p.Outside, kindOutside, "outside"},
		{p.Excluded, kindExcluded, "outside"},
	}
}

type placePart struct {
	n          int
	kind, list string
}

// drawPlace draws one directory, divided by what its URLs are: a colour and, but for what is
// plainly in or out, a pattern each.
func drawPlace(b *strings.Builder, p *Place, r rect, link func(string, string) (string, error)) error {
	at := 0.0
	for _, part := range p.parts() {
		if part.n == 0 {
			continue
		}
		share := float64(part.n) / float64(p.URLs())
		box := rect{r.x, r.y + at*r.h, r.w, share * r.h}
		if r.w > r.h {
			box = rect{r.x + at*r.w, r.y, share * r.w, r.h}
		}
		at += share
		address, err := link(p.Prefix, part.list)
		if err != nil {
			return err
		}
		fmt.Fprintf(b,
			`<a href="%s" tabindex="-1"><rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f">`+
				`<title>%s: %d %s</title></rect>`,
			template.HTMLEscapeString(address), part.kind, box.x, box.y, box.w, box.h,
			template.HTMLEscapeString(plain(p.Prefix, longText)), part.n, part.kind)
		if pattern := patterns[part.kind]; pattern != "" {
			fmt.Fprintf(b,
				`<rect class="pattern" fill="url(#%s)" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`,
				pattern, box.x, box.y, box.w, box.h)
		}
		b.WriteString("</a>")
	}
	if r.w > labelWidth && r.h > labelHeight {
		_, dir, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(p.Prefix, "http://"), "https://"), "/")
		label(b, "/"+dir, r, "dir")
	}
	return nil
}

func label(b *strings.Builder, text string, r rect, class string) {
	most := max(1, int((r.w-8)/letterWidth)-1)
	shown := []rune(plain(text, longText))
	if len(shown) > most {
		shown = append(shown[:most], '…')
	}
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f" unicode-bidi="isolate">%s</text>`, class, r.x+4,
		r.y+15, template.HTMLEscapeString(string(shown)))
}
