package extsort

import "math/bits"

const (
	// smallSort is the length below which insertion beats counting.
	smallSort = 32
	// bigSort is the length from which a digit of 11 bits pays for its longer count table.
	bigSort   = 1 << 16
	bigDigit  = 11
	usedDigit = 8
)

// sortRecords sorts in place by a most-significant-digit radix sort (McIlroy, Bostic, McIlroy, "Engineering radix sort", 1993,
// the American flag sort). Digits begin at the highest bit in which the records of a part differ, so that constant words and
// leading zeros cost one pass over the part, not one a digit. O(n · words) at most, O(n log n / 8) for random keys.
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
	digit := usedDigit
	if len(a) >= bigSort {
		digit = bigDigit
	}
	flag(a, word, max(0, bits.Len64(diff)-digit), digit)
}

// flag distributes records over the values of one digit in place, then sorts each part.
func flag[T Record](a []T, word, shift, digit int) {
	var ends, heads [1 << bigDigit]int32
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
	for d := range size {
		for heads[d] < ends[d] {
			r := a[heads[d]]
			at := r[word] >> shift & mask
			for at != uint64(d) {
				h := heads[at]
				heads[at]++
				r, a[h] = a[h], r
				at = r[word] >> shift & mask
			}
			a[heads[d]] = r
			heads[d]++
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
