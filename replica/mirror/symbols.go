package mirror

// symbol is what a byte of a path means to words: the byte that it counts as, in the lowest eight
// bits, and flags. Beyond ASCII, bytes are letters. A single load from a table gives the symbol, so
// that words are read without asking for the class of each byte in turn.
type symbol uint16

const (
	digits    symbol = 1 << (8 + iota) // a digit: all of a run count as one "*"
	silent                             // adds nothing to a word
	separates                          // ends a word
	text      symbol = 0xff            // what it counts as
)

// runs says whether the last of a word's letters and digits is a digit after s, where run said so
// before: what is silent leaves it as it is. The answer is digits or 0.
func (s symbol) runs(run symbol) symbol { return s&digits | run&(s>>1) }

// symbols are those of words whose letters count as lower case, symbolsOfCase those of words that
// are told apart by case.
var symbols, symbolsOfCase = makeSymbols()

func makeSymbols() (folded, kept [256]symbol) {
	for i := range 256 {
		s := symbol(i)
		switch c := byte(i); {
		case 'A' <= c && c <= 'Z':
			folded[i], kept[i] = s|0x20, s
			continue
		case 'a' <= c && c <= 'z' || c >= 0x80:
		case '0' <= c && c <= '9':
			s = digits | '*'
		case c == '/' || c == '.':
			s = separates
		default:
			s = silent
		}
		folded[i], kept[i] = s, s
	}
	return folded, kept
}

// readWord reads a word of a path from at on, and the separator after it, if any. It gives where
// the next begins, the hash of the path continued, and that of the word before mix: fnvOffset for a
// word of which nothing counts.
//
// Whether a byte adds to the word is worked out without a branch, which the processor could not
// predict: digits begin and end by no rule. The loop is a function of its own so that all that it
// changes is kept in registers.
func readWord(symbols *[256]symbol, path []byte, hash uint64) (n int, ofPath, ofWord uint64) {
	word, run := uint64(fnvOffset), symbol(0)
	for i, c := range path {
		hash = (hash ^ uint64(c)) * fnvPrime
		s := symbols[c]
		longer, nothing := (word^uint64(s&text))*fnvPrime, s&(silent|separates|run)
		if nothing != 0 {
			longer = word
		}
		word = longer
		if s&separates != 0 {
			return i + 1, hash, word
		}
		run = s.runs(run)
	}
	return len(path), hash, word
}
