package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"watershed/page"
)

// child reopens the test binary as another process that calls childMain with these arguments.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD=1")
	return cmd
}

func TestMain(m *testing.M) {
	if os.Getenv("STORE_TEST_CHILD") != "" {
		childMain(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

func childMain(args []string) {
	switch args[0] {
	case "hold": // keeps the folder open until its standard input ends
		s, err := Open(testOptions(args[1]))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("open")
		_, _ = os.Stdin.Read(make([]byte, 1)) // its end is what is waited for
		if err := s.Close(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	case "read": // opens one folder after the other and reads everything
		for _, dir := range args[1:] {
			fmt.Println(readAll(dir))
		}
	case "full": // fills the disk under a store
		if err := fullDisk(args[1], args[2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

func testOptions(dir string) Options { return Options{Dir: dir, MinFreeBytes: 1, Harvest: "test"} }

func openTest(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// readAll opens a folder, reads every URL and visit, and says "ok N" or which kind of error it met.
func readAll(dir string) string {
	n, err := readRecords(dir)
	var open *OpenError
	switch {
	case err == nil:
		return fmt.Sprintf("ok %d", n)
	case errors.As(err, &open) && errors.Is(err, ErrCorrupt) && open.Hint != "":
		return "corrupt"
	case errors.Is(err, ErrCorrupt):
		return "corrupt later"
	}
	return "error " + err.Error()
}

func readRecords(dir string) (n int, err error) {
	s, err := Open(testOptions(dir))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, err := range s.URLs(1) {
		if err != nil {
			return n, err
		}
		n++
	}
	for _, err := range s.Visits(1, 0) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// fill writes so many known URLs, a visit for each tenth.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	for i := 0; i < n; {
		err := s.Update(func(tx *Tx) error {
			for range min(1000, n-i) {
				u := URL{URL: page.URL(fmt.Sprintf("http://example.org/page/%d/%x", i, i*7919)), State: Known}
				if err := tx.PutURL(1, u.Key(), &u, nil); err != nil {
					return err
				}
				if i%10 == 0 {
					if err := tx.PutVisit(1, &page.Visit{URL: u.URL, Status: 200}); err != nil {
						return err
					}
				}
				i++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t, "hold", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscan(out, &word); err != nil || word != "open" {
		t.Fatalf("child says %q, %v", word, err)
	}
	for _, readOnly := range []bool{false, true} {
		o := testOptions(dir)
		o.ReadOnly = readOnly
		_, err = Open(o)
		var open *OpenError
		if !errors.Is(err, ErrLocked) || !errors.As(err, &open) || open.Hint == "" {
			t.Errorf("read only %v: %v", readOnly, err)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	openTest(t, dir)
}

func TestAnotherHarvestOrFormat(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	for _, format := range []byte{oldestFormat - 1, Format + 1} {
		err := s.Update(func(tx *Tx) error { tx.hold(metaKey(metaFormat), []byte{format}); return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(testOptions(dir)); !errors.Is(err, errVersion) {
			t.Errorf("format %d: %v", format, err)
		}
		dir = t.TempDir()
		s = openTest(t, dir)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o := testOptions(dir)
	o.Harvest = "other"
	if _, err := Open(o); !errors.Is(err, errHarvest) {
		t.Errorf("another harvest: %v", err)
	}
	o.Harvest = ""
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if name, err := s.harvest(); name != "test" || err != nil {
		t.Errorf("harvest %q, %v", name, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.View(func(*Tx) error { return nil }); !errors.Is(err, errClosed) {
		t.Errorf("view after close: %v", err)
	}
}

func TestNoSpace(t *testing.T) {
	o := testOptions(t.TempDir())
	o.MinFreeBytes = 1 << 60
	var open *OpenError
	if _, err := Open(o); !errors.Is(err, ErrNoSpace) || !errors.As(err, &open) ||
		strings.Count(err.Error(), ErrNoSpace.Error()) != 1 {
		t.Fatalf("open: %v", err)
	}
	s := openTest(t, t.TempDir())
	fill(t, s, 1)
	s.opt.MinFreeBytes = 1 << 60
	if err := s.Checkpoint(); !errors.Is(err, ErrNoSpace) {
		t.Errorf("checkpoint: %v", err)
	}
	if err := s.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrNoSpace) {
		t.Errorf("update: %v", err)
	}
	s.opt.MinFreeBytes = 1
	if err := s.Update(func(*Tx) error { return nil }); err != nil {
		t.Errorf("update with space again: %v", err)
	}
}

// Every file is damaged in every manner, and another process (some of Badger's answers end it) has
// to say so, or to read all there was. Only a write-ahead log may lose its end unnoticed: that is
// what a power cut does.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens some fifty folders, each by itself")
	}
	origin := t.TempDir()
	s := openTest(t, origin)
	fill(t, s, 60_000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := readAll(origin)
	if whole != "ok 66000" {
		t.Fatalf("undamaged: %s", whole)
	}
	names, err := filepath.Glob(filepath.Join(origin, "*"))
	if err != nil {
		t.Fatal(err)
	}
	garbage := []byte(strings.Repeat("garbage!", 64))
	damages := map[string]func(b []byte) []byte{
		"emptied":           func([]byte) []byte { return nil },
		"garbage":           func([]byte) []byte { return garbage },
		"garbage in front":  func(b []byte) []byte { copy(b, garbage[:min(len(b), 16)]); return b },
		"garbage in middle": func(b []byte) []byte { copy(b[len(b)/2:], garbage); return b },
		"garbage at end":    func(b []byte) []byte { copy(b[max(len(b)-40, 0):], garbage); return b },
		"cut in half":       func(b []byte) []byte { return b[:len(b)/2] },
		"gone":              nil,
	}
	var dirs, cases []string
	for _, name := range names {
		for how, damage := range damages {
			dirs = append(dirs, copyDamaged(t, origin, filepath.Base(name), damage))
			cases = append(cases, filepath.Base(name)+" "+how)
		}
	}
	out, err := child(t, append([]string{"read"}, dirs...)...).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, c := range cases {
		if i >= len(lines) {
			t.Fatalf("%s ended the process: %v", c, err)
		}
		if lines[i] != "corrupt" && lines[i] != whole {
			t.Errorf("%s: %.2000s", c, lines[i])
		}
	}
	if err != nil || len(lines) != len(cases) {
		t.Errorf("%v, %d lines for %d cases", err, len(lines), len(cases))
	}
}

// A process that was killed between making a log and giving it its size is no damage.
func TestUnbegunLog(t *testing.T) {
	origin := t.TempDir()
	s := openTest(t, origin)
	fill(t, s, 3000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := readAll(origin)
	if !strings.HasPrefix(whole, "ok ") {
		t.Fatalf("undamaged: %s", whole)
	}
	for _, name := range []string{"00001.mem", "00099.mem", "000099.vlog"} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := readAll(dir); got != whole {
			t.Errorf("with an empty %s: %s, want %s", name, got, whole)
		}
	}
}

// copyDamaged copies a folder and damages one of its files.
func copyDamaged(t *testing.T, origin, name string, damage func([]byte) []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if damage == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, damage(b), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestEarlierFormat: a folder of an earlier format is read as it is, and is of this program's format once it
// was opened for writing.
func TestEarlierFormat(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	format := func() (n byte) {
		err := s.View(func(tx *Tx) error {
			_, err := tx.read(metaKey(metaFormat), func(v []byte) error { n = v[0]; return nil })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := s.Update(func(tx *Tx) error {
		tx.hold(metaKey(metaFormat), []byte{oldestFormat})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		readOnly bool
		want     byte
	}{{true, oldestFormat}, {false, Format}} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		o := testOptions(dir)
		o.ReadOnly = x.readOnly
		var err error
		if s, err = Open(o); err != nil {
			t.Fatal(err)
		}
		if got := format(); got != x.want {
			t.Errorf("read only %v: format %d, want %d", x.readOnly, got, x.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A table that cannot be written, for want of descriptors for one, does not keep Close for ever:
// the logs hold all.
func TestCloseUnflushed(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(testOptions(dir))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, 1000)
	for n := 1; n < 50; n++ { // each attempt of Badger takes another number
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprintf("%06d.sst", n)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), flushFails) {
		t.Errorf("close: %v", err)
	}
}

// harvest is the name that the folder was made for.
func (s *Store) harvest() (name string, err error) {
	err = s.View(func(tx *Tx) error {
		_, err := tx.read(metaKey(metaHarvest), func(v []byte) error {
			name = string(v)
			return nil
		})
		return err
	})
	return name, err
}
