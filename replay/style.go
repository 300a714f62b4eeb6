package replay

import (
	"strings"

	"watershed/crawler/extract"
	"watershed/page"
)

// kind is the purpose of an address in a page.
type kind uint8

const (
	Page  kind = iota // a link: another page, in the whole window
	frame             // a page within the page
	style             // a style sheet
	Embed             // an image, a font, a sound, a film
)

// rewriteStyle rewrites the addresses of a style sheet, which are those that the harvest followed.
// Text that is no reference stays as it is; the policy keeps it from loading anything. In a style
// that stands in a page no "<" begins a tag: it could end the style's element. Time: O(len(text))
// and the length of the result.
func rewriteStyle(text string, base page.URL, link func(page.URL, kind) string) string {
	return rewriteSheet(text, base, link, true)
}

// rewriteSheet is rewriteStyle for a style sheet that stands alone, unless it is inline.
func rewriteSheet(text string, base page.URL, link func(page.URL, kind) string, inline bool) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	at := 0
	for r := range extract.StyleRefs(text) {
		if b.Len() > maxWritten {
			return b.String()
		}
		writeStyle(&b, text[at:r.From], inline)
		at = r.To
		kind := Embed
		if r.Imported {
			kind = style
		}
		to := quoteStyle(address(r.Ref, base, kind, link))
		if !r.Quoted {
			to = "url(" + to + ")"
		}
		b.WriteString(to)
	}
	writeStyle(&b, text[at:], inline)
	return b.String()
}

// writeStyle writes a part of a style that has no reference. In a page, "<" is escaped where markup
// could begin with it; before a space, a digit or "=", as in the conditions of media queries, it
// stays.
func writeStyle(b *strings.Builder, text string, inline bool) {
	for inline {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		text = text[i+1:]
		if text != "" && strings.IndexByte(" =0123456789.\t\n", text[0]) >= 0 {
			b.WriteByte('<')
		} else {
			b.WriteString(`\3c `)
		}
	}
	b.WriteString(text)
}

// quoteStyle writes a string of a style sheet, fit for a page.
func quoteStyle(text string) string { return `"` + styleString.Replace(text) + `"` }

var styleString = strings.NewReplacer(`\`, `\5c `, `"`, `\22 `, "\n", `\a `, "\r", `\d `, "\f",
	`\c `, "<", `\3c `)

// address is where a reference leads in the replay. A data URL is kept where it is an image or
// font; a reference that leads nowhere gives "".
func address(ref string, base page.URL, kind kind, link func(page.URL, kind) string) string {
	ref = strings.TrimSpace(ref)
	if kind == Embed && (hasFold(ref, "data:image/") || hasFold(ref, "data:font/") ||
		hasFold(ref, "data:application/")) {
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
	if found && kind != style {
		return link(u, kind) + "#" + fragment
	}
	return link(u, kind)
}

func hasFold(text, begin string) bool {
	return len(text) >= len(begin) && strings.EqualFold(text[:len(begin)], begin)
}
