package frontier

import (
	"math/bits"
	"slices"

	"watershed/page"
	"watershed/store"
)

// rankOf makes a rank of a priority, so that a queue row need not move at each small change: 0 for
// nothing and below, then one more with each doubling, at most 63.
func rankOf(priority int64) uint8 {
	if priority <= 0 {
		return 0
	}
	return uint8(bits.Len64(uint64(priority)))
}

// queue is the part of a host's queue that is held in memory: how many rows each rank has, from
// where on they may lie, and a window on the first rows. The rows themselves are in the store, but
// for the one that is leased they are all there and counted. Heads keep us from passing the rows
// that were deleted, which costs as much as reading them (LIBRARIES: 85 to 304 ms after 190,000
// deletions, against 0.1 ms from the head); they only move on, because a row that enters gets a
// higher order than any before.
type queue struct {
	ranks  []rankHead // with rows, the highest rank first
	rows   int        // in all ranks
	window []slot     // the first rows, in the order of their turns
	out    store.Place
}

type rankHead struct {
	head  uint64 // no row has a lower order
	count int32
	rank  uint8
}

type slot struct {
	store.Place
	key page.Key
}

// windowSize bounds the rows in memory, 24 bytes each.
const windowSize = 64

func (q *queue) rank(r uint8) int {
	for i := range q.ranks {
		if q.ranks[i].rank <= r {
			return i
		}
	}
	return len(q.ranks)
}

// count adds a row to the numbers alone, as when the store is read.
func (q *queue) count(p store.Place) { q.countAll(p, 1) }

// countAll is count of so many rows of a rank, of which p is the first.
func (q *queue) countAll(p store.Place, rows int) {
	i := q.rank(p.Rank)
	if i == len(q.ranks) || q.ranks[i].rank != p.Rank {
		q.ranks = slices.Insert(q.ranks, i, rankHead{rank: p.Rank, head: p.Order})
	}
	q.ranks[i].count += int32(rows)
	q.ranks[i].head = min(q.ranks[i].head, p.Order)
	q.rows += rows
}

// whole reports that the window shows all rows that are not leased.
func (q *queue) whole() bool {
	n := len(q.window)
	if q.out.Order != 0 {
		n++
	}
	return n == q.rows
}

// enter adds a row that was put into the store.
func (q *queue) enter(p store.Place, key page.Key) {
	whole := q.whole()
	q.count(p)
	if last := len(q.window) - 1; last >= 0 && p.Before(q.window[last].Place) ||
		whole && len(q.window) < windowSize {
		q.show(slot{p, key})
	}
}

// show puts a row into the window.
func (q *queue) show(s slot) {
	i, found := slices.BinarySearchFunc(q.window, s.Place, compare)
	if found {
		return
	}
	q.window = slices.Insert(q.window, i, s)
	if len(q.window) > windowSize {
		q.window = q.window[:windowSize]
	}
}

func compare(s slot, p store.Place) int {
	switch {
	case s.Place == p:
		return 0
	case s.Before(p):
		return -1
	}
	return 1
}

// leave takes a row out that was deleted from the store.
func (q *queue) leave(p store.Place) {
	if i := q.rank(p.Rank); i < len(q.ranks) && q.ranks[i].rank == p.Rank {
		r := &q.ranks[i]
		if r.count--; r.head == p.Order {
			r.head++
		}
		q.rows--
		if r.count <= 0 {
			q.ranks = slices.Delete(q.ranks, i, i+1)
		}
	}
	if q.out == p {
		q.out = store.Place{}
	} else if i, found := slices.BinarySearchFunc(q.window, p, compare); found {
		q.window = slices.Delete(q.window, i, i+1)
	}
}

// take leases the first row of the window.
func (q *queue) take() slot {
	s := q.window[0]
	q.window = slices.Delete(q.window, 0, 1)
	q.out = s.Place
	return s
}

// giveBack returns the leased row to its place, unless it was deleted or moved meanwhile.
func (q *queue) giveBack(s slot) {
	if q.out != s.Place {
		return
	}
	q.out = store.Place{}
	if last := len(q.window) - 1; last >= 0 && s.Before(q.window[last].Place) || len(q.window)+1 == q.rows {
		q.show(s)
	}
}

// firstOrder is the order of the first row that is not leased, or a lower one; only for a queue
// with such rows.
func (q *queue) firstOrder() uint64 {
	if len(q.window) > 0 {
		return q.window[0].Order
	}
	return q.ranks[0].head
}

// waiting is how many rows could be leased.
func (q *queue) waiting() int {
	if q.out.Order != 0 {
		return q.rows - 1
	}
	return q.rows
}

// topRank is the rank of the first row that is not leased; only for a queue with such rows.
func (q *queue) topRank() uint8 {
	if len(q.window) > 0 {
		return q.window[0].Rank
	}
	return q.ranks[0].rank
}

// fill reads the rows of the highest rank into an empty window. Only one rank: between its last row
// and the next rank's first may lie the deleted rows of that rank. It reports false, with nothing
// read, when the store has fewer rows than were counted.
func (q *queue) fill(tx *store.Tx, run store.Run, host uint32) (bool, error) {
	if len(q.window) > 0 || len(q.ranks) == 0 {
		return true, nil
	}
	top := &q.ranks[0]
	rows, err := q.read(tx, run, host, *top)
	if err != nil || len(rows) < min(int(top.count), windowSize) {
		return false, err
	}
	q.window = append(q.window, rows...)
	top.head = rows[0].Order
	return true, nil
}

// read gives the first rows of a rank.
func (q *queue) read(tx *store.Tx, run store.Run, host uint32, r rankHead) ([]slot, error) {
	rows, err := tx.Queue(run, host, store.Place{Rank: r.rank, Order: r.head}, min(int(r.count), windowSize),
		nil)
	if err != nil {
		return nil, err
	}
	var slots []slot
	for _, row := range rows {
		if row.Rank != r.rank {
			break
		}
		slots = append(slots, slot{row.Place, row.Key})
	}
	return slots, nil
}

// repair is fill that believes the store and not its counts. Only the writing transaction may call
// it, before it writes: to all others the store may be ahead of the counts.
func (q *queue) repair(tx *store.Tx, run store.Run, host uint32) error {
	for len(q.window) == 0 && len(q.ranks) > 0 {
		ok, err := q.fill(tx, run, host)
		if ok || err != nil {
			return err
		}
		top := &q.ranks[0]
		if q.window, err = q.read(tx, run, host, *top); err != nil {
			return err
		}
		q.rows -= int(top.count) - len(q.window)
		if top.count = int32(len(q.window)); top.count == 0 {
			q.ranks = slices.Delete(q.ranks, 0, 1)
		}
	}
	return nil
}
