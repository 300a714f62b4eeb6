package page

import (
	"math"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		field string
		want  time.Duration
	}{
		{"120", 2 * time.Minute},
		{" 0 ", 0},
		{"9223372036", 9223372036 * time.Second},
		{"9223372037", math.MaxInt64},
		{"99999999999999999999", math.MaxInt64},
		{"Sat, 21 Nov 2026 12:30:00 GMT", 30 * time.Minute},    // IMF-fixdate
		{"Saturday, 21-Nov-26 12:30:00 GMT", 30 * time.Minute}, // RFC 850
		{"Sat Nov 21 12:30:00 2026", 30 * time.Minute},         // asctime
		{"Sat, 21 Nov 2026 11:30:00 GMT", -30 * time.Minute},
		{"Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64},
		{"", 0},
		{"-1", 0},
		{"soon", 0},
	} {
		if got := RetryAfter(tt.field, now); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.field, got, tt.want)
		}
	}
}
