package console

import (
	"fmt"
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
		{"a mark alone is a word", "\u033f 0", 1, []string{"\u033f", "0"}},
		{"colours take no column", Red + "one" + End + " two", 7, []string{Red + "one" + End + " two"}},
		{"blanks between words stay", "a  b   c", 7, []string{"a  b", "c"}},
		{"a colour goes on", Red + "one two" + End, 4, []string{Red + "one" + End, Red + "two" + End}},
		{"one character is wider than the line", "日", 1, []string{"日"}},
	} {
		got := Wrap(c.text, c.most)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTableInAPipe(t *testing.T) {
	var b strings.Builder
	w := NewTable(&b)
	if _, err := w.Write([]byte("a\tlong enough\tz\nbcd\te\ta last cell that is as long as it " +
		"is\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "a    long enough  z\nbcd  e            a last cell that is as long as it is\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// TestLongCellInAPipe: an address of a thousand characters fills up no other line.
func TestLongCellInAPipe(t *testing.T) {
	var b strings.Builder
	w := NewTable(&b)
	fmt.Fprintf(w, "%s\tx\nshort\ty\n", strings.Repeat("a", 1000))
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	_, second, _ := strings.Cut(b.String(), "\n")
	if want := "short" + strings.Repeat(" ", 97) + "y\n"; second != want {
		t.Errorf("%q", second)
	}
}

// TestShrink: the widest columns give way, and all that there is is used.
func TestShrink(t *testing.T) {
	for _, c := range []struct {
		natural, want []int
		most          int
	}{
		{[]int{3, 4}, []int{3, 4}, 7},
		{[]int{3, 40, 9}, []int{3, 18, 9}, 30},
		{[]int{3, 40, 50}, []int{3, 14, 13}, 30},
		{[]int{9, 9, 9}, []int{2, 1, 1}, 4},
	} {
		if got := shrink(c.natural, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%v in %d: %v, want %v", c.natural, c.most, got, c.want)
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
		dense := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if dense(text) != dense(strings.Join(lines, "")) && !strings.Contains(text, "\x1b") {
			t.Errorf("%q became %q", text, lines)
		}
		for _, line := range lines {
			if size, _ := next(line + " "); Columns(line) > most && len(line) > size {
				t.Errorf("%q takes %d columns of %d", line, Columns(line), most)
			}
		}
	})
}
