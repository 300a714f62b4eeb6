package extsort

import (
	"encoding/binary"
	"math/bits"
)

// appendRecord codes r against its predecessor: control bytes, one for each two words, low nibble
// first, each nibble the number of bytes of a word; then the words, little-endian. Up to and
// including the first word that differs, a word is coded as its difference from the predecessor's
// (modulo 2^64), after that as it is.
func appendRecord[T Record](dst []byte, prev, r *T) []byte {
	var raw [maxWords*9 + 8]byte
	n, at := len(*r), (len(*r)+1)/2
	same := true
	for i := range n {
		v := (*r)[i]
		if same {
			v -= (*prev)[i]
			same = v == 0
		}
		size := (bits.Len64(v) + 7) / 8
		raw[i/2] |= byte(size << (i % 2 * 4))
		binary.LittleEndian.PutUint64(raw[at:], v)
		at += size
	}
	return append(dst, raw[:at]...)
}

// masks has the low n bytes of a word set.
var masks = [16]uint64{
	0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1,
	1<<56 - 1, 1<<64 - 1,
}

// readRecord decodes the record at the start of src, which has slack bytes behind its end, and
// returns its length, 0 if src is no record.
func readRecord[T Record](src []byte, prev, r *T) int {
	n, at := len(*r), (len(*r)+1)/2
	same := true
	for i := range n {
		size := int(src[i/2] >> (i % 2 * 4) & 15)
		if size > 8 || at+8 > len(src) {
			return 0
		}
		v := binary.LittleEndian.Uint64(src[at:]) & masks[size]
		at += size
		if same {
			same = v == 0
			v += (*prev)[i]
		}
		(*r)[i] = v
	}
	return at
}

// slack is how far behind its last byte a block must be readable, so that a word can always be
// loaded whole.
const slack = maxWords/2 + 8

// decodeBlock decodes count records from data, which has slack bytes behind it, into dst. It
// reports whether data held exactly that many.
func decodeBlock[T Record](dst []T, data []byte, count int) ([]T, bool) {
	if cap(dst) < count {
		dst = make([]T, count)
	}
	dst = dst[:count]
	var prev T
	at := 0
	for i := range dst {
		if at >= len(data)-slack {
			return dst[:i], false
		}
		n := readRecord(data[at:], &prev, &dst[i])
		if n == 0 {
			return dst[:i], false
		}
		at += n
		prev = dst[i]
	}
	return dst, at == len(data)-slack
}
