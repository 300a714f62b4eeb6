// Package worddiff compares two texts word by word.
//
// The shortest edit is found by the greedy algorithm of Myers, "An O(ND) Difference Algorithm and
// Its Variations", 1986, figure 2, after what both texts begin and end with was taken off. It costs
// O((N+M)D) time and O(D²) memory for D words that differ; where more than maxEdits differ, words
// that one side has and the other has not, as often, are told as different, and the others as
// common.
package worddiff

// maxEdits bounds the words that may differ for the edit to be the shortest.
const maxEdits = 2000

// Op says on which side words stand.
type Op uint8

const (
	Both Op = iota
	OnlyA
	OnlyB
)

// Part is a run of words that stand on the same side.
type Part struct {
	Op    Op
	Words []string // of the text that has them; a slice of what Diff was given
}

// Diff gives the parts of two texts, in order: without those of OnlyB they are a, without those of
// OnlyA they are b. Where both differ in one place, what a has comes first. exact is false where
// the edit may not be the shortest; then words that both have in another order may stand as those
// of Both in the order of a, and b is not told in full.
func Diff(a, b []string) (parts []Part, exact bool) {
	begin := 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	w := writer{}
	w.add(Both, a[:begin])
	exact = w.middle(a[begin:len(a)-end], b[begin:len(b)-end])
	w.add(Both, a[len(a)-end:])
	return w.parts, exact
}

// writer joins neighbours.
type writer struct {
	parts []Part
	owned bool // the words of the last part are a copy, which may grow
}

func (w *writer) add(op Op, words []string) {
	if len(words) == 0 {
		return
	}
	if n := len(w.parts); n > 0 && w.parts[n-1].Op == op {
		last := &w.parts[n-1]
		if !w.owned {
			last.Words, w.owned = append(make([]string, 0, 2*(len(last.Words)+len(words))), last.Words...),
				true
		}
		last.Words = append(last.Words, words...)
		return
	}
	w.owned = false
	w.parts = append(w.parts, Part{op, words})
}

// middle tells what lies between what both texts begin and end with. It reports whether its edit is
// the shortest.
func (w *writer) middle(a, b []string) bool {
	ends, ok := reach(a, b)
	if !ok {
		w.bag(a, b)
		return false
	}
	// Back from the end, one edit at a time; x words of a and y of b lie before it.
	type step struct {
		op   Op
		i, n int // words from i on
	}
	var steps []step
	x, y := len(a), len(b)
	for d := len(ends) - 1; d >= 0; d-- {
		k := x - y
		px, down := 0, true
		if d > 0 {
			v := ends[d-1]
			down = k == -d || k != d && v.at(k-1) < v.at(k+1)
			if down {
				px = v.at(k + 1)
			} else {
				px = v.at(k-1) + 1
			}
		}
		if n := x - px; n > 0 {
			steps = append(steps, step{Both, px, n})
		}
		x, y = px, px-k
		if d == 0 {
			break
		}
		if down {
			y--
			steps = append(steps, step{OnlyB, y, 1})
		} else {
			x--
			steps = append(steps, step{OnlyA, x, 1})
		}
	}
	var gone, came []string
	flush := func() {
		w.add(OnlyA, gone)
		w.add(OnlyB, came)
		gone, came = nil, nil
	}
	for i := len(steps) - 1; i >= 0; i-- {
		switch s := steps[i]; s.op {
		case OnlyA:
			gone = append(gone, a[s.i])
		case OnlyB:
			came = append(came, b[s.i])
		default:
			flush()
			w.add(Both, a[s.i:s.i+s.n])
		}
	}
	flush()
	return true
}

// row is how far each diagonal from -d to d was reached with d edits, in words of a.
type row struct {
	d int
	x []int32
}

func (r row) at(k int) int {
	if k < -r.d || k > r.d {
		return -1
	}
	return int(r.x[k+r.d])
}

// reach goes along the diagonals until both texts are at their ends, and gives how far each was
// reached with each number of edits.
func reach(a, b []string) (ends []row, ok bool) {
	for d := 0; d <= maxEdits; d++ {
		r := row{d, make([]int32, 2*d+1)}
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				v := ends[d-1]
				if k == -d || k != d && v.at(k-1) < v.at(k+1) {
					x = v.at(k + 1)
				} else {
					x = v.at(k-1) + 1
				}
			}
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			r.x[k+d] = int32(x)
			if x >= len(a) && x-k >= len(b) {
				return append(ends, r), true
			}
		}
		ends = append(ends, r)
	}
	return nil, false
}

// bag tells of each word how often one side has more of it.
func (w *writer) bag(a, b []string) {
	has := map[string]int{}
	for _, word := range b {
		has[word]++
	}
	for i, word := range a {
		if has[word]--; has[word] >= 0 {
			w.add(Both, a[i:i+1])
		} else {
			w.add(OnlyA, a[i:i+1])
		}
	}
	had := map[string]int{}
	for _, word := range a {
		had[word]++
	}
	for i, word := range b {
		if had[word]--; had[word] < 0 {
			w.add(OnlyB, b[i:i+1])
		}
	}
}
