package ui

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watershed/archive"
	"watershed/internal/console"
)

// Lengths to which texts are cut, in characters.
const (
	longText  = 300 // a URL where it is what a line is about
	shortText = 80  // a title, a rule

	maxPartText = 2000 // a part of a text
)

// plain makes a text from the web fit to be read: characters that are not seen, or that turn the
// direction of writing, are shown by their number, and what is longer than most characters is cut
// with its length told.
func plain(text string, most int) string {
	var b strings.Builder
	n := 0
	for i, c := range text {
		if n == most {
			fmt.Fprintf(&b, "… (%d bytes more)", len(text)-i)
			break
		}
		n++
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "⟨%02X⟩", text[i])
		case c != ' ' &&
			(unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)):
			fmt.Fprintf(&b, "⟨U+%04X⟩", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// isolated is a text from the web as markup: plain, and its direction of writing is its own affair.
func isolated(text string, most int) template.HTML {
	return template.HTML("<bdi>" + template.HTMLEscapeString(plain(text, most)) + "</bdi>")
}

// functions are those that templates call.
var functions = template.FuncMap{
	"url":     func(v any) template.HTML { return isolated(fmt.Sprint(v), longText) },
	"words":   func(v any) template.HTML { return isolated(fmt.Sprint(v), maxPartText) },
	"short":   func(v any) template.HTML { return isolated(fmt.Sprint(v), shortText) },
	"count":   count,
	"plural":  plural,
	"rule":    blockRule,
	"place":   blockText,
	"size":    console.Size,
	"when":    whenever,
	"exactly": exactly,
	"percent": func(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + " %" },
	"share":   func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) },
	"units":   func(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 3, 64) },
	"alpha":   func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) },
	"add":     func(a, b int) int { return a + b },
	"args":    func(list ...any) []any { return list },
	"path":    url.PathEscape,

	"reason": reasonName, "says": says, "reasons": archive.Reasons,
	"noMaps": func() string { return noMaps },

	"plain": func(text string) string { return plain(text, shortText) },
}

// sentence is what an error says as one.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// b2i is 1 for true.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// count is a number for people, in groups of three.
func count(v any) string {
	text := fmt.Sprint(v)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return sign + text
}

// span is a time that something takes, for people.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return plural(int(d.Round(time.Minute).Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return plural(int(d.Round(time.Hour).Hours()), "hour", "hours")
	}
	return plural(int(d.Hours()/24), "day", "days")
}

// when is a moment for people, in UTC.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2 Jan 2006, 15:04")
}

// exactly is a moment to the second.
func exactly(t time.Time) string { return t.UTC().Format(time.DateTime) }

// whenever is a moment for people as markup, which has the second for who looks closer.
func whenever(t time.Time) template.HTML {
	return template.HTML(`<time title="` + exactly(t) + ` UTC">` + when(t) + `</time>`)
}
