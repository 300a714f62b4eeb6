package mirror

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// leastSize is how many fingerprints of a page's text are compared: the standard error of a page's
// resemblance is at most 1/7, and that of the mean over a host's pages far less.
const leastSize = 14

// Least are the least fingerprints of a page's text, ascending, or all of them where there are
// fewer: MIN_s of A. Broder, S. Glassman, M. Manasse, G. Zweig, Syntactic clustering of the web,
// 1997, section 3, of 32 bits each. A 0 ends them; all 0 says that the text is not known.
type Least [leastSize]uint32

// known says that there is a text to compare.
func (l *Least) known() bool { return l[0] != 0 }

// resemblance estimates the part of all shingles of two texts that both have, from the least of
// their union.
func (l *Least) resemblance(m *Least) float64 {
	i, j, union, common := 0, 0, 0, 0
	for union < leastSize {
		inL, inM := i < leastSize && l[i] != 0, j < leastSize && m[j] != 0
		switch {
		case !inL && !inM:
			return float64(common) / float64(max(1, union))
		case inL && inM && l[i] == m[j]:
			common++
			i++
			j++
		case inL && (!inM || l[i] < m[j]):
			i++
		default:
			j++
		}
		union++
	}
	return float64(common) / leastSize
}

// placed is a page by what it is compared with: path, host, cluster, and its Least in pairs.
type placed [3 + leastSize/2]uint64

func placedPage(path uint64, host HostID, p *Page) (x placed) {
	x[0], x[1], x[2] = path, uint64(host), p.Cluster
	for i := range leastSize / 2 {
		x[3+i] = uint64(p.Least[2*i])<<32 | uint64(p.Least[2*i+1])
	}
	return x
}

func (x *placed) least() (l Least) {
	for i := range leastSize / 2 {
		l[2*i], l[2*i+1] = uint32(x[3+i]>>32), uint32(x[3+i])
	}
	return l
}

// alike is how alike two pages are: by their texts or, where not both are known, 1 in one cluster
// and 0 elsewhere.
func (x *placed) alike(y *placed) float64 {
	a, b := x.least(), y.least()
	switch {
	case a.known() && b.known():
		return a.resemblance(&b)
	case x[2] != 0 && x[2] == y[2]:
		return 1
	}
	return 0
}

// sameResult is what the pages say that two hosts have at equal paths.
type sameResult struct {
	pages int     // whose content is known on both
	sum   float64 // of how alike they are
}

// compareSame compares, for each candidate, the pages at equal paths. Sums are taken in the order
// of the paths' hashes, so that they are the same each time.
func (e *engine) compareSame(ctx context.Context) error {
	if e.placed == nil {
		return nil
	}
	of := make([][]HostID, len(e.hosts.list))
	for _, key := range e.candidates() {
		a, b := unpair(key)
		of[a] = append(of[a], b)
	}
	e.below.same = make(map[uint64]sameResult)
	c, err := e.placed.Sort(ctx)
	if err != nil {
		return err
	}
	var group []placed
	end := func() {
		if len(group) < 2 {
			return
		}
		for i := range group {
			a := HostID(group[i][1])
			for _, b := range of[a] {
				j, there := slices.BinarySearchFunc(group, uint64(b), func(x placed, id uint64) int {
					return cmp.Compare(x[1], id)
				})
				if there {
					key := pairKey(a, b)
					r := e.below.same[key]
					r.pages, r.sum = r.pages+1, r.sum+group[i].alike(&group[j])
					e.below.same[key] = r
				}
			}
		}
	}
	err = c.Each(ctx, func(x placed) error {
		if len(group) > 0 && group[0][0] != x[0] {
			end()
			group = group[:0]
		}
		if n := len(group); n == 0 || group[n-1][1] != x[1] { // a page that is told twice counts once
			group = append(group, x)
		}
		return nil
	})
	end()
	return errors.Join(err, e.closePlaced())
}

func (e *engine) closePlaced() (err error) {
	if e.placed != nil {
		err = e.placed.Close()
		e.placed = nil
	}
	return err
}
