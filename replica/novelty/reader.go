package novelty

import (
	"math/bits"
	"slices"

	"watershed/page"
)

// Reader takes the text of one page after the other and gives the features by which pages are
// compared: fingerprints of runs of five words without their digits, and of three decimal numbers that follow
// each other as in a table of measurements, at most maxFeatures of them, the smallest. It is not safe for
// concurrent use.
type Reader struct {
	word   uint64    // hash of the word that the last piece ended within, 0 between words
	runs   [5]uint64 // hashes of the last word before it, of the last two, to the last five
	words  int
	number figure
	kept   []uint64 // the smallest features, sorted, each once
	limit  uint64   // features from here on are not kept

	line, cell  uint64    // the words of a line, and its digits
	cells       [3]uint64 // the last lines that are numbers alone
	lines, rows []uint64

	own       address
	broken    bool     // the last word has digits in it
	news      []uint64 // the words that are not of the address, nor broken
	statement statement
	all       uint64 // statements
}

// Features are what pages are compared by, fingerprints, sorted but for the words.
type Features struct {
	runs  []uint64 // the smallest of the runs of words
	lines []uint64 // of text, by their words
	rows  []uint64 // of a table: three numbers that follow each other
	words []uint64 // in their order, without digits, that the address does not have
	all   uint64   // lines with their numbers: see statement
}

// figure is the number that the last piece ended within, and the decimal ones before it since the last word.
// Others say nothing: dates, times of day, and what is counted, go on for ever.
type figure struct {
	hash   uint64 // 0 between numbers
	points int    // within it
	open   bool   // the last of these has no digit behind it so far
	last   [3]uint64
	before int
}

// take takes a byte between words, and gives the run that it ends, 0 for none.
func (n *figure) take(c byte) (run uint64) {
	switch {
	case '0' <= c && c <= '9':
		n.hash = spell(n.hash, c)
		if n.open {
			n.points, n.open = n.points+1, false
		}
		return 0
	case (c == '.' || c == ',') && n.hash != 0 && !n.open:
		n.open = true
		return 0
	}
	if n.points == 1 {
		copy(n.last[:], n.last[1:])
		n.last[len(n.last)-1] = n.hash
		if n.before++; n.before >= len(n.last) {
			run = runOf(n.last[:])
		}
	}
	n.hash, n.points, n.open = 0, 0, false
	return run
}

const (
	maxFeatures = 64
	wordSeed    = 0x9e3779b97f4a7c15
	wordFactor  = 0xff51afd7ed558ccd
)

// NewReader makes a Reader. Begin tells it whose text comes.
func NewReader() *Reader {
	r := &Reader{kept: make([]uint64, 0, maxFeatures)}
	r.Reset()
	return r
}

// Reset forgets what was read since the last Features.
func (r *Reader) Reset() {
	r.word, r.words, r.limit = 0, 0, ^uint64(0)
	r.runs, r.number = [5]uint64{}, figure{}
	r.kept = r.kept[:0]
	r.line, r.cell, r.cells = 0, 0, [3]uint64{}
	r.lines, r.rows = r.lines[:0], r.rows[:0]
	r.broken, r.news, r.own = false, r.news[:0], address{}
	r.statement, r.all = statement{}, 0
}

// Begin begins the page of an address.
func (r *Reader) Begin(u page.URL) {
	r.Reset()
	r.own = addressOf(u)
}

// Text takes a piece of visible text; it is not kept. Letters are those of ASCII, without regard to
// case, and all bytes above.
func (r *Reader) Text(piece []byte) {
	h := r.word
	for _, c := range piece {
		letter := letters[c]
		switch {
		case letter != 0:
			h = spell(h, letter)
		case h == 0:
			if run := r.number.take(c); run != 0 {
				r.keep(run)
			}
			switch {
			case '0' <= c && c <= '9':
				r.statement.digit(c)
				r.cell = spell(r.cell, c)
			case c == '\n':
				r.endLine()
			default:
				r.statement.endNumber(&r.own)
			}
		case '0' <= c && c <= '9':
			r.broken = true
			r.statement.digit(c)
		default:
			if r.end(h); c == '\n' {
				r.endLine()
			}
			h = 0
		}
	}
	r.word = h
}

