package extsort

import "fmt"

// Options are those of a Sorter. The zero value means: keep all records, with the default memory.
type Options[T Record] struct {
	// MemoryBytes bounds the two buffers of records, one filling while the other is sorted and
	// written. Default 64 MiB, at least 64 KiB. Merging takes no more than that again or FanIn ×
	// 200 KiB, whichever is less usual; the buffers are given back before it begins unless
	// everything fitted into the first.
	MemoryBytes int
	// FanIn is the largest number of runs merged at once. Default 256: at 64 MiB of 16-byte
	// records, 500 million records need one pass.
	FanIn int
	// Key is the number of leading words that make two records one for Combine. Default: all words.
	Key int
	// Combine, when set, is called for two records whose first Key words agree, and puts their
	// combination into the first: a sum, or nothing at all to drop duplicates. It must leave the
	// key as it is, be associative and commutative, and is called from another goroutine than the
	// caller's, but never from two at once.
	Combine func(into *T, from T)
}

const (
	defaultMemory = 64 << 20
	minMemory     = 64 << 10
	defaultFanIn  = 256
)

// Validate reports options with which no Sorter can work.
func (o Options[T]) Validate() error {
	switch {
	case o.MemoryBytes != 0 && o.MemoryBytes < minMemory:
		return fmt.Errorf("extsort: MemoryBytes %d: want at least %d", o.MemoryBytes, minMemory)
	case o.FanIn != 0 && o.FanIn < 2:
		return fmt.Errorf("extsort: FanIn %d: want at least 2", o.FanIn)
	case o.Key < 0 || o.Key > words[T]():
		return fmt.Errorf("extsort: Key %d: records have %d words", o.Key, words[T]())
	}
	return nil
}

// withDefaults has every zero replaced.
func (o Options[T]) withDefaults() Options[T] {
	if o.MemoryBytes == 0 {
		o.MemoryBytes = defaultMemory
	}
	if o.FanIn == 0 {
		o.FanIn = defaultFanIn
	}
	if o.Key == 0 {
		o.Key = words[T]()
	}
	return o
}

// AddUp combines records by adding the last word, modulo 2^64; Key must leave that word out. A
// count of minus one is ^uint64(0).
func AddUp[T Record](into *T, from T) {
	(*into)[len(from)-1] += from[len(from)-1]
}

// KeepFirst combines records by dropping all but one. With a Key shorter than the record, it is the
// one with the smallest words.
func KeepFirst[T Record](into *T, from T) {
	if less(&from, into) {
		*into = from
	}
}
