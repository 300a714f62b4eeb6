package configs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, written with its unit: "20GB" and "500kB" count by 1000, "5GiB" and
// "64KiB" by 1024; a number without a unit is bytes. It is never negative.
type Size int64

// The units that count by 1000, as disks and archives do, and those that count by 1024, as memory
// does.
const (
	KB Size = 1000
	MB      = 1000 * KB
	GB      = 1000 * MB
	TB      = 1000 * GB

	KiB Size = 1024
	MiB      = 1024 * KiB
	GiB      = 1024 * MiB
	TiB      = 1024 * GiB
)

var sizeUnits = []struct {
	name string
	size Size
}{
	{"TB", TB},
	{"TiB", TiB},
	{"GB", GB},
	{"GiB", GiB},
	{"MB", MB},
	{"MiB", MiB},
	{"kB", KB},
	{"KiB", KiB},
	{"B", 1},
}

// ParseSize reads what String writes; the case of the unit does not matter, a space before it
// neither.
func ParseSize(text string) (Size, error) {
	text = strings.TrimSpace(text)
	n := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '_' })
	if n < 0 {
		n = len(text)
	}
	count, err := strconv.ParseFloat(strings.ReplaceAll(text[:n], "_", ""), 64)
	if err != nil {
		return 0, errors.New("want a size with its unit, such as 64KiB, 500MB or 20GB")
	}
	unit := Size(1)
	if name := strings.TrimSpace(text[n:]); name != "" {
		if unit, err = sizeUnit(name); err != nil {
			return 0, err
		}
	}
	bytes := count * float64(unit)
	if bytes >= math.MaxInt64/2 {
		return 0, errors.New("larger than 4 EiB")
	}
	if bytes != math.Trunc(bytes) {
		return 0, errors.New("no whole number of bytes")
	}
	return Size(bytes), nil
}

func sizeUnit(name string) (Size, error) {
	for _, u := range sizeUnits {
		if strings.EqualFold(u.name, name) {
			return u.size, nil
		}
	}
	return 0, fmt.Errorf("no unit %q: want B, kB, MB, GB, TB or KiB, MiB, GiB, TiB", name)
}

// String writes the size in the largest unit that gives a whole number: "20GB", "5GiB", "0B".
func (s Size) String() string {
	if s <= 0 {
		return "0B"
	}
	for _, u := range sizeUnits {
		if s%u.size == 0 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// Bytes is the size as a plain number.
func (s Size) Bytes() int64 { return int64(s) }

// MarshalText writes what String writes.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what ParseSize reads.
func (s *Size) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSize(string(text))
	return err
}