// spell is the hash of a word, or number, with one more letter, or digit.
func spell(word uint64, c byte) uint64 {
	return (bits.RotateLeft64(word, 5) ^ uint64(c) ^ wordSeed) * wordFactor
}

// end takes a whole word.
func (r *Reader) end(word uint64) {
	r.statement.endNumber(&r.own)
	r.statement.take(word)
	if !r.broken && r.number.hash == 0 && !r.own.has(word) {
		r.news = few(r.news, word)
	}
	r.broken = false
	r.number = figure{}
	r.line = extend(r.line, word)
	u := &r.runs // each new run depends on an old one alone, so that the processor works on all at once
	u[4], u[3], u[2] = extend(u[3], word), extend(u[2], word), extend(u[1], word)
	u[1], u[0] = extend(u[0], word), extend(0, word)
	if r.words++; r.words >= len(u) {
		r.keep(u[4] ^ u[4]>>31)
	}
}

// extend is the hash of a run of words, or numbers, with one more.
func extend(run, word uint64) uint64 { return (bits.RotateLeft64(run, 7) ^ word) * wordFactor }

// runOf is the fingerprint of some words, or numbers, in their order.
func runOf(words []uint64) uint64 {
	var h uint64
	for _, w := range words {
		h = extend(h, w)
	}
	return h ^ h>>31
}

func (r *Reader) keep(f uint64) {
	if f >= r.limit {
		return
	}
	i, again := slices.BinarySearch(r.kept, f)
	if again {
		return
	}
	r.kept = slices.Insert(r.kept[:min(len(r.kept), maxFeatures-1)], i, f)
	if len(r.kept) == maxFeatures {
		r.limit = r.kept[maxFeatures-1]
	}
}

// mostLines is how many lines of text, and how many rows, of a page are looked at.
const mostLines = 1 << 13

// endLine takes a line of text: its words, or the cell of a table that is a number alone.
func (r *Reader) endLine() {
	r.statement.endNumber(&r.own)
	r.all, r.statement = mixed(r.all, r.statement.sum()), statement{}
	switch {
	case r.line != 0:
		r.lines = few(r.lines, r.line^r.line>>31)
	case r.cell != 0:
		copy(r.cells[:], r.cells[1:])
		if r.cells[len(r.cells)-1] = r.cell; r.cells[0] != 0 {
			r.rows = few(r.rows, runOf(r.cells[:]))
		}
	}
	r.line, r.cell = 0, 0
}

// few appends as long as a list is not too long.
func few(list []uint64, x uint64) []uint64 {
	if len(list) < mostLines {
		list = append(list, x)
	}
	return list
}

// letters has the letter that a byte counts as, 0 for a byte that is none.
var letters = func() (of [256]byte) {
	for c := range of {
		if b := byte(c); b >= 0x80 {
			of[c] = b
		} else if lower := b | 0x20; 'a' <= lower && lower <= 'z' {
			of[c] = lower
		}
	}
	return of
}()

// Features ends the page and gives its features, in memory of the caller. A page of fewer
// than five words has one run, that of all its words; a page without any has none.
func (r *Reader) Features() Features {
	if run := r.number.take(' '); run != 0 && r.word == 0 {
		r.keep(run)
	}
	if r.word != 0 {
		r.end(r.word)
	}
	if 0 < r.words && r.words < len(r.runs) {
		run := r.runs[r.words-1]
		r.keep(run ^ run>>31)
	}
	r.endLine()
	f := Features{
		slices.Clone(r.kept), distinct(r.lines), distinct(r.rows), slices.Clone(r.news), r.all,
	}
	r.Reset()
	return f
}

// distinct are the distinct ones of a list, in memory of their own. It orders the list.
func distinct(list []uint64) []uint64 {
	slices.Sort(list)
	return slices.Clone(slices.Compact(list))
}
