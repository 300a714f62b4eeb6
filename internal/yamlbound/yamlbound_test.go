package yamlbound

import (
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

func TestRefused(t *testing.T) {
	for _, text := range []string{"a: &x 1\nb: *x\n", "a: !!str 1\n", "a: {b: &x 1}\n<<: *x\n"} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if f, err := Parse([]byte("version: 1\nreplicas:\n  - from: a\n    note: \"[[[&*!\"\n")); err != nil || len(f.Docs) != 1 {
		t.Errorf("an ordinary file: %v", err)
	}
}
