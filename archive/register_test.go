package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"watershed/page"
)

func TestRegisterLine(t *testing.T) {
	// The example in the description of the format; the sums are those of libxxhash.
	r := registered{
		part:  part{kind: TypeRequest, id: "<r>", loc: page.Location{Offset: 300, Length: 8}},
		named: []string{"<m>"}, sum: xxh3.Hash(nil),
	}
	const want = "24" + "738ca2744c0dc907" + "2d06800538d394c2" + "ac02" + "08" + "0772657175657374" +
		"033c723e" + "01" + "033c6d3e"
	if got := hex.EncodeToString(r.appendTo(nil)); got != want {
		t.Errorf("line is\n%s, want\n%s", got, want)
	}
	posted := r
	posted.asked = &asked{method: "POST", query: "q=dam"}
	r.kind, r.entry = TypeResponse, &Entry{
		Key: "org,example)/", Timestamp: "20260304050607", URL: "http://example.org/",
		MIME: "text/html", Status: "200", Digest: "sha256:0",
	}
	for _, r := range []registered{r, posted} {
		line := r.appendTo(nil)[1:]
		back, err := parseRegistered(line)
		diff := cmp.Diff(r, back, cmp.AllowUnexported(registered{}, part{}, asked{}))
		if diff != "" || err != nil {
			t.Errorf("read back: %v, wrote - read +\n%s", err, diff)
		}
		for i := range line {
			if x, err := parseRegistered(line[:i]); err == nil && (x.entry != nil || x.asked != nil) {
				t.Errorf("the first %d of %d bytes are a line: %+v", i, len(line), x)
			}
		}
	}
}

func FuzzRegister(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\x01a\x01b\x00"))
	f.Fuzz(func(t *testing.T, line []byte) {
		line = append(binary.BigEndian.AppendUint64(nil, xxh3.Hash(line)), line...)
		if r, err := parseRegistered(line); err == nil && (r.loc.Offset < 0 || r.loc.Length <= 0) {
			t.Errorf("%x is at %v", line, r.loc)
		}
	})
}

