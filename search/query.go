package search

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"watershed/page"
)

// Bounds of a query.
const (
	maxQuery = 1000 // bytes
	maxTerms = 32
)

// Query is a question to the index.
type Query struct {
	terms  []term
	hosts  []filter // without a port
	types  []filter
	after  time.Time // zero for none
	before time.Time
}

// filter is a host or type.
type filter struct {
	value string
	not   bool
}

// term is a word or phrase.
type term struct {
	words  []string // folded; more than one are a phrase
	prefix bool     // the last word begins so
	not    bool
	column string // "" for any
}

// ParseQuery reads a query as the package tells them. The error wraps errQuery.
func ParseQuery(text string) (q Query, err error) {
	if len(text) > maxQuery {
		return q, fmt.Errorf("%w: it is longer than %d bytes", errQuery, maxQuery)
	}
	rest := strings.TrimSpace(text)
	found := false
	for rest != "" {
		var piece string
		piece, rest = cutPiece(rest)
		if err := q.add(piece); err != nil {
			return q, err
		}
		rest = strings.TrimSpace(rest)
	}
	for _, t := range q.terms {
		found = found || !t.not
	}
	switch {
	case len(q.terms) > maxTerms:
		return q, fmt.Errorf("%w: it has more than %d words", errQuery, maxTerms)
	case !found:
		return q, fmt.Errorf("%w: it has no word that is to be found", errQuery)
	}
	return q, nil
}

// cutPiece cuts the text at the first space that is not quoted.
func cutPiece(text string) (piece, rest string) {
	quoted := false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case unicode.IsSpace(c) && !quoted:
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func (q *Query) add(piece string) (err error) {
	not := false
	if rest, ok := strings.CutPrefix(piece, "-"); ok && rest != "" {
		piece, not = rest, true
	}
	name, value, has := strings.Cut(piece, ":")
	if has {
		switch strings.ToLower(name) {
		case "host":
			q.hosts = append(q.hosts, filter{strings.Trim(strings.ToLower(value), "."), not})
			return nil
		case "type":
			q.types = append(q.types, filter{strings.ToLower(value), not})
			return nil
		case "after":
			q.after, err = day(value)
			return err
		case "before":
			q.before, err = day(value)
			return err
		}
	}
	t := term{not: not}
	if has && (strings.EqualFold(name, "title") || strings.EqualFold(name, "url")) {
		t.column, piece = strings.ToLower(name), value
	}
	if t.column == "url" {
		piece = addressed(piece)
	}
	t.prefix = strings.HasSuffix(piece, "*")
	t.words = wordsOf(piece)
	if len(t.words) > 0 {
		q.terms = append(q.terms, t)
	}
	return nil
}

// addressed is an address, or a part of one, as the index has it: other letters than those of ASCII
// are escaped.
func addressed(text string) string {
	text = strings.Trim(text, `"`)
	if u, err := page.ParseURL(text); err == nil {
		return string(u)
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// day reads a day, month or year.
func day(text string) (time.Time, error) {
	for _, form := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: a day is written as in 2026-01-31", errQuery)
}

// wordsOf are the words of a text as the index has them: runs of letters, digits and marks, folded.
func wordsOf(text string) []string {
	return strings.FieldsFunc(fold(text), func(c rune) bool { return !wordRune(c) })
}

func wordRune(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Co, c)
}

// fold takes case and marks away. The index has folded text as queries do: the tokenizer of FTS5 would
// cut words of many scripts at their marks, and leaves ß beside ss. The Turkish ı is that i of which I is
// the capital.
func fold(text string) string {
	if ascii(text) {
		return strings.ToLower(text)
	}
	return norm.NFC.String(strings.Map(func(c rune) rune {
		switch {
		case unicode.Is(unicode.Mn, c):
			return -1
		case c == 'ı':
			return 'i'
		}
		return c
	}, norm.NFD.String(cases.Fold().String(text))))
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c >= 0x80 })
}

// match is the query in FTS5's words. Every word is quoted, so that nothing of a query is an
// operator.
func (q *Query) match() string {
	var want, not []string
	for _, t := range q.terms {
		text := `"` + strings.Join(t.words, " ") + `"`
		if t.prefix {
			text += "*"
		}
		if t.column != "" {
			text = t.column + " : " + text
		}
		if t.not {
			not = append(not, text)
		} else {
			want = append(want, text)
		}
	}
	text := strings.Join(want, " AND ")
	for _, n := range not {
		text = "(" + text + ") NOT " + n
	}
	return text
}

// where is the rest of the query in SQL, with its values.
func (q *Query) where() (text string, values []any) {
	sign := map[bool]string{false: " AND ", true: " AND NOT "}
	for _, h := range q.hosts {
		text += sign[h.not] + "(c.host = ? OR substr(c.host, -?) = ?)"
		values = append(values, h.value, len(h.value)+1, "."+h.value)
	}
	for _, t := range q.types {
		text += sign[t.not] + "instr(c.mime, ?) > 0"
		values = append(values, t.value)
	}
	if !q.after.IsZero() {
		text += " AND c.time >= ?"
		values = append(values, q.after.Unix())
	}
	if !q.before.IsZero() {
		text += " AND c.time < ?"
		values = append(values, q.before.Unix())
	}
	return text, values
}
