package console

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, text string
		most       int
		want       []string
	}{
		{"short", "  as it  is ", 20, []string{"  as it  is "}},
		{"between words", "one two three", 8, []string{"one two", "three"}},
		{"a word to the column", "abcd efgh", 4, []string{"abcd", "efgh"}},
		{"within a word", "go http://a.example/long", 10, []string{"go", "http://a.e", "xample/lon", "g"}},
		{"wide characters", "日本語 web", 4, []string{"日本", "語", "web"}},
		{"marks take no column", "e\u0301e\u0301 e\u0301", 4, []string{"e\u0301e\u0301 e\u0301"}},
		{"colours take no column", Red + "one" + End + " two", 7, []string{Red + "one" + End + " two"}},
		{"one character is wider than the line", "日", 1, []string{"日"}},
	} {
		got := Wrap(c.text, c.most)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzWrap: nothing but white space is lost, and no line is wider but for a lone character.
func FuzzWrap(f *testing.F) {
	f.Add("a sentence of http://www.long.example/words", 9)
	f.Add("\xff\u202e 日本", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if most = most%100 + 1; most < 1 {
			return
		}
		lines := Wrap(text, most)
		if a, b := strings.Join(strings.Fields(text), ""), strings.Join(lines, ""); strings.Join(
			strings.Fields(b), "") != a {
			t.Errorf("%q became %q", text, lines)
		}
		for _, line := range lines {
			if size, _ := next(line + " "); Columns(line) > most && len(line) > size {
				t.Errorf("%q takes %d columns of %d", line, Columns(line), most)
			}
		}
	})
}
