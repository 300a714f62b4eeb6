package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			mains = append(mains, write(t, w, Answer{Host: fmt.Sprintf("h%d.example", i), Time: start}.Draft())...)
			continue
		}
		x := exchange(page.URL(fmt.Sprintf("http://example.org/%d", i)), "HTTP/1.1 200 OK\nContent-Type: text/plain", strings.Repeat(fmt.Sprint(i), i*7))
		mains = append(mains, write(t, w, capture(t, x, Meta{}, page.Origin{})...)[0])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.opt.Dir, mains
}

func idAt(t *testing.T, dir string, loc page.Location) string {
	t.Helper()
	if err := Whole(dir, loc); err != nil {
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
		rename  func(string) string
	}{
		{name: "some", keep: func(i int) bool { return i%3 == 0 }},
		{name: "some, the rest apart", keep: func(i int) bool { return i%3 == 0 }, outside: true},
		{name: "all", keep: func(int) bool { return true }},
		{name: "all, renamed", keep: func(int) bool { return true }, rename: func(s string) string { return "site-" + s }},
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
				From: from, To: filepath.Join(root, "to"), Rename: tt.rename,
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
			indexed = nil
			c.RemoveSource = true
			sum, err := Compact(c) // as after a crash before the source was taken away
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, sum); diff != "" {
				t.Errorf("the second time: %s", diff)
			}
			if left, err := os.ReadDir(from); err != nil || len(left) > 0 {
				t.Errorf("left in the spool: %v, %v", left, err)
			}
			for loc, i := range number {
				m, ok := moved[loc]
				switch {
				case !ok:
					t.Errorf("%v was not told", loc)
				case tt.keep(i):
					if m.Outside || idAt(t, c.To, m.To) != ids[loc] {
						t.Errorf("%v went to %v", loc, m)
					}
				case tt.outside:
					if !m.Outside || idAt(t, c.Outside, m.To) != ids[loc] {
						t.Errorf("%v went to %v", loc, m)
					}
				case !m.To.IsZero():
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
		if err := IndexWARC(filepath.Join(dir, name), func(e Entry) error { want = append(want, e); return nil }); err != nil {
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
		From: from, To: filepath.Join(root, "to"), Outside: filepath.Join(root, "outside"), RemoveSource: true,
		Keep: func(page.Location) bool { n++; return n%2 == 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	var c Checker // record ids over both folders
	for dir, files := range map[string][]string{"to": sum.Files, "outside": sum.Outside} {
		for _, name := range files {
			rep, err := c.Check(t.Context(), filepath.Join(root, dir, name))
			if err != nil || len(rep.Problems) > 0 {
				t.Errorf("%s: %v, %v", name, rep.Problems, err)
			}
		}
	}
}

// When the caller cannot note where captures went, the source stays.
func TestCompactMovedFails(t *testing.T) {
	from, _ := spooled(t, 3)
	before, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("store")
	c := Compaction{From: from, To: t.TempDir(), Keep: func(page.Location) bool { return true }, RemoveSource: true, Moved: func([]Move) error { return broken }}
	if _, err := Compact(c); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	if after, err := os.ReadDir(from); err != nil || len(after) != len(before) {
		t.Errorf("%v, %v", after, err)
	}
}

// What can be read of a damaged file is taken, before and behind the damage, and the file stays.
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
		From: from, To: t.TempDir(), Keep: func(page.Location) bool { return true }, RemoveSource: true,
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
		if rep, err := Check(filepath.Join(c.To, name)); err != nil || !rep.OK() {
			t.Errorf("%v, %v", rep.Problems, err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the damaged file was taken away: %v", err)
	}
}
