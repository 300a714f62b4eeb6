package mirror

import (
	"encoding/binary"
	"math/bits"
)

// walker reads the paths of one host, one after the other, and counts the directories and shingles
// that they have (A comparison of techniques, sections 3.2.3 and 3.2.4).
//
// The beginning that a path has in common with the one before it is not read again. Each separator,
// "/" or ".", is a step; a step that the next path shares stays, and is counted by the number of
// paths read when it goes:
//
//	/docs/a/one.html     steps /  docs/  a/  one.
//	/docs/a/two.html     steps /  docs/  a/  stay; one. goes: its shingle was in one path
//
// Invariants:
//  1. steps are those of prev, from left to right, all within prev.
//  2. A directory's or shingle's number is what counter has of it plus, if it is a step, paths −
//     since.
type walker struct {
	o        TermOptions
	prev     []byte
	steps    []step
	paths    uint32
	dirs     *counter
	shingles *counter
	leaves   least // the least hashes of paths that are no directories: their number is 1
	ones     least
	symbols  *[256]symbol
}

// step is a separator of the previous path, and all that is known up to it.
type step struct {
	path    uint64 // hash of the path before mix
	word    uint64 // the last word, 0 before the first
	shingle uint64 // of the last two words, 0 for none
	end     uint32 // where the next word begins
	words   uint32 // how many there were
	since   uint32 // paths read before
	dir     bool   // the separator is "/"
}

func newWalker(o TermOptions) *walker {
	w := &walker{o: o, dirs: newCounter(), shingles: newCounter(), symbols: &symbols}
	if o.KeepCase {
		w.symbols = &symbolsOfCase
	}
	return w
}

// begin makes ready for another host.
func (w *walker) begin() {
	w.prev, w.steps, w.paths = w.prev[:0], w.steps[:0], 0
	w.dirs.reset()
	w.shingles.reset()
	w.leaves.reset(w.o.cap(1 << 31)) // no host has a larger cap
}

// read takes a path that begins with "/" or "?", and gives its hash. fresh is false if it equals
// the one before.
func (w *walker) read(path []byte) (hash uint64, fresh bool) {
	common := commonPrefix(w.prev, path)
	if w.paths > 0 && common == len(path) && common == len(w.prev) {
		return 0, false
	}
	w.cut(common)
	at := step{path: fnvOffset}
	if n := len(w.steps); n > 0 {
		at = w.steps[n-1]
	}
	h, last, words := at.path, at.word, at.words
	for i := int(at.end); i < len(path); {
		var word, shingle uint64
		var n int
		n, h, word = readWord(w.symbols, path[i:], h)
		i += n
		if word != fnvOffset {
			word = mix(word)
			shingle = w.shingle(last, word, words)
			last = word
			words++
		}
		if c := path[i-1]; c != '/' && c != '.' {
			if shingle != 0 {
				w.shingles.add(shingle, 1)
			}
			break
		}
		s := w.push()
		s.path, s.word, s.shingle = h, last, shingle
		s.end, s.words, s.since, s.dir = uint32(i), words, w.paths, path[i-1] == '/'
	}
	hash = mix(h) | 1
	if path[len(path)-1] != '/' {
		w.leaves.add(hash)
	}
	w.paths++
	w.prev = append(w.prev[:common], path[common:]...)
	return hash, true
}

// push makes room for a step; what it holds is left over.
func (w *walker) push() *step {
	n := len(w.steps)
	if n < cap(w.steps) {
		w.steps = w.steps[:n+1]
	} else {
		w.steps = append(w.steps, step{})
	}
	return &w.steps[n]
}

// shingle is that of a word, of which so many came before, the last of them last; 0 for none.
func (w *walker) shingle(last, word uint64, words uint32) uint64 {
	switch {
	case w.o.SingleWords:
		return w.place(word, words)
	case words > 0:
		return w.place(last*3+word, words-1)
	}
	return 0
}

// place makes a term of words and the position of the first.
func (w *walker) place(words uint64, position uint32) uint64 {
	if !w.o.Unplaced {
		words += uint64(position) * 0x9e3779b97f4a7c15
	}
	return mix(words) | 1
}

// cut takes away the steps that lie beyond the first n bytes.
func (w *walker) cut(n int) {
	i := len(w.steps)
	for i > 0 && int(w.steps[i-1].end) > n {
		i--
		s := &w.steps[i]
		if s.dir && s.end > 1 {
			w.dirs.add(mix(s.path)|1, w.paths-s.since)
		}
		if s.shingle != 0 {
			w.shingles.add(s.shingle, w.paths-s.since)
		}
	}
	w.steps = w.steps[:i]
}

// prefixes gives the cap most frequent prefixes, appended to into. The root, which every host has,
// does not count.
func (w *walker) prefixes(into []tally) []tally {
	w.cut(-1)
	n := w.o.cap(int(w.paths))
	into = w.dirs.top(n, into)
	if missing := n - len(into); missing > 0 || len(into) > 0 && into[len(into)-1].count == 1 {
		// Leaves come in once each, among the directories that do, by hash.
		ones := len(into)
		for ones > 0 && into[ones-1].count == 1 {
			ones--
		}
		w.ones.reset(n - ones)
		w.leaves.n = min(w.leaves.n, n)
		for _, t := range into[ones:] {
			w.ones.add(t.term)
		}
		for _, t := range w.leaves.smallest() {
			w.ones.add(t)
		}
		into = into[:ones]
		for _, t := range w.ones.smallest() {
			into = append(into, tally{t, 1})
		}
	}
	return into
}

// bigrams gives the cap most frequent shingles, appended to into.
func (w *walker) bigrams(into []tally) []tally {
	w.cut(-1)
	return w.shingles.top(w.o.cap(int(w.paths)), into)
}

// commonPrefix is the number of leading bytes that are equal.
func commonPrefix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
