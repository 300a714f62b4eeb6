package delimit

import (
	"cmp"
	"context"

	"golang.org/x/sync/errgroup"
)

// inOrder makes n things, some at a time, and gives them in order, from one goroutine. No more than
// twice workers are held, and the one that is given.
func inOrder[T any](ctx context.Context, workers, n int, do func(int) (T, error), give func(T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers + 1) // with the one that gives
	made := make(chan chan T, 2*workers)
	g.Go(func() error {
		for one := range made {
			select {
			case x := <-one:
				if err := give(x); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	var stopped error
	for k := 0; k < n && stopped == nil; k++ {
		one := make(chan T, 1)
		select {
		case made <- one:
			g.Go(func() error {
				x, err := do(k)
				if err == nil {
					one <- x
				}
				return err
			})
		case <-ctx.Done():
			stopped = ctx.Err()
		}
	}
	close(made)
	return cmp.Or(g.Wait(), stopped)
}
