package replay

import (
	"bytes"

	"golang.org/x/net/html"

	"watershed/page"
)

// firstBase is the address against which the links of a page are resolved: the first base element
// that has an address, or the page itself; and the offset behind that element. A page is looked
// through for it only up to that element, and not at all where there is none. Source: HTML standard,
// 2.4.1 (document base URL) and 4.2.3 (the base element).
func firstBase(body []byte, u page.URL) (page.URL, int) {
	if !mentionsBase(body) {
		return u, 0
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	var in enclosed
	for at := 0; ; {
		kind := z.Next()
		at += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			return u, 0
		case html.EndTagToken:
			name, _ := z.TagName()
			in.end(string(name))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "base":
				for more && !in.apart() {
					var key, value []byte
					if key, value, more = z.TagAttr(); string(key) == "href" {
						return resolved(u, string(value)), at
					}
				}
			default:
				if kind == html.StartTagToken {
					in.start(string(name))
				}
			}
		}
	}
}

// enclosed has the elements that are open, as far as they tell whether a base counts: not in SVG and
// MathML, but in those of their elements that hold HTML, nor in a template. Source: HTML standard,
// 13.2.6 (tree construction).
type enclosed []string

// maxEnclosed bounds what is kept; elements beyond it are as those in which they stand.
const maxEnclosed = 64

func (in *enclosed) start(name string) {
	switch name {
	case "foreignobject", "desc", "mi", "mo", "mn", "ms", "mtext":
		if !in.apart() {
			return
		}
	case "svg", "math", "template":
	default:
		return
	}
	if len(*in) < maxEnclosed {
		*in = append(*in, name)
	}
}

func (in *enclosed) end(name string) {
	for i := len(*in) - 1; i >= 0; i-- {
		if (*in)[i] == name {
			*in = (*in)[:i]
			return
		}
	}
}

// apart reports that what comes next is no part of the page, or of another language than HTML.
func (in *enclosed) apart() bool {
	if len(*in) == 0 {
		return false
	}
	switch (*in)[len(*in)-1] {
	case "svg", "math", "template":
		return true
	}
	return false
}

// resolved is the base that an address gives, u where it gives none.
func resolved(u page.URL, ref string) page.URL {
	if base, err := u.Resolve(ref); ref != "" && err == nil && len(base) <= maxBase {
		return base
	}
	return u
}

// mentionsBase reports bytes that a base element begins with.
func mentionsBase(body []byte) bool {
	const name = "<base"
	for {
		i := bytes.IndexByte(body, '<')
		if i < 0 || len(body)-i < len(name) {
			return false
		}
		if bytes.EqualFold(body[i:i+len(name)], []byte(name)) {
			return true
		}
		body = body[i+1:]
	}
}
