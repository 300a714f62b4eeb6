package extract

import (
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// readText takes a run of text, entities decoded, that is not the content of a script, a style or a
// title.
func (c *gathering) readText(s string) {
	if c.template > 0 {
		return
	}
	if c.anchor.mention >= 0 {
		c.anchor.text = appendFolded(c.anchor.text, s, maxLinkText)
	}
	if c.in.Text != nil && c.noscript == 0 && c.nested == 0 {
		c.give(s)
	}
}

// wantsText reports whether a run of text would be used at all.
func (c *gathering) wantsText() bool {
	return c.anchor.mention >= 0 || c.in.Text != nil && c.noscript == 0 && c.nested == 0
}

// give hands text on, up to the limit.
func (c *gathering) give(s string) {
	if left := c.options.MaxText - c.given; len(s) > left {
		c.result.TextCut = true
		s = cut(s, left)
	}
	if s == "" {
		return
	}
	c.given += len(s)
	c.broken, c.parted = s == "\n", false
	c.piece = append(c.piece[:0], s...)
	c.in.Text(c.piece)
}

// breakText tells the text hook that a block begins or ends, or that a link follows another: menus are
// written so, and the style sheet sets their words apart.
func (c *gathering) breakText(a atom.Atom, end bool) {
	switch {
	case c.in.Text == nil || c.template > 0 || c.noscript > 0 || c.nested > 0 || c.given == 0:
	case a == atom.A && end:
		c.parted = true
	case a == atom.A && c.parted:
		c.give(" ")
	case !inline(a) && !c.broken:
		c.give("\n")
	}
}

// inline reports an element that does not break a word or a line of text. Source: HTML standard,
// 15.3 (rendering).
func inline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code,
		atom.Data, atom.Del, atom.Dfn, atom.Em,
		atom.Font, atom.I, atom.Img, atom.Ins, atom.Kbd, atom.Mark, atom.Nobr, atom.Q, atom.Rp, atom.Rt,
		atom.Ruby, atom.S, atom.Samp,
		atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U,
		atom.Var, atom.Wbr, atom.Label:
		return true
	}
	return false
}

// readTitle takes the text of a title element; the first one in the page, outside of pictures,
// counts.
func (c *gathering) readTitle(s string) {
	if !c.titled && c.svg == 0 && c.template == 0 && c.nested == 0 {
		c.title = appendFolded(c.title, s, maxTitle)
	}
}

func (c *gathering) endTitle() {
	if c.svg > 0 || c.template > 0 || c.nested > 0 || c.titled {
		return
	}
	c.titled = true
	c.result.Title = trimmed(c.title)
}

// beginAnchor begins to read the text of a link, -1 for none, and ends that of another.
func (c *gathering) beginAnchor(mention int32) {
	c.endAnchor()
	if mention >= 0 && c.mentions[mention].text == "" {
		c.anchor.mention = mention
	}
}

func (c *gathering) endAnchor() {
	if c.anchor.mention < 0 {
		return
	}
	c.mentions[c.anchor.mention].text = trimmed(c.anchor.text)
	c.anchor.mention, c.anchor.text = -1, c.anchor.text[:0]
}

// appendFolded appends s with each run of white space as one space, none in front, until dst has
// limit bytes or a rune less. Invalid UTF-8 becomes U+FFFD.
func appendFolded(dst []byte, s string, limit int) []byte {
	for i := 0; i < len(s) && len(dst) < limit; {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			if c <= ' ' || c == 0x7f {
				if len(dst) > 0 && dst[len(dst)-1] != ' ' {
					dst = append(dst, ' ')
				}
				continue
			}
			dst = append(dst, c)
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if len(dst)+utf8.RuneLen(r) > limit {
			return dst
		}
		i += n
		if r == 0xa0 || r == 0x3000 || r == 0x2028 || r == 0x2029 {
			if len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// trimmed is folded text without a space at its end.
func trimmed(b []byte) string {
	if n := len(b); n > 0 && b[n-1] == ' ' {
		b = b[:n-1]
	}
	return string(b)
}

// folded is text with white space folded, of at most limit bytes, in memory of its own.
func folded(s string, limit int) string {
	if s == "" {
		return ""
	}
	return trimmed(appendFolded(make([]byte, 0, min(len(s), limit)), s, limit))
}

// cut is the beginning of s in at most n bytes, without half a rune at its end.
func cut(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
