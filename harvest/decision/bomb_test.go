package decision

import (
	"errors"
	"testing"

	"watershed/lab/kit/bomb"
)

// TestDepth: a list that goes deeper than any stack bears is refused.
func TestDepth(t *testing.T) {
	text := append([]byte("version: 1\ndecisions: "), bomb.Nested("{a: ")...)
	bomb.Holds(t, 1<<20, func() {
		if _, err := Read(text); !errors.Is(err, ErrDecision) {
			t.Error(err)
		}
	})
}
