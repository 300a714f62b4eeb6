package pdf

import (
	"encoding/binary"
	"unicode/utf16"
)

// readMap reads a ToUnicode map: its lists "<code> <text>" and "<first> <last> <text of the first>"
// or "[<text> …]". Section 9.10.3.
func (x *font) readMap(b []byte) {
	l := lexer{b: b}
	var args list
	for {
		l.room = maxCodes
		v := l.next(0)
		switch v := v.(type) {
		case end:
			return
		case operator:
			switch v {
			case "endbfchar":
				for i := 0; i+1 < len(args); i += 2 {
					x.mapCode(args[i], args[i+1], 0)
				}
			case "endbfrange":
				for i := 0; i+2 < len(args); i += 3 {
					x.mapRange(args[i], args[i+1], args[i+2])
				}
			}
			args = args[:0]
		default:
			if len(args) < maxCodes {
				args = append(args, v)
			}
		}
	}
}

func (x *font) mapRange(first, last, to value) {
	a, okA := codeOf(first)
	b, okB := codeOf(last)
	if !okA || !okB || b-a >= 1<<16 {
		return
	}
	each, isList := to.(list)
	if isList {
		b = min(b, a+len(each)-1)
	}
	for c := a; c <= b && x.entries < maxCodes; c++ {
		if isList {
			x.set(c, each[c-a], 0)
		} else {
			x.set(c, to, c-a)
		}
	}
}

func (x *font) mapCode(code, to value, add int) {
	if c, ok := codeOf(code); ok && x.entries < maxCodes {
		x.set(c, to, add)
	}
}

// set maps a code to UTF-16, its last unit raised by a number.
func (x *font) set(code int, to value, add int) {
	x.entries++
	t, ok := to.(text)
	if !ok || len(t) < 2 || len(t) > 64 {
		return
	}
	units := make([]uint16, 0, len(t)/2)
	for ; len(t) >= 2; t = t[2:] {
		units = append(units, binary.BigEndian.Uint16(t))
	}
	units[len(units)-1] += uint16(add)
	x.runes[code] = string(utf16.Decode(units))
}

func codeOf(v value) (n int, ok bool) {
	t, is := v.(text)
	if !is || len(t) == 0 || len(t) > 2 {
		return 0, false
	}
	for _, c := range t {
		n = n<<8 | int(c)
	}
	return n, true
}
