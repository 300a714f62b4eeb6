package draw

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// frozen is a web whose first answer finds the browser stopped.
type frozen struct {
	*web
	browser *Browser
	once    sync.Once
}

func (f *frozen) Answer(ctx context.Context, q *Request) (a *Answer, err error) {
	f.once.Do(func() {
		f.browser.mu.Lock()
		defer f.browser.mu.Unlock()
		err = syscall.Kill(-f.browser.running.cmd.Process.Pid, syscall.SIGSTOP)
	})
	if err != nil {
		return nil, err
	}
	return f.web.Answer(ctx, q)
}

// TestFrozen: a browser that falls silent on the way to a page is killed, and another one draws it.
func TestFrozen(t *testing.T) {
	const host = "http://a.example/"
	tab := start(t, Options{Patience: 6 * time.Second, Still: 200 * time.Millisecond})
	f := &frozen{web: &web{pages: map[string]string{host: "<p>words"}}, browser: tab.b}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if d, err := tab.Draw(ctx, host, f); err != nil || d.Text != "words" {
		t.Errorf("%v, %v", d, err)
	}
}

// TestClosedFolder: where the browser's user may not enter the folder of profiles, the error names it.
func TestClosedFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("root alone has the browser run as another user")
	}
	dir := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := start(t, Options{Dir: dir}).Draw(t.Context(), "http://a.example/", &web{})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
}
