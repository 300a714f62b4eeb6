package mirror

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
)

// walker reads the paths of one host, one after the other, and counts the directories and shingles that they have
// (A comparison of techniques, sections 3.2.3 and 3.2.4).
//
// What a path has in common with the one before it is not read again. Each separator, "/" or ".", is a step; a step that
// the next path shares stays, and is counted by the number of paths read when it goes:
//
//	/docs/a/one.html     steps /  docs/  a/  one.
//	/docs/a/two.html     steps /  docs/  a/  stay; one. goes: its shingle was in one path
//
// Invariants:
//  1. steps are those of prev, from left to right, all within prev.
//  2. A directory's or shingle's number is what counter has of it plus, if it is a step, paths − since.
type walker struct {
	o        TermOptions
	prev     []byte
	steps    []step
	paths    uint32
	dirs     *counter
	shingles *counter
	leaves   least // the least hashes of paths that are no directories: their number is 1
	ones     least
	symbols  *[256]byte
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

// read takes a path that begins with "/" or "?", and gives its hash. fresh is false if it equals the one before.
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
	h, last, words, symbols := at.path, at.word, at.words, w.symbols
	word, star := uint64(fnvOffset), false // word is fnvOffset as long as nothing of it came
	for i, c := range path[at.end:] {
		h = (h ^ uint64(c)) * fnvPrime
		switch s := symbols[c]; {
		case s > digit:
			word = (word ^ uint64(s)) * fnvPrime
			star = false
		case s == digit:
			if !star {
				word = (word ^ '*') * fnvPrime
				star = true
			}
		case s == separator:
			s := w.push()
			s.shingle = 0
			if word != fnvOffset {
				word = mix(word)
				s.shingle = w.shingle(last, word, words)
				last, word, star = word, fnvOffset, false
				words++
			}
			s.path, s.word, s.words = h, last, words
			s.end, s.since, s.dir = at.end+uint32(i+1), w.paths, c == '/'
		}
	}
	if word != fnvOffset {
		if s := w.shingle(last, mix(word), words); s != 0 {
			w.shingles.add(s, 1)
		}
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

// prefixes gives the cap most frequent prefixes, appended to into. The root, which every host has, is none.
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

// Classes of bytes in words of a path. Bytes beyond ASCII are letters.
const (
	dropped = iota
	separator
	digit
	letter
)

// class has the class of each byte. symbols has, instead of the class letter, what the letter counts as: itself in lower case,
// or itself.
var class, symbols, symbolsOfCase = classes()

func classes() (class, folded, kept [256]byte) {
	for i := range 256 {
		c := byte(i)
		kept[i], folded[i] = c, c
		switch {
		case 'A' <= c && c <= 'Z':
			class[i], folded[i] = letter, c|0x20
			continue
		case 'a' <= c && c <= 'z' || c >= 0x80:
			class[i] = letter
			continue
		case c == '/' || c == '.':
			class[i] = separator
		case '0' <= c && c <= '9':
			class[i] = digit
		}
		kept[i], folded[i] = class[i], class[i]
	}
	return class, folded, kept
}

// Bigrams lists the positional word bigrams of a path as text, for example "dl*_advanceprogram_1".
func Bigrams(path string) []string {
	var words []string
	for _, w := range bytes.FieldsFunc([]byte(path), func(r rune) bool { return r == '/' || r == '.' }) {
		var out []byte
		star := false
		for _, c := range w {
			switch class[c] {
			case letter:
				out, star = append(out, symbols[c]), false
			case digit:
				if !star {
					out = append(out, '*')
				}
				star = true
			}
		}
		if len(out) > 0 {
			words = append(words, string(out))
		}
	}
	var list []string
	for i := 1; i < len(words); i++ {
		list = append(list, words[i-1]+"_"+words[i]+"_"+strconv.Itoa(i-1))
	}
	return list
}
