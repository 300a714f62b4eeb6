package page

import (
	"cmp"
	"strings"
)

// Spelling is how a URL was written: the URL with the case that the digits of its percent escapes
// have in the page, the redirect or the record that named it. It is "" where the URL itself is
// written so, as nearly all are. Both spellings are one page to the standards (RFC 3986, section
// 2.1) and to most servers; but some answer with a redirect to theirs, and players of archives look
// for the spelling of the page. So a URL is asked for, and recorded, by its spelling.
type Spelling string

// As is the URL as it is spelled.
func (u URL) As(s Spelling) string { return cmp.Or(string(s), string(u)) }

// URL is the URL that is spelled so, and the spelling, "" where it is that of the URL itself.
func (s Spelling) URL() (URL, Spelling) {
	u := upperEscapes(string(s))
	return u, u.Spelling(string(s))
}

// Spelling is the text where it spells the URL in another way, else "". It is also "" for a text
// that spells another URL.
func (u URL) Spelling(text string) Spelling {
	if text == string(u) || len(text) != len(u) || upperEscapes(text) != u {
		return ""
	}
	return Spelling(text)
}

// Spellable reports a URL that can be spelled in several ways: one with a letter in an escape.
func (u URL) Spellable() bool {
	for i := 0; i+2 < len(u); i++ {
		if u[i] == '%' && isHex(u[i+1]) && isHex(u[i+2]) {
			if u[i+1] > '9' || u[i+2] > '9' {
				return true
			}
			i += 2
		}
	}
	return false
}

// upperEscapes is the text with the hexadecimal digits of its percent escapes in upper case.
func upperEscapes(s string) URL {
	first := strings.IndexByte(s, '%')
	if first < 0 {
		return URL(s)
	}
	var b []byte // nil while nothing differs
	for i := first; i+2 < len(s); i++ {
		if s[i] != '%' || !isHex(s[i+1]) || !isHex(s[i+2]) {
			continue
		}
		for j := i + 1; j <= i+2; j++ {
			if s[j] < 'a' {
				continue
			}
			if b == nil {
				b = []byte(s)
			}
			b[j] = s[j] - 'a' + 'A'
		}
		i += 2
	}
	if b == nil {
		return URL(s)
	}
	return URL(b)
}

// Hex is the value of a hexadecimal digit.
func Hex(c byte) (value byte, ok bool) {
	switch lower := c | 0x20; {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= lower && lower <= 'f':
		return lower - 'a' + 10, true
	}
	return 0, false
}

func isHex(c byte) bool {
	_, ok := Hex(c)
	return ok
}

// Escaped is the byte that the percent escape at the beginning of a text stands for.
func Escaped(s string) (c byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, ok := Hex(s[1])
	low, also := Hex(s[2])
	return high<<4 | low, ok && also
}
