package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"watershed/page"
)

// Whatever becomes of some bytes at the end of a capture, in the middle or at the end of a file: a
// capture is whole where the file still unzips to the same bytes, else it is lost, and it alone.
// Damage may have the last record of a capture followed by more bytes in its gzip member; it was
// taken for whole then, and compaction left it out with all that lay behind it.
func TestIntactByEachByte(t *testing.T) {
	dir, mains := spooledBy(t, Options{Register: true}, 4)
	path := filepath.Join(dir, mains[0].File)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	register, err := os.ReadFile(path + suffixRegister)
	if err != nil {
		t.Fatal(err)
	}
	text := unzipped(file)
	changes := []func(byte) byte{
		func(byte) byte { return 0 }, func(byte) byte { return 0xff }, func(b byte) byte { return b + 1 },
		func(b byte) byte { return b ^ 0x80 }, func(b byte) byte { return b ^ 0x5a },
	}
	for last, end := range map[int]int64{2: mains[3].Offset, 3: int64(len(file))} {
		for at := end - 60; at < end; at++ {
			for i, change := range changes {
				if (int(at)+i)%len(changes) > 0 { // a fifth of them costs a second
					continue
				}
				damaged := bytes.Clone(file)
				for j := at; j < min(end, at+int64(1+19*(i%2))); j++ { // one byte, or twenty
					damaged[j] = change(damaged[j])
				}
				same := bytes.Equal(unzipped(damaged), text)
				register := register
				if at%2 == 0 {
					register = nil // it is not there
				}
				found := intact(t, path, damaged, register)
				for k, loc := range mains {
					if want := k != last || same; found[loc] != want {
						t.Fatalf("capture %d ends with %x in place of %x, register %t: %d is whole: %v", last,
							damaged[at:end], file[at:end], register != nil, k, found[loc])
					}
				}
			}
		}
	}
}

// A capture is lost, and it alone, whose last record is followed by more in its gzip member.
func TestIntactWithMoreInMember(t *testing.T) {
	dir, mains := spooledBy(t, Options{Register: true}, 4)
	path := filepath.Join(dir, mains[0].File)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := mains[3].Offset
	at := int64(bytes.LastIndex(file[:end], []byte{0x1f, 0x8b, 8})) // the metadata of capture 2
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	if _, err := w.Write(append(unzipped(file[at:end]), "more"...)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	longer := int64(member.Len()) - (end - at)
	found := intact(t, path, slices.Concat(file[:at], member.Bytes(), file[end:]), nil)
	behind := mains[3]
	behind.Offset += longer
	if !found[mains[1]] || found[mains[2]] || !found[behind] {
		t.Errorf("whole are %v of %v", found, mains)
	}
}

// intact gives the captures of a file of these bytes that are whole, which are those that compaction
// takes.
func intact(t *testing.T, path string, file, register []byte) map[page.Location]bool {
	t.Helper()
	for name, b := range map[string][]byte{path: file, path + suffixRegister: register} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found, taken := map[page.Location]bool{}, map[page.Location]bool{}
	if err := Intact(path, func(loc page.Location) { found[loc] = true }); err != nil {
		t.Fatal(err)
	}
	f := compacting{c: &Compaction{Keep: func(loc page.Location) bool {
		taken[loc] = true
		return true
	}}, sum: &Compacted{}, name: filepath.Base(path)}
	var err error
	if f.src, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.src.Close() //nolint:errcheck // it was only read
	if err := f.sort(); err != nil {
		t.Fatal(err)
	}
	for loc := range found {
		if !taken[loc] && loc.Offset > f.info.loc.Offset {
			t.Fatalf("%v is whole, and compaction left it out: %v", loc, f.sum.Damaged)
		}
	}
	return found
}

// unzipped is what another reader makes of a file, nil where it is damaged.
func unzipped(file []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return text
}
