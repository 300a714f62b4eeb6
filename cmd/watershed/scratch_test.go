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
	one, free, err := scratch(dir, "h")
	if err != nil {
		t.Fatal(err)
	}
	other, freeOther, err := scratch(dir, "h")
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

// TestDryRunOf: a dry run under way is found by its harvest's name, and by no other's.
func TestDryRunOf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"gemo", "gemo-2"} {
		if _, found, err := dryRunOf(dir, name); found || err != nil {
			t.Fatalf("%s before it begins: %v, %v", name, found, err)
		}
	}
	dry, free, err := scratch(dir, "gemo-2")
	if err != nil {
		t.Fatal(err)
	}
	first := dry.Run(1)
	if err := first.Make(); err != nil {
		t.Fatal(err)
	}
	if _, found, err := dryRunOf(dir, "gemo"); found || err != nil {
		t.Errorf("of another harvest: %v, %v", found, err)
	}
	if run, found, err := dryRunOf(dir, "gemo-2"); !found || run != first || err != nil {
		t.Errorf("%s, %v, %v", run, found, err)
	}
	if err := free(); err != nil {
		t.Fatal(err)
	}
	if _, found, err := dryRunOf(dir, "gemo-2"); found || err != nil {
		t.Errorf("after its end: %v, %v", found, err)
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
