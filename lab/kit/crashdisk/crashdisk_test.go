package crashdisk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/internal/disk"
	"watershed/lab/kit/crashdisk"
)

// Contents of a file before and after it is changed; both take several sectors, and neither begins
// the other.
var (
	older = strings.Repeat("old bytes.", 300)
	newer = strings.Repeat("New content.", 400)
)

// protocols are ways to give the file "f" other content. After each of them the caller believes
// that "f" is the newer. The faulty ones must be found out by some crash.
var protocols = []struct {
	name    string
	faults  string // "" for a good one
	fresh   bool   // there is no older file
	replace func(d disk.FS, dir string) error
}{
	{name: "WriteFile", replace: func(d disk.FS, dir string) error {
		return disk.WriteFile(d, filepath.Join(dir, "f"), 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, newer)
			return err
		})
	}},
	{name: "WriteFile, new", fresh: true, replace: func(d disk.FS, dir string) error {
		return disk.WriteFile(d, filepath.Join(dir, "f"), 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, newer)
			return err
		})
	}},
	{name: "Replace", replace: func(d disk.FS, dir string) error {
		return disk.Replace(d, filepath.Join(dir, "f"), 0o644, func(f disk.File) error {
			_, err := io.WriteString(f, "~~~"+newer[3:])
			_, seek := f.Seek(0, io.SeekStart)
			_, again := io.WriteString(f, newer[:3])
			return errors.Join(err, seek, again)
		})
	}},
	{name: "Replace, after a crash", replace: func(d disk.FS, dir string) error {
		left := filepath.Join(dir, "f.new")
		if err := put(d, left, older+older, true); err != nil {
			return err
		}
		return disk.WriteFile(d, filepath.Join(dir, "f"), 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, newer)
			return err
		})
	}},
	{name: "link, rename", replace: func(d disk.FS, dir string) error {
		one, two, f := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "f")
		return errors.Join(put(d, one, newer, true), d.Link(one, two), d.Rename(two, f), d.SyncDir(dir),
			d.Remove(one))
	}},
	{name: "in a folder that is renamed", fresh: true, replace: func(d disk.FS, dir string) error {
		sub := filepath.Join(dir, "sub")
		return errors.Join(d.MkdirAll(sub, 0o755), put(d, filepath.Join(sub, "x"), newer, true),
			d.SyncDir(sub),
			d.Rename(filepath.Join(sub, "x"), filepath.Join(dir, "f")), d.SyncDir(dir))
	}},

	{
		name: "rename without sync", faults: "the content is not synced",
		replace: func(d disk.FS, dir string) error {
			temp := filepath.Join(dir, "f.new")
			return errors.Join(put(d, temp, newer, false), d.Rename(temp, filepath.Join(dir, "f")),
				d.SyncDir(dir))
		},
	},
	{
		name: "no sync of the folder", faults: "the name is not synced",
		replace: func(d disk.FS, dir string) error {
			temp := filepath.Join(dir, "f.new")
			return errors.Join(put(d, temp, newer, true), d.Rename(temp, filepath.Join(dir, "f")))
		},
	},
	{
		name: "new file", faults: "the name is not synced", fresh: true,
		replace: func(d disk.FS, dir string) error {
			return put(d, filepath.Join(dir, "f"), newer, true)
		},
	},
	{name: "in place", faults: "a mixture of both", replace: func(d disk.FS, dir string) error {
		return errors.Join(put(d, filepath.Join(dir, "f"), newer, true), d.SyncDir(dir))
	}},
	{
		name: "remove, then rename", faults: "for a time there is no file",
		replace: func(d disk.FS, dir string) error {
			f, temp := filepath.Join(dir, "f"), filepath.Join(dir, "f.new")
			return errors.Join(put(d, temp, newer, true), d.SyncDir(dir), d.Remove(f), d.Rename(temp, f),
				d.SyncDir(dir))
		},
	},
	{
		name: "sync of the content too early", faults: "its end is not synced",
		replace: func(d disk.FS, dir string) error {
			temp := filepath.Join(dir, "f.new")
			err := put(d, temp, newer[:1000], true)
			out, open := d.OpenFile(temp, os.O_WRONLY|os.O_APPEND, 0)
			_, write := io.WriteString(out, newer[1000:])
			return errors.Join(err, open, write, out.Close(), d.Rename(temp, filepath.Join(dir, "f")),
				d.SyncDir(dir))
		},
	},
}

