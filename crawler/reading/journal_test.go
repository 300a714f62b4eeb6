package reading

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// open opens a journal and closes it with the test.
func open(t *testing.T, path string, crashed bool) *Journal {
	t.Helper()
	j, err := Open(path, crashed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// die is the file that a process leaves which dies while it reads a page.
func die(t *testing.T, path string, j *Journal, u page.URL) {
	t.Helper()
	var left []byte
	done, err := j.Read(u, func() {
		var err error
		if left, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil || !done {
		t.Fatalf("%s: read %v, %v", u, done, err)
	}
	if err := os.WriteFile(path, left, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDeaths(t *testing.T) {
	const u = page.URL("http://a.example/poison.pdf")
	for _, c := range []struct {
		name      string
		crashed   []bool // by death
		suspect   bool
		condemned bool
	}{
		{"killed once", []bool{false}, true, false},
		{"crashed once", []bool{true}, true, false},
		{"crashed, and alone", []bool{true, true}, false, true},
		{"killed, and crashed alone", []bool{false, true}, false, true},
		{"killed three times", []bool{false, false, false}, true, false},
		{"killed three times while it was alone", []bool{false, false, false, false}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "reading")
			j := open(t, path, false)
			for _, crashed := range c.crashed {
				die(t, path, j, u)
				j = open(t, path, crashed)
			}
			var suspects, condemned []page.URL
			if c.suspect {
				suspects = []page.URL{u}
			}
			if c.condemned {
				condemned = []page.URL{u}
			}
			if d := cmp.Diff(suspects, j.Suspects()) + cmp.Diff(condemned, j.Condemned()); d != "" {
				t.Error(d)
			}
			if done, err := j.Read(u, func() {}); err != nil || done == c.condemned {
				t.Errorf("read %v, %v", done, err)
			}
			j = open(t, path, true)
			if n := len(j.Suspects()); n > 0 {
				t.Errorf("%d suspects after the page was read", n)
			}
			if d := cmp.Diff(condemned, j.Condemned()); d != "" {
				t.Error(d)
			}
		})
	}
}

// goldenSum is the CRC-32C (polynomial 0x82f63b78, reflected) that a loop over bits in another
// language gives.
var goldenSum = []byte{0xa3, 0x79, 0xb3, 0x99}

// A slot is pinned byte for byte.
func TestFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	j := open(t, path, false)
	die(t, path, j, "http://a.example/")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]byte{1, 0, 0, 17}, goldenSum...)
	if got := text[fileHead:]; !bytes.HasPrefix(text, magic) ||
		!bytes.Equal(got, append(want, "http://a.example/"...)) {
		t.Errorf("head %x, slot %x", text[:fileHead], got)
	}
}

// TestNoMemory has the system's count of processes that it killed for want of memory go up between
// two processes.
func TestNoMemory(t *testing.T) {
	if killsBefore(nil, 7) != 7 || killsBefore([]byte("WSRD01234567SUMS"), 7) != 7 {
		t.Error("a head that says nothing tells of a kill")
	}
	path := filepath.Join(t.TempDir(), "reading")
	_ = open(t, path, false)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if now := outOfMemory(); killsBefore(text, now+1) != now {
		t.Errorf("the head tells of %d kills, want %d", killsBefore(text, now+1), now)
	}
}

// A page that is read alone is read alone, however many workers there are.
func TestAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	const u = page.URL("http://a.example/suspect")
	die(t, path, open(t, path, false), u)
	j := open(t, path, false)
	var reads, wrong atomic.Int64
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			v := page.URL(fmt.Sprintf("http://a.example/%d", i))
			if i == 20 {
				v = u
			}
			_, err := j.Read(v, func() {
				n := reads.Add(1)
				if alone := v == u; alone && (n != 1 || reads.Load() != 1) {
					wrong.Add(1)
				}
				reads.Add(-1)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if wrong.Load() > 0 {
		t.Error("another page was read meanwhile")
	}
	if len(j.slots) > 65 {
		t.Errorf("%d slots for 64 workers", len(j.slots))
	}
}

// TestRandomKills kills 200 processes in a row at a random page of a crawl each: none of the pages
// is held for one that kills.
func TestRandomKills(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	g := rand.New(rand.NewPCG(1, 2))
	left := make([]page.URL, 2000)
	for i := range left {
		left[i] = page.URL(fmt.Sprintf("http://a.example/%d", i))
	}
	for range 200 {
		j := open(t, path, false)
		n := g.IntN(20)
		for _, u := range left[:n] {
			if done, err := j.Read(u, func() {}); err != nil || !done {
				t.Fatalf("%s: read %v, %v", u, done, err)
			}
		}
		if left = left[n:]; len(left) == 0 {
			break
		}
		die(t, path, j, left[0])
	}
	if j := open(t, path, false); len(j.Condemned()) > 0 {
		t.Errorf("condemned: %v", j.Condemned())
	}
}

// TestDamage opens files that are cut, flipped or garbage.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reading")
	j := open(t, path, false)
	for i := range 3 {
		die(t, path, j, page.URL(fmt.Sprintf("http://a.example/%d", i)))
		j = open(t, path, false)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		bad := bytes.Clone(good)
		switch i % 3 {
		case 0:
			bad = bad[:g.IntN(len(bad))]
		case 1:
			for range 40 {
				bad[g.IntN(100)+g.IntN(2)*slotBytes] ^= byte(1 + g.IntN(255))
			}
		default:
			for k := range bad {
				bad[k] = byte(g.Uint32())
			}
		}
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, true)
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Condemned()) > 0 {
			t.Fatalf("damage condemned %v", j.Condemned())
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNone has a crawl without a journal read everything.
func TestNone(t *testing.T) {
	var j *Journal
	if done, err := j.Read("http://a.example/", func() {}); !done || err != nil || j.Suspects() != nil ||
		j.Close() != nil {
		t.Errorf("%v, %v", done, err)
	}
}
