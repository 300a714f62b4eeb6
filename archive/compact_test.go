package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"watershed/page"
)

// spooled writes n captures into several files and gives the places of their main records.
func spooled(t *testing.T, n int) (dir string, mains []page.Location) {
	t.Helper()
	return spooledBy(t, Options{MaxBytes: 4000}, n)
}

func spooledBy(t *testing.T, o Options, n int) (dir string, mains []page.Location) {
	t.Helper()
	w := testWriter(t, o)
	for i := range n {
		if i%5 == 0 {
			mains = append(mains,
				write(t, w, dnsRecord(fmt.Sprintf("h%d.example", i)))...)
			continue
		}
		x := exchange(page.URL(fmt.Sprintf("http://example.org/%d", i)),
			"HTTP/1.1 200 OK\nContent-Type: text/plain", strings.Repeat(fmt.Sprint(i), i*7))
		mains = append(mains, write(t, w, capture(t, x, Meta{}, page.Origin{})...)[0])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.opt.Dir, mains
}

func idAt(t *testing.T, dir string, loc page.Location) string {
	t.Helper()
	if err := wholeAt(dir, loc); err != nil {
		t.Fatal(err)
	}
	rec, err := Open(dir, loc)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	return rec.ID()
}

func TestCompact(t *testing.T) {
	for _, tt := range []struct {
		name    string
		keep    func(i int) bool
		outside bool
	}{
		{name: "some", keep: func(i int) bool { return i%3 == 0 }},
		{name: "some, the rest apart", keep: func(i int) bool { return i%3 == 0 }, outside: true},
		{name: "all", keep: func(int) bool { return true }},
		{name: "none", keep: func(int) bool { return false }, outside: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, mains := spooled(t, 30)
			number := make(map[page.Location]int)
			ids := make(map[page.Location]string)
			for i, loc := range mains {
				number[loc], ids[loc] = i, idAt(t, from, loc)
			}
			root := t.TempDir()
			moved := make(map[page.Location]Move)
			var indexed []Entry
			c := Compaction{
				From: from, To: filepath.Join(root, "to"),
				Keep: func(loc page.Location) bool {
					i, ok := number[loc]
					if !ok {
						t.Errorf("asked for %v, which is no main record", loc)
					}
					return tt.keep(i)
				},
				Moved: func(moves []Move) error {
					for _, m := range moves {
						moved[m.From] = m
					}
					return nil
				},
				Index: func(e Entry) error { indexed = append(indexed, e); return nil },
			}
			if tt.outside {
				c.Outside = filepath.Join(root, "outside")
			}
			first, err := Compact(c)
			if err != nil {
				t.Fatal(err)
			}
			before := bytesOf(t, root)
			indexed = nil
			sum, err := Compact(c) // as after a crash before the source was taken away
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, sum); diff != "" {
				t.Errorf("the second time: %s", diff)
			}
			if diff := cmp.Diff(before, bytesOf(t, root)); diff != "" {
				t.Errorf("the second time changed files: %s", diff)
			}
			for loc, i := range number {
				m, ok := moved[loc]
				switch {
				case !ok:
					t.Errorf("%v was not told", loc)
				case tt.keep(i):
					if idAt(t, c.To, m.To) != ids[loc] {
						t.Errorf("%v went to %v", loc, m)
					}
				case tt.outside && !idsIn(t, c.Outside)[ids[loc]], !m.To.IsZero():
					t.Errorf("%v went to %v", loc, m)
				}
			}
			clean(t, c.To)
			if tt.outside {
				clean(t, root)
				clean(t, c.Outside)
			}
			if sum.Kept+sum.Left != len(mains) || len(sum.Damaged) > 0 {
				t.Errorf("sum %+v", sum)
			}
			checkIndexed(t, c.To, sum.Files, indexed)
		})
	}
}

