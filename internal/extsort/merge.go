package extsort

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

// source is one sorted sequence: records in memory, and the blocks of a table that come after them.
type source[T Record] struct {
	recs  []T
	pos   int
	table *Table[T] // nil: nothing comes after
	block int       // next block
	raw   []byte
	err   error
}

// refill decodes the next block and reports whether there was one.
func (s *source[T]) refill() bool {
	if s.table == nil || s.err != nil || s.block >= len(s.table.offset) {
		return false
	}
	s.err = s.read()
	s.pos = 0
	s.block++
	return s.err == nil
}

// read reads and decodes block s.block.
func (s *source[T]) read() error {
	t := s.table
	start, end := t.offset[s.block], t.end
	if s.block+1 < len(t.offset) {
		end = t.offset[s.block+1]
	}
	n := end - start - frameBytes
	if n <= 0 || n > 4*blockBytes {
		return t.corrupt(start, "the index does not fit the blocks")
	}
	if int64(cap(s.raw)) < frameBytes+n+slack {
		s.raw = make([]byte, frameBytes+n+slack, frameBytes+max(n, blockBytes+128)+slack)
	}
	s.raw = s.raw[:frameBytes+n+slack]
	if _, err := t.f.ReadAt(s.raw[:frameBytes+n], start); err != nil {
		if err == io.EOF {
			return t.corrupt(start, "the file ends inside a block")
		}
		return fmt.Errorf("read table %s: %w", t.name, err)
	}
	clear(s.raw[frameBytes+n:])
	data, count := s.raw[frameBytes:], int64(binary.LittleEndian.Uint32(s.raw[4:]))
	if int64(binary.LittleEndian.Uint32(s.raw)) != n || count > n ||
		binary.LittleEndian.Uint64(s.raw[8:]) != xxh3.Hash(data[:n]) {
		return t.corrupt(start, "a block's checksum differs")
	}
	var ok bool
	if s.recs, ok = decodeBlock(s.recs, data, int(count)); !ok {
		return t.corrupt(start, "a block does not hold its records")
	}
	return nil
}

// tree is a tree of losers (Knuth vol. 3, section 5.4.1): heads has the next record of each source,
// the inner nodes the losers of their matches, winner the source whose head is smallest. With k
// sources a step costs log2(k) comparisons.
type tree[T Record] struct {
	src    []source[T]
	heads  []T
	losers []int32
	winner int
}

// reset begins with the given sources.
func (t *tree[T]) reset(src []source[T]) error {
	t.src, t.heads = t.src[:0], t.heads[:0]
	for _, s := range src {
		if s.pos >= len(s.recs) && !s.refill() {
			if s.err != nil {
				return s.err
			}
			continue
		}
		t.src = append(t.src, s)
		t.heads = append(t.heads, s.recs[s.pos])
		t.src[len(t.src)-1].pos++
	}
	t.build()
	return nil
}

// build plays all matches anew.
func (t *tree[T]) build() {
	k := len(t.src)
	if k == 0 {
		return
	}
	t.losers = make([]int32, k)
	winners := make([]int, 2*k)
	for i := range k {
		winners[k+i] = i
	}
	for n := k - 1; n > 0; n-- {
		a, b := winners[2*n], winners[2*n+1]
		if less(&t.heads[b], &t.heads[a]) {
			a, b = b, a
		}
		winners[n], t.losers[n] = a, int32(b)
	}
	t.winner = winners[1]
	if k == 1 {
		t.winner = 0
	}
}

// empty reports that no record is left.
func (t *tree[T]) empty() bool { return len(t.src) == 0 }

// advance replaces the winner's head by its next record and finds the new winner.
func (t *tree[T]) advance() error {
	w := t.winner
	s := &t.src[w]
	if s.pos >= len(s.recs) && !s.refill() {
		if s.err != nil {
			return s.err
		}
		last := len(t.src) - 1
		t.src[w], t.heads[w] = t.src[last], t.heads[last]
		t.src[last] = source[T]{}
		t.src, t.heads = t.src[:last], t.heads[:last]
		t.build()
		return nil
	}
	t.heads[w] = s.recs[s.pos]
	s.pos++
	for n := (w + len(t.src)) / 2; n > 0; n /= 2 {
		if l := int(t.losers[n]); less(&t.heads[l], &t.heads[w]) {
			t.losers[n] = int32(w)
			w = l
		}
	}
	t.winner = w
	return nil
}