// compact keeps all, and tells what was found.
func compact(t *testing.T, from string) (sum Compacted, index []Entry) {
	t.Helper()
	sum, err := Compact(Compaction{
		From: from, To: t.TempDir(), Keep: func(page.Location) bool { return true },
		Index: func(e Entry) error { index = append(index, e); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum, index
}

// TestRegisterChangesNothing sorts a file that is damaged anywhere, by a register that is damaged
// anywhere, and without one.
func TestRegisterChangesNothing(t *testing.T) {
	dir, mains := spooledBy(t, Options{Register: true}, 24)
	name := mains[0].File
	file, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	register, err := os.ReadFile(filepath.Join(dir, name+suffixRegister))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	sorted := func(rt *rapid.T) map[string]any {
		sum := Compacted{}
		f := compacting{c: &Compaction{
			Keep:  func(l page.Location) bool { return l.Offset%3 != 0 },
			Index: func(Entry) error { return nil },
		}, sum: &sum, name: name}
		var err error
		if f.src, err = os.Open(path); err != nil {
			rt.Fatal(err)
		}
		defer f.src.Close()
		if err := f.sort(); err != nil {
			rt.Fatal(err)
		}
		// The register says where a record is and the other way reads up to it, so that a decoder meets
		// the same damage a few bytes earlier or later: the places are equal, the words need not be.
		places := []string{}
		for _, err := range sum.Damaged {
			place := err.Error()
			if at := (*FormatError)(nil); errors.As(err, &at) {
				place = fmt.Sprintf("%s@%d", at.File, at.Offset)
			}
			places = append(places, place)
		}
		return map[string]any{"info": f.info, "kept": f.kept, "left": f.left, "damage": places}
	}
	rapid.Check(t, func(rt *rapid.T) {
		damaged := func(b []byte, what string) []byte {
			if rapid.IntRange(0, 2).Draw(rt, what) == 0 {
				return b
			}
			b = bytes.Clone(b)
			at := rapid.IntRange(0, len(b)-1).Draw(rt, "at")
			switch rapid.IntRange(0, 2).Draw(rt, "how") {
			case 0:
				b[at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "by"))
			case 1:
				b = b[:at]
			case 2:
				b = slices.Delete(b, at, min(len(b), at+rapid.IntRange(1, 300).Draw(rt, "bytes")))
			}
			return b
		}
		err := errors.Join(os.WriteFile(path, damaged(file, "file"), 0o644), os.WriteFile(path+suffixRegister,
			damaged(register, "register"), 0o644))
		if err != nil {
			rt.Fatal(err)
		}
		by := sorted(rt)
		if err := os.Remove(path + suffixRegister); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(sorted(rt), by, cmp.AllowUnexported(bundle{}, part{})); diff != "" {
			rt.Fatalf("without - by the register +\n%s", diff)
		}
	})
}

// TestRegisterTellsAll reads a file of every kind of record by its register alone.
func TestRegisterTellsAll(t *testing.T) {
	dir, mains := spooledBy(t, Options{Register: true}, 30)
	name := mains[0].File
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := newParts(f, name, true)
	defer p.register.close()
	n := 0
	for {
		x, _, err := p.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.r != nil {
			t.Fatalf("record %d, %s at %d, was read from the file", n, x.kind, x.loc.Offset)
		}
		n++
	}
	if want := 1 + 6 + 24*3; n != want { // warcinfo, host answers, captures
		t.Errorf("%d records, want %d", n, want)
	}
}

// TestRegisterOfWhatReadersRefuse has a response without an HTTP head, which no index can have: the
// fault is found with a register too, and the record is kept.
func TestRegisterOfWhatReadersRefuse(t *testing.T) {
	w := testWriter(t, Options{Register: true})
	d := Draft{Block: section("\x00"), Header: Header{
		{fieldType, TypeResponse},
		{fieldID, NewID()},
		{fieldDate, Date(start)},
		{fieldURI, "http://example.org/"},
		{fieldContentType, mimeResponse},
	}}
	write(t, w, d)
	x := exchange("http://example.org/1", "HTTP/1.1 200 OK\nContent-Type: text/plain", "a")
	write(t, w, capture(t, x, Meta{}, page.Origin{})...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if sum, index := compact(t, w.opt.Dir); len(sum.Damaged) != 1 || len(index) != 1 || sum.Kept != 2 {
		t.Errorf("%d faults, %d index lines, %d captures, want 1, 1, 2: %v", len(sum.Damaged), len(index),
			sum.Kept, sum.Damaged)
	}
}

// TestRegisterAfterKill compacts what a kill leaves: a file cut short by Repair, whose register
// knows more, or less.
func TestRegisterAfterKill(t *testing.T) {
	for _, cut := range []int64{0, 1, 200} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			w := testWriter(t, Options{Register: true})
			for i := range 4 {
				x := exchange(page.URL(fmt.Sprintf("http://example.org/%d", i)),
					"HTTP/1.1 200 OK\nContent-Type: text/plain", "a")
				write(t, w, capture(t, x, Meta{}, page.Origin{})...)
				if i == 1 {
					if err := w.Sync(); err != nil {
						t.Fatal(err)
					}
				}
			}
			name, size := w.Current()
			text, err := os.ReadFile(filepath.Join(w.opt.Dir, name+suffixOpen))
			if err != nil {
				t.Fatal(err)
			}
			register, err := os.ReadFile(filepath.Join(w.opt.Dir, name+suffixRegister))
			if err != nil || bytes.Count(register, []byte(TypeResponse)) != 2 {
				t.Fatalf("the register tells of %d responses after Sync, want 2 (%v)",
					bytes.Count(register, []byte(TypeResponse)), err)
			}
			dir := t.TempDir()
			for n, b := range map[string][]byte{
				name + suffixOpen:     text[:size-cut],
				name + suffixRegister: register,
			} {
				if err := os.WriteFile(filepath.Join(dir, n), b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := Repair(nil, dir); err != nil {
				t.Fatal(err)
			}
			want := 4 - b2i(cut > 0)
			if sum, index := compact(t, dir); len(index) != want || sum.Kept != want || sum.Damaged != nil {
				t.Errorf("%d captures, %d index lines, want %d: %v", sum.Kept, len(index), want, sum.Damaged)
			}
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
