package collection

import (
	"bytes"
	"encoding/xml"
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
		"top.txt":         func(w io.Writer) error { return r.WriteTop(w, 3) },
		"scatter.txt":     r.WriteScatter,
		"histogram.txt": func(w io.Writer) error {
			return WriteHistogram(w, []Series{{"planted", r.Histogram()}})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	if err := r.WriteMapping(io.Discard, in.Pages[:1]); !errors.Is(err, ErrInput) {
		t.Errorf("a mapping of other pages: %v", err)
	}
}

func TestDrawings(t *testing.T) {
	_, r := sample(t)
	for name, write := range map[string]func(io.Writer) error{
		"histogram": func(w io.Writer) error {
			return WriteHistogramSVG(w, []Series{{"a < b", r.Histogram()}, {"c", r.Histogram()}})
		},
		"scatter": r.WriteScatterSVG,
		"empty":   (&Result{}).WriteScatterSVG,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		marks := 0
		for d := xml.NewDecoder(&b); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if e, ok := token.(xml.StartElement); ok && (e.Name.Local == "circle" || e.Name.Local == "rect") {
				marks++
			}
		}
		want := map[string]int{"histogram": 1 + 2 + 2*5, "scatter": 1 + len(r.Collections), "empty": 1}[name]
		if marks != want {
			t.Errorf("%s: %d marks, want %d", name, marks, want)
		}
	}
}

func TestHistogram(t *testing.T) {
	r := &Result{Replication: []uint32{1, 1, 1, 1, 2, 2, 9, 10, 99, 100}}
	got := ""
	for _, b := range r.Histogram() {
		got += b.Label() + " " + string(rune('0'+b.Pages)) + "; "
	}
	if want := "1 4; 2 2; 3–9 1; 10–99 2; 100– 1; "; got != want {
		t.Errorf("%q, want %q", got, want)
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
		"top":         func(w io.Writer) error { return r.WriteTop(w, 3) },
		"scatter":     r.WriteScatter,
		"drawing":     r.WriteScatterSVG,
	} {
		if err := write(&failing{left: 10}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