// put writes a file under its name.
func put(d disk.FS, path, text string, sync bool) error {
	f, err := d.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if sync {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Close())
}

// A protocol that is known to be good holds at each crash; one that is known to be bad is caught by
// at least one.
func TestProtocols(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			d, dir := record(t)
			if !p.fresh {
				check(t, errors.Join(put(d, filepath.Join(dir, "f"), older, true), d.SyncDir(dir)))
			}
			begun := d.Len()
			check(t, p.replace(d, dir))
			caught := 0
			for k := begun; k <= d.Len(); k++ {
				for seed := range uint64(20) {
					for _, power := range []bool{false, true} {
						c := crashdisk.Crash{At: k, Power: power, Seed: seed}
						if wrong := judge(t, d, c, p.fresh); wrong != "" {
							caught++
							if p.faults == "" {
								t.Errorf("%v (%s): %s", c, d.Describe(k), wrong)
							}
						}
					}
				}
			}
			if p.faults != "" && caught == 0 {
				t.Errorf("no crash showed that %s", p.faults)
			}
		})
	}
}

// judge tells what is wrong with "f" after a crash.
func judge(t *testing.T, d *crashdisk.Disk, c crashdisk.Crash, fresh bool) string {
	t.Helper()
	dir := crashdisk.Folder(t)
	check(t, d.Build(c, dir))
	got, err := os.ReadFile(filepath.Join(dir, "f"))
	switch {
	case errors.Is(err, fs.ErrNotExist) && fresh && c.At < d.Len():
		return ""
	case err != nil:
		return err.Error()
	case string(got) == newer, string(got) == older && c.At < d.Len():
		return ""
	}
	return fmt.Sprintf("%d bytes that are neither the older nor the newer content", len(got))
}

// record gives a Disk and its folder.
func record(t *testing.T) (*crashdisk.Disk, string) {
	t.Helper()
	dir := crashdisk.Folder(t)
	d, err := crashdisk.New(dir, crashdisk.Options{})
	check(t, err)
	return d, dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A disk after the death of the process is the folder as it is, whatever was done to it; after a
// power cut it is so when all was synced, and before that each file that was synced is whole under
// the names that were.
func TestAsTheFolder(t *testing.T) {
	for seed := range uint64(30) {
		d, dir := record(t)
		r := rand.New(rand.NewPCG(seed, 0))
		for range 60 {
			at := d.Len()
			random(t, d, dir, r)
			if r.IntN(4) > 0 {
				continue
			}
			compare(t, dir, d, crashdisk.Crash{At: d.Len(), Seed: seed})
			if at == d.Len() {
				continue
			}
			for _, power := range []bool{false, true} { // whatever it is, it can be built
				check(t, d.Build(crashdisk.Crash{At: at, Power: power, Seed: seed}, crashdisk.Folder(t)))
			}
		}
		syncAll(t, d, dir)
		compare(t, dir, d, crashdisk.Crash{At: d.Len(), Power: true, Seed: seed})
	}
}

// random does something to a folder, or tries to.
func random(t *testing.T, d *crashdisk.Disk, dir string, r *rand.Rand) {
	t.Helper()
	name := func() string {
		names := []string{"a", "b", "c", "d", "d/a", "d/b", "d/e/a", "g/a"}
		return filepath.Join(dir, names[r.IntN(len(names))])
	}
	switch r.IntN(10) {
	case 0, 1, 2:
		flags := []int{
			os.O_TRUNC | os.O_CREATE, os.O_CREATE, os.O_APPEND | os.O_CREATE,
			os.O_CREATE | os.O_EXCL, 0,
		}
		f, err := d.OpenFile(name(), os.O_RDWR|flags[r.IntN(len(flags))], 0o600+fs.FileMode(r.IntN(64)))
		if err != nil {
			return
		}
		scribble(t, f, r)
		check(t, f.Close())
	case 3, 4:
		_ = d.Rename(name(), name()) // what cannot be done is not recorded
	case 5:
		_ = d.Link(name(), name()) // as above
	case 6:
		_ = d.Remove(name()) // as above
	case 7:
		_ = d.MkdirAll(name(), 0o755) // as above
	case 8:
		_ = d.SyncDir(filepath.Dir(name())) // as above
	case 9:
		if r.IntN(4) == 0 {
			check(t, d.RemoveAll(name()))
		}
	}
}

// scribble writes into a file, here and there.
func scribble(t *testing.T, f disk.File, r *rand.Rand) {
	t.Helper()
	for range r.IntN(4) {
		switch r.IntN(6) {
		case 0:
			check(t, f.Truncate(r.Int64N(2000)))
		case 1:
			_, err := f.Seek(r.Int64N(3000), io.SeekStart)
			check(t, err)
		case 2:
			check(t, f.Chmod(0o600+fs.FileMode(r.IntN(64))))
		case 3:
			check(t, f.Sync())
		case 4:
			_, err := f.Read(make([]byte, r.IntN(700)))
			if err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		_, err := f.Write(bytes.Repeat([]byte{byte('a' + r.IntN(26))}, r.IntN(1500)))
		check(t, err)
	}
}

// syncAll syncs all files and folders.
func syncAll(t *testing.T, d *crashdisk.Disk, dir string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return d.SyncDir(path)
		}
		f, err := d.OpenFile(path, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	}))
}

