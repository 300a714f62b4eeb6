package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/internal/disk"
	"watershed/page"
)

// killed writes captures and gives the file's bytes as they lay ".open", those of its register, and
// the places of each batch.
func killed(t *testing.T) (name string, data, register []byte, batches [][]page.Location) {
	t.Helper()
	w := testWriter(t, Options{Register: true})
	batches = append(batches, write(t, w, dnsRecord("example.org")))
	for i := range 3 {
		batches = append(batches, write(t, w, capture(t, page1(i), Meta{}, page.Origin{})...))
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	name, _ = w.Current()
	data, err := os.ReadFile(filepath.Join(w.opt.Dir, name+suffixOpen))
	if err != nil {
		t.Fatal(err)
	}
	if register, err = os.ReadFile(filepath.Join(w.opt.Dir, name+suffixRegister)); err != nil {
		t.Fatal(err)
	}
	return name, data, register, batches
}

// registers are what a crash may leave of a register: nothing, all of it, a part, damaged lines,
// zeros, and whole lines of members that the file does not have.
func registers(t *testing.T, register []byte) map[string][]byte {
	damaged := bytes.Clone(register)
	damaged[len(damaged)/2] ^= 1
	return map[string][]byte{
		"none": nil, "whole": register, "cut": register[:2*len(register)/3], "damaged": damaged,
		"zeros": make([]byte, len(register)), "of other members": otherSums(t, register),
	}
}

// otherSums has the lines of a register with other sums of their members.
func otherSums(t *testing.T, register []byte) (other []byte) {
	t.Helper()
	for in := bytes.NewReader(register); in.Len() > 0; {
		n, err := binary.ReadUvarint(in)
		line := make([]byte, n)
		if _, err2 := io.ReadFull(in, line); errors.Join(err, err2) != nil {
			t.Fatal(err, err2)
		}
		r, err := parseRegistered(line)
		if err != nil {
			t.Fatal(err)
		}
		r.sum++
		other = r.appendTo(other)
	}
	return other
}

// Whatever byte a kill stops at, exactly the captures that were whole are found to be so, whatever
// it leaves of the register: without one and by a whole one at each byte, by others at some.
func TestLastWholeCutAnywhere(t *testing.T) {
	name, data, register, batches := killed(t)
	path := filepath.Join(t.TempDir(), name)
	for kind, register := range registers(t, register) {
		step := 1
		if testing.Short() || kind != "none" && kind != "whole" {
			step = 29
		}
		if err := errors.Join(os.WriteFile(path+suffixOpen, data, 0o644),
			os.WriteFile(path+suffixRegister, register, 0o644)); err != nil {
			t.Fatal(err)
		}
		for n := len(data); n >= 0; n -= step {
			if err := os.Truncate(path+suffixOpen, int64(n)); err != nil {
				t.Fatal(err)
			}
			whole, end := whole(batches, n)
			d, err := lastWhole(path + suffixOpen)
			if err != nil || d.Captures != whole || d.Damaged > 0 ||
				whole > 0 && (d.Bytes != end || d.Cut != int64(n)-end) {
				t.Fatalf("register %s, cut at %d: %+v, %v, want %d captures in %d bytes", kind, n, d, err,
					whole, end)
			}
			if whole > 0 && (d.Cause == nil) != (d.Cut == 0) {
				t.Errorf("register %s, cut at %d: cause %v of %d bytes", kind, n, d.Cause, d.Cut)
			}
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

// Whatever became of the bytes of a file and of its register: with the register the same captures
// are found, and the same end is cut off, as without.
func TestLastWholeByRegister(t *testing.T) {
	name, data, register, _ := killed(t)
	path := filepath.Join(t.TempDir(), name)
	found := func(register []byte) Repaired {
		if err := os.WriteFile(path+suffixRegister, register, 0o644); err != nil {
			t.Fatal(err)
		}
		done, err := lastWhole(path + suffixOpen)
		if err != nil {
			t.Fatal(err)
		}
		if done.Cause != nil { // readers of gzip tell one damage in several ways
			done.Cause = errTorn
		}
		return done
	}
	all := registers(t, register)
	kinds := slices.Sorted(maps.Keys(all))
	for i := range len(data) / 7 { // each way of damage meets each register
		if testing.Short() && i%8 > 0 {
			continue
		}
		at, kind := 7*i, kinds[i/3%len(kinds)]
		damaged := bytes.Clone(data)
		switch i % 3 {
		case 0:
			damaged[at] ^= byte(at) | 1
		case 1:
			clear(damaged[at:min(len(data), at+300)])
		case 2:
			damaged = slices.Delete(damaged, at, min(len(data), at+1+at%90))
		}
		if err := os.WriteFile(path+suffixOpen, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if want, got := found(nil), found(all[kind]); got != want {
			t.Errorf("damaged at %d, register %s: %+v, without %+v", at, kind, got, want)
		}
	}
}

// Captures behind one that lacks a record are found, by whatever register.
func TestLastWholeWithoutRecord(t *testing.T) {
	name, data, register, batches := killed(t)
	path := filepath.Join(t.TempDir(), name)
	lost := batches[2][1]
	data = slices.Delete(data, int(lost.Offset), int(lost.Offset+lost.Length))
	if err := os.WriteFile(path+suffixOpen, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for kind, register := range registers(t, register) {
		if err := os.WriteFile(path+suffixRegister, register, 0o644); err != nil {
			t.Fatal(err)
		}
		done, err := lastWhole(path + suffixOpen)
		if err != nil || done.Captures != len(batches)-1 || done.Damaged != 1 || done.Cut > 0 {
			t.Errorf("register %s: %+v, %v", kind, done, err)
		}
	}
}

// Repair leaves a valid file under its final name, in which the places of all whole captures are
// true and no other, by whatever register.
func TestRepair(t *testing.T) {
	name, data, register, batches := killed(t)
	cuts := []int{0, 10, len(data) - 1, len(data)}
	for _, b := range batches {
		for _, loc := range b {
			cuts = append(cuts, int(loc.Offset), int(loc.Offset+1), int(loc.Offset+loc.Length-1))
		}
	}
	all := registers(t, register)
	kinds := slices.Sorted(maps.Keys(all))
	for i, n := range cuts {
		kind := kinds[i%len(kinds)]
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name+suffixOpen), data[:n], 0o644),
			os.WriteFile(filepath.Join(dir, name+suffixRegister), all[kind], 0o644)); err != nil {
			t.Fatal(err)
		}
		done, err := Repair(nil, dir)
		if err != nil || len(done) != 1 || done[0].File != name {
			t.Fatalf("cut at %d, register %s: %+v, %v", n, kind, done, err)
		}
		whole, _ := whole(batches, n)
		if done[0].Removed != (whole == 0) {
			t.Errorf("cut at %d, register %s: %+v", n, kind, done[0])
		}
		for i, b := range batches {
			for _, loc := range b {
				if err := wholeAt(dir, loc); (err == nil) != (i < whole) {
					t.Errorf("cut at %d, register %s: record of batch %d: %v", n, kind, i, err)
				}
			}
		}
		withoutRegister(t, dir, name, whole > 0)
	}
}

// withoutRegister holds that a folder has whole files, besides a register where one is to be.
func withoutRegister(t *testing.T, dir, name string, has bool) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name+suffixRegister)); (err == nil) != has {
		t.Errorf("register: %v", err)
	}
	clean(t, dir)
}

