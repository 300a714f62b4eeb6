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
// longer by itself. Blanks between words stay, but for those at which a line ends. A colour goes on
// in the next line. most must be positive.
func Wrap(text string, most int) (lines []string) { return wrap(text, most, most) }

// wrap is Wrap with another width for all lines but the first.
func wrap(text string, first, rest int) (lines []string) {
	most := first
	if Columns(text) <= most {
		return []string{text}
	}
	line, used := "", 0
	end := func() {
		lines, line, used, most = append(lines, line), "", 0, rest
	}
	for len(text) > 0 {
		gap := len(text) - len(strings.TrimLeft(text, " "))
		word, _, _ := strings.Cut(text[gap:], " ")
		text = text[gap+len(word):]
		n := Columns(word)
		switch {
		case word == "":
			continue
		case line != "" && used+gap+n <= most:
			line, used = line+strings.Repeat(" ", gap)+word, used+gap+n
			continue
		case line != "":
			end()
		}
		for head := take(word, most); len(head) < len(word); head = take(word, most) {
			line, word = head, word[len(head):]
			end()
		}
		line, used = word, Columns(word)
	}
	return recoloured(append(lines, line))
}

// recoloured ends a colour where its line ends, and begins it again in the next.
func recoloured(lines []string) []string {
	on := ""
	for i, line := range lines {
		begun := on
		for at := 0; at < len(line); {
			size, _ := next(line[at:])
			if colour(line[at:]) > 0 {
				if on = line[at : at+size]; on == End {
					on = ""
				}
			}
			at += size
		}
		if lines[i] = begun + line; on != "" {
			lines[i] += End
		}
	}
	return lines
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
