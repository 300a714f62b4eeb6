package corpus

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"

	"watershed/archive"
)

// Pages calls yield with each page in the order of the files, from one goroutine, while others read
// ahead. It ends with the error of yield or of the context. A file or record that cannot be read is
// told as damage and left out. It may be called again.
func (c *Corpus) Pages(ctx context.Context, yield func(*Page) error) error {
	g, ctx := errgroup.WithContext(ctx)
	jobs := make(chan *job, c.opt.Workers)            // to be done by any worker
	order := make(chan *job, readAhead*c.opt.Workers) // the same, in order
	g.Go(func() error {
		defer close(jobs)
		defer close(order)
		return c.feed(ctx, jobs, order)
	})
	for range c.opt.Workers {
		g.Go(func() error {
			for j := range jobs {
				j.done <- j.read()
			}
			return nil
		})
	}
	g.Go(func() error {
		for j := range order {
			select {
			case <-ctx.Done(): // it may have reached no worker
				return ctx.Err()
			case p := <-j.done:
				if p == nil {
					continue
				}
				if err := yield(p); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return g.Wait()
}

// readAhead is how many pages a worker may be ahead of the one that is awaited: enough for a long
// page beside many short ones.
const readAhead = 8

// job reads one page; nil where it cannot be read.
type job struct {
	read func() *Page
	done chan *Page // has room for one
}

// feed hands out the jobs of all files.
func (c *Corpus) feed(ctx context.Context, jobs, order chan<- *job) error {
	emit := func(read func() *Page) error {
		j := &job{read: read, done: make(chan *Page, 1)}
		for _, to := range []chan<- *job{order, jobs} {
			select {
			case to <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}
	at := 0
	for k := range c.files {
		begin := at
		for at < len(c.captures) && int(c.captures[at].file) == k {
			at++
		}
		if err := c.feedFile(ctx, k, begin, at, emit); err != nil {
			return err
		}
	}
	return nil
}

// feedFile hands out the jobs of a file, whose captures are those from begin to end. A panic of its
// reader ends that file alone.
func (c *Corpus) feedFile(ctx context.Context, k, begin, end int, emit func(func() *Page) error,
) (err error) {
	f := &c.files[k]
	c.guarded(Damage{File: f.Path}, func() error {
		switch {
		case f.Format == archive.FormatLinks:
			err = c.feedList(f, emit)
		case f.stream:
			err = c.feedStream(f, int32(begin), int32(end), emit)
		default:
			for i := begin; i < end && err == nil && ctx.Err() == nil; i++ {
				if !c.captures[i].left {
					err = emit(func() *Page {
						return c.read(int32(i), func() (*archive.Record, error) {
							return c.openRecord(&c.captures[i])
						})
					})
				}
			}
		}
		return nil
	})
	return err
}

// feedStream reads a file whose records cannot be sought from its start; the chosen ones are held
// in memory until a worker has read them.
func (c *Corpus) feedStream(f *file, begin, end int32, emit func(func() *Page) error) error {
	r, err := f.Open()
	if err != nil {
		c.damaged(Damage{File: f.Path, Err: err})
		return nil
	}
	defer r.Close() //nolint:errcheck // it was only read
	at, number := begin, int32(0)
	for at < end {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if !r.Recover() { // the scan has told of it
				return nil
			}
			continue
		}
		number++
		// an index knows no numbers
		if x := &c.captures[at]; x.number != number && (x.number != 0 || x.offset != rec.Offset) {
			continue
		}
		i := at
		at++
		if c.captures[i].left {
			continue
		}
		held, err := hold(rec)
		if err != nil {
			continue // Next tells it, and the scan did
		}
		if err := emit(func() *Page {
			return c.read(i, func() (*archive.Record, error) { return held, nil })
		}); err != nil {
			return err
		}
	}
	return nil
}

// openRecord opens the record of a capture in a file whose records can be sought. It has to be
// closed.
func (c *Corpus) openRecord(x *capture) (*archive.Record, error) {
	return c.files[x.file].OpenWithin(x.offset, x.length)
}
