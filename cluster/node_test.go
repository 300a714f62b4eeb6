package cluster

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestLogger: another key is told with its place in the YAML, once, whatever the ports; a warning that
// is no trouble is not told.
func TestLogger(t *testing.T) {
	var text bytes.Buffer
	l := &logger{Logger: slog.New(slog.NewTextHandler(&text, nil)), told: map[string]time.Time{}}
	l.Warnf("Plaintext passwords detected, use nkeys or bcrypt")
	for rid := range 20 {
		l.Errorf("127.0.0.1:%d - rid:%d - Route Error 'Authorization Violation'", 40000+rid, rid)
		l.Errorf("127.0.0.1:%d - rid:%d - authentication error - User %q", 40000+rid, rid, "watershed")
		l.Errorf("Error trying to connect to route (attempt %d): no way", rid)
	}
	l.Errorf("something else")
	said := text.String()
	for want, times := range map[string]int{
		"passwords": 0, "key in the cluster's YAML": 1, "no way": 1, "something else": 1,
	} {
		if n := strings.Count(said, want); n != times {
			t.Errorf("%q is told %d times, want %d:\n%s", want, n, times, said)
		}
	}
}
