package sketch

import (
	"bytes"

	"golang.org/x/net/html"
)

// HTML takes a whole page in UTF-8 and gives its visible text to Text, without a tree: markup,
// comments, scripts, styles, the page's title, templates and what stands in noscript are left out;
// entities are decoded; the tag of any element but those that stand within a line separates words.
// It gives the tokens that Text has from package crawler/extract reading tags as a stream. Time is
// linear in the page, memory that of one word.
func (b *Builder) HTML(page []byte) {
	b.endWord()
	s := stripper{page: page, nul: bytes.IndexByte(page, 0) >= 0}
	s.run(b)
	b.endWord()
}

// stripper cuts a page into text and tags, following the tokenizer of the HTML standard, section
// 13.2.5, but that the contents of noframes and noembed are read as markup.
type stripper struct {
	page     []byte
	at       int
	nul      bool // the page has NUL bytes, which are dropped from its text
	template int  // elements open whose content is not shown
	noscript int
	svg      int // pictures open: a title in one is text that it shows
}

func (s *stripper) run(b *Builder) {
	from := 0
	for s.at < len(s.page) {
		i := bytes.IndexByte(s.page[s.at:], '<')
		if i < 0 {
			break
		}
		s.at += i
		if !opens(s.page[s.at:]) {
			s.at++
			continue
		}
		s.text(b, s.page[from:s.at])
		s.markup(b)
		from = s.at
	}
	s.at = len(s.page)
	s.text(b, s.page[min(from, s.at):])
}

