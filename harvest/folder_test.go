package harvest

import (
	"os"
	"path/filepath"
	"testing"

	"watershed/upload"
)

// TestLinkedRuns: a run that lies on another disk, behind a link, is a run, and so is one whose disk is
// not there: a number that it has is not given again.
func TestLinkedRuns(t *testing.T) {
	folder, far := Folder(t.TempDir()), t.TempDir()
	write := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{filepath.Join(string(folder), "run-0001"), filepath.Join(far, "second")} {
		write(filepath.Join(dir, "archive", "x.warc.gz"))
		write(filepath.Join(dir, "indexes", "index.cdxj"))
	}
	write(filepath.Join(string(folder), "run-0009"))
	write(filepath.Join(string(folder), "run-0004", "indexes", "index.cdxj"))
	write(filepath.Join(far, "disk", "y.warc.gz"))
	for _, link := range [][2]string{
		{"run-0002", "second"},
		{"run-0003", "gone"},
		{"run-0004/archive", "disk"},
		{"run-0004/archive/z.warc.gz", "disk/y.warc.gz"},
	} {
		err := os.Symlink(filepath.Join(far, link[1]), filepath.Join(string(folder), link[0]))
		if err != nil {
			t.Fatal(err)
		}
	}
	runs, err := folder.Runs()
	if err != nil || len(runs) != 4 || runs[2].Number() != 3 {
		t.Fatalf("%v, %v", runs, err)
	}
	for i, want := range []int{1, 1, 0, 2} {
		files, err := runs[i].Handed([]upload.Kind{upload.WARC})
		if err != nil || len(files) != want {
			t.Errorf("%s: %v, %v", runs[i], files, err)
		}
	}
}
