package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/internal/disk"
	"watershed/lab/kit/crashdisk"
)

// TestTake: the power fails when the node that had a shard may have been told that it is fetched.
func TestTake(t *testing.T) {
	root := crashdisk.Folder(t)
	d, err := crashdisk.New(root, crashdisk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	part, to := filepath.Join(root, "h", "h-001.fetched"), filepath.Join(root, "h", "h-001")
	for name, folder := range map[string]string{
		"round.json": part, "x.warc.gz": part + "/run-0001/archive", "old": to,
	} {
		if err := d.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		err := disk.WriteFile(d, filepath.Join(folder, name), 0o666, func(w io.Writer) error {
			_, err := io.WriteString(w, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := take(d, part, to); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		built := crashdisk.Folder(t)
		if err := d.Build(crashdisk.Crash{At: d.Len(), Power: true, Seed: seed}, built); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"round.json", "run-0001/archive/x.warc.gz"} {
			text, err := os.ReadFile(filepath.Join(built, "h", "h-001", name))
			if err != nil || string(text) != filepath.Base(name) {
				t.Fatalf("seed %d: %q, %v", seed, text, err)
			}
		}
	}
}

// TestBounded: whoever answers more than it was asked for is told so, and nothing of it is kept.
func TestBounded(t *testing.T) {
	var to bytes.Buffer
	b := &bounded{to: &to, left: 4}
	for _, text := range []string{"ab", "cd", ""} {
		if _, err := io.WriteString(b, text); err != nil {
			t.Error(err)
		}
	}
	_, err := io.WriteString(b, "e")
	if err == nil || errors.Is(err, io.ErrShortWrite) || to.String() != "abcd" ||
		!strings.Contains(err.Error(), "more than it was asked for") {
		t.Errorf("%q, %v", to.String(), err)
	}
}

// TestBundleBomb: a YAML and its lists that do not end are refused.
func TestBundleBomb(t *testing.T) {
	const text = `{"yaml":"h.yaml","files":{}}`
	b, err := readBundle(strings.NewReader(text), int64(len(text)))
	if err != nil || b.YAML != "h.yaml" {
		t.Errorf("%+v, %v", b, err)
	}
	_, err = readBundle(io.MultiReader(strings.NewReader(`{"yaml":"`), new(endless)), 1<<20)
	if err == nil || !strings.Contains(err.Error(), "more than 1.0 MB") {
		t.Error(err)
	}
}

// endless gives the same letter for as long as it may be read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 64<<20 {
		return 0, errors.New("64 MiB were read")
	}
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// TestResultsBomb: results of a shard that unpack to far more than results do are refused, and little of
// them is written.
func TestResultsBomb(t *testing.T) {
	var pack bytes.Buffer
	zip := gzip.NewWriter(&pack)
	out := tar.NewWriter(zip)
	const size = 64 << 20
	if err := out.WriteHeader(&tar.Header{Name: "index.cdxj", Mode: 0o666, Size: size}); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	err := unpackResults(disk.OS{}, &pack, resultsLeast+resultsShare*int64(pack.Len()), folder)
	if err == nil || !strings.Contains(err.Error(), "unpack to more") {
		t.Errorf("%v", err)
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}
