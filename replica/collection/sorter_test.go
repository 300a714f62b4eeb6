package collection

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"watershed/internal/extsort"
	"watershed/lab/kit/planted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSpill: sorts on disk find what sorts in memory find, leave nothing there, end with their
// context, and tell where they cannot write.
func TestSpill(t *testing.T) {
	in := inputOf(planted.Spec{
		Collections: 5, Replicas: 4, Size: 30, Links: 4, Strangers: 3, Missing: 0.2,
		Background: 5000, Seed: 9,
	}.Make())
	want := written(t, mustFind(t, in, Options{}), in.Pages)
	path := t.TempDir()
	dir, err := extsort.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	spilled := Options{Dir: dir, Memory: 64 << 10}
	if got := written(t, mustFind(t, in, spilled), in.Pages); got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
	if names, err := filepath.Glob(filepath.Join(path, "*[a-z]*")); err != nil || len(names) != 0 {
		t.Errorf("left on disk: %q %v", names, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, in, spilled); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if err := errors.Join(dir.Close(), os.RemoveAll(path)); err != nil {
		t.Error(err)
	}
	if _, err := Find(t.Context(), in, spilled); err == nil {
		t.Error("sorts without a folder")
	}
	if _, err := Find(t.Context(), in, Options{Memory: 64 << 10}); err == nil {
		t.Error("sorts that need a folder have none")
	}
}
