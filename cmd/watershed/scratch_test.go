package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestScratch: a dry run takes away what a killed one has left, and nothing of one that goes on, or
// of a harvest.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, scratchPrefix+"1", "state")
	for _, path := range []string{left, filepath.Join(dir, "harvest", "state")} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	one, free, err := scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	other, freeOther, err := scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, dir); len(names) != 3 {
		t.Errorf("%q while two go on in %s and %s", names, one, other)
	}
	for _, f := range []func() error{free, freeOther} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	if names := namesIn(t, dir); len(names) != 1 || names[0] != "harvest" {
		t.Errorf("%q is left", names)
	}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
