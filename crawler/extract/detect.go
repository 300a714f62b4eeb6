package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"watershed/page"
)

// Undeclared pages are mostly old and mostly in the encoding that was usual where they were
// written. detect tells UTF-8 by its form, the encodings of East Asia by form and by the rows of
// their code tables that running text uses, Cyrillic, Greek and Hebrew by their commonest letters,
// and others by the country of the host.

const (
	sampleBytes = 64 << 10 // of the non-ASCII part of a page
	minLetters  = 8        // fewer non-ASCII bytes say too little of their own
)

// detect is the encoding that the bytes look like; "windows-1252" when they say nothing.
func detect(body []byte, top string) string {
	if bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@")) {
		return "iso-2022-jp"
	}
	at := slices.IndexFunc(body, func(c byte) bool { return c >= utf8.RuneSelf })
	if at < 0 {
		return "windows-1252"
	}
	sample := body[at:min(len(body), at+sampleBytes)]
	if utf8.Valid(withoutLastRune(sample, at+sampleBytes < len(body))) {
		return "utf-8"
	}
	for _, question := range [...]func([]byte) string{
		japanese,
		func(b []byte) string { return byLetters(b, 40) }, // words of even length look like pairs
		korean,
		chinese,
		func(b []byte) string { return byLetters(b, 30) },
	} {
		if name := question(sample); name != "" {
			return name
		}
	}
	return byCountry(top)
}

// withoutLastRune takes a rune that the sample was cut in off its end.
func withoutLastRune(b []byte, wasCut bool) []byte {
	if !wasCut {
		return b
	}
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return b[:i]
		}
	}
	return b
}

// wide is "utf-16le" or "utf-16be" for text without a byte order mark of which every second byte is
// NUL, as of ASCII in UTF-16; "" for other text.
func wide(body []byte) string {
	b := body[:min(len(body), 256)&^1]
	if len(b) < 8 {
		return ""
	}
	var even, odd int
	for i := 0; i < len(b); i += 2 {
		if b[i] == 0 {
			even++
		}
		if b[i+1] == 0 {
			odd++
		}
	}
	switch most := len(b) / 2 * 3 / 4; {
	case odd > most && even == 0:
		return "utf-16le"
	case even > most && odd == 0:
		return "utf-16be"
	}
	return ""
}

// pairs is what a sample looks like when it is read as two-byte characters.
type pairs struct {
	valid, bad int
	joined     int // that follow another one at once, as in running text
	telling    int // in rows that only text of this language uses much
	common     int // in rows of the commonest characters
}

// form tells how a two-byte encoding is made, and which rows tell it from the others.
type form struct {
	lead, trail     func(c byte) bool
	single          func(c byte) bool // one-byte characters above ASCII
	telling, common func(lead, trail byte) bool
}

func between(c, from, to byte) bool { return from <= c && c <= to }

// Sources of the code tables: Encoding standard, sections 11 to 13; JIS X 0208 (kana in rows 4 and
// 5), GB 2312 (commonest characters in rows 16 to 55, by sound), KS X 1001 (Hangul in rows 16 to
// 40), Big5 (commonest characters from A4 to C6).
var (
	shiftJIS = form{
		lead:    func(c byte) bool { return between(c, 0x81, 0x9f) || between(c, 0xe0, 0xfc) },
		trail:   func(c byte) bool { return between(c, 0x40, 0x7e) || between(c, 0x80, 0xfc) },
		single:  func(c byte) bool { return between(c, 0xa1, 0xdf) },
		telling: func(l, t byte) bool { return l == 0x82 && t >= 0x9f || l == 0x83 && t <= 0x96 },
		common:  func(l, _ byte) bool { return between(l, 0x81, 0x83) || between(l, 0x88, 0x97) },
	}
	eucJP = form{
		lead:    func(c byte) bool { return between(c, 0xa1, 0xfe) || c == 0x8e },
		trail:   func(c byte) bool { return between(c, 0xa1, 0xfe) },
		single:  none,
		telling: func(l, _ byte) bool { return l == 0xa4 || l == 0xa5 },
		common:  func(l, _ byte) bool { return between(l, 0xa1, 0xa5) || between(l, 0xb0, 0xcf) },
	}
	eucKR = form{
		lead: func(c byte) bool { return between(c, 0x81, 0xfe) },
		trail: func(c byte) bool {
			return between(c, 0xa1, 0xfe) || between(c, 0x41, 0x5a) || between(c, 0x61, 0x7a) ||
				between(c, 0x81, 0xa0)
		},
		single:  none,
		telling: func(l, t byte) bool { return between(l, 0xb0, 0xc8) && t >= 0xa1 },
		common: func(l, t byte) bool {
			return (between(l, 0xb0, 0xc8) || between(l, 0xa1, 0xa3)) && t >= 0xa1
		},
	}
	gbk = form{
		lead:    func(c byte) bool { return between(c, 0x81, 0xfe) },
		trail:   func(c byte) bool { return between(c, 0x40, 0x7e) || between(c, 0x80, 0xfe) },
		single:  none,
		telling: func(l, t byte) bool { return between(l, 0xb0, 0xd7) && t >= 0xa1 },
		common: func(l, t byte) bool {
			return (between(l, 0xb0, 0xd7) || between(l, 0xa1, 0xa3)) && t >= 0xa1
		},
	}
	big5 = form{
		lead:    func(c byte) bool { return between(c, 0x87, 0xfe) },
		trail:   func(c byte) bool { return between(c, 0x40, 0x7e) || between(c, 0xa1, 0xfe) },
		single:  none,
		telling: func(l, t byte) bool { return between(l, 0xa4, 0xc6) && t <= 0x7e },
		common:  func(l, _ byte) bool { return between(l, 0xa1, 0xc6) },
	}
)

