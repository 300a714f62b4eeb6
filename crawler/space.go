package crawler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"watershed/internal/disk"
	"watershed/store"
)

// space watches the disks that a harvest writes to.
type space struct {
	limit uint64 // bytes that must stay free
	paths []string

	mu     sync.Mutex
	paused bool
	since  time.Time // of the first write in a row that found no room; zero when the last one found some
}

// full notes that a write found no room, and tells since when that is so.
func (s *space) full() (since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = time.Now()
	}
	return s.since
}

// roomy notes that a write found room.
func (s *space) roomy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.paused = time.Time{}, false
}

// free is the room on the fullest of the disks, and on which path; a disk that cannot be asked is
// not counted.
func (s *space) free() (bytes uint64, path string) {
	bytes = ^uint64(0)
	for _, p := range s.paths {
		if n, told := disk.Free(p); told && n < bytes {
			bytes, path = n, p
		}
	}
	return bytes, path
}

// Paused reports that the crawl waits for room on the disk.
func (s *space) Paused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

func (s *space) setPaused(v bool) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.paused != v
	s.paused = v
	return changed
}

// awaitSpace returns when there is room again, as far as the system tells, or with ErrNoSpace when
// no write has found any for Options.DiskWait. cause is the error that found the disk full.
func (c *Crawler) awaitSpace(ctx context.Context, cause error) error {
	deadline := c.space.full().Add(c.opt.DiskWait)
	for {
		free, path := c.space.free()
		if c.space.setPaused(true) {
			c.opt.Log.Error("disk full, the harvest is paused", "path", path, "free_bytes", free,
				"needed_bytes", c.space.limit, "waits_until", deadline)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return fmt.Errorf("%w: %d bytes are free on the disk of %s, %d are asked for (%w)", ErrNoSpace,
				free, path, c.space.limit, cause)
		}
		if err := sleep(ctx, min(left, 2*time.Second)); err != nil {
			return err
		}
		if free, _ := c.space.free(); free > max(c.space.limit, spare) {
			c.opt.Log.Info("there is room on the disk again", "free_bytes", free)
			c.space.setPaused(false)
			return nil
		}
	}
}

// spare is the room that must be free again before a crawl that met a full disk goes on: the room
// that the state demands, and some more.
const spare = store.DefaultMinFreeBytes + 16<<20

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
