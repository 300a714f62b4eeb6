//go:build unix

package draw

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSweep: profiles of processes that were killed are taken away; those that a process holds or
// has just made stay, and so does all else in the folder.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	b := &Browser{opt: Options{Dir: dir}}
	held, lock, err := b.newProfile()
	if err != nil {
		t.Fatal(err)
	}
	stays := map[string]bool{held: true}
	for name, stay := range map[string]bool{profiles + "1": false, profiles + "2": true, "kept-1": true} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
		stays[path] = stay
	}
	old := time.Now().Add(-time.Hour)
	for path := range stays {
		if filepath.Base(path) != profiles+"2" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	fresh, second, err := b.newProfile()
	if err != nil {
		t.Fatal(err)
	}
	stays[fresh] = true
	for path, stay := range stays {
		if _, err := os.Stat(path); (err == nil) != stay {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
	if err := lock.Close(); err != nil { // as at the end of the process
		t.Fatal(err)
	}
	sweep(dir, time.Now())
	if _, err := os.Stat(held); !os.IsNotExist(err) {
		t.Errorf("the profile of a process that has ended: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}
