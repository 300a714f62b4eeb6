package store

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// badgerLog passes on what Badger warns of. It also listens: a table whose index is damaged is left out by Badger with
// nothing but a line in the log.
type badgerLog struct {
	log *slog.Logger

	mu      sync.Mutex
	ignored string
}

func (l *badgerLog) Errorf(format string, args ...any) {
	text := strings.TrimSpace(fmt.Sprintf(format, args...))
	if strings.HasPrefix(text, "Ignoring table") {
		l.mu.Lock()
		l.ignored = text
		l.mu.Unlock()
	}
	if l.log != nil {
		l.log.Error("state database", "text", text)
	}
}

func (l *badgerLog) Warningf(format string, args ...any) {
	if l.log != nil {
		l.log.Warn("state database", "text", strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
}

func (l *badgerLog) Infof(string, ...any)  {}
func (l *badgerLog) Debugf(string, ...any) {}

func (l *badgerLog) ignoredTable() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ignored
}
