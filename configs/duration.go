package configs

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a time span written with its units: "500ms", "2s", "1h30m", "3d", "2w"; 0 may go
// without one. A day has 24 hours. It is never negative.
type Duration time.Duration

const day = 24 * time.Hour

// durationUnits are those that String writes.
var durationUnits = []struct {
	name string
	size time.Duration
}{
	{"d", day},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

// longest is a bound that no harvest reaches and sums do not pass unseen.
const longest = 100 * 365 * day

var errDuration = errors.New(
	`want a time span of at most a hundred years, with its unit, such as 500ms, 2s, 1h30m or 3d`)

// longUnits matches days and weeks, for which package time has no units.
var longUnits = regexp.MustCompile(`[0-9.]+[dw]`)

// ParseDuration reads what String writes, and what time.ParseDuration reads as far as it is not
// negative.
func ParseDuration(text string) (Duration, error) {
	text = longUnits.ReplaceAllStringFunc(strings.TrimSpace(text), func(part string) string {
		last := len(part) - 1
		unit := day
		if part[last] == 'w' {
			unit = 7 * day
		}
		n, err := strconv.ParseFloat(part[:last], 64)
		if n *= float64(unit); err != nil || n > float64(longest) {
			return part // which is no time span
		}
		return strconv.FormatInt(int64(math.Round(n)), 10) + "ns"
	})
	d, err := time.ParseDuration(text)
	if err != nil || d > longest || strings.ContainsAny(text, "+-") {
		return 0, errDuration
	}
	return Duration(d), nil
}

// String writes the span with whole units, the largest first: "2s", "1h30m", "3d", "0s".
func (d Duration) String() string {
	if d <= 0 {
		return "0s"
	}
	var b strings.Builder
	for rest := time.Duration(d); rest > 0; {
		for _, u := range durationUnits {
			if rest >= u.size {
				fmt.Fprintf(&b, "%d%s", rest/u.size, u.name)
				rest %= u.size
				break
			}
		}
	}
	return b.String()
}

// Std is the span as the standard library has it.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// MarshalText writes what String writes.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDuration(string(text))
	return err
}
