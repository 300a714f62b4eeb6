package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"watershed/page"
)

// Fates tells of all URLs of a run whether they are known, and which were refused, that is skipped
// or failed without a visit, and which nobody has wanted. It takes 9 to 10 bytes a URL and is read
// once, in the order of the table: to ask for most of the URLs takes a hundredth of the time of
// reading their records one by one.
type Fates struct {
	keys    []page.Key // ascending
	refused []Reason   // parallel, NoReason for what was not refused; nil where none was
	idle    []uint64   // a bit for each key, the first one in the lowest: nobody wanted it
	from    []uint32   // where the keys begin that have these first bits
	shift   uint8      // what follows those bits

	// Waiting is read on the way.
	Waiting Waiting

	places []place // for Accepted
	known  []bool
}

// Waiting tells how the pending URLs of a run wait, but for those few whose keys are also those of
// other URLs: by the ranks of the hosts' queues.
type Waiting map[Queue]Queued

// Queue has the rows of a rank of a host's queue.
type Queue struct {
	Host uint32
	Rank uint8
}

// Queued tells how many rows a Queue has, and the least and the greatest of their orders.
type Queued struct {
	Rows        int
	First, Last uint64
}

// add takes in a row.
func (w Waiting) add(host uint32, p Place) {
	key := Queue{host, p.Rank}
	q, known := w[key]
	if !known {
		q.First = p.Order
	}
	w[key] = Queued{q.Rows + 1, min(q.First, p.Order), max(q.Last, p.Order)}
}

// place is where in the list a key may lie.
type place struct{ start, end uint32 }

// mostExpected bounds the room that is made before URLs are read.
const mostExpected = 1 << 24

// Fates reads the fates of a run, a million in a second or two. Writes of the same transaction may
// be missing.
func (tx *Tx) Fates(run Run) (*Fates, error) {
	f := &Fates{Waiting: Waiting{}}
	totals, err := tx.Totals(run)
	if err != nil {
		return nil, err
	}
	f.keys = make([]page.Key, 0, max(0, min(totals.Known(), mostExpected)))
	err = eachURL(tx, run, func(key page.Key, value []byte) error {
		reason, idle, err := f.read(value)
		if err == nil {
			f.add(key, reason, idle)
		}
		return err
	})
	f.divide()
	return f, err
}

// eachURL calls read with the key and the record of each URL of a run, in the order of the keys. An error of
// read is damage of the record.
func eachURL(tx *Tx, run Run, read func(key page.Key, value []byte) error) error {
	prefix := runKey(tableURL, run, 0)
	return tx.scan(prefix, prefix, true, func(key, value []byte) (bool, error) {
		err := errShort
		if len(key) == len(prefix)+8 {
			err = read(page.Key(binary.BigEndian.Uint64(key[len(prefix):])), value)
		}
		if err != nil {
			return false, damaged(fmt.Sprintf("URL record %x", key), err)
		}
		return true, nil
	})
}

// add takes in a key beyond all before.
func (f *Fates) add(key page.Key, reason Reason, idle bool) {
	if len(f.keys)%64 == 0 {
		f.idle = append(f.idle, 0)
	}
	if idle {
		f.idle[len(f.keys)/64] |= 1 << (len(f.keys) % 64)
	}
	f.keys = append(f.keys, key)
	if reason != NoReason && f.refused == nil {
		f.refused = make([]Reason, len(f.keys)-1, cap(f.keys))
	}
	if f.refused != nil {
		f.refused = append(f.refused, reason)
	}
}

// divide notes where the keys begin that have the same first bits: four to eight of
// them, as keys are as good as random.
func (f *Fates) divide() {
	n := max(0, bits.Len(uint(len(f.keys)))-3)
	f.shift = uint8(64 - n)
	f.from = make([]uint32, 1<<n+1)
	for _, key := range f.keys {
		f.from[uint64(key)>>f.shift+1]++
	}
	for i := range len(f.from) - 1 {
		f.from[i+1] += f.from[i]
	}
}

// Len is the number of URLs.
func (f *Fates) Len() int { return len(f.keys) }

// Of tells whether a URL's key is known, and for what reason it was refused, NoReason where it was
// not. It looks at a handful of keys, and at O(log URLs) of them where somebody chose the URLs.
func (f *Fates) Of(key page.Key) (refused Reason, found bool) {
	i := f.find(key, f.place(key))
	if i < 0 {
		return NoReason, false
	}
	if f.refused == nil {
		return NoReason, true
	}
	return f.refused[i], true
}

// Wanted reports that somebody has wanted a URL, which then was fetched, failed, was skipped, or
// waits. Of two URLs with one key it tells of the first.
func (f *Fates) Wanted(key page.Key) bool {
	i := f.find(key, f.place(key))
	return i >= 0 && f.idle[i/64]>>(i%64)&1 == 0
}

// Accepted tells of each of some URLs' keys whether it is known, and not refused. It is good until
// the next call. Keys lie anywhere in memory, which is asked for many at a time.
func (f *Fates) Accepted(keys []page.Key) []bool {
	f.places, f.known = f.places[:0], f.known[:0]
	for _, key := range keys {
		f.places = append(f.places, f.place(key))
	}
	for i, key := range keys {
		at := f.find(key, f.places[i])
		f.known = append(f.known, at >= 0 && (f.refused == nil || f.refused[at] == NoReason))
	}
	return f.known
}

func (f *Fates) place(key page.Key) place {
	if len(f.keys) == 0 {
		return place{}
	}
	part := uint64(key) >> f.shift
	return place{f.from[part], f.from[part+1]}
}

// find gives where in the list a key is, -1 where it is not. Of a few keys all are looked at, which
// is faster than to guess.
func (f *Fates) find(key page.Key, p place) int {
	if p.end-p.start > 32 {
		i, found := slices.BinarySearch(f.keys[p.start:p.end], key)
		if !found {
			return -1
		}
		return int(p.start) + i
	}
	at := -1
	for i, k := range f.keys[p.start:p.end] {
		if k == key {
			at = int(p.start) + i
		}
	}
	return at
}

// read gives the reason for which the URL of a record was refused, NoReason where it was not, and
// whether nobody has wanted it, and counts it where it waits. It reads no more of the record than it
// needs.
func (f *Fates) read(value []byte) (reason Reason, idle bool, err error) {
	d := decoder{b: value}
	flags := d.byte()
	reason = Reason(d.byte())
	_, _, _, _ = d.byte(), d.byte(), d.byte(), d.uint() // kind, depth, tries, site
	host := uint32(d.uint())
	_, _ = d.int(), d.int() // priority, status
	state, visit := State(flags&15), d.uint()
	if state == Pending && flags&flagQueued != 0 {
		if flags&flagVia != 0 {
			d.fixed()
		}
		f.Waiting.add(host, Place{Rank: d.byte(), Order: d.uint()})
	}
	if visit != 0 || state != Skipped && state != Failed {
		reason = NoReason
	}
	return reason, state == Known, d.err
}

// FailedAfter are the keys of the URLs of a run that were answered, and failed in the end for a reason.
func FailedAfter(tx *Tx, run Run, reason Reason) (map[page.Key]bool, error) {
	failed := map[page.Key]bool{}
	err := eachURL(tx, run, func(key page.Key, value []byte) error {
		u, err := decodeURL(value)
		if err == nil && u.State == Failed && u.Reason == reason && u.Visit != 0 {
			failed[key] = true
		}
		return err
	})
	return failed, err
}
