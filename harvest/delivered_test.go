package harvest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package is made again of the archive that was packed before. Where a WARC file is gone, or ends
// too soon, no package is made of the rest; where a disk has spoilt one, the former package, which
// may be the last to have the captures, is kept beside the new one.
func TestPackAgain(t *testing.T) {
	w, site := example()
	p := w.start(t, site)
	p.Archive.MaxBytes = 4000
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	if len(d.Files) < 2 {
		t.Fatalf("files: %v", d.Files)
	}
	again := func() (err error) {
		e, err := Examine(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Pack()
		return errors.Join(err, e.Close())
	}
	kept := func() []string {
		files, err := filepath.Glob(strings.TrimSuffix(d.Package, ".wacz") + ".before-*.wacz")
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	if err := again(); err != nil || len(kept()) > 0 {
		t.Fatalf("of the same archive: %v, kept %v", err, kept())
	}
	packed := bytesOf(t, d.Package)
	file := d.Files[1]
	whole := bytesOf(t, file)
	for name, harm := range map[string]func() error{
		"gone":      func() error { return os.Remove(file) },
		"too short": func() error { return os.Truncate(file, int64(len(whole))/2) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if err := again(); err == nil || !strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("a file that is %s: %v", name, err)
		}
		if bytesOf(t, d.Package) != packed || len(kept()) > 0 {
			t.Errorf("a file that is %s: the package was changed; kept %v", name, kept())
		}
		if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	unreadable := "PK\x05\x06" + strings.Repeat("\x00", 18) // a ZIP file of nothing
	if err := os.WriteFile(d.Package, []byte(unreadable), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := again(); !errors.Is(err, errSpoilt) {
		t.Errorf("over a package without a list of its files: %v", err)
	}
	if list := kept(); len(list) != 1 || bytesOf(t, list[0]) != unreadable {
		t.Errorf("over a package without a list of its files: kept %v", list)
	} else if err := os.Remove(list[0]); err != nil {
		t.Fatal(err)
	}
	packed = bytesOf(t, d.Package)
	spoilt := []byte(whole)
	copy(spoilt[len(spoilt)/2:], "spoilt")
	if err := os.WriteFile(file, spoilt, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := again(); !errors.Is(err, errSpoilt) {
		t.Errorf("a file with other bytes: %v", err)
	}
	if list := kept(); len(list) != 1 || bytesOf(t, list[0]) != packed {
		t.Errorf("a file with other bytes: kept %v", list)
	}
	for _, file := range d.Files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		says string
		harm func() error
	}{
		{"are gone from", func() error { return nil }},
		{"captured nothing", func() error { return os.Truncate(d.Run.Index(), 0) }},
		{"was not delivered", func() error { return os.Remove(d.Run.Index()) }},
	} {
		if err := c.harm(); err != nil {
			t.Fatal(err)
		}
		if err := again(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

func bytesOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
