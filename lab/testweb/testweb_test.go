package testweb

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRows(t *testing.T) {
	const text = "#a\tb\n1\t2\n\n3\t4\t5\n6\n"
	web := fstest.MapFS{"t.tsv": {Data: []byte(text)}}
	var got []string
	collect := func(f []string) error { got = append(got, strings.Join(f, "+")); return nil }
	if err := Rows(web, "t.tsv", 1, collect); err != nil ||
		!slices.Equal(got, []string{"1+2", "3+4+5", "6"}) {
		t.Errorf("%q, %v", got, err)
	}
	var bad *RowError
	if err := Rows(web, "t.tsv", 2, collect); !errors.As(err, &bad) || bad.File != "t.tsv" || bad.Line != 5 {
		t.Errorf("a short row: %v", err)
	}
	if err := Rows(web, "t.tsv", 1, func([]string) error { return io.ErrNoProgress }); !errors.Is(err,
		io.ErrNoProgress) || !strings.HasPrefix(err.Error(), "t.tsv:2: ") {
		t.Errorf("a bad row: %v", err)
	}
	if err := Rows(web, "none.tsv", 1, collect); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no table: %v", err)
	}
	path := filepath.Join(t.TempDir(), "t.tsv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got = nil
	if err := FileRows(path, 1, collect); err != nil || len(got) != 3 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestBodies(t *testing.T) {
	web := fstest.MapFS{
		"manifest.tsv": {
			Data: []byte("a.example\t/\t0\t5\ttext/html; " +
				"charset=utf-8\t1700\t\nb.example\t/x\t5\t3\ttext/css\t1701\t\n"),
		},
		"pack.dat": {Data: []byte("helloyou")},
	}
	bodies, err := OpenBodies(web)
	if err != nil {
		t.Fatal(err)
	}
	var buffer []byte
	var got []string
	err = Files(web, func(f File) error {
		buffer, err = bodies.Read(f.Extent, buffer)
		got = append(got, f.URL()+" "+f.Type+" "+string(buffer))
		return err
	})
	want := []string{"http://a.example/ text/html; charset=utf-8 hello", "http://b.example/x text/css you"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := bodies.Read(Extent{5, 4}, nil); !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %v", err)
	}
	if err := bodies.Close(); err != nil {
		t.Error(err)
	}
	for _, row := range []string{"a\t/\tx\t5\tt\t1", "a\t/\t0\t-5\tt\t1", "a\t/\t0\t5\tt"} {
		var bad *RowError
		web["manifest.tsv"].Data = []byte(row)
		if err := Files(web, func(File) error { return nil }); !errors.As(err, &bad) || bad.Line != 1 {
			t.Errorf("%q: %v", row, err)
		}
	}
	delete(web, "pack.dat")
	if _, err := OpenBodies(web); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no pack: %v", err)
	}
}
