package extsort

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func write(t testing.TB, d *Dir, name string, recs ...pair) *Table[pair] {
	t.Helper()
	w, err := NewWriter[pair](d, name, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	tab, err := OpenTable[pair](d, name, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(tab.Close(), tab.Close()); err != nil {
			t.Error(err)
		}
	})
	return tab
}

// TestTableFrom compares lookups with a search in the records themselves.
func TestTableFrom(t *testing.T) {
	d := openDir(t)
	rnd := noise(3)
	recs := make([]pair, 60_000)
	for i := range recs {
		recs[i] = pair{rnd.next() >> 44, rnd.next() >> 62}
	}
	slices.SortFunc(recs, compare[pair])
	tab := write(t, d, "t", recs...)
	if len(tab.first) < 5 {
		t.Fatalf("only %d blocks", len(tab.first))
	}
	if got := collect(t, tab.From(pair{})); !slices.Equal(got, recs) {
		t.Fatal("the whole differs from what was written")
	}
	keys := append([]pair{{}, {^uint64(0), ^uint64(0)}}, tab.first...)
	for range 200 {
		keys = append(keys, pair{rnd.next() >> 44, rnd.next() >> 62})
	}
	var wait sync.WaitGroup
	for part := range slices.Chunk(keys, len(keys)/2) {
		wait.Go(func() {
			for _, k := range part {
				at, _ := slices.BinarySearchFunc(recs, k, compare[pair])
				c := tab.From(k)
				for _, want := range recs[at:min(at+3, len(recs))] {
					if !c.Next() || c.Record() != want {
						t.Errorf("from %v: %v, %v; want %v", k, c.Record(), c.Err(), want)
					}
				}
				if at == len(recs) && c.Next() {
					t.Errorf("from %v: %v behind the end", k, c.Record())
				}
			}
		})
	}
	wait.Wait()
}

func TestEmptyTable(t *testing.T) {
	tab := write(t, openDir(t), "t")
	if tab.From(pair{1}).Next() {
		t.Error("an empty table has records")
	}
}

// TestTableBytes pins the format by the worked example of docs/formats/tables.md, whose checksums
// were computed by the C library libxxhash (XXH3_64bits).
func TestTableBytes(t *testing.T) {
	d := openDir(t)
	write(t, d, "t", pair{0x1234, 7}, pair{0x1234, 9}, pair{0x11234, 0})
	b, err := d.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "table.hex"))
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.Dump(b); got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestDamagedTable changes every byte in turn, and cuts the file everywhere: each must be told, and
// none may panic.
func TestDamagedTable(t *testing.T) {
	d := openDir(t)
	recs := []pair{{1, 2}, {3, 4}, {5, 1 << 40}}
	write(t, d, "t", recs...)
	whole, err := d.ReadFile("t")
	if err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) error {
		if err := os.WriteFile(filepath.Join(d.path, "u"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		tab, err := OpenTable[pair](d, "u", "test")
		if err != nil {
			return err
		}
		c := tab.From(pair{})
		for c.Next() {
		}
		return errors.Join(c.Err(), tab.Close())
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	emptyFrame := len(whole) - footerBytes - 24 - frameBytes
	for i := range whole {
		b := slices.Clone(whole)
		b[i] ^= 0x55
		if err := read(b); err == nil && (i < emptyFrame || i >= emptyFrame+frameBytes) {
			t.Errorf("byte %d changed: not noticed", i)
		}
		if err := read(whole[:i]); err == nil {
			t.Errorf("cut to %d bytes: not noticed", i)
		}
	}
}

func TestForeignTable(t *testing.T) {
	d := openDir(t)
	write(t, d, "t", pair{1, 2})
	if err := d.WriteFile("text",
		[]byte("<html>this is a page, not a table; long enough for a header and a footer of one, too"+
			"</html> and some more text so that the file is as long as the smallest table would be")); err !=
		nil {
		t.Fatal(err)
	}
	_, err := OpenTable[pair](d, "text", "test")
	_, kind := OpenTable[pair](d, "t", "other")
	_, length := OpenTable[[3]uint64](d, "t", "test")
	for what, err := range map[string]error{"text": err, "other kind": kind, "other length": length} {
		if !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v, want ErrForeign", what, err)
		}
	}
	if _, err := OpenTable[pair](d, "nothing", "test"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := NewWriter[pair](d, "t", "much too long"); err == nil {
		t.Error("a kind of 13 bytes is taken")
	}
}

func TestWriterOrder(t *testing.T) {
	d := openDir(t)
	w, err := NewWriter[pair](d, "t", "test")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(w.Write(pair{2, 1}), w.Write(pair{2, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(pair{2, 0}); !errors.Is(err, errOrder) {
		t.Errorf("got %v, want ErrOrder", err)
	}
	if err := w.Commit(); !errors.Is(err, errOrder) {
		t.Errorf("Commit: %v, want ErrOrder", err)
	}
	if err := errors.Join(w.Abort(), w.Abort()); err != nil {
		t.Error(err)
	}
	if left := files(t, d.path); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestCodec takes any records there and back.
func TestCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) (r [5]uint64) {
			for i := range r {
				r[i] = rapid.Uint64().Draw(t, "word")
			}
			return r
		})).Draw(t, "records")
		var data []byte
		var prev [5]uint64
		for i := range recs {
			data = appendRecord(data, &prev, &recs[i])
			prev = recs[i]
		}
		got, ok := decodeBlock[[5]uint64](nil, append(data, make([]byte, slack)...), len(recs))
		if !ok || !slices.Equal(got, recs) {
			t.Fatalf("%v became %v", recs, got)
		}
	})
}

// FuzzDecodeBlock: DecodeBlock must neither panic nor make records of other bytes.
func FuzzDecodeBlock(f *testing.F) {
	f.Add([]byte{0x11, 1, 2}, 1)
	f.Add([]byte{0x98, 1, 2}, 1)
	f.Fuzz(func(t *testing.T, data []byte, count int) {
		if count < 0 || count > len(data) {
			return
		}
		recs, ok := decodeBlock[pair](nil, append(data, make([]byte, slack)...), count)
		if ok && len(recs) != count {
			t.Fatalf("%d records of %d", len(recs), count)
		}
	})
}
