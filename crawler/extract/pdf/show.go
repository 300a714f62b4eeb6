package pdf

import "math"

// shower walks through the content of pages and gives its text. Sections 7.8.2, 8.10 and 9.4.
type shower struct {
	*file
	piece func([]byte)
	fonts map[int]*font // of indirect objects
	out   []byte

	resources dict
	depth     int            // of forms within forms
	inline    map[name]*font // of the resources, that are no objects of their own

	font             *font
	size             float64
	scale            float64 // horizontal, 1 for none
	leading          float64
	charGap, wordGap float64
	line, matrix     matrix // where the line began, where the next letter comes

	written    bool    // something was shown before
	endX, endY float64 // where the last letter ended
}

// matrix is [a b 0; c d 0; e f 1].
type matrix struct{ a, b, c, d, e, f float64 }

var unit = matrix{a: 1, d: 1}

// moved is a translation before the matrix.
func (m matrix) moved(x, y float64) matrix {
	m.e, m.f = x*m.a+y*m.c+m.e, x*m.b+y*m.d+m.f
	return m
}

const (
	maxForms   = 8       // forms within each other; what is deeper is not shown
	maxArgs    = 1 << 12 // operands before an operator; the others are passed over
	maxStrings = 1 << 16 // values within the operands of an operator; the others are passed over
	// of the size: a gap so wide parts words; a space is a quarter of it in most fonts, less in
	// lines set tight, kerning a tenth at most
	spaceShare = 0.12
	lineShare  = 0.5 // of the size: a step so high begins a line
)

// page gives the text of a page.
func (s *shower) page(p leaf) {
	s.resources, s.inline, s.depth, s.font, s.written = p.resources, map[name]*font{}, 0, nil, false
	s.size, s.scale, s.leading, s.charGap, s.wordGap = 1, 1, 0, 0, 0
	s.line, s.matrix = unit, unit
	var content []byte
	parts := s.list(p.dict["Contents"])
	if parts == nil {
		parts = list{p.dict["Contents"]}
	}
	for _, v := range parts {
		if c, ok := s.resolve(v).(*stream); s.spend(partCost) && ok {
			content = append(append(content, s.unpack(c)...), '\n')
		}
	}
	s.run(content)
	s.write("\n")
	s.flush()
}

func (s *shower) flush() {
	if len(s.out) > 0 {
		s.piece(s.out)
		s.out = s.out[:0]
	}
}

// write gives text; a line's end is a piece of its own.
func (s *shower) write(t string) {
	if t == "\n" {
		s.flush()
		s.piece([]byte{'\n'})
		return
	}
	s.out = append(s.out, t...)
}

// run obeys the operators of a content stream.
func (s *shower) run(content []byte) {
	l := lexer{b: content}
	var args list
	for {
		l.room = maxStrings
		switch v := l.next(0).(type) {
		case end:
			return
		case operator:
			if v == "ID" {
				l.at = endOfImage(content, l.at)
			}
			s.obey(v, args)
			args = args[:0]
		default:
			if len(args) < maxArgs {
				args = append(args, v)
			}
		}
	}
}

// endOfImage finds the end of an image within the content: EI between white space. Section 8.9.7.
func endOfImage(b []byte, at int) int {
	for i := at + 1; i+2 < len(b); i++ {
		if b[i] == 'E' && b[i+1] == 'I' && isSpace(b[i-1]) && isSpace(b[i+2]) {
			return i + 2
		}
	}
	return len(b)
}

