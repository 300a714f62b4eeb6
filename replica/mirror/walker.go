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
}

// step is a separator of the previous path, and all that is known up to it.
type step struct {
	end     int    // where the next word begins
	path    uint64 // hash of the path before mix
	word    uint64 // the last word, 0 before the first
	words   int    // how many there were
	shingle uint64 // of the last two words, 0 for none
	since   uint32 // paths read before
	dir     bool   // the separator is "/"
}

func newWalker(o TermOptions) *walker {
	return &walker{o: o, dirs: newCounter(), shingles: newCounter()}
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
	h := at.path
	word, star, letters := uint64(fnvOffset), false, false
	for i := at.end; i < len(path); i++ {
		c := path[i]
		h = (h ^ uint64(c)) * fnvPrime
		switch class[c] {
		case letter:
			if !w.o.KeepCase {
				c = fold[c]
			}
			word = (word ^ uint64(c)) * fnvPrime
			star, letters = false, true
		case digit:
			if !star {
				word = (word ^ '*') * fnvPrime
			}
			star, letters = true, true
		case separator:
			at = w.next(at, word, letters)
			at.end, at.path, at.since, at.dir = i+1, h, w.paths, c == '/'
			w.steps = append(w.steps, at)
			word, star, letters = fnvOffset, false, false
		}
	}
	if letters {
		if last := w.next(at, word, true); last.shingle != 0 {
			w.shingles.add(last.shingle, 1)
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

// next adds a word, if there was one.
func (w *walker) next(at step, word uint64, is bool) step {
	if !is {
		at.shingle = 0
		return at
	}
	word = mix(word)
	at.shingle = 0
	switch {
	case w.o.SingleWords:
		at.shingle = w.place(word, at.words)
	case at.words > 0:
		at.shingle = w.place(at.word*3+word, at.words-1)
	}
	at.word = word
	at.words++
	return at
}

// place makes a term of words and the position of the first.
func (w *walker) place(words uint64, position int) uint64 {
	if !w.o.Unplaced {
		words += uint64(position) * 0x9e3779b97f4a7c15
	}
	return mix(words) | 1
}

// cut takes away the steps that lie beyond the first n bytes.
func (w *walker) cut(n int) {
	i := len(w.steps)
	for i > 0 && w.steps[i-1].end > n {
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
		least := newLeast(n - ones)
		for _, t := range into[ones:] {
			least.add(t.term)
		}
		for _, t := range w.leaves.heap {
			least.add(t)
		}
		into = into[:ones]
		for _, t := range least.heap {
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
	letter
	digit
	separator
)

var class, fold = classes()

func classes() (class, fold [256]byte) {
	for i := range 256 {
		c := byte(i)
		fold[i] = c
		switch {
		case c == '/' || c == '.':
			class[i] = separator
		case '0' <= c && c <= '9':
			class[i] = digit
		case 'A' <= c && c <= 'Z':
			class[i], fold[i] = letter, c|0x20
		case 'a' <= c && c <= 'z' || c >= 0x80:
			class[i] = letter
		}
	}
	return class, fold
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
				out, star = append(out, fold[c]), false
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
