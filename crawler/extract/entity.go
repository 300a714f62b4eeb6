package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// attributeText is the value of an attribute as the tokenizer of the HTML standard gives it: line
// ends as LF, NUL as U+FFFD, entities decoded. An entity without its semicolon is not decoded
// before "=", a letter or a digit: "?a=1&copy=3" stays as it is. Source: HTML standard, 13.2.5.73
// (named character reference state).
func attributeText(s string) string {
	s = lineEnds(s)
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		n := reference(s[i:])
		b.WriteString(decoded(s[i:i+n], i+n < len(s) && s[i+n] == '='))
		s = s[i+n:]
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

// lineEnds is s with LF for CRLF and CR. Source: HTML standard, 13.2.3.5.
func lineEnds(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// reference is the length of what may be a character reference at the beginning of s: "&", letters
// and digits (or "#" and digits), and a semicolon if there is one.
func reference(s string) int {
	i := 1
	if i < len(s) && s[i] == '#' {
		i++
		hex := i < len(s) && s[i]|0x20 == 'x'
		if hex {
			i++
		}
		for i < len(s) && (digit(s[i]) || hex && 'a' <= s[i]|0x20 && s[i]|0x20 <= 'f') {
			i++
		}
	} else {
		for i < len(s) && (letter(s[i]) || digit(s[i])) {
			i++
		}
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	return i
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// maxReference bounds the text that is looked up: the longest name has 33 bytes with "&" and ";",
// and numbers may have zeros in front.
const maxReference = 64

// decoded is the character for which a reference within an attribute stands, or the reference
// itself.
func decoded(ref string, beforeEquals bool) string {
	if len(ref) < 3 || len(ref) > maxReference {
		return ref
	}
	u := html.UnescapeString(ref)
	if ref[1] == '#' {
		return u
	}
	if ref[len(ref)-1] != ';' {
		// The whole run must be the name: a rest of it would be the letter that forbids the match.
		if beforeEquals || strings.HasSuffix(u, ref[len(ref)-1:]) {
			return ref
		}
		return u
	}
	if strings.HasSuffix(u, ref[len(ref)-2:]) { // only a part of the name was known
		return ref
	}
	return u
}
