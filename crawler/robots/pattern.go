package robots

import (
	"strings"

	"watershed/page"
)

// pattern is the path of a rule: literal parts with "*" between them, which stands for any number
// of any bytes. It fits a path that begins with it or, with "$" at its end, a path that it
// describes as a whole.
//
// Matching looks for each part behind the one before, as early as it can: if there is a fit at all,
// there is this one. No step is taken back, so a path costs its length and the pattern's, whatever
// the pattern.
type pattern struct {
	parts  []string // normalised, at least one; "" at the beginning or the end stands for a "*" there
	end    bool
	octets int // of the normalised pattern, which is how specific it is
}

// newPattern reads a rule's path. Where a path lacks the "/" in front, it is taken as if it were
// there.
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
	var n normaliser
	for i, s := range p.parts {
		p.parts[i] = n.text(s)
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

// normalise makes a path and query comparable.
func normalise(path string) string {
	var n normaliser
	return n.text(path)
}

// normaliser makes texts equal that mean the same (RFC 9309, 2.2.2), piece by piece:
//
//   - escapes of unreserved characters are decoded, of others have upper-case digits;
//   - bytes that are not ASCII, and those that a URL must escape somewhere, are escaped;
//   - reserved characters are the same escaped or not, but for those that part a URL: "/" and "?"
//     in the path, so that "Disallow: /*?" does not forbid the page "/what%3F";
//   - "*" and "$" mean themselves in a URL; a pattern that means them writes %2A and %24 (2.2.3).
type normaliser struct {
	query bool // behind the first "?"
}

func (n *normaliser) text(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = unreserved(s[i]) || separates(s[i]) || reserved(s[i])
	}
	if clean {
		n.query = n.query || strings.IndexByte(s, '?') >= 0
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c, raw := s[i], true
		if escaped, ok := page.Escaped(s[i:]); ok {
			c, raw = escaped, false
			i += 2
		}
		switch {
		case unreserved(c), reserved(c), separates(c) && (raw || n.query):
			b.WriteByte(c)
			n.query = n.query || c == '?'
		default:
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
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' ||
		c == '~'
}

// reserved characters that part nothing which matters here (RFC 3986, 2.2).
func reserved(c byte) bool { return strings.IndexByte("!&'()+,;=:@[]", c) >= 0 }

func separates(c byte) bool { return c == '/' || c == '?' }