// A power cut may leave a hole with whole captures behind it: they stay where they are, by whatever
// register, and whoever reads the file finds them.
func TestRepairKeepsWhatIsBehindDamage(t *testing.T) {
	name, data, register, batches := killed(t)
	hole := batches[2][1]
	clear(data[hole.Offset : hole.Offset+hole.Length])
	for kind, register := range registers(t, register) {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		for file, b := range map[string][]byte{
			path + ".open": data, filepath.Join(dir, ".batch-1"): nil,
			path + disk.Suffix: nil, path + suffixRegister: register,
		} {
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		done, err := Repair(nil, dir)
		if err != nil || len(done) != 1 || done[0].Captures != len(batches)-1 || done[0].Damaged == 0 {
			t.Fatalf("register %s: %+v, %v", kind, done, err)
		}
		for i, b := range batches {
			for _, loc := range b {
				if err := wholeAt(dir, loc); (err == nil) != (loc != hole) {
					t.Errorf("register %s: record of batch %d: %v", kind, i, err)
				}
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
			t.Errorf("register %s: beside the file and its register lie others: %v, %v", kind, left, err)
		}
		if done, err := Repair(nil, dir); err != nil || done != nil {
			t.Errorf("again: %v, %v", done, err)
		}
	}
	if done, err := Repair(nil, filepath.Join(t.TempDir(), "nowhere")); err != nil || done != nil {
		t.Errorf("no folder: %v, %v", done, err)
	}
}

// TestRepairBesideFinished: a folder that was copied twice while it was written to has a file both
// finished and not. The unfinished one goes where the other begins with it, else it has a name of
// its own.
func TestRepairBesideFinished(t *testing.T) {
	name, data, _, batches := killed(t)
	half := batches[len(batches)/2][0].Offset
	for _, x := range []struct {
		finished []byte
		files    []string
	}{
		{data, []string{name}},
		{data[:half], []string{name, strings.TrimSuffix(name, suffixWARC) + "~1" + suffixWARC}},
		{append([]byte("other"), data...), []string{
			name, strings.TrimSuffix(name, suffixWARC) + "~1" + suffixWARC,
		}},
	} {
		dir := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name+suffixOpen), data[:len(data)-1], 0o644),
			os.WriteFile(filepath.Join(dir, name), x.finished, 0o644)); err != nil {
			t.Fatal(err)
		}
		done, err := Repair(nil, dir)
		if err != nil || len(done) != 1 || done[0].File != x.files[len(x.files)-1] {
			t.Fatal(done, err)
		}
		files, err := Files(dir)
		if slices.Sort(files); err != nil || !slices.Equal(files, x.files) {
			t.Errorf("of %d bytes: %v, %v", len(x.finished), files, err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(b, x.finished) {
			t.Error("the finished file was changed", err)
		}
		last := batches[len(batches)-2][0]
		last.File = x.files[len(x.files)-1]
		if err := wholeAt(dir, last); err != nil {
			t.Error(err)
		}
	}
}
