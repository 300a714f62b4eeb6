package extract

import (
	"strconv"
	"strings"

	"watershed/page"
)

func (c *parts) readSrcset(context, s string) {
	if s == "" {
		return
	}
	for set := (srcset{rest: s}); set.next(); {
		c.add(page.Embed, context, set.url)
	}
}

// srcset reads the image candidates of a srcset attribute, one after the other. Candidates whose
// descriptors a browser would refuse are left out. Source: HTML standard, 4.8.4.3.3 (parsing a
// srcset attribute).
type srcset struct {
	rest string
	url  string
}

func (s *srcset) next() bool {
	for {
		for s.rest != "" && (space(s.rest[0]) || s.rest[0] == ',') {
			s.rest = s.rest[1:]
		}
		if s.rest == "" {
			return false
		}
		n := 0
		for n < len(s.rest) && !space(s.rest[n]) {
			n++
		}
		s.url, s.rest = s.rest[:n], s.rest[n:]
		if bare := strings.TrimRight(s.url, ","); bare != s.url { // a comma after the URL ends the candidate
			s.url = bare
			return true
		}
		if s.descriptors() {
			return true
		}
	}
}

// descriptors reads up to the comma that ends a candidate, or to the end, and reports whether the
// candidate is good.
func (s *srcset) descriptors() bool {
	var width, density, height, bad bool
	from, depth := 0, 0
	take := func(to int) {
		if d := s.rest[from:to]; d != "" {
			bad = !descriptor(d, &width, &density, &height) || bad
		}
		from = to + 1
	}
	i := 0
loop:
	for ; i < len(s.rest); i++ {
		switch ch := s.rest[i]; {
		case depth > 0:
			if ch == ')' {
				depth--
			}
		case ch == '(':
			depth++
		case space(ch):
			take(i)
		case ch == ',':
			break loop
		}
	}
	take(i)
	s.rest = s.rest[min(i+1, len(s.rest)):]
	return !bad && (!height || width)
}

// descriptor reports whether d may stand beside those seen before, and notes it.
func descriptor(d string, width, density, height *bool) bool {
	num := d[:len(d)-1]
	switch d[len(d)-1] {
	case 'w':
		ok := positive(num) && !*width && !*density
		*width = true
		return ok
	case 'x':
		f, err := strconv.ParseFloat(num, 64)
		ok := err == nil && f >= 0 && isFloat(num) && !*width && !*density && !*height
		*density = true
		return ok
	case 'h':
		ok := positive(num) && !*height && !*density
		*height = true
		return ok
	}
	return false
}

// positive reports a valid non-negative integer above 0.
func positive(s string) bool {
	return strings.Trim(s, "0123456789") == "" && strings.Trim(s, "0") != ""
}

// isFloat reports the notation of HTML's valid floating-point numbers, which is narrower than Go's.
func isFloat(s string) bool {
	return strings.Trim(s, "0123456789.-+eE") == "" && s != "" && s[0] != '+' && s[len(s)-1] != '.'
}
