package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUsageIsCurrent holds the manual pages of the package against the command line.
func TestUsageIsCurrent(t *testing.T) {
	out := t.TempDir()
	if code := run(t.Context(), []string{"man", "-o", out}, io.Discard, io.Discard); code != exitOK {
		t.Fatalf("exit %d", code)
	}
	if d := cmp.Diff(files(t, "../../packaging/man"), files(t, out)); d != "" {
		t.Errorf("packaging/man is not current: go generate ./cmd/watershed (-there +wanted):\n%s", d)
	}
}

// files are the texts of the files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
