package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// noting notes what is synced; a file called bad cannot be.
type noting struct {
	OS

	mu     sync.Mutex
	synced []string
}

var errBad = errors.New("bad")

func (n *noting) note(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.synced = append(n.synced, path)
	if filepath.Base(path) == "bad" {
		return errBad
	}
	return nil
}

func (n *noting) OpenFile(path string, flag int, perm fs.FileMode) (File, error) {
	f, err := n.OS.OpenFile(path, flag, perm)
	return noted{f, n}, err
}

func (n *noting) SyncDir(path string) error { return n.note(path) }

type noted struct {
	File

	n *noting
}

func (f noted) Sync() error { return f.n.note(f.Name()) }

// TestSyncAll: what is written through Unsynced is synced by SyncAll, each file and folder once, and
// an error of any file is told.
func TestSyncAll(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o777); err != nil {
		t.Fatal(err)
	}
	want := []string{dir, below}
	f := new(noting)
	write := func(path string) {
		t.Helper()
		say := func(w io.Writer) error {
			_, err := io.WriteString(w, "text")
			return err
		}
		if err := WriteFile(Unsynced{f}, path, 0o644, say); err != nil {
			t.Fatal(err)
		}
		want = append(want, path)
	}
	write(filepath.Join(dir, "a"))
	write(filepath.Join(below, "b"))
	if len(f.synced) > 0 {
		t.Errorf("synced while it is written: %q", f.synced)
	}
	if err := SyncAll(f, dir); err != nil {
		t.Fatal(err)
	}
	slices.Sort(f.synced)
	slices.Sort(want)
	if !slices.Equal(f.synced, want) {
		t.Errorf("synced: %q, want %q", f.synced, want)
	}
	write(filepath.Join(below, "bad"))
	if err := SyncAll(f, dir); !errors.Is(err, errBad) {
		t.Errorf("of a file that cannot be synced: %v", err)
	}
}
