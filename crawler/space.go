package crawler

import (
	"sync"
	"time"

	"watershed/internal/disk"
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
