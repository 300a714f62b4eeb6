package demo

import "bytes"

// charset is the encoding of a page. That of latin1 stands in the header, those of the others only
// inside the page.
type charset uint8

const (
	utf8Text charset = iota
	latin1
	windows1251
	shiftJIS
)

func (c charset) String() string {
	return [...]string{"utf-8", "iso-8859-1", "windows-1251", "shift_jis"}[c]
}

// told reports whether the header names the charset.
func (c charset) told() bool { return c == utf8Text || c == latin1 }

// encode writes text; a character that the charset lacks becomes "?".
func (c charset) encode(text string) []byte {
	if c == utf8Text {
		return []byte(text)
	}
	var out bytes.Buffer
	for _, r := range text {
		switch n := c.code(r); {
		case r < 0x80:
			out.WriteByte(byte(r))
		case n == 0:
			out.WriteByte('?')
		case n > 0xFF:
			out.WriteByte(byte(n >> 8))
			fallthrough
		default:
			out.WriteByte(byte(n))
		}
	}
	return out.Bytes()
}

// code is that of a character beyond ASCII, 0 for none. Of windows-1251 it knows the Russian
// alphabet, of Shift_JIS the kana and their punctuation: rows 1, 4 and 5 of JIS X 0208, which begin
// at 0x8140, 0x829F and 0x8340.
func (c charset) code(r rune) rune {
	switch {
	case c == latin1 && 0xA0 <= r && r <= 0xFF:
		return r
	case c == windows1251 && 'А' <= r && r <= 'я':
		return r - 'А' + 0xC0
	case c == windows1251 && r == 'Ё':
		return 0xA8
	case c == windows1251 && r == 'ё':
		return 0xB8
	case c == shiftJIS && 'ぁ' <= r && r <= 'ん':
		return r - 'ぁ' + 0x829F
	case c == shiftJIS && 'ァ' <= r && r <= 'ミ':
		return r - 'ァ' + 0x8340
	case c == shiftJIS && 'ム' <= r && r <= 'ヶ':
		return r - 'ム' + 0x8380 // 0x837F is no second byte
	case c == shiftJIS && r == '、':
		return 0x8141
	case c == shiftJIS && r == '。':
		return 0x8142
	case c == shiftJIS && r == 'ー':
		return 0x815B
	}
	return 0
}
