package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hostile is a text that would clear a screen, set its title, and turn the direction of what
// follows.
const hostile = "a\x1b[2J\x1b]0;title\x07\x7f\u009b2J\u202etxt\u2066\r\x9b\u2028b"

func steered(text string) bool {
	return strings.ContainsFunc(text, steers) || strings.Contains(text, "\x9b")
}

func TestScreen(t *testing.T) {
	for size := 1; size <= len(hostile); size++ { // however the text is cut into writes
		var b bytes.Buffer
		s := NewScreen(&b)
		for rest := hostile + "é\n"; rest != ""; {
			n := min(size, len(rest))
			if _, err := fmt.Fprint(s, rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		const want = "a⟨U+001B⟩[2J⟨U+001B⟩]0;title⟨U+0007⟩⟨U+007F⟩" +
			"⟨U+009B⟩2J⟨U+202E⟩txt⟨U+2066⟩⟨U+000D⟩⟨9B⟩⟨U+2028⟩bé\n"
		if err := s.Flush(); err != nil || b.String() != want {
			t.Fatalf("writes of %d: %q, %v", size, b.String(), err)
		}
	}
	var b bytes.Buffer
	value := "\u009b2J\u202e\x1b"
	if err := JSON(NewScreen(&b), value); err != nil || steered(b.String()) {
		t.Errorf("%q, %v", b.String(), err)
	}
	var back string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != value {
		t.Errorf("JSON gives %q, %v", back, err)
	}
}
