package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"watershed/internal/disk"
)

// Log is a file of lines that is only appended to: crawl.log, skipped.jsonl. Its methods may be
// called by several goroutines; a line is never mixed with another, and none is written in part:
// when the disk is full, the lines wait in memory for the next call.
type Log struct {
	mu      sync.Mutex // guards what follows
	f       disk.File
	name    string
	size    int64 // whole lines in the file
	pending []byte
	closed  bool
}

// logBuffer is how many bytes of lines are gathered before they are written.
const logBuffer = 64 << 10

// OpenLog opens a log to append to it, and makes it where it is not there. A last line that a kill
// cut short is taken off.
func OpenLog(d disk.FS, path string) (*Log, error) {
	f, err := disk.Or(d).OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", withSpace(err))
	}
	l := &Log{f: f, name: path}
	if l.size, err = wholeLines(f); err == nil {
		err = l.cut()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open log %s: %w", path, err), f.Close())
	}
	return l, nil
}

// wholeLines is the offset behind the last LF.
func wholeLines(f disk.File) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 4096)
	for end > 0 {
		begin := max(0, end-int64(len(buf)))
		part := buf[:end-begin]
		if _, err := f.ReadAt(part, begin); err != nil {
			return 0, err
		}
		for i := len(part) - 1; i >= 0; i-- {
			if part[i] == '\n' {
				return begin + int64(i+1), nil
			}
		}
		end = begin
	}
	return 0, nil
}

func (l *Log) cut() error {
	_, err := l.f.Seek(l.size, io.SeekStart)
	return errors.Join(err, l.f.Truncate(l.size))
}

// Fetched appends a line of crawl.log. The line is kept even when there is an error, ErrNoSpace for
// one; a later call writes it.
func (l *Log) Fetched(line *LogLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = line.Append(l.pending)
	return l.flush(logBuffer)
}

// flush writes the lines that wait once they take size bytes.
func (l *Log) flush(size int) error {
	if l.closed {
		return errClosed
	}
	if len(l.pending) < max(size, 1) {
		return nil
	}
	n, err := l.f.Write(l.pending)
	if err == nil {
		l.size += int64(n)
		l.pending = l.pending[:0]
		return nil
	}
	return fmt.Errorf("append to %s: %w", l.name, withSpace(errors.Join(err, l.cut())))
}

// Sync makes the lines so far durable.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sync()
}

func (l *Log) sync() error {
	if err := l.flush(0); err != nil {
		return err
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", l.name, withSpace(err))
	}
	return nil
}

// Close makes the lines durable and closes the file. It may be called twice.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	err := errors.Join(l.sync(), l.f.Close())
	l.closed = true
	return err
}
