package collection

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"watershed/lab/kit/planted"
)

var update = flag.Bool("update", false, "rewrite the expected files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

func sample(t *testing.T) (Input, *Result) {
	t.Helper()
	in := inputOf(planted.Spec{
		Collections: 4, Replicas: 3, Size: 12, Links: 1, Strangers: 2, Missing: 0.2,
		Background: 60, Seed: 3,
	}.Make())
	return in, mustFind(t, in, Options{MinPages: 8})
}

// TestWritten pins the formats of docs/formats/collections.md.
func TestWritten(t *testing.T) {
	in, r := sample(t)
	for name, write := range map[string]func(io.Writer) error{
		"collections.tsv": r.WriteCollections,
		"mapping.tsv":     func(w io.Writer) error { return r.WriteMapping(w, in.Pages) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	if err := r.WriteMapping(io.Discard, in.Pages[:1]); !errors.Is(err, errInput) {
		t.Errorf("a mapping of other pages: %v", err)
	}
}

// failing fails after some bytes.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errBroken
	}
	return len(b), nil
}

func TestWriteFails(t *testing.T) {
	in, r := sample(t)
	for name, write := range map[string]func(io.Writer) error{
		"collections": r.WriteCollections,
		"mapping":     func(w io.Writer) error { return r.WriteMapping(w, in.Pages) },
	} {
		if err := write(&failing{left: 10}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
