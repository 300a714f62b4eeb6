package robots

import "strings"

// pattern is the path of a rule: literal parts with "*" between them, which stands for any number of any bytes. It fits what
// begins with it or, after "$", what it describes to the end.
//
// Matching looks for each part behind the one before, as early as it can: if there is a fit at all, there is this one. No
// step is taken back, so a path costs its length and the pattern's, whatever the pattern.
type pattern struct {
	parts  []string // normalised; "" at the beginning or the end stands for a "*" there
	end    bool
	octets int // of the normalised pattern, which is how specific it is
}

// newPattern reads a rule's path. One that forgot the "/" in front is taken as if it were there.
func newPattern(value string) pattern {
	if value[0] != '/' && value[0] != '*' {
		value = "/" + value
	}
	text, end := strings.CutSuffix(value, "$")
	p := pattern{parts: strings.Split(text, "*"), end: end}
	p.octets = len(p.parts) - 1
	if end {
		p.octets++
	}
	for i, s := range p.parts {
		p.parts[i] = normalise(s)
		p.octets += len(p.parts[i])
	}
	return p
}

// fits reports whether the pattern describes a normalised path and query.
func (p *pattern) fits(path string) bool {
	rest, ok := strings.CutPrefix(path, p.parts[0])
	if !ok {
		return false
	}
	if len(p.parts) == 1 {
		return !p.end || rest == ""
	}
	last := len(p.parts) - 1
	for _, part := range p.parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	if p.end {
		return strings.HasSuffix(rest, p.parts[last])
	}
	return strings.Contains(rest, p.parts[last])
}

// normalise makes texts comparable that mean the same (RFC 9309, 2.2.2): escapes of unreserved characters are decoded, those
// of others have upper-case digits, and bytes that a URL must escape somewhere are escaped, as are "*" and "$", which mean
// themselves in a URL and in a pattern are written %2A and %24 for that (2.2.3).
func normalise(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = unreserved(s[i]) || plain(s[i])
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if !unreserved(c) {
				escape(&b, c)
				continue
			}
		}
		if unreserved(c) || plain(c) {
			b.WriteByte(c)
		} else {
			escape(&b, c)
		}
	}
	return b.String()
}

func escape(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

// unreserved characters mean the same escaped or not (RFC 3986, 2.3).
func unreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// plain characters stand in a path or query as they are, and are another thing when escaped.
func plain(c byte) bool { return strings.IndexByte("/?!&()+,;=:@[]", c) >= 0 }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
