package yamlbound

import (
	"fmt"
	"strings"
	"testing"

	"watershed/lab/kit/bomb"
)

func TestDepth(t *testing.T) {
	for _, s := range []string{"[", "{", "- ", "? ", "[{a: "} {
		text := []byte(strings.Repeat(s, 1<<17/len(s)))
		bomb.Holds(t, 1<<30, func() {
			if _, err := Parse(text); err == nil {
				t.Errorf("%q without end is taken", s)
			}
		})
	}
}

// TestBomb: what is refused before it is cut into tokens costs next to nothing.
func TestBomb(t *testing.T) {
	for _, s := range []string{"[", "{a: ", "[\n", "- ", "? "} {
		text := bomb.Nested(s)
		bomb.Holds(t, 1<<20, func() {
			if _, err := Parse(text); err == nil {
				t.Errorf("%q ten million times is taken", s)
			}
		})
	}
}

// TestWide: a megabyte of any construct is read, or refused, in a time that grows as the file does.
func TestWide(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct {
		name  string
		taken bool
		piece func(i int) string
	}{
		{"keys", false, func(i int) string { return fmt.Sprintf("k%d: v\n", i) }},
		{"keys below a key", false, func(i int) string {
			return fmt.Sprintf("%sk%d: v\n", []string{"a:\n ", " "}[min(i, 1)], i)
		}},
		{"keys in braces", false, func(i int) string {
			return fmt.Sprintf("%sk%d: v", []string{"a: {", ", "}[min(i, 1)], i)
		}},
		{"keys with values in braces", false, func(i int) string { return fmt.Sprintf("k%d: {a: b}\n", i) }},
		{"documents", false, func(int) string { return "---\na\n" }},
		{"ends of documents", false, func(int) string { return "...\n" }},
		{"entries", true, func(int) string { return "- a: b\n  c: d\n" }},
		{"entries in braces", true, func(int) string { return "- {a: b, c: d}\n" }},
		{"items", true, func(i int) string { return []string{"a: [x", ",\n x"}[min(i, 1)] }},
		{"lines of text", true, func(i int) string { return []string{"a: |\n", "  x\n"}[min(i, 1)] }},
		{"comments", true, func(int) string { return "- x # y\n" }},
	} {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(c.piece(i))
		}
		switch c.name {
		case "keys in braces":
			b.WriteString("}")
		case "items":
			b.WriteString("]")
		}
		bomb.Holds(t, 1<<30, func() {
			if _, err := Parse([]byte(b.String())); (err == nil) != c.taken {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{"a: &x 1\nb: *x\n", "a: !!str 1\n", "a: {b: &x 1}\n<<: *x\n"} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if f, err := Parse([]byte("version: 1\nreplicas:\n  - from: a\n    note: \"[[[&*!\"\n")); err != nil ||
		len(f.Docs) != 1 {
		t.Errorf("an ordinary file: %v", err)
	}
}
