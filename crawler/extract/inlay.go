package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/html"

	"watershed/page"
)

// inlays gathers what the page holds in itself and is no text of it, as page.Inlay tells. Two loads of
// the same page shall have the same: names, addresses and dates do not count, nor does what looks like
// an identifier.
type inlays struct {
	digests []uint32
	drawing []byte   // what the SVG picture that is read shows
	drawn   []string // attributes of the element that is read
	values  []byte   // of a script
}

const (
	maxInlays = 256 // of a page; where there are more, one digest of all is kept

	minValues = 8   // of a script; fewer are settings
	minOpaque = 128 // bytes of a string without words that is data; shorter ones are identifiers
	minSeries = 32  // bytes of a string of numbers that is data; shorter ones are dates and versions
	maxDigits = 8   // of a number; longer ones are times and identifiers
)

func (x *inlays) add(text string) { x.digests = append(x.digests, uint32(xxh3.HashString(text))) }

// reference takes one that has what it leads to within itself.
func (x *inlays) reference(ref string) {
	if ref = strings.TrimSpace(ref); hasScheme(ref, "data:") {
		x.add(ref)
	}
}

func hasScheme(ref, scheme string) bool {
	return len(ref) > len(scheme) && strings.EqualFold(ref[:len(scheme)], scheme)
}

// element takes an element of an SVG picture; first begins one.
func (x *inlays) element(name string, attrs []html.Attribute, first bool) {
	if first {
		x.endDrawing()
	}
	x.drawn = x.drawn[:0]
	for i := range attrs {
		a := &attrs[i]
		if a.Namespace != "" && a.Namespace != "xlink" {
			continue
		}
		key := strings.TrimPrefix(strings.ToLower(a.Key), "xlink:")
		if draws(key, a.Val) && !strings.Contains(a.Val, "url(") {
			x.drawn = append(x.drawn, fmt.Sprintf("%s=%q", key, a.Val))
		}
	}
	slices.Sort(x.drawn) // a copy that was written anew may have them in another order
	for _, attr := range x.drawn {
		x.drawing = fmt.Appendf(x.drawing, "%s %s\n", strings.ToLower(name), attr)
	}
}

// draws reports an attribute that tells how a picture looks, and no name or address.
func draws(key, value string) bool {
	switch key {
	case "id", "class", "role", "tabindex", "focusable", "version":
		return false
	case "href": // a part of the page, unless the name of that is made by a program
		return strings.HasPrefix(value, "#") && !strings.ContainsAny(value, "0123456789")
	}
	return !strings.Contains(key, ":") && !strings.HasPrefix(key, "xmlns") &&
		!strings.HasPrefix(key, "data-") && !strings.HasPrefix(key, "aria-") && !strings.HasPrefix(key, "on")
}

func (x *inlays) endDrawing() {
	if len(x.drawing) > 0 {
		x.digests = append(x.digests, uint32(xxh3.Hash(x.drawing)))
	}
	x.drawing = x.drawing[:0]
}

// script takes the values in a script or a block of data, where there are enough: numbers, and the words
// of strings. Time is linear in the text.
func (x *inlays) script(text string) {
	text = text[:min(len(text), maxScript)]
	x.values = x.values[:0]
	n := 0
	value := func(v string) {
		n++
		x.values = append(append(x.values, v...), '\n')
	}
	for s := (moduleRefs{src: text}); ; {
		s.blank()
		if s.pos == len(text) {
			break
		}
		from := s.pos
		switch c := text[s.pos]; {
		case isQuote(c):
			if _, ok := s.text(); !ok {
				s.past("\n")
				continue
			}
			end := s.pos
			if s.blank(); s.pos == len(text) || text[s.pos] != ':' { // else it names a value
				x.str(text[from+1:end-1], value)
			}
		case digit(c):
			for s.pos < len(text) && (ofName(text[s.pos]) || text[s.pos] == '.') {
				s.pos++
			}
			whole, _, _ := strings.Cut(text[from:s.pos], ".")
			if from > 0 && text[from-1] == '-' {
				from--
			}
			if len(whole) <= maxDigits {
				value(text[from:s.pos])
			}
		case c == '`':
			s.pos++
			s.past("`")
			x.str(strings.TrimSuffix(text[from+1:s.pos], "`"), value)
		case c == '\\':
			s.pos = min(s.pos+2, len(text))
		case ofName(c):
			s.identifier()
		default:
			s.pos++
		}
	}
	if n >= minValues {
		x.digests = append(x.digests, uint32(xxh3.Hash(x.values)))
	}
}

// str takes a string of a script: data, or words, each of which it gives to value.
func (x *inlays) str(text string, value func(string)) {
	switch {
	case hasScheme(text, "data:"), strings.Contains(text, ";base64,"), strings.Contains(text, "<svg"),
		len(text) >= minOpaque && isOpaque(text):
		x.add(text)
		return
	case len(text) >= minSeries && isSeries(text):
		value(text)
		return
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !ofToken(byte(r)) })
	if slices.ContainsFunc(fields, isClock) {
		return
	}
	for _, f := range fields {
		f = strings.TrimRight(f, ".:-")
		words, numbers := isOf(f, func(c byte) bool { return letter(c) || c >= 0x80 }), isOf(f, digit)
		if f != "" && (words || numbers && len(fields) > 1 && len(f) <= maxDigits) {
			value(f)
		}
	}
}

// ofToken reports a byte of a word, a number, an address or an identifier.
func ofToken(c byte) bool { return letter(c) || digit(c) || strings.IndexByte("-_.:+@%/", c) >= 0 }

// isClock reports a time of day.
func isClock(text string) bool {
	i := strings.IndexByte(text, ':')
	return i > 0 && i+1 < len(text) && digit(text[i-1]) && digit(text[i+1])
}

// isOpaque reports a string that can be base64 or hexadecimal.
func isOpaque(text string) bool {
	return isOf(text, func(c byte) bool { return letter(c) || digit(c) || c == '+' || c == '/' || c == '=' })
}

// isSeries reports numbers, and the letters of paths of SVG.
func isSeries(text string) bool {
	return isOf(text, func(c byte) bool {
		return digit(c) || strings.IndexByte(" ,.;+-\t\nMmLlHhVvCcSsQqTtAaZzEe", c) >= 0
	})
}

func isOf(text string, has func(byte) bool) bool {
	for i := range len(text) {
		if !has(text[i]) {
			return false
		}
	}
	return true
}

// inlay gives what was gathered.
func (x *inlays) inlay() page.Inlay {
	x.endDrawing()
	slices.Sort(x.digests)
	list := slices.Compact(x.digests)
	if len(list) > maxInlays {
		all := fmt.Append(nil, list)
		list = append(list[:0], uint32(xxh3.Hash(all)))
	}
	b := []byte(page.InlayVersion)
	for _, d := range list {
		b = append(b, byte(d>>24), byte(d>>16), byte(d>>8), byte(d))
	}
	return page.Inlay(b)
}
