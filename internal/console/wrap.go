package console

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Columns is how many columns of a terminal a text takes: two for a character of East Asian scripts
// that is shown wide, none for a mark that is put on another character, nor for our colours.
func Columns(text string) int {
	n := 0
	for len(text) > 0 {
		size, columns := next(text)
		n += columns
		text = text[size:]
	}
	return n
}

// next is the length in bytes of the first character or colour of a text, and its columns. A
// character that steers the terminal is counted as it will be shown, by its number.
func next(text string) (size, columns int) {
	if code := colour(text); code > 0 {
		return code, 0
	}
	c, size := utf8.DecodeRuneInString(text)
	switch {
	case c < 0x7f && c >= ' ':
		return size, 1
	case c == utf8.RuneError && size == 1:
		return size, len("<00>")
	case steers(c):
		return size, len("<U+000000>")
	case unicode.In(c, unicode.Mn, unicode.Me):
		return size, 0
	}
	switch width.LookupRune(c).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return size, 2
	}
	return size, 1
}

// Wrap breaks a text into lines of at most most columns, between words, and within one where it is
// longer by itself. The line is kept that is short enough as it is. most must be positive.
func Wrap(text string, most int) (lines []string) {
	if Columns(text) <= most {
		return []string{text}
	}
	var line string
	used := 0
	for word := range strings.FieldsSeq(text) {
		n := Columns(word)
		if used > 0 && used+1+n <= most {
			line, used = line+" "+word, used+1+n
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for head := take(word, most); len(head) < len(word); head = take(word, most) {
			lines, word = append(lines, head), word[len(head):]
			n = Columns(word)
		}
		line, used = word, n
	}
	return append(lines, line)
}

// take is the beginning of a text that takes at most most columns, and one character at least.
func take(text string, most int) string {
	used := 0
	for i := 0; i < len(text); {
		size, columns := next(text[i:])
		if used += columns; used > most && i > 0 {
			return text[:i]
		}
		i += size
	}
	return text
}
