package replica

import (
	"testing"

	"watershed/lab/kit/bomb"
)

// TestDepth: a table that goes deeper than any stack bears is refused.
func TestDepth(t *testing.T) {
	text := append([]byte("version: 1\nreplicas: "), bomb.Nested("[")...)
	bomb.Holds(t, 1<<20, func() {
		if _, err := ReadYAML(text); err == nil {
			t.Error("it is taken")
		}
	})
}
