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

// A folder whose name would be a pattern holds a harvest as any other does: it is packed, it is
// extended, and what is wanted is fetched. The files of the folder beside it stay.
func TestFolderThatIsAPattern(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	above := t.TempDir()
	folder := Folder(filepath.Join(above, "[a]*?"))
	beside := filepath.Join(above, "a12", "begun.new")
	check(t, os.MkdirAll(filepath.Dir(beside), 0o777))
	check(t, os.WriteFile(beside, nil, 0o666))
	d := run(t, folder, p)
	if _, err := os.Stat(d.Package); err != nil || len(d.Files) == 0 {
		t.Errorf("delivered: %d files, %v", len(d.Files), err)
	}
	if logs, err := logsOf(d.Run); err != nil || len(logs) < 3 {
		t.Errorf("logs: %v, %v", logs, err)
	}
	more := p
	more.Extend = true
	if h, err := Open(folder, more); err != nil || h.Extends() != 1 {
		t.Errorf("it is extended: %v", err)
	} else {
		check(t, h.Close())
	}
	check(t, folder.Want([]Wanted{{URL: "http://a.example/elsewhere"}}))
	run(t, folder, p)
	run(t, folder, p)
	if w.asked("a.example/elsewhere") == 0 {
		t.Error("what was wanted was not asked for")
	}
	if _, err := os.Stat(beside); err != nil {
		t.Errorf("in a folder beside it: %v", err)
	}
}

// A WARC file that the index names is handed over, whether it is there or not: else nobody would be told
// that it does not reach the store.
func TestHandedIsWhatTheIndexNames(t *testing.T) {
	w, site := example()
	d := run(t, Folder(t.TempDir()), w.start(t, site))
	want, err := d.Run.Handed([]upload.Kind{upload.WARC, upload.Index})
	if err != nil || len(want) < 2 {
		t.Fatalf("%v, %v", want, err)
	}
	far := filepath.Join(t.TempDir(), "disk")
	check(t, os.Rename(d.Run.Archive(), far))
	check(t, os.Symlink(far+"-that-is-not-mounted", d.Run.Archive()))
	got, err := d.Run.Handed([]upload.Kind{upload.WARC, upload.Index})
	if err != nil || len(got) != len(want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err = d.Run.Handed([]upload.Kind{upload.Index}); err != nil || len(got) != 1 {
		t.Errorf("where WARC files are not wanted: %v, %v", got, err)
	}
}
