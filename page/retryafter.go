package page

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// RetryAfter is how long a Retry-After field asks to wait (RFC 9110, 10.2.3): seconds, or until a
// date in one of the three forms that HTTP knows (5.6.7). It is the longest Duration for more
// seconds than that, at most 0 for a date that is over, and 0 for a field that says neither.
func RetryAfter(field string, now time.Time) time.Duration {
	field = strings.TrimSpace(field)
	seconds, err := strconv.ParseUint(field, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && seconds > math.MaxInt64/uint64(time.Second):
		return math.MaxInt64
	case err == nil:
		return time.Duration(seconds) * time.Second
	}
	for _, form := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(form, field); err == nil {
			return t.Sub(now)
		}
	}
	return 0
}
