package replay

import (
	"strings"

	"watershed/page"
)

// Kind is what an address in a page is for.
type Kind uint8

const (
	Page  Kind = iota // a link: another page, in the whole window
	Frame             // a page within the page
	Style             // a style sheet
	Embed             // an image, a font, a sound, a film
)

// rewriteStyle rewrites the addresses of a style sheet: url(), and the strings of @import. What it does not understand stays as it is,
// and the policy keeps it from loading. "<" is escaped, so that no style can end its element. It costs O(len(text)).
func rewriteStyle(text string, base page.URL, link func(page.URL, Kind) string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	imported := false
	for i := 0; i < len(text) && b.Len() < maxWritten; {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += 2 + end + 2
			b.WriteByte(' ')
		case c == '"' || c == '\'':
			value, n := styleString(text[i:])
			if imported {
				b.WriteString(quoteStyle(address(value, base, Style, link)))
				imported = false
			} else {
				b.WriteString(strings.ReplaceAll(text[i:i+n], "<", `\3c `))
			}
			i += n
		case hasFold(text[i:], "url(") && (i == 0 || !nameByte(text[i-1])):
			value, n := styleURL(text[i+4:])
			kind := Embed
			if imported {
				kind, imported = Style, false
			}
			b.WriteString("url(" + quoteStyle(address(value, base, kind, link)) + ")")
			i += 4 + n
		case hasFold(text[i:], "@import"):
			imported = true
			b.WriteString("@import")
			i += len("@import")
		case c == '<':
			b.WriteString(`\3c `)
			i++
		default:
			imported = imported && c != ';' && c != '{'
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// address is where a reference leads in the replay. Data is kept where it is an image or font; what leads nowhere is "".
func address(ref string, base page.URL, kind Kind, link func(page.URL, Kind) string) string {
	ref = strings.TrimSpace(ref)
	if kind == Embed && (hasFold(ref, "data:image/") || hasFold(ref, "data:font/") || hasFold(ref, "data:application/font")) {
		return ref
	}
	if strings.HasPrefix(ref, "#") {
		return ref
	}
	u, err := base.Resolve(ref)
	if err != nil {
		return ""
	}
	_, fragment, found := strings.Cut(ref, "#")
	if found && kind != Style {
		return link(u, kind) + "#" + fragment
	}
	return link(u, kind)
}

func hasFold(text, begin string) bool {
	return len(text) >= len(begin) && strings.EqualFold(text[:len(begin)], begin)
}

func nameByte(c byte) bool {
	return c == '-' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// styleString reads a string with its quotes, and tells how long it is as written. It ends at the line's end where it is not closed.
func styleString(text string) (value string, n int) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == text[0]:
			return b.String(), i + 1
		case c == '\n':
			return b.String(), i
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(text)
}

// styleURL reads what follows "url(", with its closing bracket.
func styleURL(text string) (value string, n int) {
	i := len(text) - len(strings.TrimLeft(text, " \t\r\n\f"))
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		value, n = styleString(text[i:])
		i += n
		if end := strings.IndexByte(text[i:], ')'); end >= 0 {
			return value, i + end + 1
		}
		return value, len(text)
	}
	end := strings.IndexByte(text[i:], ')')
	if end < 0 {
		return text[i:], len(text)
	}
	return text[i : i+end], i + end + 1
}

// quoteStyle writes a string of CSS. Source: CSS Object Model, 2.1 (serialize a string).
func quoteStyle(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `, "\r", `\d `, "\f", `\c `, "<", `\3c `, "\x00", "\ufffd").Replace(text) + `"`
}