func none(byte) bool { return false }

// read counts the two-byte characters of the sample.
func (f *form) read(b []byte) (p pairs) {
	after := false // a character of two bytes has just ended
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c < utf8.RuneSelf:
			after = false
			i++
		case f.lead(c) && i+1 < len(b) && f.trail(b[i+1]):
			p.valid++
			if after {
				p.joined++
			}
			if f.telling(c, b[i+1]) {
				p.telling++
			}
			if f.common(c, b[i+1]) {
				p.common++
			}
			after = true
			i += 2
		case f.single(c):
			after = false
			i++
		default:
			if i+1 < len(b) {
				p.bad++
			}
			after = false
			i++
		}
	}
	return p
}

// fits reports text of that form: nearly nothing against it, and most characters beside others. In
// Western text a byte above ASCII mostly stands alone, in Cyrillic text words of odd length break
// the pairs.
func (p pairs) fits() bool {
	return p.valid >= minLetters/2 && p.bad*50 <= p.valid && p.joined*2 > p.valid
}

// share tells whether at least so many of a hundred characters are among n.
func (p pairs) share(n, percent int) bool { return n*100 >= p.valid*percent }

// japanese is an encoding whose text has kana, which no other language uses, in a seventh of it or
// more.
func japanese(b []byte) string {
	if p := shiftJIS.read(b); p.fits() && p.share(p.telling, 15) {
		return "shift_jis"
	}
	if p := eucJP.read(b); p.fits() && p.share(p.telling, 15) {
		return "euc-jp"
	}
	return ""
}

// korean has nearly nothing but Hangul, which Chinese characters would go beyond.
func korean(b []byte) string {
	if p := eucKR.read(b); p.fits() && p.share(p.common, 95) && p.share(p.telling, 50) {
		return "euc-kr"
	}
	return ""
}

// chinese in Big5 has second bytes within ASCII, in GBK hardly any.
func chinese(b []byte) string {
	if p := big5.read(b); p.fits() && p.share(p.common, 85) && p.share(p.telling, 15) {
		return "big5"
	}
	if p := gbk.read(b); p.fits() && p.share(p.common, 70) {
		return "gbk"
	}
	return ""
}

// alphabet is a one-byte encoding and the bytes of the six commonest letters of a language in it,
// of which running text has about half its letters. Sources of the order: letter frequencies of
// Russian (о е а и н т), Greek (α ο ι τ ε ν) and Hebrew (י ו ה ל א ר).
type alphabet struct {
	name    string
	letters string
}

var alphabets = [...]alphabet{
	{"windows-1251", "\xee\xe5\xe0\xe8\xed\xf2"},
	{"koi8-r", "\xcf\xc5\xc1\xc9\xce\xd4"},
	{"iso-8859-5", "\xde\xd5\xd0\xd8\xdd\xe2"},
	{"ibm866", "\xae\xa5\xa0\xa8\xad\xe2"},
	{"windows-1253", "\xe1\xef\xe9\xf4\xe5\xed"},
	{"windows-1255", "\xe9\xe5\xe4\xec\xe0\xf8"},
}

// byLetters is the encoding under which the six commonest letters make up at least so many of a
// hundred, "" when there is none or letters above ASCII do not stand together.
func byLetters(sample []byte, percent int) string {
	var count [256]int
	high, joined := 0, 0
	for i, c := range sample {
		if c >= utf8.RuneSelf {
			count[c]++
			high++
			if i > 0 && sample[i-1] >= utf8.RuneSelf {
				joined++
			}
		}
	}
	if high < minLetters || joined*10 < high*6 {
		return ""
	}
	best, name := high*percent/100, ""
	for _, a := range alphabets {
		n := 0
		for i := 0; i < len(a.letters); i++ {
			n += count[a.letters[i]]
		}
		if n > best {
			best, name = n, a.name
		}
	}
	return name
}

// byCountry is the encoding that was usual under a top-level domain. Source: the fallback encodings
// that Firefox took by locale.
func byCountry(top string) string {
	switch top {
	case "ru", "su", "by", "ua", "bg", "kz", "kg", "mk", "rs", "xn--p1ai", "xn--j1amh":
		return "windows-1251"
	case "gr":
		return "windows-1253"
	case "cz", "sk", "pl", "hu", "si", "hr", "ro", "ba":
		return "windows-1250"
	case "tr", "az":
		return "windows-1254"
	case "lt", "lv", "ee":
		return "windows-1257"
	case "il":
		return "windows-1255"
	case "sa", "ae", "eg", "sy", "jo", "iq", "ir", "kw", "lb", "ly", "ma", "om", "qa", "sd", "tn", "ye",
		"dz", "bh", "pk":
		return "windows-1256"
	case "th":
		return "windows-874"
	case "vn":
		return "windows-1258"
	}
	return "windows-1252"
}

// topLevel is the last label of a host name.
func topLevel(h page.Host) string {
	name := h.Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
