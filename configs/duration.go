package configs

import (
	"errors"
	"fmt"
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

var (
	errDuration = errors.New(`want a time span with its unit, such as 500ms, 2s, 1h30m or 3d`)
	errLong     = errors.New("longer than a hundred years")
)

// longUnits matches days and weeks, for which package time has no units.
var longUnits = regexp.MustCompile(`[0-9.]+[dw]`)

// ParseDuration reads what String writes, and what time.ParseDuration reads as far as it is not
// negative.
func ParseDuration(text string) (Duration, error) {
	text = longUnits.ReplaceAllStringFunc(strings.TrimSpace(text), func(part string) string {
		last := len(part) - 1
		hours, err := strconv.ParseFloat(part[:last], 64)
		if err != nil {
			return part // which is no time span
		}
		if hours *= 24; part[last] == 'w' {
			hours *= 7
		}
		return strconv.FormatFloat(hours, 'f', -1, 64) + "h"
	})
	d, err := time.ParseDuration(text)
	switch {
	case err != nil, strings.ContainsAny(text, "+-"):
		return 0, errDuration
	case d > longest:
		return 0, errLong
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
