package delimit

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// inOrder makes n things, some at a time, and gives them in order, from one goroutine. No more than
// twice workers are held.
func inOrder[T any](ctx context.Context, workers, n int, do func(int) (T, error), give func(T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan struct{}, 2*workers) // taken from the start of a thing to its being given
	ready := make([]chan T, 2*workers)
	for i := range ready {
		ready[i] = make(chan T, 1)
	}
	jobs := make(chan int)
	g.Go(func() error {
		defer close(jobs)
		for k := range n {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			select {
			case jobs <- k:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range workers {
		g.Go(func() error {
			for k := range jobs {
				x, err := do(k)
				if err != nil {
					return err
				}
				ready[k%len(ready)] <- x // empty: thing k-len(ready) was given
			}
			return nil
		})
	}
	g.Go(func() error {
		for k := range n {
			select {
			case x := <-ready[k%len(ready)]:
				if err := give(x); err != nil {
					return err
				}
				<-slots
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}