// compare builds a disk and compares it with a folder.
func compare(t *testing.T, dir string, d *crashdisk.Disk, c crashdisk.Crash) {
	t.Helper()
	built := crashdisk.Folder(t)
	check(t, d.Build(c, built))
	if diff := cmp.Diff(tree(t, dir), tree(t, built)); diff != "" {
		t.Fatalf("%v, after %s (-folder +built):\n%s", c, d.Describe(c.At-1), diff)
	}
}

// tree tells all that is in a folder: modes and contents, and for each file the first name that it
// has.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	told := map[string]string{}
	var seen []string
	check(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		info, err := e.Info()
		if err != nil || e.IsDir() {
			told[rel] = info.Mode().String()
			return err
		}
		text, err := os.ReadFile(path)
		first := slices.IndexFunc(seen, func(other string) bool {
			x, err := os.Stat(other)
			return err == nil && os.SameFile(x, info)
		})
		seen = append(seen, path)
		told[rel] = fmt.Sprintf("%v, name %d of its file: %q", info.Mode(), first, text)
		return err
	}))
	return told
}

// A rename of a synced file takes neither name away, and an unsynced one may leave nothing in the
// file.
func TestRename(t *testing.T) {
	for _, synced := range []bool{true, false} {
		d, dir := record(t)
		a, b := filepath.Join(dir, "from", "a"), filepath.Join(dir, "to", "b")
		check(t, errors.Join(d.MkdirAll(filepath.Dir(a), 0o755), d.MkdirAll(filepath.Dir(b), 0o755)))
		check(t, put(d, a, newer, synced))
		check(t, errors.Join(d.SyncDir(filepath.Dir(a)), d.SyncDir(dir), d.Rename(a, b)))
		states := map[string]bool{}
		for seed := range uint64(300) {
			built := crashdisk.Folder(t)
			check(t, d.Build(crashdisk.Crash{At: d.Len(), Power: true, Seed: seed}, built))
			var there string
			for _, path := range []string{"from/a", "to/b"} {
				text, err := os.ReadFile(filepath.Join(built, path))
				switch {
				case err != nil:
				case string(text) == newer:
					there += path + " whole "
				case len(text) == 0:
					there += path + " empty "
				}
			}
			states[there] = true
		}
		want := []string{"from/a whole ", "to/b whole "}
		if !synced {
			want = []string{"", "from/a empty ", "from/a whole ", "to/b empty ", "to/b whole "}
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(states))); diff != "" {
			t.Errorf("synced: %v (-want +got):\n%s", synced, diff)
		}
	}
}

