package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"watershed/page"
)

type seen struct {
	kind string
	loc  page.Location
}

// readAll lists the records of a file with their places.
func readAll(t testing.TB, path string) (all []seen) {
	t.Helper()
	r, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		loc, err := r.Location()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, seen{rec.Type(), loc})
	}
}

// clean fails the test for every problem, warnings too, in the files of a folder.
func clean(t testing.TB, dir string) (reports []Report) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if !isWARC(e.Name()) {
			t.Errorf("%s is left in the folder", e.Name())
			continue
		}
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	return cleanFiles(t, paths)
}

// cleanFiles fails the test for every problem of the files.
func cleanFiles(t testing.TB, paths []string) []Report {
	t.Helper()
	reports, err := checkFiles(t.TempDir(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, rep := range reports {
		for _, p := range rep.Problems {
			t.Errorf("%s: %v", rep.File, p)
		}
	}
	return reports
}

func TestWriteReadsBack(t *testing.T) {
	w := testWriter(t, Options{})
	x := exchange("http://example.org/",
		"HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked", chunks("hello, world", 5))
	locs := write(t, w, capture(t, x, Meta{}, page.Origin{})...)
	name, size := w.Current()
	if last := locs[2]; last.Offset+last.Length != size || last.File != name {
		t.Errorf("the last record %v does not end at %d of %s", last, size, name)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := wholeAt(w.opt.Dir, locs[0]); err != nil { // while the file is still open
		t.Error(err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	all := readAll(t, filepath.Join(w.opt.Dir, name))
	for i, want := range []string{"warcinfo", "response", "request", "metadata"} {
		if all[i].kind != want || i > 0 && all[i].loc != locs[i-1] {
			t.Errorf("record %d is %v, want a %s at %v", i, all[i], want, locs)
		}
	}
	rec, err := Open(w.opt.Dir, locs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	m, err := rec.HTTP()
	if err != nil {
		t.Fatal(err)
	}
	if body := m.Decoded(1 << 20); string(body.Bytes) != "hello, world" || body.Err != nil {
		t.Errorf("body is %q, %v", body.Bytes, body.Err)
	}
	if rec, err = Open(w.opt.Dir, locs[0]); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	next, err := Open(w.opt.Dir, locs[1]) // perhaps by the same reader
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if text, err := io.ReadAll(rec.Block); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed record says %q, %v", text, err)
	}
	if text, err := io.ReadAll(next.Block); int64(len(text)) != next.Size || err != nil {
		t.Errorf("the next has %d of %d bytes, %v", len(text), next.Size, err)
	}
	clean(t, w.opt.Dir)
}

// Heritrix' form: PREFIX-timestamp17-serial-pid~host~port.warc.gz
var nameForm = regexp.MustCompile(`^geo\.mo-\d{17}-\d{5}-\d+~test\.example~0\.warc\.gz$`)

func TestRotation(t *testing.T) {
	w := testWriter(t, Options{Prefix: "geo.mo", MaxBytes: 2000})
	var locs []page.Location
	for i := range 10 {
		locs = append(locs, write(t, w, capture(t, page1(i*10), Meta{}, page.Origin{})...)...)
	}
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	if name, size := w.Current(); name != "" || size != 0 {
		t.Errorf("after a file was finished: %s, %d", name, size)
	}
	files := w.Files()
	if len(files) < 4 {
		t.Fatalf("files %v", files)
	}
	for _, name := range files {
		if !nameForm.MatchString(name) {
			t.Errorf("name %s", name)
		}
	}
	for i := 0; i < len(locs); i += 3 {
		if locs[i].File != locs[i+2].File || locs[i].Offset+locs[i].Length != locs[i+1].Offset ||
			locs[i+1].Offset+locs[i+1].Length != locs[i+2].Offset {
			t.Errorf("batch is torn: %v", locs[i:i+3])
		}
	}
	for _, rep := range clean(t, w.opt.Dir) {
		if rep.Bytes > 2000+3000 {
			t.Errorf("%s has %d bytes", rep.File, rep.Bytes)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	dir := t.TempDir()
	var writers []*Writer
	for range 3 { // same process, same moment, same serial
		w := testWriter(t, Options{Dir: dir})
		write(t, w, capture(t, page1(1), Meta{}, page.Origin{})...)
		writers = append(writers, w)
	}
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := clean(t, dir); len(got) != 3 {
		t.Errorf("%d files of three writers", len(got))
	}
}

// Workers write at once while files rotate under them: every batch is whole, in its place, and of
// the right warcinfo.
func TestConcurrentWriters(t *testing.T) {
	w := testWriter(t, Options{MaxBytes: 4000, MemoryBytes: 700, Level: 1})
	const workers, each = 6, 15
	var mu sync.Mutex
	places := make(map[page.Location]string)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range each {
				url := page.URL(fmt.Sprintf("http://example.org/%d/%d", i, j))
				x := exchange(url, "HTTP/1.1 200 OK\nContent-Type: text/plain",
					strings.Repeat(string(url), 1+i*j))
				locs, err := w.Write(capture(t, x, Meta{}, page.Origin{})...)
				if err == nil && j%5 == 0 {
					err = w.Sync()
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				places[locs[0]] = string(url)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	clean(t, w.opt.Dir)
	if len(places) != workers*each {
		t.Errorf("%d places for %d captures", len(places), workers*each)
	}
	for loc, url := range places {
		rec, err := Open(w.opt.Dir, loc)
		if err != nil {
			t.Fatal(err)
		}
		if rec.TargetURI() != url {
			t.Errorf("at %v lies %s, not %s", loc, rec.TargetURI(), url)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A file that was closed while a batch was compressed for it: the batch goes into the next one,
// under its warcinfo.
func TestRotatedWhileCompressing(t *testing.T) {
	w := testWriter(t, Options{})
	drafts := capture(t, page1(1), Meta{}, page.Origin{})
	f, err := w.current()
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, capture(t, page1(2), Meta{}, page.Origin{})...)
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.writeTo(f, drafts); !errors.Is(err, errGone) {
		t.Fatalf("error %v", err)
	}
	if locs := write(t, w, drafts...); locs[0].File == f.name {
		t.Error("written into the closed file")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	clean(t, w.opt.Dir)
}

func TestNothingWritten(t *testing.T) {
	w := testWriter(t, Options{})
	if locs, err := w.Write(); err != nil || locs != nil {
		t.Errorf("empty batch: %v, %v", locs, err)
	}
	if _, err := w.current(); err != nil { // begun, and then no batch came
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := clean(t, w.opt.Dir); len(got) != 0 || len(w.Files()) != 0 {
		t.Errorf("a file without a capture is left: %v", got)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{},
		{Dir: "x", Prefix: "a/b"},
		{Dir: "x", Level: 10},
		{Dir: "x", MaxBytes: -1},
		{Dir: "x", MemoryBytes: -1},
	} {
		if _, err := NewWriter(o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
}
