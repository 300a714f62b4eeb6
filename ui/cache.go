package ui

import (
	"os"
	"sync"
	"time"
)

// cache keeps what was read of files until they change. It is safe for concurrent use; one file is
// read at a time.
type cache[T any] struct {
	mu   sync.Mutex // guards what follows
	most int
	list []cached[T] // the last used first
}

type cached[T any] struct {
	path  string
	size  int64
	at    time.Time
	value T
}

func newCache[T any](most int) *cache[T] { return &cache[T]{most: most} }

// get gives what read makes of the file.
func (c *cache[T]) get(path string, read func(string) (T, error)) (T, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var zero T
	stat, err := os.Stat(path)
	if err != nil {
		return zero, err
	}
	for i, x := range c.list {
		if x.path != path {
			continue
		}
		c.list = append(c.list[:i], c.list[i+1:]...)
		if x.size == stat.Size() && x.at.Equal(stat.ModTime()) {
			c.list = append([]cached[T]{x}, c.list...)
			return x.value, nil
		}
		break
	}
	value, err := read(path)
	if err != nil {
		return zero, err
	}
	c.list = append([]cached[T]{{path, stat.Size(), stat.ModTime(), value}}, c.list...)
	c.list = c.list[:min(len(c.list), c.most)]
	return value, nil
}
