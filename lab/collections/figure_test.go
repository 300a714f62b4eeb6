package collections

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"watershed/lab/kit/planted"
	"watershed/replica/collection"
)

var update = flag.Bool("update", false, "rewrite the expected files")

func sample(t *testing.T) *collection.Result {
	t.Helper()
	w := planted.Spec{
		Collections: 4, Replicas: 3, Size: 12, Links: 1, Strangers: 2, Missing: 0.2,
		Background: 60, Seed: 3,
	}.Make()
	in := collection.Input{Clusters: w.Clusters, Links: w.EachLink}
	for _, u := range w.Pages {
		in.Pages = append(in.Pages, collection.Page{URL: u})
	}
	r, err := collection.Find(t.Context(), in, collection.Options{MinPages: 8})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestText pins the tables and figures as text.
func TestText(t *testing.T) {
	r := sample(t)
	for name, write := range map[string]func(io.Writer) error{
		"top.txt":     func(w io.Writer) error { return WriteTop(w, r, 3) },
		"scatter.txt": func(w io.Writer) error { return WriteScatter(w, r) },
		"histogram.txt": func(w io.Writer) error {
			return WriteHistogram(w, []Series{{"planted", Histogram(r)}})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, b.Bytes(), want)
		}
		if err := write(brokenWriter{}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errBroken = errors.New("disk full")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestHistogram(t *testing.T) {
	r := &collection.Result{Replication: []uint32{1, 1, 1, 1, 2, 2, 9, 10, 99, 100}}
	got := ""
	for _, b := range Histogram(r) {
		got += b.label() + " " + string(rune('0'+b.Pages)) + "; "
	}
	if want := "1 4; 2 2; 3–9 1; 10–99 2; 100– 1; "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
