package draw

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"watershed/lab/kit/bomb"
)

// TestMessages: what a browser that a page has taken over might say costs its bytes, and of a message
// without an end no more than maxMessage is kept.
func TestMessages(t *testing.T) {
	event := []byte(`{"sessionId":"s","method":"m","params":`)
	for name, says := range map[string]struct {
		pipe  []byte
		heard int
	}{
		"lists":                {slices.Concat(event, bomb.Nested("["), []byte("}\x00")), 0},
		"objects":              {slices.Concat(event, bomb.Nested(`{"a":`), []byte("}\x00")), 0},
		"empty messages":       {bomb.Nested("\x00"), 0},
		"a message, at length": {slices.Concat(event, []byte(`"`), bomb.Nested("a"), []byte("\"}\x00")), 1},
		"too long a message, and another": {slices.Concat(
			event, []byte(`"`), bytes.Repeat([]byte("a"), maxMessage), []byte("\"}\x00"),
			event, []byte("1}\x00"),
		), 1},
		"no end": {bytes.Repeat([]byte("a"), maxMessage+1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			heard := 0
			bomb.Holds(t, 4<<30, func() {
				c := newChannel(nil)
				c.hear("s", func(string, json.RawMessage) { heard++ })
				c.listen(io.MultiReader(bytes.NewReader(says.pipe), bytes.NewReader([]byte("end"))))
				<-c.done
			})
			if heard != says.heard {
				t.Errorf("%d messages, want %d", heard, says.heard)
			}
		})
	}
}
