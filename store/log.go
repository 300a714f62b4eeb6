package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// badgerLog listens to what Badger warns of: a table whose index is damaged is left out by Badger
// with nothing but a line in the log, and work in the background that finds no room is tried again
// at once.
type badgerLog struct {
	closing chan struct{} // closed when the database is about to be closed
	full    chan error    // has an error when work in the background finds no room after that

	mu      sync.Mutex
	ignored string
}

func newBadgerLog() *badgerLog {
	return &badgerLog{closing: make(chan struct{}), full: make(chan error, 1)}
}

// close announces that the database is about to be closed. It is called once.
func (l *badgerLog) close() { close(l.closing) }

// pause is the time between two attempts of Badger to write a table for which there was no room.
const pause = 5 * time.Second

// flushFails begins the text by which Badger tells that it will try for ever to write what is in
// memory to a table.
const flushFails = "error flushing memtable"

// hold keeps the goroutine of Badger that tells of a full disk, or of a table that cannot be
// written for another reason, from trying again at once, which would cost a core and fill the log.
// When the database is being closed it tells so at once.
func (l *badgerLog) hold(text string) {
	if !noSpace(text) && !strings.HasPrefix(text, flushFails) {
		return
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return
	case <-l.closing:
	}
	select {
	case l.full <- errors.New(text):
	default: // another goroutine has told it
	}
}

func (l *badgerLog) Errorf(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	defer l.hold(text)
	if strings.HasPrefix(text, "Ignoring table") {
		l.mu.Lock()
		l.ignored = text
		l.mu.Unlock()
	}
}

func (l *badgerLog) Warningf(format string, args ...any) {
	l.hold(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (l *badgerLog) Infof(string, ...any)  {}
func (l *badgerLog) Debugf(string, ...any) {}

func (l *badgerLog) ignoredTable() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ignored
}
