package sketch

import "bytes"

// pack is a name of at most eight bytes in small letters, the first byte the lowest; longer ones
// are 0, but for plaintext.
func pack(name []byte) uint64 {
	if len(name) > 8 {
		if len(name) == len("plaintext") && hasFold(name, "plaintext") {
			return tagPlaintext
		}
		return 0
	}
	var w uint64
	for i, c := range name {
		w |= uint64(c|0x20) << (8 * i)
	}
	return w
}

// The names that matter, packed: their letters from the last to the first.
const (
	tagScript    = 's' | 'c'<<8 | 'r'<<16 | 'i'<<24 | 'p'<<32 | 't'<<40
	tagStyle     = 's' | 't'<<8 | 'y'<<16 | 'l'<<24 | 'e'<<32
	tagTextarea  = 't' | 'e'<<8 | 'x'<<16 | 't'<<24 | 'a'<<32 | 'r'<<40 | 'e'<<48 | 'a'<<56
	tagTitle     = 't' | 'i'<<8 | 't'<<16 | 'l'<<24 | 'e'<<32
	tagSVG       = 's' | 'v'<<8 | 'g'<<16
	tagXMP       = 'x' | 'm'<<8 | 'p'<<16
	tagIframe    = 'i' | 'f'<<8 | 'r'<<16 | 'a'<<24 | 'm'<<32 | 'e'<<40
	tagTemplate  = 't' | 'e'<<8 | 'm'<<16 | 'p'<<24 | 'l'<<32 | 'a'<<40 | 't'<<48 | 'e'<<56
	tagNoscript  = 'n' | 'o'<<8 | 's'<<16 | 'c'<<24 | 'r'<<32 | 'i'<<40 | 'p'<<48 | 't'<<56
	tagPlaintext = 1 // no packed name is
)

// inline reports an element that does not break a word or a line of text. Source: HTML standard,
// 15.3 (rendering).
func inline(name uint64) bool {
	switch name {
	case 'a', 'b', 'i', 'q', 's', 'u',
		'e' | 'm'<<8, 'r' | 'p'<<8, 'r' | 't'<<8, 't' | 't'<<8,
		'b' | 'd'<<8 | 'i'<<16, 'b' | 'd'<<8 | 'o'<<16, 'b' | 'i'<<8 | 'g'<<16, 'd' | 'e'<<8 | 'l'<<16,
		'd' | 'f'<<8 | 'n'<<16, 'i' | 'm'<<8 | 'g'<<16,
		'i' | 'n'<<8 | 's'<<16, 'k' | 'b'<<8 | 'd'<<16, 's' | 'u'<<8 | 'b'<<16, 's' | 'u'<<8 | 'p'<<16,
		'v' | 'a'<<8 | 'r'<<16, 'w' | 'b'<<8 | 'r'<<16,
		'a' | 'b'<<8 | 'b'<<16 | 'r'<<24, 'c' | 'i'<<8 | 't'<<16 | 'e'<<24, 'c' | 'o'<<8 | 'd'<<16 | 'e'<<24,
		'd' | 'a'<<8 | 't'<<16 | 'a'<<24,
		'f' | 'o'<<8 | 'n'<<16 | 't'<<24, 'm' | 'a'<<8 | 'r'<<16 | 'k'<<24, 'n' | 'o'<<8 | 'b'<<16 | 'r'<<24,
		'r' | 'u'<<8 | 'b'<<16 | 'y'<<24,
		's' | 'a'<<8 | 'm'<<16 | 'p'<<24, 's' | 'p'<<8 | 'a'<<16 | 'n'<<24, 't' | 'i'<<8 | 'm'<<16 | 'e'<<24,
		'l' | 'a'<<8 | 'b'<<16 | 'e'<<24 | 'l'<<32, 's' | 'm'<<8 | 'a'<<16 | 'l'<<24 | 'l'<<32,
		's' | 't'<<8 | 'r'<<16 | 'i'<<24 | 'k'<<32 | 'e'<<40,
		's' | 't'<<8 | 'r'<<16 | 'o'<<24 | 'n'<<32 | 'g'<<40,
		'a' | 'c'<<8 | 'r'<<16 | 'o'<<24 | 'n'<<32 | 'y'<<40 | 'm'<<48:
		return true
	}
	return false
}

// rawEnd is the length of the content of an element that holds nothing but text, up to its end tag
// or to the end of p.
func rawEnd(p []byte, name uint64) int {
	switch name {
	case tagPlaintext:
		return len(p)
	case tagScript:
		return scriptEnd(p)
	}
	for i := 0; ; i += 2 {
		j := bytes.Index(p[i:], []byte("</"))
		if j < 0 {
			return len(p)
		}
		i += j
		if isTag(p[i+2:], name) {
			return i
		}
	}
}

// isTag reports whether p begins with the packed name and a byte that ends a name.
func isTag(p []byte, name uint64) bool {
	n := 0
	for ; name>>(8*n) != 0 && n < 8; n++ {
		if n >= len(p) || !letter(p[n]) || uint64(p[n]|0x20) != name>>(8*n)&0xff {
			return false
		}
	}
	return n < len(p) && (space(p[n]) || p[n] == '/' || p[n] == '>')
}

// scriptEnd is the length of the script that p begins with. Between "<!--" and "-->" a "<script>"
// hides one "</script>". Source: HTML standard, 13.2.5.15 to 13.2.5.31 (script data states).
func scriptEnd(p []byte) int {
	const (
		plain = iota
		escaped
		double
	)
	state, close := plain, -1 // close is the place of the next "-->" when escaped
	for i := 0; i < len(p); {
		j := bytes.IndexByte(p[i:], '<')
		if state != plain && close < i {
			if close = bytes.Index(p[i:], []byte("-->")); close < 0 {
				close = len(p)
			} else {
				close += i
			}
		}
		if state != plain && close < len(p) && (j < 0 || close < i+j) {
			state, i = plain, close+3
			continue
		}
		if j < 0 {
			break
		}
		i += j
		switch rest := p[i+1:]; {
		case state == plain && bytes.HasPrefix(rest, []byte("!--")):
			state = escaped
			i += 2 // so that "<!-->" is seen to end at once
		case len(rest) > 0 && rest[0] == '/' && isTag(rest[1:], tagScript):
			if state != double {
				return i
			}
			state = escaped
			i += 2
		case state == escaped && isTag(rest, tagScript):
			state = double
			i += 2
		default:
			i++
		}
	}
	return len(p)
}
