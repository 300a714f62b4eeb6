package mirror

import (
	"bytes"
	"maps"
	"slices"
)

// counter is how often each term of a host was met.
type counter map[uint64]uint32

// top appends the n terms that were met most often, in no order; of those met equally often, the
// smaller hashes.
func (c counter) top(n int, into []uint64) []uint64 {
	if len(c) <= n {
		return slices.AppendSeq(into, maps.Keys(c))
	}
	counts := slices.Sorted(maps.Values(c))
	least := counts[len(counts)-n]
	full := len(into) + n
	var even []uint64
	for term, count := range c {
		switch {
		case count > least:
			into = append(into, term)
		case count == least:
			even = append(even, term)
		}
	}
	slices.Sort(even)
	return append(into, even[:full-len(into)]...)
}

// walker reads the paths of one host and counts the directories and shingles that they have (A
// comparison of techniques, sections 3.2.3 and 3.2.4).
type walker struct {
	o        TermOptions
	symbols  *[256]symbol
	prev     []byte
	paths    int
	dirs     counter // the paths themselves, too
	shingles counter
}

func newWalker(o TermOptions) *walker {
	w := &walker{o: o, symbols: &symbols}
	if o.KeepCase {
		w.symbols = &symbolsOfCase
	}
	w.begin()
	return w
}

// begin makes ready for another host.
func (w *walker) begin() {
	w.prev, w.paths = w.prev[:0], 0
	w.dirs, w.shingles = counter{}, counter{}
}

// read takes a path that begins with "/" or "?", and gives its hash. fresh is false if it equals
// the one before.
func (w *walker) read(path []byte) (hash uint64, fresh bool) {
	if bytes.Equal(path, w.prev) {
		return 0, false
	}
	w.prev = append(w.prev[:0], path...)
	w.paths++
	hash = fnvOffset
	var last, words uint64 // the last word, and how many there were
	for at := 0; at < len(path); {
		n, ofPath, word := readWord(w.symbols, path[at:], hash)
		hash, at = ofPath, at+n
		if word != fnvOffset {
			word = mix(word)
			switch {
			case w.o.SingleWords:
				w.shingles[w.place(word, words)]++
			case words > 0:
				w.shingles[w.place(last*3+word, words-1)]++
			}
			last = word
			words++
		}
		if at > 1 && path[at-1] == '/' {
			w.dirs[mix(hash)|1]++
		}
	}
	hash = mix(hash) | 1
	if path[len(path)-1] != '/' {
		w.dirs[hash]++
	}
	return hash, true
}

// place makes a term of words and the position of the first.
func (w *walker) place(words, position uint64) uint64 {
	if !w.o.Unplaced {
		words += position * 0x9e3779b97f4a7c15
	}
	return mix(words) | 1
}

// prefixes appends the most frequent prefixes, of which so many count as the number of paths allows.
// The root, which every host has, is none.
func (w *walker) prefixes(into []uint64) []uint64 { return w.dirs.top(w.o.cap(w.paths), into) }

// bigrams appends the most frequent shingles, as many as prefixes.
func (w *walker) bigrams(into []uint64) []uint64 { return w.shingles.top(w.o.cap(w.paths), into) }
