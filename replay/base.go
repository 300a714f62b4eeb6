package replay

import (
	"bytes"

	"golang.org/x/net/html"

	"watershed/page"
)

// firstBase is the address against which all references of a page are resolved: the first base
// element that has an address, or the page itself. A page is looked through for it only up to that
// element, and not at all where there is none. Source: HTML standard, 2.4.1 (document base URL) and
// 4.2.3 (the base element).
func firstBase(body []byte, u page.URL) page.URL {
	if !mentionsBase(body) {
		return u
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return u
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "noscript": // scripts are off
				z.NextIsNotRawText()
			case "base":
				for more {
					var key, value []byte
					if key, value, more = z.TagAttr(); string(key) == "href" {
						return resolved(u, string(value))
					}
				}
			}
		}
	}
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
