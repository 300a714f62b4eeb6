package flow

// Editor computes edit distances between lists. It keeps its working row, so that it allocates only
// for lists longer than any before. The zero value is ready; it is not safe for concurrent use.
type Editor struct{ row []int }

// Distance is the least number of elements to add, delete or replace to turn a into b (Wagner and
// Fischer, The string-to-string correction problem, 1974), or limit+1 if that is more than limit.
// Only the band of the table within limit of its diagonal is computed, and the search ends with the
// first row that is above the limit throughout (Ukkonen, Algorithms for approximate string
// matching, 1985): O(limit · min(len(a), len(b))) after the common ends, which cost their length.
func (e *Editor) Distance(a, b []uint32, limit int) int {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > limit {
		return limit + 1
	}
	a, b = trim(a, b)
	if len(b) == 0 {
		return len(a)
	}
	return e.band(a, b, limit)
}

// trim takes away what a, the longer list, and b begin and end with in common.
func trim(a, b []uint32) (x, y []uint32) {
	for len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// band fills the table row by row: row[j] is the distance between the elements of b seen so far and
// a[:j].
func (e *Editor) band(a, b []uint32, limit int) int {
	if len(e.row) <= len(a) {
		e.row = make([]int, 2*len(a)+1)
	}
	row := e.row[:len(a)+1]
	for j := range row {
		row[j] = j
	}
	for i, y := range b {
		first, last := max(0, i-limit), min(len(a)-1, i+limit)
		diagonal, left := row[first], limit+1
		if first == 0 {
			left = i + 1
			row[0] = left
		}
		best := left
		for j := first; j <= last; j++ {
			d := diagonal
			if a[j] != y {
				up := limit + 1 // outside the band
				if j < i+limit {
					up = row[j+1]
				}
				d = 1 + min(d, left, up)
			}
			diagonal = row[j+1]
			row[j+1], left = d, d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
	}
	return min(row[len(a)], limit+1)
}
