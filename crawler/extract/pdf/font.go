package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// font says what the bytes of a string stand for, and how wide they are.
type font struct {
	wide      bool             // codes of two bytes
	runes     map[int]string   // of codes, by ToUnicode or by the encoding's differences
	base      *charmap.Charmap // of codes that runes has not; nil where nothing is known of them
	widths    map[int]float64  // in thousandths of the size
	missing   float64          // width of codes that have none
	ligatures bool             // codes 11 to 15 are those of TeX
	entries   int              // of the map that were read
}

// Widths where a font does not tell: half the size for letters, as in most; the whole for what is
// written in two bytes (section 9.7.4.3).
const (
	defaultWidth     = 500
	defaultWideWidth = 1000
)

// Reading a font counts as so many bytes, and what each entry of the tables in it that other fonts
// may share.
const (
	fontCost  = 1 << 10
	entryCost = 4
)

// maxCodes bounds the entries of a font's tables.
const maxCodes = 1 << 17

// newFont reads a font. Sections 9.6, 9.7 and 9.10.
func (f *file) newFont(d dict) *font {
	x := &font{
		runes: map[int]string{}, widths: map[int]float64{}, missing: defaultWidth,
		base: charmap.Windows1252,
	}
	defer func() { f.spend(fontCost + 64*(len(x.runes)+len(x.widths)+x.entries)) }()
	if d["Subtype"] == name("Type0") {
		x.wide, x.base, x.missing = true, nil, defaultWideWidth
		if kids := f.list(d["DescendantFonts"]); len(kids) > 0 {
			f.wideWidths(x, f.dict(kids[0]))
		}
	} else {
		f.widths(x, d)
		f.encoding(x, d["Encoding"])
	}
	if s, ok := f.resolve(d["ToUnicode"]).(*stream); ok {
		x.readMap(f.unpack(s))
	}
	return x
}

// table is a list that a font consists of, whose entries count as work: many fonts may share it.
func (f *file) table(v value) list {
	l := f.list(v)
	if !f.spend(entryCost * len(l)) {
		return nil
	}
	return l
}

func (f *file) widths(x *font, d dict) {
	first := int(f.number(d["FirstChar"]))
	table := f.list(d["Widths"])
	for i, w := range table[:min(len(table), 256)] {
		x.widths[first+i] = f.number(w)
	}
	if w := f.number(f.dict(d["FontDescriptor"])["MissingWidth"]); w > 0 {
		x.missing = w
	}
	if m := f.list(d["FontMatrix"]); len(m) == 6 { // of Type 3, whose widths are in units of its own
		scale := 1000 * f.number(m[0])
		for c, w := range x.widths {
			x.widths[c] = w * scale
		}
	}
}

// wideWidths reads /DW and /W: "c [w1 w2 …]" and "c1 c2 w".
func (f *file) wideWidths(x *font, d dict) {
	if w, ok := f.resolve(d["DW"]).(float64); ok {
		x.missing = w
	}
	table := f.table(d["W"])
	for i := 0; i+1 < len(table) && len(x.widths) < maxCodes; {
		first := int(f.number(table[i]))
		if each := f.table(table[i+1]); each != nil {
			for k, w := range each[:min(len(each), maxCodes-len(x.widths))] {
				x.widths[first+k] = f.number(w)
			}
			i += 2
			continue
		}
		if i+2 >= len(table) {
			return
		}
		last, w := int(f.number(table[i+1])), f.number(table[i+2])
		for c := first; c <= last && len(x.widths) < maxCodes; c++ {
			x.widths[c] = w
		}
		i += 3
	}
}

// encoding reads the encoding of a font of one byte. Where there is none, it is the font's own:
// taken for Latin letters with the ligatures of TeX.
func (f *file) encoding(x *font, v value) {
	v = f.resolve(v)
	x.ligatures = v == nil
	d, _ := v.(dict)
	base, _ := v.(name)
	if d != nil {
		base = f.name(d["BaseEncoding"])
	}
	if base == "MacRomanEncoding" {
		x.base = charmap.Macintosh
	}
	code := 0
	for _, v := range f.table(d["Differences"]) {
		switch v := f.resolve(v).(type) {
		case float64:
			code = int(v)
		case name:
			x.runes[code] = glyph(v)
			code++
		}
		if len(x.runes) > maxCodes {
			return
		}
	}
}

// glyph is the text of a glyph's name; "" where it is unknown. Source: Adobe, Glyph List
// Specification, section 2.
func glyph(n name) string {
	base, _, _ := strings.Cut(string(n), ".")
	switch {
	case len(base) == 1:
		return base
	case glyphs[base] != "":
		return glyphs[base]
	case strings.HasPrefix(base, "uni") && len(base) >= 7:
		return runeOf(base[3:7])
	case strings.HasPrefix(base, "u") && len(base) >= 5:
		return runeOf(base[1:])
	}
	if letter, accent := base[:min(1, len(base))], base[min(1, len(base)):]; accents[accent] != "" {
		return letter + accents[accent]
	}
	return ""
}

func runeOf(hex string) string {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return ""
	}
	return string(rune(n))
}

// accents are combining marks by the ends of glyphs' names: "eacute" is e with a mark, which
// normalization makes one letter.
var accents = map[string]string{
	"grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304",
	"breve": "\u0306", "dotaccent": "\u0307",
	"dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "caron": "\u030c", "cedilla": "\u0327",
	"ogonek": "\u0328",
}

// glyphs are the names of what is no letter, and of letters that have a name of their own.
var glyphs = func() map[string]string {
	m := map[string]string{}
	words := strings.Fields(
		`space   exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft
		( parenright ) asterisk * plus + comma , hyphen - minus - period . slash / zero 0 one 1 two 2
		three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater >
		question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^ underscore _ grave ` +
			"`" + ` braceleft { bar | braceright } asciitilde ~ quoteleft ‘ quoteright ’ quotedblleft “
		quotedblright ” quotesinglbase ‚ quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹
		guilsinglright › endash – emdash — bullet • ellipsis … dagger † daggerdbl ‡ section § paragraph
		¶ copyright © registered ® trademark ™ degree ° plusminus ± multiply × divide ÷ mu µ cent ¢
		sterling £ yen ¥ Euro € exclamdown ¡ questiondown ¿ ff ff fi fi fl fl ffi ffi ffl ffl germandbls
		ß AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł Eth Ð eth ð Thorn Þ thorn þ dotlessi ı
		periodcentered · onehalf ½ onequarter ¼ threequarters ¾ ordfeminine ª ordmasculine º`)
	if words[0] == "space" && words[1] == "exclam" { // Fields drops the space itself
		m["space"], words = " ", words[1:]
	}
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}()

// ligatures of TeX's own encoding, from code 11 on. Source: Knuth, The TeXbook, appendix F, figure
// 1.
var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl"}

// decode gives the text and the width of the next code of a string, and how many bytes it takes.
func (x *font) decode(s text) (out string, width float64, code, n int) {
	code, n = int(s[0]), 1
	if x.wide {
		if len(s) < 2 {
			return "", 0, code, 1
		}
		code, n = code<<8|int(s[1]), 2
	}
	width, ok := x.widths[code]
	if !ok {
		width = x.missing
	}
	out, ok = x.runes[code]
	switch {
	case ok || x.base == nil:
	case x.ligatures && code >= 11 && code < 11+len(ligatures):
		out = ligatures[code-11]
	case code >= ' ':
		if r := x.base.DecodeByte(byte(code)); r != utf8.RuneError {
			out = string(r)
		}
	}
	return out, width, code, n
}