// Each write since the last sync is there, is not, or is in part.
func TestContent(t *testing.T) {
	as, bs, zeros := strings.Repeat("a", 1024), strings.Repeat("b", 1024), strings.Repeat("\x00", 1024)
	for _, tt := range []struct {
		name  string
		power bool
		cut   bool // before the write
		want  map[string]string
	}{
		{name: "process", want: map[string]string{
			"lost": as, "whole": as + bs, "torn": as + bs[:700],
		}},
		{name: "power", power: true, want: map[string]string{
			"lost": as, "whole": as + bs, "torn": as + bs[:700], "longer": as + zeros,
			"first sector": as + bs[:512],
			"last sector":  as + zeros[:512] + bs[:512],
		}},
		{name: "power, truncated", power: true, cut: true, want: map[string]string{
			"lost": as, "whole": bs, "torn": bs[:700], "longer": zeros, "first sector": bs[:512], "empty": "",
			"last sector": zeros[:512] + bs[:512],
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, dir := record(t)
			path := filepath.Join(dir, "f")
			check(t, errors.Join(put(d, path, as, true), d.SyncDir(dir)))
			flag := os.O_APPEND
			if tt.cut {
				flag = os.O_TRUNC
			}
			f, err := d.OpenFile(path, os.O_WRONLY|flag, 0)
			check(t, err)
			_, err = io.WriteString(f, bs)
			check(t, errors.Join(err, f.Close()))
			at := d.Len()
			if !tt.power {
				at-- // within the write
			}
			seen := contents(t, d, crashdisk.Crash{At: at, Power: tt.power})
			for name, text := range tt.want {
				if name == "torn" {
					continue // at any byte
				}
				if !seen[text] {
					t.Errorf("never %s", name)
				}
				delete(seen, text)
			}
			for text := range seen {
				if !strings.HasPrefix(tt.want["whole"], text) {
					t.Errorf("a file of %d bytes that cannot be: %.5q…", len(text), text)
				}
			}
			if len(seen) < 20 {
				t.Errorf("torn at %d places only", len(seen))
			}
		})
	}
}

// contents are those that "f" has with one seed or another; the seed of c is not regarded.
func contents(t *testing.T, d *crashdisk.Disk, c crashdisk.Crash) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	for c.Seed = range 2000 {
		dir := crashdisk.Folder(t)
		check(t, d.Build(c, dir))
		text, err := os.ReadFile(filepath.Join(dir, "f"))
		check(t, err)
		seen[string(text)] = true
	}
	return seen
}

// A file that is renamed to another name of its own keeps both.
func TestRenameToItself(t *testing.T) {
	d, dir := record(t)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	check(t, errors.Join(put(d, a, "x", true), d.Link(a, b), d.Rename(a, b), d.SyncDir(dir)))
	compare(t, dir, d, crashdisk.Crash{At: d.Len(), Power: true})
}

// Changes of different names come to the disk in any order, those of one name in theirs.
func TestOrderOfNames(t *testing.T) {
	d, dir := record(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"x", "one", "two"} {
		check(t, put(d, path(name), name, true))
	}
	check(t, d.SyncDir(dir))
	check(t, errors.Join(d.Remove(path("x")), d.Rename(path("one"), path("y")),
		d.Rename(path("two"), path("y"))))
	states := map[string]bool{}
	for seed := range uint64(300) {
		built := crashdisk.Folder(t)
		check(t, d.Build(crashdisk.Crash{At: d.Len(), Power: true, Seed: seed}, built))
		entries, err := os.ReadDir(built)
		check(t, err)
		var there []string
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(built, e.Name()))
			check(t, err)
			there = append(there, e.Name()+"="+string(text))
		}
		states[strings.Join(there, " ")] = true
	}
	want := []string{
		"one=one two=two", "one=one two=two x=x", "two=two x=x y=one", "two=two y=one", "x=x y=two", "y=two",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(states))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A foreign folder is as it was after the death of the process, and as that or as at the last
