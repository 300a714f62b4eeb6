package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"watershed/internal/console"
)

// Size of the picture, in units of its own.
const (
	mapWidth    = 680.0 // beside the panel
	landHeight  = 440.0
	strait      = 14.0 // between land and shore; the boundary runs in its middle
	shoreHeight = 48.0
	shoreHosts  = 5 // that have a part of the shore of their own; the others share one
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
// character in the widest of usual fonts, half of that of a Chinese one.
const (
	labelWidth, labelHeight = 50.0, 22.0
	letterWidth             = 8.4
	headHeight              = 20.0 // of the name of a host
)

// sitePicture is the picture of a site: places that belong, or in part, are the land, by number of
// their URLs, and the hosts that it only links to the shore, which is not to scale. Between the two
// runs the boundary, the thicker the more was cut there.
type sitePicture struct {
	width, land float64 // size of the whole, and height of the land
	places      []Place
	past        map[string]*placePast // what changed, by prefix; nil to show what was captured
	crosses     map[string]float64    // capacity of the cut links, by prefix of the place they lead to
	decided     func(prefix string) string
	open        string // prefix of the region that is looked at; "" for none
	// address of the page that tells of a region, "" for none
	link   func(prefix string) (string, error)
	others string // address of the list of what is outside

	b   strings.Builder
	top strings.Builder    // what lies over all else
	has map[legendKey]bool // that were drawn
}

type hostPlaces struct {
	name    string
	places  []Place
	urls    int
	crosses float64
	folded  int // how many places its one place has together; 0 for a host
}

// byHost groups places, which come with the fullest first.
func (p *sitePicture) byHost(places []Place) []hostPlaces {
	at := map[string]int{}
	var hosts []hostPlaces
	for _, x := range places {
		i, ok := at[x.Host]
		if !ok {
			i = len(hosts)
			at[x.Host] = i
			hosts = append(hosts, hostPlaces{name: x.Host})
		}
		h := &hosts[i]
		_, urls := p.urls(&x)
		h.places, h.urls, h.crosses = append(h.places, x), h.urls+urls, h.crosses+p.crosses[x.Prefix]
	}
	return hosts
}

// draw draws the picture, and gives its height; 0 where there is nothing to draw. The page needs the
// legend, which has the patterns. It costs O(places·log places).
func (p *sitePicture) draw() (height float64, err error) {
	var land, shore []Place
	fold := hostPlaces{places: make([]Place, 1)}
	for _, x := range p.places { // the fullest first
		switch in, _ := p.urls(&x); {
		case in == 0:
			shore = append(shore, x)
		case len(land) < placeRows:
			land = append(land, x)
		default:
			p.fold(&fold, &x)
		}
	}
	height, top := p.land, p.land+strait
	switch {
	case len(p.places) == 0:
		return 0, nil
	case len(land) == 0:
		height, top = shoreHeight, 0
	case len(shore) > 0:
		height += strait + shoreHeight
	}
	if err := p.drawLand(land, fold); err != nil {
		return 0, err
	}
	if err := p.drawShore(shore, top, len(land) > 0); err != nil {
		return 0, err
	}
	p.b.WriteString(p.top.String())
	return height, nil
}

// fold adds a place to those that are drawn as one, since they are too small and too many.
func (p *sitePicture) fold(f *hostPlaces, x *Place) {
	_, urls := p.urls(x)
	f.urls, f.crosses, f.folded = f.urls+urls, f.crosses+p.crosses[x.Prefix], f.folded+1
	f.places[0].join(x)
	if past := p.past[x.Prefix]; past != nil {
		all := p.past[""] // the prefix of what has no place of its own
		if all == nil {
			all = &placePast{}
			p.past[""] = all
		}
		all.add(past.bars, past.still)
	}
}

func (p *sitePicture) drawLand(land []Place, fold hostPlaces) error {
	if len(land) == 0 {
		return nil
	}
	hosts := p.byHost(land)
	if fold.folded > 0 {
		fold.name = plural(fold.folded, "smaller directory", "smaller directories")
		hosts = append(hosts, fold)
	}
	slices.SortStableFunc(hosts, func(a, b hostPlaces) int { return cmp.Compare(b.urls, a.urls) })
	weights := make([]float64, len(hosts))
	for i, h := range hosts {
		weights[i] = float64(h.urls)
	}
	for i, r := range squarify(weights, rect{0, 0, p.width, p.land}) {
		if err := p.drawHost(&hosts[i], r); err != nil {
			return err
		}
	}
	return nil
}

func (p *sitePicture) drawHost(h *hostPlaces, r rect) error {
	if h.folded > 0 {
		p.drawFold(h, r)
		return nil
	}
	inner, root := r, hostPrefix(h.places[0].Prefix)
	p.mark(root, r)
	if r.h > 2*headHeight && r.w > labelWidth {
		err := p.region(root, plain(h.name, longText)+", the whole host", func() {
			p.box(&p.b, "head", rect{r.x, r.y, r.w, headHeight}, "")
			p.label(&p.b, h.name, rect{r.x, r.y, r.w, headHeight}, "host")
		})
		if err != nil {
			return err
		}
		inner.y, inner.h = r.y+headHeight, r.h-headHeight
	}
	weights := make([]float64, len(h.places))
	for i, x := range h.places {
		_, urls := p.urls(&x)
		weights[i] = float64(urls)
	}
	for i, at := range squarify(weights, inner) {
		if err := p.drawPlace(&h.places[i], at); err != nil {
			return err
		}
	}
	p.box(&p.b, "frame", r, "")
	return nil
}

// parts of a place: of what belongs, and of what does not.
func (p *Place) parts() (in, out []placePart) {
	in = []placePart{
		{p.Inside, kindKey(kindInside)},
		{p.Pinned, kindKey(kindPinned)},
		{p.Missing, kindKey(kindMissing)},
		{p.Pruned, kindKey(kindPruned)},
		{p.Requisite, kindKey(kindRequisite)},
	}
	out = []placePart{
		{p.Context, kindKey(kindContext)},
		{p.Outside, kindKey(kindOutside)},
		{p.Excluded, kindKey(kindExcluded)},
	}
	return in, out
}

type placePart struct {
	n int
	legendKey
}

// sum is how many URLs the parts have.
func sum(parts []placePart) (n int) {
	for _, part := range parts {
		n += part.n
	}
	return n
}

// parts of a place as the picture shows it, in the order in which they are drawn.
func (p *sitePicture) parts(x *Place) (in, out []placePart) {
	if p.past == nil {
		return x.parts()
	}
	return x.partsSince(p.past[x.Prefix])
}

// urls is how many URLs of a place the picture shows, and how many of them as what belongs. It is
// asked of every place, also of those that are not drawn.
func (p *sitePicture) urls(x *Place) (belong, all int) {
	if p.past == nil {
		return x.Belong(), x.URLs()
	}
	in, out := p.parts(x)
	return sum(in), sum(in) + sum(out)
}

// drawPlace draws one directory, divided by what its URLs are: a colour and, but for what is
// plainly in or out, a pattern each. The boundary runs between what belongs and what does not.
func (p *sitePicture) drawPlace(x *Place, r rect) error {
	err := p.region(x.Prefix, plain(x.Prefix, longText)+": "+p.counts(x), func() {
		p.drawParts(x, r, directory(x.Prefix))
	})
	p.divide(x, r, p.crosses[x.Prefix])
	if x.Prefix != hostPrefix(x.Prefix) { // else the host is marked
		p.mark(x.Prefix, r)
	}
	return err
}

// drawFold draws places together that have none of their own. A table has the fullest of them.
func (p *sitePicture) drawFold(h *hostPlaces, r rect) {
	x := &h.places[0]
	p.anchor("", h.name+": "+p.counts(x), func() { p.drawParts(x, r, h.name) })
	p.divide(x, r, h.crosses)
	p.box(&p.b, "frame", r, "")
}

// counts tells of the parts of a place.
func (p *sitePicture) counts(x *Place) string {
	in, out := p.parts(x)
	var counts []string
	for _, part := range append(in, out...) {
		if part.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	return strings.Join(counts, "; ")
}

func (p *sitePicture) drawParts(x *Place, r rect, label string) {
	in, out := p.parts(x)
	all, at := float64(sum(in)+sum(out)), 0.0
	for _, part := range append(in, out...) {
		share := float64(part.n) / all
		box := rect{r.x, r.y + at*r.h, r.w, share * r.h}
		if r.w > r.h {
			box = rect{r.x + at*r.w, r.y, share * r.w, r.h}
		}
		if part.n > 0 {
			p.kind(part.legendKey, box)
		}
		at += share
	}
	if r.w > labelWidth && r.h > labelHeight {
		p.label(&p.b, label, r, "dir")
	}
}

// divide draws the boundary between the parts of a place that belong and those that do not.
func (p *sitePicture) divide(x *Place, r rect, crosses float64) {
	in, out := p.parts(x)
	if sum(out) == 0 {
		return
	}
	share := float64(sum(in)) / float64(sum(in)+sum(out))
	from, to := r.x+share*r.w, r.y+share*r.h
	if r.w > r.h {
		p.coast(from, r.y, from, r.y+r.h, crosses)
	} else {
		p.coast(r.x, to, r.x+r.w, to, crosses)
	}
}

// drawShore draws the hosts that the site only links to, in a row, those first to which most was
// cut; and the boundary before them.
func (p *sitePicture) drawShore(shore []Place, top float64, coast bool) error {
	if len(shore) == 0 {
		return nil
	}
	hosts := p.byHost(shore)
	slices.SortStableFunc(hosts, func(a, b hostPlaces) int {
		return cmp.Or(cmp.Compare(b.crosses, a.crosses), cmp.Compare(b.urls, a.urls))
	})
	shown := hosts
	if len(hosts) > shoreHosts+1 {
		rest := hostPlaces{name: plural(len(hosts)-shoreHosts, "other host", "other hosts")}
		for _, h := range hosts[shoreHosts:] {
			rest.urls, rest.crosses = rest.urls+h.urls, rest.crosses+h.crosses
		}
		shown = append(hosts[:shoreHosts:shoreHosts], rest)
	}
	sum := 0.0
	for _, h := range shown {
		sum += math.Log2(2 + float64(h.urls))
	}
	left := 0.0
	for _, h := range shown {
		r := rect{left, top, p.width * math.Log2(2+float64(h.urls)) / sum, shoreHeight}
		left += r.w
		if err := p.drawStranger(&h, r); err != nil {
			return err
		}
		if coast {
			p.coast(r.x, top-strait/2, left, top-strait/2, h.crosses)
		}
	}
	return nil
}

// mostly is what most of a host's URLs are, as the picture shows them.
func (p *sitePicture) mostly(h *hostPlaces) legendKey {
	var all Place
	for i := range h.places {
		all.join(&h.places[i])
	}
	_, out := p.parts(&all)
	most := placePart{legendKey: kindKey(kindOutside)}
	for _, part := range out {
		if part.n > most.n {
			most = part
		}
	}
	return most.legendKey
}

// drawStranger draws a host of the shore, or what stands for all that have no part of their own.
func (p *sitePicture) drawStranger(h *hostPlaces, r rect) error {
	title := plain(h.name, longText) + ": " + plural(h.urls, "URL", "URLs") + " outside"
	draw := func() {
		p.kind(p.mostly(h), r)
		p.label(&p.b, h.name, r, "dir")
		p.label(&p.b, plural(h.urls, "URL", "URLs"), rect{r.x, r.y + 18, r.w, r.h}, "dir")
	}
	if len(h.places) == 0 {
		p.anchor(p.others, title, draw)
		return nil
	}
	prefix := h.places[0].Prefix
	if len(h.places) > 1 {
		prefix = hostPrefix(prefix)
	}
	err := p.region(prefix, title, draw)
	p.mark(prefix, r)
	return err
}

// region draws what leads to the panel of a place or host.
func (p *sitePicture) region(prefix, title string, draw func()) error {
	address, err := p.link(prefix)
	if err == nil {
		p.anchor(address, title, draw)
	}
	return err
}

// anchor draws a link, or where there is none a group.
func (p *sitePicture) anchor(address, title string, draw func()) {
	element := "g"
	if address != "" {
		element = "a"
		address = ` href="` + template.HTMLEscapeString(address) + `" tabindex="-1"`
	}
	fmt.Fprintf(&p.b, `<%s%s><title>%s</title>`, element, address, template.HTMLEscapeString(title))
	draw()
	p.b.WriteString("</" + element + ">")
}

// kind draws a rectangle of what the legend tells under a key.
func (p *sitePicture) kind(k legendKey, r rect) {
	if p.has == nil {
		p.has = map[legendKey]bool{}
	}
	p.has[k] = true
	p.box(&p.b, k.class, r, k.pattern)
}

// box draws a rectangle of a class, and a pattern over it unless that is "".
func (p *sitePicture) box(b *strings.Builder, class string, r rect, pattern string) {
	const at = ` x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`
	fmt.Fprintf(b, `<rect class="%s"`+at, class, r.x, r.y, r.w, r.h)
	if pattern != "" {
		fmt.Fprintf(b, `<rect class="pattern" fill="url(#%s)"`+at, pattern, r.x, r.y, r.w, r.h)
	}
}

// mark frames the region that is looked at, and says what was decided on one by hand.
func (p *sitePicture) mark(prefix string, r rect) {
	if prefix == p.open {
		p.box(&p.top, "open", r, "")
	}
	if text := p.decided(prefix); text != "" {
		width := letterWidth*float64(len(text)) + 8
		box := rect{r.x + max(0, r.w-width), r.y + max(0, r.h-labelHeight), width, labelHeight}
		p.box(&p.top, "decided", box, "")
		p.label(&p.top, text, rect{box.x, box.y, width + letterWidth, labelHeight}, "dir")
	}
}

// Widths of the line of the boundary.
const (
	coastWidth = 2.0
	coastMost  = 10.0
)

// coast draws a part of the boundary, by the capacity of the links that are cut there.
func (p *sitePicture) coast(x1, y1, x2, y2, crosses float64) {
	fmt.Fprintf(&p.top, `<path class="coast" stroke-width="%.1f" d="M%.1f %.1fL%.1f %.1f"/>`,
		min(coastWidth+2*math.Log2(1+crosses), coastMost), x1, y1, x2, y2)
}

func (p *sitePicture) label(b *strings.Builder, text string, r rect, class string) {
	most := max(1, int((r.w-8)/letterWidth))
	shown := []rune(plain(text, longText))
	if console.Columns(string(shown)) > most {
		for len(shown) > 1 && console.Columns(string(shown)) >= most {
			shown = shown[:len(shown)-1]
		}
		shown = append(shown, '…')
	}
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f" unicode-bidi="isolate">%s</text>`, class, r.x+4,
		r.y+15, template.HTMLEscapeString(string(shown)))
}
