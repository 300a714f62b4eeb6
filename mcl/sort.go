package mcl

// A classSorter orders columns by descending class. It keeps its scratch memory between calls and
// is not safe for concurrent use.
type classSorter struct {
	counts  [1 << (32 - classShift)]int32
	scratch []entry
}

// sort orders column by a counting sort in O(entries + classes), or by insertion when it is short.
// The order is stable.
func (s *classSorter) sort(column []entry) {
	if len(column) <= 24 {
		insertByClass(column)
		return
	}
	s.counts = [len(s.counts)]int32{}
	for _, e := range column {
		s.counts[e>>classShift]++
	}
	at := int32(0)
	for c := len(s.counts) - 1; c >= 0; c-- {
		at, s.counts[c] = at+s.counts[c], at
	}
	s.scratch = append(s.scratch[:0], column...)
	for _, e := range s.scratch {
		column[s.counts[e>>classShift]] = e
		s.counts[e>>classShift]++
	}
}

func insertByClass(column []entry) {
	for i := 1; i < len(column); i++ {
		e := column[i]
		j := i
		for ; j > 0 && column[j-1]>>classShift < e>>classShift; j-- {
			column[j] = column[j-1]
		}
		column[j] = e
	}
}

// A key is a value of the accumulator with its row, in the order of values, and of descending rows
// among equal values: all keys of a column differ, so that "the k largest" is one set whatever the
// order they come in.
type key uint64

func makeKey(row, valueBits uint32) key { return key(valueBits)<<32 | key(^row) }

func (k key) row() uint32       { return ^uint32(k) }
func (k key) valueBits() uint32 { return uint32(k >> 32) }

// selectLargest moves the k largest keys to the front, in no particular order. Quickselect with the
// median of three; O(len(keys)) on average. (C. A. R. Hoare, Algorithm 65: Find, 1961.)
func selectLargest(keys []key, k int) {
	lo, hi := 0, len(keys)-1
	for lo < hi && k > lo && k <= hi {
		a, b, c := keys[lo], keys[(lo+hi)/2], keys[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for keys[i] > pivot {
				i++
			}
			for keys[j] < pivot {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i++
				j--
			}
		}
		// keys[lo:j+1] ≥ pivot ≥ keys[i:hi+1], and what lies between equals the pivot.
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}
