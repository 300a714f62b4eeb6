package extsort

import (
	"context"
	"errors"
)

// Cursor goes through records in order:
//
//	for c.Next() {
//		use(c.Record())
//	}
//	return errors.Join(c.Err(), c.Close())
//
// Not safe for concurrent use.
type Cursor[T Record] struct {
	tree    tree[T]
	rec     T
	key     int
	combine func(into *T, from T)
	err     error
	close   func() error
}

// Next goes to the next record; false at the end or at an error.
func (c *Cursor[T]) Next() bool {
	if c.err != nil || c.tree.empty() {
		return false
	}
	c.rec = c.tree.heads[c.tree.winner]
	c.err = c.tree.advance()
	if c.combine != nil {
		for c.err == nil && !c.tree.empty() && sameKey(&c.rec, &c.tree.heads[c.tree.winner], c.key) {
			c.combine(&c.rec, c.tree.heads[c.tree.winner])
			c.err = c.tree.advance()
		}
	}
	return c.err == nil
}

// Record is the record that Next went to.
func (c *Cursor[T]) Record() T { return c.rec }

// Err is the error that ended the cursor before the end, a damaged run or table; nil at the end.
func (c *Cursor[T]) Err() error { return c.err }

// Close frees the files and memory of the cursor; for one from Sort, it removes the runs. A second
// call does nothing.
func (c *Cursor[T]) Close() error {
	c.tree = tree[T]{}
	if c.close == nil {
		return nil
	}
	f := c.close
	c.close = nil
	return f()
}

// Each calls f for every record that is left, until f or the context ends it, then closes the
// cursor.
func (c *Cursor[T]) Each(ctx context.Context, f func(T) error) error {
	var err error
	for n := 0; err == nil && c.Next(); n++ {
		if n%contextEvery == 0 {
			if err = ctx.Err(); err != nil {
				break
			}
		}
		err = f(c.rec)
	}
	return errors.Join(err, c.err, c.Close())
}

// contextEvery is how many records are handled between two looks at the context: some milliseconds'
// worth.
const contextEvery = 1 << 14
