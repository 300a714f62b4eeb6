package sketch

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The stored form is told byte for byte in docs/formats/sketch.md. In short, numbers little-endian,
// "uvarint" as in encoding/binary, in its shortest form:
//
//	magic d5 53, version 01, flags 1 byte, bits 1 byte, width 1 byte, 00, 00,
//	size uvarint, 00, tokens uvarint, lexical 8 bytes,
//	fingerprint of the salt 4 bytes          if flagged
//	8 bytes that are skipped                 if flagged, as builds of before did
//	super shingles 6 times 8 bytes           if flagged
//	count uvarint, that many values, each of bits/8 bytes, ascending
//	CRC-32C of all before it 4 bytes
//
// An encoding is the only one of its sketch: Decode takes nothing that AppendEncode would write
// otherwise, the skipped bytes aside.
const (
	magic0, magic1 = 0xD5, 'S'
	version        = 1
)

const (
	flagShort = 1 << iota
	flagCut
	_
	_
	flagSkipped
	flagSuper
	_
	flagSalt

	knownFlags = flagShort | flagCut | flagSkipped | flagSuper | flagSalt
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendEncode appends the stored form of a sketch that a Builder or Decode made.
func (s *Sketch) AppendEncode(dst []byte) []byte {
	from := len(dst)
	c := s.Scheme
	dst = append(dst, magic0, magic1, version, s.flags(), c.Bits, c.Width, 0, 0)
	dst = binary.AppendUvarint(dst, uint64(c.Size))
	dst = append(dst, 0)
	dst = binary.AppendUvarint(dst, uint64(s.Tokens))
	dst = binary.LittleEndian.AppendUint64(dst, s.Lexical)
	if c.Salt != 0 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(c.Salt>>32))
	}
	if s.HasSuper {
		for _, v := range s.Super {
			dst = binary.LittleEndian.AppendUint64(dst, v)
		}
	}
	dst = appendValues(dst, s.Values, int(c.Bits)/8)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli))
}

func (s *Sketch) flags() byte {
	f := 0
	for _, b := range []struct {
		set  bool
		flag int
	}{
		{s.Short, flagShort},
		{s.Cut, flagCut},
		{s.HasSuper, flagSuper},
		{s.Scheme.Salt != 0, flagSalt},
	} {
		if b.set {
			f |= b.flag
		}
	}
	return byte(f)
}

func appendValues(dst []byte, values []uint64, size int) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], v)
		dst = append(dst, b[:size]...)
	}
	return dst
}

// Decode reads a sketch that fills all of p, into s, whose memory is used again; s keeps nothing of
// p. On an error, which is errFormat or errVersion with what was found, s is the zero Sketch.
// Memory is bounded by the length of p.
func (s *Sketch) Decode(p []byte) error {
	values := s.Values[:0]
	*s = Sketch{}
	d := decoder{rest: p}
	out, err := d.sketch(values)
	if err != nil {
		return err
	}
	*s = out
	return nil
}

// decoder reads the fields one after the other; after the first wrong one all others are zero.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("decode sketch: "+format+": %w", append(args, errFormat)...)
	}
	d.rest = nil
}

func (d *decoder) sketch(values []uint64) (Sketch, error) {
	all := d.rest
	const fixed = 8 + 1 + 1 + 1 + 8 + 1 + 4
	switch {
	case len(all) < 3 || all[0] != magic0 || all[1] != magic1:
		d.fail("it does not begin as a sketch does")
		return Sketch{}, d.err
	case all[2] != version:
		return Sketch{}, fmt.Errorf("decode sketch: version %d, this program knows %d: %w", all[2],
			version, errVersion)
	case len(all) < fixed:
		d.fail("%d bytes are too few", len(all))
		return Sketch{}, d.err
	}
	body := all[:len(all)-4]
	if got, want := crc32.Checksum(body, castagnoli),
		binary.LittleEndian.Uint32(all[len(body):]); got != want {
		d.fail("checksum %08x, stored is %08x", got, want)
		return Sketch{}, d.err
	}
	d.rest = body[8:]
	set := int(body[3])
	s := Sketch{Scheme: Scheme{Bits: body[4], Width: body[5]}}
	if set&^knownFlags != 0 {
		d.fail("a flag is set that no sketch has")
	}
	s.Short, s.Cut = set&flagShort != 0, set&flagCut != 0
	s.Scheme.Size = uint32(d.uvarint("size", 1<<31))
	if body[6] != 0 || d.byte() != 0 {
		d.fail("its fingerprints were not chosen by size")
	}
	if body[7] != 0 {
		d.fail("its text without spaces was not cut by character")
	}
	s.Tokens = uint32(d.uvarint("tokens", 1<<32-1))
	s.Lexical = d.uint64()
	if set&flagSalt != 0 {
		if s.Scheme.Salt = uint64(d.uint32()) << 32; s.Scheme.Salt == 0 {
			d.fail("a salt of 0 is flagged")
		}
	}
	if set&flagSkipped != 0 {
		_ = d.uint64()
	}
	if s.HasSuper = set&flagSuper != 0; s.HasSuper {
		for i := range s.Super {
			s.Super[i] = d.uint64()
		}
	}
	d.scheme(s.Scheme)
	s.Values = d.values(values, &s)
	if d.err == nil && len(d.rest) > 0 {
		d.fail("%d bytes too many", len(d.rest))
	}
	if d.err == nil && s.Cut && len(s.Values) == 0 {
		d.fail("it was cut to nothing")
	}
	return s, d.err
}

// scheme checks that a Builder could have had these options.
func (d *decoder) scheme(c Scheme) {
	o := Options{Width: int(c.Width), Bits: int(c.Bits), Size: int(c.Size)}
	if err := o.Validate(); err != nil {
		d.fail("%v", err)
	}
	if c.Width == 0 || c.Bits == 0 || c.Size == 0 {
		d.fail("scheme %v", c)
	}
}

// values reads a list that ascends.
func (d *decoder) values(dst []uint64, s *Sketch) []uint64 {
	n := int(d.uvarint("values", uint64(s.Scheme.Size)))
	size := int(s.Scheme.Bits) / 8
	if d.err != nil || len(d.rest) < n*size {
		d.fail("%d values do not fit in %d bytes", n, len(d.rest))
		return nil
	}
	if cap(dst) < n {
		dst = make([]uint64, 0, n)
	}
	dst = dst[:n]
	last := uint64(0)
	for i := range dst {
		v := littleEndian(d.rest[i*size:], size)
		if i > 0 && v <= last {
			d.fail("value %d is %x", i, v)
			return nil
		}
		dst[i], last = v, v
	}
	d.rest = d.rest[n*size:]
	return dst
}

// littleEndian is the number that b begins with, of so many bytes.
func littleEndian(b []byte, size int) uint64 {
	if len(b) >= 8 { // what follows is read with it and cut off
		return binary.LittleEndian.Uint64(b) << (64 - 8*size) >> (64 - 8*size)
	}
	var all [8]byte
	copy(all[:], b[:size])
	return binary.LittleEndian.Uint64(all[:])
}

// uvarint reads a number of at most that much, in its shortest form.
func (d *decoder) uvarint(what string, most uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > most || n > 1 && d.rest[n-1] == 0 {
		d.fail("%s: no number of at most %d", what, most)
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// take gives the next n bytes, at most 8; zeros where there are fewer.
func (d *decoder) take(n int) []byte {
	if len(d.rest) < n {
		d.fail("it ends early")
		return make([]byte, n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte { return d.take(1)[0] }

func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
