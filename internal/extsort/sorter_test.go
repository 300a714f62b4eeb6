package extsort

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"watershed/internal/disk"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("EXTSORT_TEST_DIR"); dir != "" {
		sortForever(dir)
	}
	goleak.VerifyTestMain(m)
}

type pair [2]uint64

func compare[T Record](a, b T) int {
	switch {
	case less(&a, &b):
		return -1
	case less(&b, &a):
		return 1
	}
	return 0
}

func openDir(t testing.TB) *Dir {
	t.Helper()
	d, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// files is what lies in the directory beside the lock.
func files(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != lockName {
			names = append(names, e.Name())
		}
	}
	return names
}

func collect[T Record](t testing.TB, c *Cursor[T]) (out []T) {
	t.Helper()
	for c.Next() {
		out = append(out, c.Record())
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	return out
}

// noise is a deterministic sequence of words (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", 2014).
type noise uint64

func (n *noise) next() uint64 {
	*n += 0x9E3779B97F4A7C15
	z := uint64(*n)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func TestRadixSort(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		mask [3]uint64
	}{
		{"empty", 0, [3]uint64{}},
		{"all equal", 5000, [3]uint64{}},
		{"random words", 200_000, [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}},
		{"forty-bit keys", 100_000, [3]uint64{1<<40 - 1, 1<<25 - 1, 0}},
		{"few keys", 70_000, [3]uint64{3, 7, 1 << 63}},
		{"only the last word differs", 10_000, [3]uint64{0, 0, 1<<20 - 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rnd := noise(c.n)
			a := make([][3]uint64, c.n)
			for i := range a {
				a[i] = [3]uint64{rnd.next() & c.mask[0], rnd.next() & c.mask[1], rnd.next() & c.mask[2]}
			}
			want := slices.Clone(a)
			slices.SortFunc(want, compare[[3]uint64])
			if sortRecords(a); !slices.Equal(a, want) {
				t.Fatal("not the order of slices.SortFunc")
			}
		})
	}
}

// TestSortAnything compares sorts of all shapes with slices.SortFunc and a map.
func TestSortAnything(t *testing.T) {
	d := openDir(t)
	rapid.Check(t, func(t *rapid.T) {
		o := Options[pair]{MemoryBytes: minMemory, FanIn: rapid.IntRange(2, 5).Draw(t, "fan-in")}
		n := rapid.IntRange(0, 30_000).Draw(t, "records")
		mask := uint64(1)<<rapid.IntRange(0, 64).Draw(t, "bits") - 1
		how := rapid.SampledFrom([]string{"keep", "drop equal", "add up"}).Draw(t, "how")
		switch how {
		case "drop equal":
			o.Combine = KeepFirst[pair]
		case "add up":
			o.Combine, o.Key = AddUp[pair], 1
		}
		s, err := NewSorter(d, o)
		if err != nil {
			t.Fatal(err)
		}
		rnd := noise(rapid.Uint64().Draw(t, "seed"))
		var all []pair
		for range n {
			r := pair{rnd.next() & mask, rnd.next() & 3}
			all = append(all, r)
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		c, err := s.Sort(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got []pair
		if err := c.Each(context.Background(), func(r pair) error {
			got = append(got, r)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if want := oracle(all, how); !slices.Equal(got, want) {
			t.Fatalf("%d records, want %d, or their order differs", len(got), len(want))
		}
		if left := files(&testing.T{}, d.path); len(left) > 0 {
			t.Fatalf("left behind: %q", left)
		}
	})
}

func oracle(all []pair, how string) []pair {
	slices.SortFunc(all, compare[pair])
	switch how {
	case "drop equal":
		return slices.Compact(all)
	case "add up":
		sums := map[uint64]uint64{}
		for _, r := range all {
			sums[r[0]] += r[1]
		}
		all = all[:0:0]
		for k, n := range sums {
			all = append(all, pair{k, n})
		}
		slices.SortFunc(all, compare[pair])
	}
	return all
}

func TestSortCancelled(t *testing.T) {
	d := openDir(t)
	ctx, cancel := context.WithCancel(context.Background())
	s := filled(t, d, 100_000)
	c, err := s.Sort(ctx)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Each(ctx, func(pair) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	s = filled(t, d, 100_000)
	if _, err := s.Sort(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if left := files(t, d.path); len(left) > 0 {
		t.Fatalf("left behind: %q", left)
	}
	if err := s.Add(pair{}); !errors.Is(err, errClosed) {
		t.Fatalf("Add after Close: %v", err)
	}
}

// TestCloseDuringAdd gives up while a run is being written.
func TestCloseDuringAdd(t *testing.T) {
	d := openDir(t)
	if err := filled(t, d, 2049).Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, d.path); len(left) > 0 {
		t.Fatalf("left behind: %q", left)
	}
}

func filled(t testing.TB, d *Dir, n int) *Sorter[pair] {
	t.Helper()
	s, err := NewSorter(d, Options[pair]{MemoryBytes: minMemory, FanIn: 4})
	if err != nil {
		t.Fatal(err)
	}
	rnd := noise(1)
	for range n {
		if err := s.Add(pair{rnd.next(), 1}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestDamagedRun changes a byte of a run that is already written.
func TestDamagedRun(t *testing.T) {
	d := openDir(t)
	s := filled(t, d, 20_000)
	s.await()
	f, err := os.OpenFile(s.runs[1].f.Name(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("damaged!"), 1000); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := s.Sort(context.Background())
	if err == nil {
		err = c.Each(context.Background(), func(pair) error { return nil })
	}
	if err == nil || !strings.Contains(err.Error(), "is damaged at byte ") {
		t.Fatalf("got %v, want the damaged place", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, d.path); len(left) > 0 {
		t.Fatalf("left behind: %q", left)
	}
}

// TestKilled kills a process in the middle of a sort, and sorts again in its directory.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "EXTSORT_TEST_DIR="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "sorting\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if _, err := OpenDir(dir); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("while the child sorts: %v, want disk.ErrLocked", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	if n := len(files(t, dir)); n < 3 {
		t.Fatalf("the killed sort left %d files, want a table and several runs", n)
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); !slices.Equal(left, []string{"finished"}) {
		t.Errorf("after reopening: %q, want only the finished table", left)
	}
	c, err := filled(t, d, 50_000).Sort(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(collect(t, c)); n != 50_000 {
		t.Errorf("the second sort gives %d records", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); !slices.Equal(left, []string{"finished"}) {
		t.Errorf("at the end: %q", left)
	}
}

// sortForever is what the child of TestKilled does: a finished table, then a sort that never ends.
func sortForever(dir string) {
	die := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	d, err := OpenDir(dir)
	die(err)
	defer d.Close() //nolint:errcheck // it is never reached, and keeps the lock from being collected
	w, err := NewWriter[pair](d, "finished", "test")
	die(err)
	die(w.Commit())
	s, err := NewSorter(d, Options[pair]{MemoryBytes: minMemory, FanIn: 4})
	die(err)
	for rnd := noise(1); ; {
		die(s.Add(pair{rnd.next()}))
		if len(s.runs) == 9 {
			c, err := s.Sort(context.Background())
			die(err)
			c.Next()
			fmt.Println("sorting")
			_, _ = io.Copy(io.Discard, os.Stdin) // it waits for the kill; select {} would be a deadlock
		}
	}
}

func TestDirLeavesOthersAlone(t *testing.T) {
	path := t.TempDir()
	for _, name := range []string{"notes.txt", "000001.tmp", "x.tmp"} {
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("state", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("state", []byte("two")); err != nil {
		t.Fatal(err)
	}
	if b, err := d.ReadFile("state"); string(b) != "two" {
		t.Errorf("read %q, %v", b, err)
	}
	if names := files(t, path); !slices.Equal(names, []string{"notes.txt", "state"}) {
		t.Errorf("names %q", names)
	}
	if err := errors.Join(d.Remove("state"), d.Remove("state"), d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	if left := files(t, path); !slices.Equal(left, []string{"notes.txt"}) {
		t.Errorf("left: %q", left)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options[pair]{
		{MemoryBytes: 1},
		{MemoryBytes: -1},
		{FanIn: 1},
		{FanIn: -1},
		{Key: -1},
		{Key: 3},
	} {
		if _, err := NewSorter(nil, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	const n = 8 << 20
	d := openDir(b)
	for b.Loop() {
		s, err := NewSorter(d, Options[pair]{})
		if err != nil {
			b.Fatal(err)
		}
		rnd := noise(1)
		for i := range uint64(n) {
			if err := s.Add(pair{rnd.next() >> 24, i}); err != nil {
				b.Fatal(err)
			}
		}
		c, err := s.Sort(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Each(context.Background(), func(pair) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}
