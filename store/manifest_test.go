package store_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/store"
)

// A manifest that lost its end does not list all tables. A state is damaged by that also where it was
// copied while in use, and has more than the checkpoints that it remembers in a log.
func TestTornManifest(t *testing.T) {
	dir := t.TempDir()
	put := func(s *store.Store, u page.URL) {
		err := s.Update(func(tx *store.Tx) error {
			tx.PutCapture(&store.Capture{URL: u, Time: time.Unix(1, 0)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	open := func(dir string) (*store.Store, error) {
		return store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
	}
	for _, u := range []page.URL{"http://a.example/1", "http://a.example/2", "http://a.example/3"} {
		s, err := open(dir)
		if err != nil {
			t.Fatal(err)
		}
		put(s, u)
		if err := s.Close(); err != nil { // which writes a table
			t.Fatal(err)
		}
	}
	s, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for range 70 {
		if err := s.Checkpoint(); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(copied, "MANIFEST")
	info, err := os.Stat(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(manifest, info.Size()-1); err != nil {
		t.Fatal(err)
	}
	torn, err := open(copied)
	if err == nil {
		err = errors.Join(torn.Close(), errors.New("it was opened"))
	}
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "does not list") {
		t.Error(err)
	}
}

// A manifest that is cut at the border of two of its entries is whole for Badger, which would take away
// the tables that it does not list any more.
func TestManifestCutAtABorder(t *testing.T) {
	dir := t.TempDir()
	for n := range 3 {
		s, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Update(func(tx *store.Tx) error {
			u := page.URL(fmt.Sprintf("http://a.example/%d", n))
			tx.PutCapture(&store.Capture{URL: u, Time: time.Unix(1, 0)})
			return nil
		})
		if err := errors.Join(err, s.Close()); err != nil { // which writes a table
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "MANIFEST")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := 8 // where the last entry begins, each with its length and sum before it
	for at := last; at < len(text); at += 8 + int(binary.BigEndian.Uint32(text[at:])) {
		last = at
	}
	if err := os.WriteFile(path, text[:last], 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(store.Options{Dir: dir, MinFreeBytes: 1})
	if err == nil {
		err = errors.Join(s.Close(), errors.New("it was opened"))
	}
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "does not list") {
		t.Error(err)
	}
}
