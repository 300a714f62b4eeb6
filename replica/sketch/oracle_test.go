package sketch

import (
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The oracle does all that the Builder does in the plainest way: whole strings, one shingle at a
// time, one bit at a time.

// slowTokens are the tokens of a text.
func slowTokens(text string) []string {
	text = strings.ToValidUTF8(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\u200B':
			return ' '
		case ignorable(r):
			return -1
		}
		return r
	}, text)
	fold := cases.Fold()
	for range 5 {
		text = norm.NFKC.String(foldCase(fold, norm.NFKC.String(text)))
	}
	var tokens []string
	state := ' ' // what the last rune was: separator, 'w'ord, 's'ingle character
	for _, r := range text {
		c := classOf(r)
		switch {
		case c&isSingle != 0:
			tokens = append(tokens, string(r))
			state = 's'
		case c&isWord != 0 && state == 'w', c&isMark != 0 && state != ' ':
			tokens[len(tokens)-1] += string(r)
		case c&isWord != 0:
			tokens = append(tokens, string(r))
			state = 'w'
		default:
			state = ' '
		}
	}
	return tokens
}

// slowToken is the fingerprint of a token: its bytes, zeros added up to a multiple of eight, as a
// polynomial.
func slowToken(f field, token string) uint64 {
	r := uint64(0)
	for len(token)%8 != 0 {
		token += "\x00"
	}
	for _, c := range []byte(token) {
		for i := 7; i >= 0; i-- {
			r = f.shift(r) ^ uint64(c)>>i&1
		}
	}
	return r
}

// slowShingle is the mixed fingerprint of a list of tokens.
func slowShingle(f field, tokens []string) uint64 {
	r := uint64(0)
	for _, t := range tokens {
		r = f.times(r, f.power(int(f.bits))) ^ slowToken(f, t)
	}
	if f.bits == 64 {
		return mix64(r)
	}
	return mix40(r)
}

// slowSet is the shingling of a list of tokens.
func slowSet(o Options, tokens []string) []uint64 {
	o = o.withDefaults()
	f := fieldOf(o.Bits)
	var set []uint64
	if n := len(tokens); n > 0 && n < o.Width {
		set = append(set, slowShingle(f, tokens))
	}
	for i := 0; i+o.Width <= len(tokens); i++ {
		set = append(set, slowShingle(f, tokens[i:i+o.Width]))
	}
	slices.Sort(set)
	return slices.Compact(set)
}
