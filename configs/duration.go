package configs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time span written with its units: "500ms", "2s", "1h30m", "3d", "2w"; 0 may go
// without one. A day has 24 hours. It is never negative.
type Duration time.Duration

// Day and Week are the units that package time has no word for.
const (
	day  = 24 * time.Hour
	week = 7 * day
)

var durationUnits = []struct {
	name string
	size time.Duration
}{
	{"w", week},
	{"d", day},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

var errDuration = errors.New(`want a time span with its unit, such as 500ms, 2s, 1h30m or 3d`)

// ParseDuration reads what String writes, and what time.ParseDuration reads as far as it is not
// negative.
func ParseDuration(text string) (Duration, error) {
	rest := strings.TrimSpace(text)
	if rest == "0" {
		return 0, nil
	}
	if rest == "" {
		return 0, errDuration
	}
	var sum Duration
	for rest != "" {
		n := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if n <= 0 {
			return 0, errDuration
		}
		number := rest[:n]
		rest = rest[n:]
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '0' && r <= '9' || r == '.' })
		if end < 0 {
			end = len(rest)
		}
		unit, err := durationUnit(rest[:end])
		if err != nil {
			return 0, err
		}
		part, err := times(number, unit)
		if err != nil {
			return 0, err
		}
		if sum += part; sum > longest {
			return 0, errLong
		}
		rest = rest[end:]
	}
	return sum, nil
}

// longest is a bound that no harvest reaches and sums do not pass unseen.
const longest = Duration(100 * 365 * day)

var errLong = errors.New("longer than a hundred years")

// times is a number of units, exact where it is whole.
func times(number string, unit time.Duration) (Duration, error) {
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0, errDuration
	case f*float64(unit) > float64(longest):
		return 0, errLong
	case strings.Contains(number, "."):
		return Duration(math.Round(f * float64(unit))), nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return Duration(n) * Duration(unit), err
}

func durationUnit(name string) (time.Duration, error) {
	for _, u := range durationUnits {
		if u.name == name || name == "µs" && u.name == "us" {
			return u.size, nil
		}
	}
	return 0, fmt.Errorf("no unit %q: want ms, s, m, h, d or w", name)
}

// String writes the span with whole units, the largest first: "2s", "1h30m", "3d", "0s".
func (d Duration) String() string {
	if d <= 0 {
		return "0s"
	}
	var b strings.Builder
	for rest := time.Duration(d); rest > 0; {
		for _, u := range durationUnits {
			if u.name != "w" && rest >= u.size {
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
