package novelty

import (
	"math/bits"
	"net/url"
	"slices"

	"watershed/page"
)

// statement sums up a line of text with its numbers, but for those that go on for ever by themselves: the
// numbers of the page's address and their neighbours, and, where the line has a year, years and days.
type statement struct {
	all, undated uint64
	year         bool
	number       uint64 // that the last piece ended within
	counting     bool
}

func (s *statement) take(x uint64) { s.all, s.undated = mixed(s.all, x), mixed(s.undated, x) }

func (s *statement) digit(c byte) { s.number, s.counting = 10*s.number+uint64(c-'0'), true }

// endNumber takes the number that was read, if any.
func (s *statement) endNumber(own *address) {
	n := s.number
	year := 1900 <= n && n < 2100
	if s.counting && !own.counts(n) {
		s.year = s.year || year
		s.all = mixed(s.all, n)
		if !year && n > 31 {
			s.undated = mixed(s.undated, n)
		}
	}
	s.number, s.counting = 0, false
}

// sum stands for the line.
func (s *statement) sum() uint64 {
	if s.year {
		return s.undated
	}
	return s.all
}

func mixed(sum, x uint64) uint64 { return (bits.RotateLeft64(sum, 7) ^ x ^ wordSeed) * wordFactor }

// address is what the address of a page says, so that the page says nothing by repeating it.
type address struct{ words, numbers []uint64 } // numbers in order

func addressOf(u page.URL) (a address) {
	text := u.PathQuery()
	if plain, err := url.QueryUnescape(text); err == nil {
		text = plain
	}
	var word uint64
	number := statement{}
	for _, c := range []byte(text + "/") {
		digit := '0' <= c && c <= '9'
		if !digit && number.counting {
			a.numbers = append(a.numbers, number.number)
			number = statement{}
		}
		switch letter := letters[c]; {
		case letter != 0:
			word = spell(word, letter)
		case digit:
			number.digit(c)
		case word != 0:
			a.words = append(a.words, word)
			word = 0
		}
	}
	slices.Sort(a.numbers)
	return a
}

// counts reports a number of the address, or a neighbour of one: where the page before or behind it leads.
func (a *address) counts(n uint64) bool {
	i, found := slices.BinarySearch(a.numbers, n-min(n, 1))
	return found || i < len(a.numbers) && a.numbers[i]-n <= 1
}

// has reports a word of the address.
func (a *address) has(word uint64) bool { return slices.Contains(a.words, word) }
