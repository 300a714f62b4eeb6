package frontier

import (
	"github.com/zeebo/xxh3"

	"watershed/page"
)

// recent remembers what became of the URLs met last, so that the links that every page repeats cost
// no look into the store. It forgets: a URL that it does not know may still be in the store. A
// bucket of four is chosen by the key; 96 bits are compared, so a URL is taken for another with a
// probability of 1e-18 in ten billion questions. It belongs to the writing transaction.
type recent struct {
	keys  []page.Key
	notes []uint32 // 24 bits of check, 8 of memo
	mask  uint64
}

// memo is the fate of a URL as it is remembered.
type memo uint8

const (
	forgotten memo = 0
	noted     memo = 1  // known and not wanted
	settled   memo = 2  // done, failed or skipped for good
	wantedAt  memo = 64 // and the rank: pending
)

const ways = 4

func newRecent(size int) recent {
	buckets := uint64(1)
	for buckets*ways < uint64(size) {
		buckets *= 2
	}
	return recent{
		keys: make([]page.Key, buckets*ways), notes: make([]uint32, buckets*ways),
		mask: buckets - 1,
	}
}

// checkOf is independent of the key of u.
func checkOf(u page.URL) uint32 { return uint32(xxh3.HashStringSeed(string(u), 0x5eed)) &^ 0xff }

func (r *recent) bucket(key page.Key) int { return int(uint64(key)>>20&r.mask) * ways }

func (r *recent) find(key page.Key, check uint32) memo {
	b := r.bucket(key)
	for i := b; i < b+ways; i++ {
		if r.keys[i] == key && r.notes[i]&^0xff == check {
			return memo(r.notes[i])
		}
	}
	return forgotten
}

// put remembers m, or forgets the URL.
func (r *recent) put(key page.Key, check uint32, m memo) {
	b := r.bucket(key)
	at := b + int(check>>8)%ways // a victim as good as random
	for i := b; i < b+ways; i++ {
		if r.keys[i] == key && r.notes[i]&^0xff == check {
			at = i
			break
		}
		if memo(r.notes[i]) == forgotten {
			at = i
		}
	}
	r.keys[at], r.notes[at] = key, check|uint32(m)
}