// snapshot after a power cut. It may be made by its owner.
func TestForeign(t *testing.T) {
	dir := crashdisk.Folder(t)
	d, err := crashdisk.New(dir, crashdisk.Options{Foreign: "state*"})
	check(t, err)
	state := filepath.Join(dir, "state")
	check(t, os.Mkdir(state, 0o755))
	f, err := os.Create(filepath.Join(state, "db"))
	check(t, err)
	check(t, f.Truncate(100<<20)) // of which next to nothing takes room
	check(t, d.SyncDir(dir))
	for i, text := range []string{"1st", "2nd", "3rd", "4th"} {
		_, err := f.WriteAt([]byte(text), 50<<20)
		check(t, err)
		if i == 1 {
			check(t, d.Snapshot())
		}
		at := d.Len()
		check(t, put(d, filepath.Join(dir, text), text, false))
		if got := foreign(t, d, "state", crashdisk.Crash{At: at}); got != text {
			t.Errorf("the process died before %q was made: the folder has %q", text, got)
		}
		want := "2nd"
		if i == 0 {
			want = ""
		}
		got := map[string]bool{}
		for seed := range uint64(40) {
			got[foreign(t, d, "state", crashdisk.Crash{At: at, Power: true, Seed: seed})] = true
		}
		if diff := cmp.Diff(map[string]bool{want: true, text: true}, got); diff != "" {
			t.Errorf("the power failed before %q was made (-want +got):\n%s", text, diff)
		}
	}
	check(t, f.Close())

	check(t, errors.Join(d.Snapshot(), d.Rename(state, state+".old")))
	states := map[string]bool{}
	for seed := range uint64(50) {
		c := crashdisk.Crash{At: d.Len(), Power: true, Seed: seed}
		states[foreign(t, d, "state", c)+" "+foreign(t, d, "state.old", c)] = true
	}
	if diff := cmp.Diff([]string{" 4th", "4th "}, slices.Sorted(maps.Keys(states))); diff != "" {
		t.Errorf("renamed, not synced (-want +got):\n%s", diff)
	}
	check(t, errors.Join(d.SyncDir(dir), d.RemoveAll(state+".old"), d.SyncDir(dir), d.Err()))
	compare(t, dir, d, crashdisk.Crash{At: d.Len()})
}

// foreign tells what is in the middle of a foreign file after a crash.
func foreign(t *testing.T, d *crashdisk.Disk, name string, c crashdisk.Crash) string {
	t.Helper()
	dir := crashdisk.Folder(t)
	check(t, d.Build(c, dir))
	f, err := os.Open(filepath.Join(dir, name, "db"))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	check(t, err)
	info, err := f.Stat()
	check(t, err)
	if info.Size() != 100<<20 {
		t.Errorf("the foreign file has %d bytes", info.Size())
	}
	text := make([]byte, 10)
	_, err = f.ReadAt(text, 50<<20)
	check(t, errors.Join(err, f.Close()))
	return strings.TrimRight(string(text), "\x00")
}

// A change past the Disk is told when the Disk meets it.
func TestPastTheInterface(t *testing.T) {
	d, dir := record(t)
	f, sub := filepath.Join(dir, "f"), filepath.Join(dir, "sub")
	check(t, errors.Join(os.WriteFile(f, nil, 0o666), os.Mkdir(sub, 0o777)))
	for name, err := range map[string]error{
		"open":    func() error { _, err := d.OpenFile(f, os.O_RDWR|os.O_CREATE, 0o666); return err }(),
		"rename":  d.Rename(f, f+"2"),
		"link":    d.Link(f, f+"2"),
		"remove":  d.Remove(f),
		"below":   put(d, filepath.Join(sub, "x"), "x", false),
		"sync":    d.SyncDir(sub),
		"outside": put(d, filepath.Join(dir, "..", "x"), "x", false),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "crashdisk: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d.Len() > 0 {
		t.Errorf("recorded: %s", d.Describe(0))
	}
	if _, err := crashdisk.New(dir, crashdisk.Options{}); err == nil {
		t.Error("a folder that is not empty was taken")
	}
}
