package demo

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

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

// encode writes text, of which the charset has all characters.
func (c charset) encode(text string) []byte {
	to := [...]encoding.Encoding{
		unicode.UTF8, charmap.ISO8859_1, charmap.Windows1251, japanese.ShiftJIS,
	}[c]
	out, err := to.NewEncoder().Bytes([]byte(text))
	if err != nil {
		panic("demo: " + err.Error())
	}
	return out
}
