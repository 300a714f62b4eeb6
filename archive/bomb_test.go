package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"watershed/lab/kit/bomb"
)

// member is a gzip member of a text.
func member(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text) // to memory
	_ = w.Close()                  // to memory
	return b.Bytes()
}

const smallRecord = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x>\r\nContent-Length: " +
	"2\r\n\r\nab\r\n\r\n"

// recovered reads a file through, going on behind damage, and counts its records.
func recovered(t *testing.T, file []byte) (records int) {
	t.Helper()
	r, err := newFileReader(bytes.NewReader(file), "x.warc")
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err := r.Next()
		if err == nil {
			records++
		} else if errors.Is(err, io.EOF) || !r.Recover() {
			return records
		}
	}
}

// TestRecoverWork: looking for places to go on costs some times the bytes of the file, whatever the
// file is made of. Each of these files made it read the file, or a megabyte of it, for each of its
// records.
func TestRecoverWork(t *testing.T) {
	const size = 2 << 20
	many := func(text string) []byte { return bytes.Repeat([]byte(text), size/len(text)) }
	long := "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n"
	cut := member(smallRecord)[:30]
	for name, file := range map[string][]byte{
		"records longer than the file": many(fmt.Sprintf(long, 1<<40)),
		"records as long as the file":  many(fmt.Sprintf(long, size/2)),
		"versions":                     many("WARC/1.1\r\n"),
		"beginnings":                   many("WARC/"),
		"headers without end":          many("WARC/1.1\r\nA: b\r\n"),
		"beginnings of members":        append(cut, many("\x1f\x8b\x08\x00")...),
		"empty members":                append(cut, bytes.Repeat(member(""), size/23)...),
		"members of line ends": append(cut,
			bytes.Repeat(member(strings.Repeat("\n", 1<<20)), 200)...),
		"members of headers": append(cut,
			bytes.Repeat(member("WARC/1.1\r\n"+strings.Repeat("A: b\r\n", 1<<17)), 100)...),
		"records that hold line ends":   bytes.Repeat(member(smallRecord+strings.Repeat("\r\n", 1<<20)), 200),
		"a plain file of line ends":     many("\n"),
		"damage between members, again": many(string(member(smallRecord)) + "damage"),
	} {
		t.Run(name, func(t *testing.T) {
			bomb.Holds(t, 512<<20, func() { recovered(t, file) })
		})
	}
}

// TestRecoverEnough: the bound on the work is far from what damage in every record costs.
func TestRecoverEnough(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	var plain, zipped bytes.Buffer
	for range n {
		plain.WriteString(smallRecord)
		plain.WriteString(strings.Replace(smallRecord, "Length: 2", "Length: 1", 1))
		broken := member(smallRecord)
		broken[len(broken)-6] ^= 1
		zipped.Write(member(smallRecord))
		zipped.Write(broken)
	}
	if got := recovered(t, plain.Bytes()); got < n {
		t.Errorf("%d records of a plain file, want %d", got, n)
	}
	if got := recovered(t, zipped.Bytes()); got < n {
		t.Errorf("%d records of a zipped file, want %d", got, n)
	}
}

// TestStream: a reader that cannot go back goes no further than the damage, and says so.
func TestStream(t *testing.T) {
	file := append(member(smallRecord), member(smallRecord)[:40]...)
	r, err := newStreamReader(bytes.NewReader(file), "x.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	_, err = r.Next()
	var format *FormatError
	if !errors.As(err, &format) || r.Recover() {
		t.Errorf("%v, and goes on", err)
	}
	if empty := (&FileReader{Reader: new(Reader)}); empty.Recover() {
		t.Error("a reader of nothing goes on")
	}
}

// TestFolds: a header of nothing but continued lines is read in one go.
func TestFolds(t *testing.T) {
	head := "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 0\r\nX:\r\n" + strings.Repeat(" a\n",
		300_000) + "\r\n"
	bomb.Holds(t, 64<<20, func() {
		r, err := NewReader(strings.NewReader(head+"\r\n\r\n"), "x.warc")
		if err != nil {
			t.Fatal(err)
		}
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := rec.Header.Get("X"); got != strings.TrimSpace(strings.Repeat("a ", 300_000)) {
			t.Errorf("a value of %d bytes", len(got))
		}
	})
}

// TestOverlap: a package whose files share their bytes is refused.
func TestOverlap(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"datapackage.json", "archive/a.warc"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, "{}"+strings.Repeat(" ", 1<<10))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.wacz")
	for want, times := range map[error]int{nil: 1, errOverlap: 1000} {
		if err := os.WriteFile(path, manyEntries(t, b.Bytes(), times), 0o666); err != nil {
			t.Fatal(err)
		}
		w, err := OpenWACZ(path)
		if !errors.Is(err, want) {
			t.Errorf("%d times: %v, want %v", times, err, want)
		}
		if err == nil {
			_ = w.Close() // it was only read
		}
	}
}

// manyEntries repeats the last entry of a ZIP's directory, so that several name the same bytes.
func manyEntries(t *testing.T, zipped []byte, times int) []byte {
	t.Helper()
	end := bytes.LastIndex(zipped, []byte("PK\x05\x06"))
	last := bytes.LastIndex(zipped[:end], []byte("PK\x01\x02"))
	entry := zipped[last:end]
	out := append(bytes.Clone(zipped[:last]), bytes.Repeat(entry, times)...)
	tail := bytes.Clone(zipped[end:])
	put := func(at, n, v int) {
		for i := range n {
			tail[at+i] = byte(v >> (8 * i))
		}
	}
	put(8, 2, times+1)
	put(10, 2, times+1)
	start := int(tail[16]) | int(tail[17])<<8 | int(tail[18])<<16
	put(12, 4, len(out)-start)
	return append(out, tail...)
}

// TestVerifyTwice: a file that datapackage.json lists again and again is read once.
func TestVerifyTwice(t *testing.T) {
	w := &WACZ{Data: DataPackage{Resources: make([]PackageFile, 1000)}, zip: new(zip.Reader)}
	bad := w.Verify()
	if len(bad) != 1000 || !strings.Contains(bad[1].Error(), "listed twice") ||
		strings.Contains(bad[0].Error(), "twice") {
		t.Errorf("%d faults: %v", len(bad), bad[:2])
	}
}
