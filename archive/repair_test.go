package archive

import (
	"os"
	"path/filepath"
	"testing"

	"watershed/page"
)

// killed writes captures and gives the file's bytes as they lay ".open", with the places of each
// batch.
func killed(t *testing.T) (name string, data []byte, batches [][]page.Location) {
	t.Helper()
	w := testWriter(t, Options{})
	batches = append(batches, write(t, w, dnsRecord("example.org")))
	for i := range 3 {
		batches = append(batches, write(t, w, capture(t, page1(i), Meta{}, page.Origin{})...))
	}
	name, _ = w.Current()
	data, err := os.ReadFile(filepath.Join(w.opt.Dir, name+".open"))
	if err != nil {
		t.Fatal(err)
	}
	return name, data, batches
}

// Whatever byte a kill stops at, exactly the captures that were whole are found to be so.
func TestLastWholeCutAnywhere(t *testing.T) {
	name, data, batches := killed(t)
	path := filepath.Join(t.TempDir(), name+".open")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for n := len(data); n >= 0; n-- {
		if err := os.Truncate(path, int64(n)); err != nil {
			t.Fatal(err)
		}
		whole, end := whole(batches, n)
		d, err := lastWhole(path)
		if err != nil || d.Captures != whole || whole > 0 && (d.Bytes != end || d.Cut != int64(n)-end) ||
			d.Tail != "" {
			t.Fatalf("cut at %d: %+v, %v, want %d captures in %d bytes", n, d, err, whole, end)
		}
		if whole > 0 && (d.Cause == nil) != (d.Cut == 0) {
			t.Errorf("cut at %d: cause %v of %d bytes", n, d.Cause, d.Cut)
		}
	}
}

// whole tells how many batches are whole in the first n bytes, and where the last of them ends.
func whole(batches [][]page.Location, n int) (whole int, end int64) {
	for _, b := range batches {
		if last := b[len(b)-1]; last.Offset+last.Length <= int64(n) {
			whole, end = whole+1, last.Offset+last.Length
		}
	}
	return whole, end
}

// Repair leaves a valid file under its final name, in which the places of all whole captures are
// true and no other.
func TestRepair(t *testing.T) {
	name, data, batches := killed(t)
	cuts := []int{0, 10, len(data) - 1, len(data)}
	for _, b := range batches {
		for _, loc := range b {
			cuts = append(cuts, int(loc.Offset), int(loc.Offset+1), int(loc.Offset+loc.Length-1))
		}
	}
	for _, n := range cuts {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name+".open"), data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		done, err := Repair(nil, dir)
		if err != nil || len(done) != 1 || done[0].File != name {
			t.Fatalf("cut at %d: %+v, %v", n, done, err)
		}
		whole, _ := whole(batches, n)
		if done[0].Removed != (whole == 0) {
			t.Errorf("cut at %d: %+v", n, done[0])
		}
		for i, b := range batches {
			for _, loc := range b {
				if err := wholeAt(dir, loc); (err == nil) != (i < whole) {
					t.Errorf("cut at %d: record of batch %d: %v", n, i, err)
				}
			}
		}
		clean(t, dir)
	}
}

// A power cut may leave a hole with whole records behind it: they are kept aside, since nobody
// knows what they are worth.
func TestRepairKeepsTail(t *testing.T) {
	name, data, batches := killed(t)
	dir := t.TempDir()
	hole := batches[2][1]
	clear(data[hole.Offset : hole.Offset+hole.Length])
	path := filepath.Join(dir, name)
	for file, b := range map[string][]byte{
		path + ".open": data, filepath.Join(dir, ".batch-1"): nil,
		path + ".tmp": nil,
	} {
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	done, err := Repair(nil, dir)
	if err != nil || len(done) != 1 || done[0].Captures != 2 || done[0].Tail != name+".tail" {
		t.Fatalf("%+v, %v", done, err)
	}
	tail, err := os.ReadFile(path + ".tail")
	if err != nil || string(tail) != string(data[batches[2][0].Offset:]) {
		t.Errorf("tail of %d bytes, %v", len(tail), err)
	}
	if err := os.Remove(path + ".tail"); err != nil {
		t.Fatal(err)
	}
	clean(t, dir)
	if done, err := Repair(nil, dir); err != nil || done != nil {
		t.Errorf("again: %v, %v", done, err)
	}
	if done, err := Repair(nil, filepath.Join(dir, "nowhere")); err != nil || done != nil {
		t.Errorf("no folder: %v, %v", done, err)
	}
}
