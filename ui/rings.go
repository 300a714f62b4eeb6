package ui

import (
	"cmp"
	"math"
	"slices"
)

// Measures of rings, in the units of radii.
const (
	ringGap    = 5.0 // between rings, and between vertices of one
	ringSweeps = 12  // most of what barycenters do comes in the first few
)

// tie joins two vertices of a picture.
type tie struct {
	from, to int
	weight   float64
}

// spot is where a vertex of a picture lies.
type spot struct {
	ring  int
	angle float64 // from 0 to 2π
	x, y  float64
}

// ring is a band around the middle.
type ring struct{ inner, outer float64 }

// arrange lays discs out on rings around the middle, in their order: each ring is filled before the
// next begins, so that the first k discs, for any k, are those within one closed line. On its ring
// a disc lies near those that it is tied to: each sweep orders a ring by the mean direction of its
// discs' neighbours, and spaces it evenly. Discs do not overlap. It costs O(ringSweeps·(n log n +
// ties)), and the same input gives the same picture.
//
// Source: Bachmaier, A Radial Adaptation of the Sugiyama Framework for Visualizing Hierarchical
// Information, 2007, section 4 (cartesian barycenters), with rings by order in place of levels.
func arrange(radii []float64, ties []tie) ([]spot, []ring) {
	spots := make([]spot, len(radii))
	var rings []ring
	var members [][]int
	edge := 0.0 // of what is laid out
	for first := 0; first < len(radii); {
		widest, last := radii[first], first+1
		taken := 2*radii[first] + ringGap
		for last < len(radii) {
			w := max(widest, radii[last])
			more := taken + 2*radii[last] + ringGap
			if edge == 0 && first == 0 || more > room(edge, w) {
				break
			}
			widest, taken, last = w, more, last+1
		}
		outer := edge + ringGap + 2*widest
		if first == 0 {
			outer = widest
		}
		list := make([]int, 0, last-first)
		for i := first; i < last; i++ {
			spots[i].ring = len(rings)
			list = append(list, i)
		}
		rings, members = append(rings, ring{edge, outer}), append(members, list)
		edge, first = outer, last
	}
	for _, list := range members {
		space(spots, radii, list, 0)
		place(spots, rings, list)
	}
	near := neighbours(len(radii), ties)
	for range ringSweeps {
		for _, list := range members {
			order(spots, radii, list, near)
			place(spots, rings, list)
		}
	}
	return spots, rings
}

// room is how long the row of discs may be that a ring around edge holds: its discs lie on a
// circle, and neighbours are as far apart as the chord between them, which is shorter than the arc.
func room(edge, widest float64) float64 {
	r := edge + ringGap + widest
	step := 2*widest + ringGap
	if step >= 2*r {
		return 0
	}
	return 2 * math.Pi * r * (step / 2 / r) / math.Asin(step/2/r)
}

// neighbours are the ties of each vertex.
func neighbours(n int, ties []tie) [][]tie {
	near := make([][]tie, n)
	for _, t := range ties {
		near[t.from] = append(near[t.from], t)
		near[t.to] = append(near[t.to], tie{t.to, t.from, t.weight})
	}
	return near
}

// order orders a ring by the directions in which the neighbours of its discs lie.
func order(spots []spot, radii []float64, list []int, near [][]tie) {
	if len(list) < 2 {
		return
	}
	wish := make(map[int]float64, len(list))
	for _, i := range list {
		x, y := 0.0, 0.0
		for _, t := range near[i] {
			s := &spots[t.to]
			if r := math.Hypot(s.x, s.y); r > 0 { // what lies in the middle draws to no side
				x, y = x+t.weight*s.x/r, y+t.weight*s.y/r
			}
		}
		wish[i] = spots[i].angle
		if math.Hypot(x, y) > 1e-9 {
			wish[i] = math.Mod(math.Atan2(y, x)+2*math.Pi, 2*math.Pi)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(wish[a], wish[b]), cmp.Compare(a, b))
	})
	space(spots, radii, list, 0)
	x, y := 0.0, 0.0 // of the mean of what each would have to be turned by
	for _, i := range list {
		d := wish[i] - spots[i].angle
		x, y = x+math.Cos(d), y+math.Sin(d)
	}
	if math.Hypot(x, y) > 1e-9 {
		space(spots, radii, list, math.Atan2(y, x))
	}
}

// space gives the discs of a ring angles in the proportion of their widths, in their order.
func space(spots []spot, radii []float64, list []int, from float64) {
	sum := 0.0
	for _, i := range list {
		sum += 2*radii[i] + ringGap
	}
	at := from
	for _, i := range list {
		width := 2 * math.Pi * (2*radii[i] + ringGap) / sum
		spots[i].angle = math.Mod(at+width/2+4*math.Pi, 2*math.Pi)
		at += width
	}
}

// place computes where the discs of a ring lie.
func place(spots []spot, rings []ring, list []int) {
	for _, i := range list {
		s := &spots[i]
		r := (rings[s.ring].inner + ringGap + rings[s.ring].outer) / 2
		if s.ring == 0 {
			r = 0
		}
		s.x, s.y = r*math.Cos(s.angle), r*math.Sin(s.angle)
	}
}