// opens reports whether a "<" begins markup rather than text.
func opens(p []byte) bool {
	if len(p) < 2 {
		return false
	}
	c := p[1]
	return letter(c) || c == '!' || c == '?' || c == '/' && len(p) > 2
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// text gives a run of text, entities decoded.
func (s *stripper) text(b *Builder, p []byte) {
	if len(p) == 0 || s.template > 0 || s.noscript > 0 {
		return
	}
	if s.nul {
		p = bytes.ReplaceAll(p, []byte{0}, nil)
	}
	for {
		i := bytes.IndexByte(p, '&')
		if i < 0 {
			break
		}
		b.Text(p[:i])
		n := reference(p[i:])
		b.entity(p[i : i+n])
		p = p[i+n:]
	}
	b.Text(p)
}

// reference is the length of what may be a character reference at the beginning of p.
func reference(p []byte) int {
	i := 1
	for i < len(p) && (p[i] == '#' && i == 1 || letter(p[i]) || '0' <= p[i] && p[i] <= '9') {
		i++
	}
	if i < len(p) && p[i] == ';' {
		i++
	}
	return i
}

// entity gives what a reference stands for.
func (b *Builder) entity(p []byte) {
	switch string(p) {
	case "&", "&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&nbsp;":
		b.endWord() // they are no letters
		return
	}
	text, ok := b.entities[string(p)]
	if !ok {
		text = []byte(html.UnescapeString(string(p)))
		if len(b.entities) < maxEntities && len(p) <= maxEntity {
			b.entities[string(p)] = text
		}
	}
	b.Text(text)
}

// maxEntities and maxEntity bound the references that a Builder remembers; HTML has 2231 names of
// at most 33 bytes.
const (
	maxEntities = 4096
	maxEntity   = 33
)

// markup takes what begins with "<" at the place of the stripper.
func (s *stripper) markup(b *Builder) {
	rest := s.page[s.at:]
	switch c := rest[1]; {
	case bytes.HasPrefix(rest, []byte("<!--")):
		s.at += commentEnd(rest)
	case c == '!' || c == '?' || c == '/' && !letter(rest[2]):
		s.past('>')
	case c == '/':
		s.at += 2
		if name, _, _, ok := s.tag(); ok {
			s.end(b, name)
		}
	default:
		s.at++
		if name, shadow, empty, ok := s.tag(); ok {
			s.start(b, name, shadow, empty)
		}
	}
}

func (s *stripper) past(c byte) {
	if i := bytes.IndexByte(s.page[s.at:], c); i >= 0 {
		s.at += i + 1
	} else {
		s.at = len(s.page)
	}
}

// commentEnd is the length of the comment that p begins with: to "-->" or "--!>", at once for
// "<!-->" and "<!--->", else all.
func commentEnd(p []byte) int {
	const open = len("<!--")
	switch rest := p[open:]; {
	case bytes.HasPrefix(rest, []byte(">")):
		return open + 1
	case bytes.HasPrefix(rest, []byte("->")):
		return open + 2
	}
	for i := open; ; i++ {
		j := bytes.Index(p[i:], []byte("--"))
		if j < 0 {
			return len(p)
		}
		i += j
		switch after := p[i+2:]; {
		case bytes.HasPrefix(after, []byte(">")):
			return i + 3
		case bytes.HasPrefix(after, []byte("!>")):
			return i + 4
		}
	}
}

// tag reads a tag from its name to its ">", with the name packed by pack; shadow says that it has
// the attribute of a template that is shown, empty that it ends in "/>". ok is false where the page
// ends within the tag.
func (s *stripper) tag() (name uint64, shadow, empty, ok bool) {
	p, i := s.page, s.at
	for i < len(p) && !space(p[i]) && p[i] != '>' && p[i] != '/' {
		i++
	}
	name = pack(p[s.at:i])
	for {
		for i < len(p) && (space(p[i]) || p[i] == '/') {
			empty = p[i] == '/'
			i++
		}
		if i >= len(p) {
			s.at = len(p)
			return name, shadow, empty, false
		}
		if p[i] == '>' {
			s.at = i + 1
			return name, shadow, empty, true
		}
		empty = false
		key, value := i, 0
		value, i = attribute(p, i)
		if name == tagTemplate && value > 0 && hasFold(p[key:], "shadowrootmode") && len(p) > key+14 &&
			(space(p[key+14]) || p[key+14] == '=') {
			shadow = true
		}
	}
}

// attribute reads one attribute from i and gives the length of its value and the place after it.
func attribute(p []byte, i int) (value, after int) {
	i++ // a "=" that stands first belongs to the name
	for i < len(p) && p[i] != '=' && p[i] != '>' && p[i] != '/' && !space(p[i]) {
		i++
	}
	for i < len(p) && space(p[i]) {
		i++
	}
	if i >= len(p) || p[i] != '=' {
		return 0, i
	}
	i++
	for i < len(p) && space(p[i]) {
		i++
	}
	if i >= len(p) {
		return 0, i
	}
	if q := p[i]; q == '"' || q == '\'' {
		n := bytes.IndexByte(p[i+1:], q)
		if n < 0 {
			return len(p) - i - 1, len(p)
		}
		return n, i + n + 2
	}
	from := i
	for i < len(p) && p[i] != '>' && !space(p[i]) {
		i++
	}
	return i - from, i
}

// hasFold reports whether p begins with a name in small letters, in any case.
func hasFold(p []byte, name string) bool {
	if len(p) < len(name) {
		return false
	}
	for i := range len(name) {
		if c := p[i]; c != name[i] && (!letter(c) || c|0x20 != name[i]) {
			return false
		}
	}
	return true
}

func (s *stripper) start(b *Builder, name uint64, shadow, empty bool) {
	switch name {
	case tagSVG:
		if !empty {
			s.svg++
		}
	case tagTemplate:
		if s.template > 0 || !shadow {
			s.template++
		}
	case tagNoscript:
		s.noscript++
	case tagScript, tagStyle, tagTextarea, tagTitle, tagXMP, tagIframe, tagPlaintext:
		from := s.at
		s.at += rawEnd(s.page[s.at:], name)
		if name == tagTitle && s.svg > 0 && s.template == 0 && s.noscript == 0 {
			b.endWord()
			s.text(b, s.page[from:s.at])
		}
	}
	if s.template == 0 && s.noscript == 0 && !inline(name) {
		b.endWord()
	}
}

func (s *stripper) end(b *Builder, name uint64) {
	switch name {
	case tagTemplate:
		s.template = max(0, s.template-1)
	case tagNoscript:
		s.noscript = max(0, s.noscript-1)
	case tagSVG:
		s.svg = max(0, s.svg-1)
	}
	if s.template == 0 && s.noscript == 0 && !inline(name) {
		b.endWord()
	}
}
