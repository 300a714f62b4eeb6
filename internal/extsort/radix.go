package extsort

import "math/bits"

const (
	// smallSort is the length below which insertion beats counting.
	smallSort = 24
	// digitBits is the longest digit: with more, the parts lie in more pages than the processor
	// keeps the addresses of.
	digitBits = 8
)

// sortRecords sorts in place by a most-significant-digit radix sort (McIlroy, Bostic, McIlroy,
// "Engineering radix sort", 1993, the American flag sort). Digits begin at the highest bit in which
// the records of a part differ, so that constant words and leading zeros cost one pass over the
// part, not one a digit. O(n · words) at most, O(n log n / 8) for random keys.
func sortRecords[T Record](a []T) { sortFrom(a, 0) }

// sortFrom sorts records whose words before the given one are equal.
func sortFrom[T Record](a []T, word int) {
	if len(a) <= smallSort {
		insertionSort(a)
		return
	}
	var diff uint64
	for ; word < len(a[0]); word++ {
		first := a[0][word]
		for i := range a {
			diff |= a[i][word] ^ first
		}
		if diff != 0 {
			break
		}
	}
	if diff == 0 {
		return
	}
	digit := min(digitBits, bits.Len(uint(len(a)))-1)
	flag(a, word, max(0, bits.Len64(diff)-digit), digit)
}

// flag distributes records over the values of one digit in place, then sorts each part. Unlike the
// paper's, it does not follow cycles: each record in turn is exchanged with the next of the part
// that it belongs to, and parts that got others are gone through again. So no exchange waits for
// the one before.
func flag[T Record](a []T, word, shift, digit int) {
	var ends, heads [1 << digitBits]int32
	size, mask := 1<<digit, uint64(1)<<digit-1
	for i := range a {
		ends[a[i][word]>>shift&mask]++
	}
	sum := int32(0)
	for d := range size {
		heads[d] = sum
		sum += ends[d]
		ends[d] = sum
	}
	for left := true; left; {
		left = false
		for d := range size {
			for i, end := heads[d], ends[d]; i < end; i++ {
				at := a[i][word] >> shift & mask
				h := heads[at]
				heads[at] = h + 1
				a[i], a[h] = a[h], a[i]
			}
			left = left || heads[d] < ends[d]
		}
	}
	start := int32(0)
	for d := range size {
		if end := ends[d]; end-start > 1 {
			sortFrom(a[start:end], word)
		}
		start = ends[d]
	}
}

func insertionSort[T Record](a []T) {
	for i := 1; i < len(a); i++ {
		r := a[i]
		j := i
		for j > 0 && less(&r, &a[j-1]) {
			a[j] = a[j-1]
			j--
		}
		a[j] = r
	}
}

// combine merges neighbours with equal keys in place and returns what is left.
func combine[T Record](a []T, key int, f func(into *T, from T)) []T {
	if f == nil || len(a) == 0 {
		return a
	}
	n := 0
	for i := 1; i < len(a); i++ {
		if sameKey(&a[n], &a[i], key) {
			f(&a[n], a[i])
			continue
		}
		n++
		a[n] = a[i]
	}
	return a[:n+1]
}
