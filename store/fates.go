package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"watershed/page"
)

// Fates tells of all URLs of a run whether they are known, and which were refused, that is skipped
// or failed without a visit. It takes 9 bytes a URL and is read once, in the order of the table:
// who asks for most of the URLs is told in a hundredth of the time that reading their records one
// by one takes.
type Fates struct {
	keys    []page.Key // ascending
	refused []Reason   // parallel; NoReason for what was not refused
}

// Fates reads the fates of a run, a million in a second or two. Writes of the same transaction may
// be missing.
func (tx *Tx) Fates(run Run) (*Fates, error) {
	f := &Fates{}
	prefix := runKey(tableURL, run, 0)
	err := tx.scan(prefix, prefix, true, func(key, value []byte) (bool, error) {
		reason, err := refusalIn(value)
		if err == nil && len(key) != len(prefix)+8 {
			err = errShort
		}
		if err != nil {
			return false, damaged(fmt.Sprintf("URL record %x", key), err)
		}
		f.keys = append(f.keys, page.Key(binary.BigEndian.Uint64(key[len(prefix):])))
		f.refused = append(f.refused, reason)
		return true, nil
	})
	return f, err
}

// Of tells whether a URL's key is known, and for what reason it was refused, NoReason where it was
// not. Keys are as good as random: one lies some √URLs beside the place in the list that it has among
// all numbers, and is found there in O(log URLs) steps, nearly all of them close together.
func (f *Fates) Of(key page.Key) (refused Reason, found bool) {
	guess, _ := bits.Mul64(uint64(key), uint64(len(f.keys)))
	from, to := int(guess), int(guess)
	for step := 64; from > 0 && f.keys[from] > key; step *= 2 {
		from = max(0, from-step)
	}
	for step := 64; to < len(f.keys) && f.keys[to] < key; step *= 2 {
		to = min(len(f.keys), to+step)
	}
	i, found := slices.BinarySearch(f.keys[from:min(to+1, len(f.keys))], key)
	i += from
	if !found {
		return NoReason, false
	}
	return f.refused[i], true
}

// refusalIn is the reason for which the URL of a record was refused, NoReason where it was not. It
// reads no more of the record than it needs.
func refusalIn(value []byte) (Reason, error) {
	d := decoder{b: value}
	state, reason := State(d.byte()&15), Reason(d.byte())
	_, _, _ = d.byte(), d.byte(), d.byte()            // kind, depth, tries
	_, _, _, _ = d.uint(), d.uint(), d.int(), d.int() // site, host, priority, status
	if visit := d.uint(); visit != 0 || state != Skipped && state != Failed {
		reason = NoReason
	}
	return reason, d.err
}
