package robots

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// MaxBytes is how much of a robots.txt is read. "Crawlers SHOULD impose a parsing limit ... The
// parsing limit MUST be at least 500 kibibytes" (RFC 9309, 2.5).
const MaxBytes = 500 << 10

// MaxWire is how much of a robots.txt is worth fetching: MaxBytes however they are framed.
const MaxWire = 2 * MaxBytes

type field uint8

const (
	otherField field = iota
	userAgent
	allow
	disallow
	crawlDelay
	sitemap
)

// fields are the names that are understood, in lower case. Besides the standard's are the
// misspellings that Google's parser (google/robotstxt, robots.cc) and crawler-commons' take for
// them: their authors meant to be obeyed.
var fields = map[string]field{
	"user-agent":  userAgent,
	"user-agents": userAgent,
	"users-agent": userAgent,
	"user-agnet":  userAgent,
	"useg-agent":  userAgent,
	"ser-agent":   userAgent,
	"useragent":   userAgent,
	"user agent":  userAgent,
	"allow":       allow,
	"disallow":    disallow,
	"dissallow":   disallow,
	"dissalow":    disallow,
	"disalow":     disallow,
	"diasllow":    disallow,
	"disallaw":    disallow,
	"disallows":   disallow,
	"desallow":    disallow,
	"diallow":     disallow,
	"disllow":     disallow,
	"dsallow":     disallow,
	"dssalow":     disallow,
	"crawl-delay": crawlDelay,
	"crawldelay":  crawlDelay,
	"crawl delay": crawlDelay,
	"crawl-deley": crawlDelay,
	"clawl-delay": crawlDelay,
	"craw-delay":  crawlDelay,
	"sitemap":     sitemap,
	"site-map":    sitemap,
}

// line is one line that says something.
type line struct {
	number int // from 1
	field  field
	value  string
	text   string // as it stands, without comment and outer blanks
}

// scan calls say for each line with a known field. Lines end with LF, CR LF or CR, and in a text
// that is wrapped in HTML, as servers send that take it for a page, with a tag; a byte order mark,
// comments, unknown fields and whatever else are passed over. UTF-16, UTF-32 and a text that is packed
// by gzip or zlib without saying so are read, too. A line that MaxBytes cuts through is not heard.
func scan(text []byte, say func(line)) {
	text = unpack(text)
	whole := len(text) <= MaxBytes
	text = decode(text[:min(len(text), MaxBytes)])
	for number := 1; len(text) > 0; number++ {
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 && !whole {
			return
		}
		var raw []byte
		if end < 0 {
			raw, text = text, nil
		} else {
			skip := 1
			if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
				skip = 2
			}
			raw, text = text[:end], text[end+skip:]
		}
		for _, part := range unwrapped(string(raw)) {
			if l, ok := parseLine(part); ok {
				l.number = number
				say(l)
			}
		}
	}
}

// markup are the tags that a robots.txt is found wrapped in.
var markup = regexp.MustCompile(
	`(?i)<(?:!doctype|/?(?:html|head|body|title|pre|p|br|div|span|font))\b[^<>]*>`)

// unwrapped are the parts of a line between tags.
func unwrapped(raw string) []string {
	if !strings.Contains(raw, "<") {
		return []string{raw}
	}
	return markup.Split(raw, -1)
}

// unpack is a text that servers packed before they sent it, as far as it can be unpacked and a little
// beyond MaxBytes.
func unpack(text []byte) []byte {
	var z io.Reader
	var err error
	switch {
	case bytes.HasPrefix(text, []byte{0x1f, 0x8b}):
		z, err = gzip.NewReader(bytes.NewReader(text))
	case len(text) > 1 && text[0] == 0x78: // an x, too: what is behind it tells
		z, err = zlib.NewReader(bytes.NewReader(text))
	default:
		return text
	}
	if err != nil {
		return text
	}
	plain, _ := io.ReadAll(io.LimitReader(z, MaxBytes+1)) // what came before an error counts
	if len(plain) == 0 {
		return text
	}
	return plain
}

// decode is a text in UTF-8, without the byte order mark or what is left of one, and with ordinary
// blanks for those that do not break a line, as word processors put them in. UTF-16 is known by
// its mark, or by every other byte of the beginning being 0; UTF-32 by three of four being so.
func decode(text []byte) []byte {
	if len(text) >= 8 {
		for order, at := range map[utf32.Endianness]int{utf32.BigEndian: 4, utf32.LittleEndian: 5} {
			// the second character, for the first may be a mark
			zero := [3]byte(text[at : at+3])
			if zero != [3]byte{} || text[4]+text[7] == 0 {
				continue
			}
			if utf8, err := utf32.UTF32(order, utf32.UseBOM).NewDecoder().Bytes(text); err == nil {
				return utf8
			}
		}
	}
	big, little := bytes.HasPrefix(text, []byte{0xfe, 0xff}), bytes.HasPrefix(text, []byte{0xff, 0xfe})
	if !big && !little && len(text) >= 8 {
		big = text[0] == 0 && text[2] == 0 && text[4] == 0 && text[1] != 0 && text[3] != 0
		little = text[1] == 0 && text[3] == 0 && text[5] == 0 && text[0] != 0 && text[2] != 0
	}
	if big || little {
		order := unicode.LittleEndian
		if big {
			order = unicode.BigEndian
		}
		if utf8, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(text); err == nil {
			return utf8
		}
	}
	for _, mark := range []byte("\ufeff") { // Google's parser passes over a part of the mark, too
		if len(text) == 0 || text[0] != mark {
			break
		}
		text = text[1:]
	}
	return bytes.ReplaceAll(text, []byte("\u00a0"), []byte{' '})
}

const blanks = " \t\v\f\x00"

// parseLine takes a field and its value apart: at the colon or, where that was forgotten, at the
// blank between two words.
func parseLine(raw string) (line, bool) {
	raw, _, _ = strings.Cut(raw, "#")
	raw = strings.Trim(raw, blanks)
	name, value, ok := strings.Cut(raw, ":")
	f := fields[strings.ToLower(strings.Trim(name, blanks))]
	if !ok || f == otherField {
		words := strings.Fields(raw)
		if len(words) != 2 {
			return line{}, false
		}
		if f = fields[strings.ToLower(words[0])]; f == otherField {
			return line{}, false
		}
		value = words[1]
	}
	return line{field: f, value: strings.Trim(value, blanks), text: raw}, true
}

// names reports a user-agent line that names a crawler: by its product token, alone or, as some
// files have it, among several names in one line. Letters behind the token do not matter, so the
// crawler "a" is also named by "a2"; one that is called "a2" is named by that alone.
func names(value, product string) bool {
	if product == "" {
		return false
	}
	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r <= ' ' }) {
		whole, _, _ := strings.Cut(word, "/")
		if strings.EqualFold(token(word), product) || strings.EqualFold(whole, product) {
			return true
		}
	}
	return false
}

// token is the product token at the beginning of s (RFC 9309, 2.2.1: letters, "_" and "-").
func token(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '-') {
			return s[:i]
		}
	}
	return s
}
