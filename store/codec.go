package store

import (
	"encoding/binary"
	"errors"
	"time"
)

// Values are written field after field: uvarint and zigzag varint as in encoding/binary, a text as
// its length and bytes, a time as a zigzag varint of Unix nanoseconds. No time, and any that no
// clock shows (before 1678, after 2261), is a 0.

var errShort = errors.New("value ends too early")

type encoder struct{ b []byte }

func (e *encoder) byte(c byte)      { e.b = append(e.b, c) }
func (e *encoder) uint(n uint64)    { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) int(n int64)      { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) fixed(n uint64)   { e.b = binary.BigEndian.AppendUint64(e.b, n) }
func (e *encoder) raw(b []byte)     { e.b = append(e.b, b...) }
func (e *encoder) text(s string)    { e.uint(uint64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) time(t time.Time) { e.int(nanos(t)) }

func (e *encoder) bool(v bool) {
	if v {
		e.byte(1)
	} else {
		e.byte(0)
	}
}

// nanos is t in Unix nanoseconds, 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() || t.Year() < 1678 || t.Year() > 2261 {
		return 0
	}
	return t.UnixNano()
}

// decoder reads what encoder wrote. The first fault stays in err, after which every field is zero:
// callers look once.
type decoder struct {
	b   []byte
	err error

	whole string // what b is the end of, where texts are to be parts of it; "" gives each memory of its own
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errShort
	}
	d.b = nil
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) bool() bool { return d.byte() != 0 }

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) fixed() uint64 {
	if len(d.b) < 8 {
		d.fail()
		return 0
	}
	n := binary.BigEndian.Uint64(d.b)
	d.b = d.b[8:]
	return n
}

// raw is the next n bytes, not copied.
func (d *decoder) raw(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) text() string {
	b := d.raw(d.uint())
	if d.whole == "" {
		return string(b)
	}
	return d.whole[:len(d.whole)-len(d.b)][len(d.whole)-len(d.b)-len(b):]
}

func (d *decoder) time() time.Time {
	n := d.int()
	if n == 0 || d.err != nil {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// rest is all that is left, not copied.
func (d *decoder) rest() []byte {
	b := d.b
	d.b = nil
	return b
}

// end reports a fault, also bytes that nobody asked for.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		return errors.New("value is longer than its fields")
	}
	return d.err
}
