package extsort

// Record is an item that can be sorted: an array of 64-bit words. A caller defines its own type
// over such an array, with methods that name the words:
//
//	type posting [2]uint64 // shingle, document
//
// Records are ordered by the first word, then the second, and so on.
type Record interface {
	~[1]uint64 | ~[2]uint64 | ~[3]uint64 | ~[4]uint64 | ~[5]uint64 | ~[6]uint64 | ~[7]uint64 | ~[8]uint64 |
		~[9]uint64 | ~[10]uint64
}

// maxWords is the length of the longest Record.
const maxWords = 10

// words is the number of words of a record of type T.
func words[T Record]() int {
	var r T
	return len(r)
}

// less reports whether a comes before b.
func less[T Record](a, b *T) bool {
	for i := range len(*a) {
		if (*a)[i] != (*b)[i] {
			return (*a)[i] < (*b)[i]
		}
	}
	return false
}

// sameKey reports whether the first n words agree.
func sameKey[T Record](a, b *T, n int) bool {
	for i := range n {
		if (*a)[i] != (*b)[i] {
			return false
		}
	}
	return true
}
