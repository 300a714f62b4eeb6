package sitemap

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// terms gives the distinct words of a text, folded, in order of first use. A word is a run of
// letters, marks and digits; where a script writes no blanks between words it is every pair of
// neighbouring characters instead, as is usual in retrieval. Words of digits alone do not count. No
// list of any language is needed: counting finds the common words.
func terms(text string) (list []string) {
	var word []rune
	dense := false // word is of a script without blanks
	flush := func() {
		switch {
		case len(word) == 0:
		case dense && len(word) > 1:
			for i := range len(word) - 1 {
				list = append(list, string(word[i:i+2]))
			}
		case dense, len(word) > 1 && slices.ContainsFunc(word, unicode.IsLetter):
			list = append(list, string(word))
		}
		word = word[:0]
	}
	for _, c := range norm.NFKC.String(text) {
		switch {
		case unicode.IsLetter(c), unicode.IsNumber(c):
			if d := unicode.In(c, unblanked...); d != dense {
				flush()
				dense = d
			}
			word = append(word, unicode.ToLower(c))
		case unicode.IsMark(c):
			word = append(word, c)
		default:
			flush()
		}
	}
	flush()
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(t string) bool {
		again := seen[t]
		seen[t] = true
		return again
	})
}

// unblanked are scripts that write no blanks between words.
var unblanked = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
	unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// weighs says how much a term of few letters counts: in scripts with an alphabet, short words
// mostly mean little. A pair of characters of other scripts counts whole.
func weighs(term string) float64 {
	const whole = 4 // letters
	n := 0
	for _, c := range term {
		if unicode.In(c, unblanked...) {
			return 1
		}
		n++
	}
	return min(1, float64(n)/whole)
}