// checkIndexed compares the entries made on the way with those that a reading of the files gives.
func checkIndexed(t *testing.T, dir string, files []string, got []Entry) {
	t.Helper()
	var want []Entry
	for _, name := range files {
		if err := indexWARC(filepath.Join(dir, name), func(e Entry) error {
			want = append(want, e)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompactUnique(t *testing.T) {
	from, _ := spooled(t, 20)
	root := t.TempDir()
	n := 0
	sum, err := Compact(Compaction{
		From: from, To: filepath.Join(root, "to"), Outside: filepath.Join(root, "outside"),
		Keep: func(page.Location) bool { n++; return n%2 == 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	outside, err := Files(filepath.Join(root, "outside"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for dir, files := range map[string][]string{"to": sum.Files, "outside": outside} {
		for _, name := range files {
			paths = append(paths, filepath.Join(root, dir, name))
		}
	}
	cleanFiles(t, paths) // record ids over both folders
}

// All that can be read of a damaged file is taken, before and behind the damage.
func TestCompactDamaged(t *testing.T) {
	from, mains := spooled(t, 12)
	path := filepath.Join(from, mains[0].File)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[mains[2].Offset+mains[2].Length/2] ^= 0xFF
	if err := os.WriteFile(path, data[:len(data)-3], 0o644); err != nil {
		t.Fatal(err)
	}
	var kept []page.Location
	c := Compaction{
		From: from, To: t.TempDir(), Keep: func(page.Location) bool { return true },
		Moved: func(moves []Move) error {
			for _, m := range moves {
				kept = append(kept, m.From)
			}
			return nil
		},
	}
	sum, err := Compact(c)
	if err != nil || len(sum.Damaged) != 2 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if slices.Contains(kept, mains[2]) || len(kept) != len(mains)-1 {
		t.Errorf("kept %v of %v", kept, mains)
	}
	for _, name := range sum.Files { // a capture may lack its metadata, which is a warning
		if rep, err := checkFile(filepath.Join(c.To, name)); err != nil || !rep.OK() {
			t.Errorf("%v, %v", rep.Problems, err)
		}
	}
}

// bytesOf reads all files below a folder.
func bytesOf(t interface{ Fatal(...any) }, root string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Delivered captures stay where they are, byte for byte, whatever is kept later and whatever became
// of the spool: files only grow. A capture that was left outside and is kept later is in one file.
func TestCompactOnlyAdds(t *testing.T) {
	from, mains := spooled(t, 24)
	whole := bytesOf(t, from)
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "compact")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		c := Compaction{From: filepath.Join(root, "from"), To: filepath.Join(root, "to")}
		if err := os.Mkdir(c.From, 0o777); err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "outside") {
			c.Outside = filepath.Join(root, "outside")
		}
		delivered := map[string]bool{} // ids
		apart := map[string]bool{}
		for round := range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for path, data := range whole {
				if rapid.IntRange(0, 5).Draw(t, "damage") == 0 && round > 0 {
					data = data[:rapid.IntRange(0, len(data)).Draw(t, "left")]
				}
				name := filepath.Join(c.From, filepath.Base(path))
				if err := errors.Join(os.RemoveAll(name), os.WriteFile(name, []byte(data), 0o666)); err !=
					nil {
					t.Fatal(err)
				}
			}
			keep := rapid.SliceOfN(rapid.Bool(), len(mains), len(mains)).Draw(t, "keep")
			c.Keep = func(loc page.Location) bool { return keep[slices.Index(mains, loc)] }
			var indexed []Entry
			c.Index = func(e Entry) error { indexed = append(indexed, e); return nil }
			before := bytesOf(t, root)
			sum, err := Compact(c)
			if err != nil {
				t.Fatal(err)
			}
			after := bytesOf(t, root)
			for path, data := range before {
				if filepath.Dir(path) != c.Outside && !strings.HasPrefix(after[path], data) {
					t.Fatalf("%s no longer begins with what was delivered", path)
				}
			}
			slices.Sort(sum.Files)
			got := map[string]bool{}
			for _, name := range sum.Files {
				rep, err := checkFile(filepath.Join(c.To, name))
				if err != nil || !rep.OK() {
					t.Fatalf("%s: %v %v", name, rep.Problems, err)
				}
			}
			for _, e := range indexed {
				rec, err := Open(c.To, e.Location())
				if err != nil {
					t.Fatal(err)
				}
				got[rec.ID()] = true
				_ = rec.Close()
			}
			for id := range delivered {
				if !got[id] {
					t.Fatalf("%s was delivered, and is not in the index", id)
				}
			}
			if sum.Kept != len(got) {
				t.Fatalf("%d captures are kept, the index has %d", sum.Kept, len(got))
			}
			now := idsIn(t, c.Outside)
			inside := idsIn(t, c.To)
			for id := range now {
				if inside[id] {
					t.Fatalf("%s is in both folders", id)
				}
			}
			for id := range apart {
				if !now[id] && !inside[id] {
					t.Fatalf("%s was delivered outside, and is lost", id)
				}
			}
			delivered, apart = got, now
		}
	})
}

// idsIn are the ids of the records in the files of a folder, but for warcinfos that stand there alone.
func idsIn(t interface{ Fatal(...any) }, dir string) map[string]bool {
	ids := map[string]bool{}
	names, err := Files(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, name := range names {
		n := len(ids)
		d, err := readDelivered(filepath.Join(dir, name), false)
		if err != nil || len(d.damaged) > 0 {
			t.Fatal(err, d.damaged)
		}
		for _, b := range d.bundles {
			for _, p := range b.parts {
				ids[p.id] = true
			}
		}
		if len(ids) == n && strings.HasPrefix(name, outsideName("")) {
			t.Fatal(name, " has nothing but its warcinfo")
		}
	}
	return ids
}

// A file that is in the folder already and comes from elsewhere stays, and is indexed.
func TestCompactBesideOthers(t *testing.T) {
	other, _ := spooled(t, 4)
	from, _ := spooled(t, 6)
	files := bytesOf(t, other)
	all := func(page.Location) bool { return true }
	n := 0
	count := func(Entry) error { n++; return nil }
	sum, err := Compact(Compaction{From: from, To: other, Keep: all, Index: count})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Kept != 10 || n != 10 {
		t.Errorf("%d captures kept and %d indexed, want 10", sum.Kept, n)
	}
	after := bytesOf(t, other)
	for path, data := range files {
		if after[path] != data {
			t.Errorf("%s has changed", path)
		}
	}
}

// TestCompactThroughLinks: a file that was moved to another disk, and linked back, is promoted as
// any other, and To has its bytes, not the link.
func TestCompactThroughLinks(t *testing.T) {
	from, mains := spooled(t, 12)
	elsewhere := t.TempDir()
	files, err := Files(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		moved := filepath.Join(elsewhere, name)
		if err := errors.Join(os.Rename(filepath.Join(from, name), moved),
			os.Symlink(moved, filepath.Join(from, name))); err != nil {
			t.Fatal(err)
		}
	}
	if linked, err := Files(from); err != nil || !slices.Equal(linked, files) {
		t.Fatalf("%v, %v; want %v", linked, err, files)
	}
	c := Compaction{From: from, To: t.TempDir(), Keep: func(page.Location) bool { return true }}
	sum, err := Compact(c)
	if err != nil || sum.Kept != len(mains) || len(sum.Damaged) > 0 {
		t.Fatalf("%+v, %v; want %d", sum, err, len(mains))
	}
	if err := os.RemoveAll(elsewhere); err != nil {
		t.Fatal(err)
	}
	for _, loc := range mains {
		if err := wholeAt(c.To, loc); err != nil {
			t.Error(err)
		}
	}
}

// TestCompactUnlisted: a capture of which no line of the index can be made is kept, and told.
func TestCompactUnlisted(t *testing.T) {
	w := testWriter(t, Options{Register: true})
	head := "HTTP/1.1 200 OK\nX-Long: " + strings.Repeat("x", maxHeader)
	long := write(t, w, capture(t, exchange("http://example.org/1", head, "body"), Meta{}, page.Origin{})...)
	other := write(t, w, capture(t, page1(1), Meta{}, page.Origin{})...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	listed := 0
	c := Compaction{
		From: w.opt.Dir, To: t.TempDir(), Keep: func(page.Location) bool { return true },
		Index: func(Entry) error { listed++; return nil },
	}
	sum, err := Compact(c)
	if err != nil || sum.Kept != 2 || len(sum.Damaged) != 1 || listed == 0 {
		t.Fatalf("%+v, %v; %d lines", sum, err, listed)
	}
	for _, loc := range []page.Location{long[0], other[0]} {
		if err := wholeAt(c.To, loc); err != nil {
			t.Error(err)
		}
	}
}