// obey obeys one operator; those that show no text and move nothing are passed over.
func (s *shower) obey(o operator, args list) {
	n := func(i int) float64 {
		if i < len(args) {
			return s.number(args[i])
		}
		return 0
	}
	switch o {
	case "BT":
		s.line, s.matrix = unit, unit
	case "Tf":
		if len(args) == 2 {
			s.setFont(s.name(args[0]), n(1))
		}
	case "Tc":
		s.charGap = n(0)
	case "Tw":
		s.wordGap = n(0)
	case "Tz":
		s.scale = n(0) / 100
	case "TL":
		s.leading = n(0)
	case "Td", "TD":
		if o == "TD" {
			s.leading = -n(1)
		}
		s.nextLine(n(0), n(1))
	case "Tm":
		s.line = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}
		s.matrix = s.line
	case "T*":
		s.nextLine(0, -s.leading)
	case "Tj":
		s.show(args, 0)
	case "'":
		s.nextLine(0, -s.leading)
		s.show(args, 0)
	case `"`:
		s.wordGap, s.charGap = n(0), n(1)
		s.nextLine(0, -s.leading)
		s.show(args, 2)
	case "TJ":
		if len(args) > 0 {
			// content has no references (7.8.2): one to a long list would show it again and again
			parts, _ := args[0].(list)
			s.showAll(parts)
		}
	case "Do":
		if len(args) > 0 {
			s.form(s.name(args[0]))
		}
	}
}

func (s *shower) nextLine(x, y float64) {
	s.line = s.line.moved(x, y)
	s.matrix = s.line
}

// setFont takes a font of the resources; each is read once.
func (s *shower) setFont(n name, size float64) {
	s.size = size
	v := s.dict(s.resources["Font"])[n]
	if r, ok := v.(reference); ok {
		if s.fonts[int(r)] == nil {
			s.fonts[int(r)] = s.newFont(s.dict(r))
		}
		s.font = s.fonts[int(r)]
		return
	}
	if s.inline[n] == nil {
		s.inline[n] = s.newFont(s.dict(v))
	}
	s.font = s.inline[n]
}

func (s *shower) show(args list, i int) {
	if i < len(args) {
		if t, ok := args[i].(text); ok {
			s.letters(t)
		}
	}
}

func (s *shower) showAll(parts list) {
	for _, v := range parts {
		switch v := v.(type) {
		case float64:
			s.matrix = s.matrix.moved(-v/1000*s.size*s.scale, 0)
		case text:
			s.letters(v)
		}
	}
}

// letters gives a string, parted from what was before as the gap between them says.
func (s *shower) letters(t text) {
	if s.font == nil || len(t) == 0 {
		return
	}
	s.part()
	for len(t) > 0 {
		out, width, code, n := s.font.decode(t)
		t = t[n:]
		step := width/1000*s.size + s.charGap
		if code == ' ' && n == 1 {
			step += s.wordGap
		}
		s.write(out)
		s.matrix = s.matrix.moved(step*s.scale, 0)
	}
	s.endX, s.endY, s.written = s.matrix.e, s.matrix.f, true
}

// part writes a space or a line's end where the next letter is not where the last one ended.
// Distances are taken along and across the direction of writing, in parts of the size.
func (s *shower) part() {
	if !s.written {
		return
	}
	length := math.Hypot(s.matrix.a, s.matrix.b)
	size := math.Abs(s.size) * length
	if size == 0 || math.IsNaN(size) {
		s.write("\n")
		return
	}
	dx, dy := s.matrix.e-s.endX, s.matrix.f-s.endY
	along := (dx*s.matrix.a + dy*s.matrix.b) / length / size
	across := (dy*s.matrix.a - dx*s.matrix.b) / length / size
	switch {
	case math.Abs(across) > lineShare || along < -lineShare:
		s.write("\n")
	case along > spaceShare:
		s.write(" ")
	}
}

// form shows a form as a page within the page.
func (s *shower) form(n name) {
	x, ok := s.resolve(s.dict(s.resources["XObject"])[n]).(*stream)
	if !ok || x.dict["Subtype"] != name("Form") || s.depth >= maxForms || s.spent {
		return
	}
	before := *s
	s.depth++
	if own := s.dict(x.dict["Resources"]); own != nil {
		s.resources, s.inline = own, map[name]*font{}
	}
	s.run(s.unpack(x))
	s.resources, s.inline, s.depth, s.font, s.size = before.resources, before.inline, before.depth,
		before.font, before.size
	s.line, s.matrix = before.line, before.matrix
}
