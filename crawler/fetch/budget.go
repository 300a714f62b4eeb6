package fetch

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// budget bounds the memory of bodies that are being read. A response is first taken off the wire
// into its spool, which is bounded by itself; only then does its body ask for room, once, for all
// the memory that reading it may take, and it gives the room back when the exchange is closed. So
// no host is kept waiting for memory, a host that sends slowly holds none, and no body that has
// room waits for more: there is no deadlock. The first to come is served first, so that large
// bodies get their turn.
type budget struct {
	room *semaphore.Weighted
	size int64
}

func newBudget(size int64) *budget { return &budget{semaphore.NewWeighted(size), size} }

const (
	// unasked is the size in bytes up to which a body needs not ask for room. It lets most pages
	// pass while large ones wait; fifty workers have 26 MiB of such bodies, trees of them included.
	unasked = 40 << 10
	// perByte is the memory that reading takes for each byte of a decoded body: the body, its text
	// in UTF-8, and as much again for links and copies.
	perByte = 3
	// treeBytes is the size up to which a page may be read into a tree, and perTreeByte the memory
	// that the tree takes for each of its bytes; both as crawler/extract says.
	treeBytes, perTreeByte = 1 << 20, 10
)

// weight is the memory that reading a decoded body of n bytes takes, as far as it is to be asked
// for.
func weight(n int64) int64 {
	if n <= unasked {
		return 0
	}
	return perByte*n + perTreeByte*min(n, treeBytes)
}

// share is a part of a budget that is taken. It belongs to one goroutine at a time.
type share struct {
	of    *budget
	taken int64
}

// take waits for the room of a body of at most n bytes; of all there is, where that is less. The
// error is the context's, and comes only where there is no room.
func (b *budget) take(ctx context.Context, n int64) (*share, error) {
	s := &share{b, min(weight(n), b.size)}
	if b.room.TryAcquire(s.taken) {
		return s, nil
	}
	if err := b.room.Acquire(ctx, s.taken); err != nil {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// cut gives back the room that a body of n bytes does not take; of 0 bytes, all.
func (s *share) cut(n int64) {
	rest := min(weight(n), s.taken)
	s.of.room.Release(s.taken - rest)
	s.taken = rest
}
