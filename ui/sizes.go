package ui

import (
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"watershed/internal/disk"
)

// Bounds of looking at folders.
const (
	sizeFor  = time.Minute // how long a sum is told again
	maxSized = 200_000     // files of a folder that are looked at
)

// sizes are what folders take on disk. They are safe for concurrent use; one is looked at a time.
type sizes struct {
	mu   sync.Mutex // guards what follows
	list map[string]sized
}

type sized struct {
	at    time.Time
	bytes int64
}

// of is the space that the files of a folder take, as it was within the last minute. A file that
// goes away meanwhile does not count.
func (s *sizes) of(folder string, now time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, is := s.list[folder]; is && now.Sub(x.at) < sizeFor {
		return x.bytes
	}
	x, files := sized{at: now}, 0
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error { // no error is returned
		if files++; files > maxSized {
			return fs.SkipAll
		}
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			x.bytes += disk.Occupied(info)
		}
		return nil
	})
	if s.list == nil {
		s.list = map[string]sized{}
	}
	s.list[folder] = x
	return x.bytes
}
