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

// address is what the address of a page says, in order, so that the page says nothing by repeating it.
type address struct{ words, numbers []uint64 }

func addressOf(u page.URL) (a address) {
	r := Reader{limit: 0}
	text := []byte(u.PathQuery() + " ")
	if plain, err := url.QueryUnescape(u.PathQuery()); err == nil {
		text = []byte(plain + " ")
	}
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			continue
		}
		var n uint64
		for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			n = 10*n + uint64(text[i]-'0')
		}
		a.numbers = append(a.numbers, n)
	}
	r.Text(text)
	slices.Sort(a.numbers)
	a.words = distinct(r.news)
	return a
}

// counts reports a number of the address, or a neighbour of one: where the page before or behind it leads.
func (a *address) counts(n uint64) bool {
	i, found := slices.BinarySearch(a.numbers, n-min(n, 1))
	return found || i < len(a.numbers) && a.numbers[i]-n <= 1
}

// has reports a word of the address.
func (a *address) has(word uint64) bool {
	_, found := slices.BinarySearch(a.words, word)
	return found
}
