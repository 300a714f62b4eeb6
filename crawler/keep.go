package crawler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// keep makes the fetched pages durable each second (Options.SaveEvery), watches limits, and reports
// progress, until ctx ends. An error, or a limit that was reached, cancels the crawl.
func (c *Crawler) keep(ctx context.Context, cancel context.CancelCauseFunc) error {
	tick := time.NewTicker(c.opt.SaveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := c.secure(ctx, c.checkpoint); err != nil {
			cancel(err)
			if errors.Is(err, ErrNoSpace) || ctx.Err() != nil { // the cause that Run tells
				return nil
			}
			return err
		}
		c.report(sitesEvery)
		if limit := c.hold.time(); limit > 0 && c.hold.crawled(c.started, time.Now()) >= limit {
			cancel(ErrTime)
			return nil
		}
		if free, path := c.space.free(); free < c.space.limit && !c.space.Paused() {
			if err := c.pause(ctx, fmt.Errorf("%s has %d MiB left", path, free>>20)); err != nil {
				cancel(err)
				return nil
			}
		}
	}
}

// checkpoint syncs the archive, then the store: so captures that the store claims are on disk, also
// after a power cut.
func (c *Crawler) checkpoint() error {
	for _, w := range append(slices.Collect(maps.Values(c.Apart)), c.Archive) {
		if err := w.Sync(); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	return c.Store.Checkpoint()
}
