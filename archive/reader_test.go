package archive

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// testdata/make.py wrote the files with Python's gzip and hashlib; places were told by Python's
// zlib.
var goldenFiles = []struct {
	name   string
	places [][2]int64 // offset, length
	quirks []Quirk
	sought bool // records can be read by their places
}{
	{"good.warc.gz", [][2]int64{{0, 277}, {277, 436}, {713, 309}, {1022, 437}}, []Quirk{0, 0, 0, 0}, true},
	{"plain.warc", [][2]int64{{0, 368}, {368, 706}, {1074, 518}, {1592, 762}}, []Quirk{0, 0, 0, 0}, true},
	{"onegzip.warc.gz", [][2]int64{{0, 0}, {0, 0}, {0, 0}, {0, 0}}, []Quirk{
		QuirkShared, QuirkShared,
		QuirkShared, QuirkShared,
	}, false},
	{"odd.warc.gz", nil, []Quirk{
		0, QuirkBrackets | QuirkFolded, QuirkBrackets | QuirkLineEnd,
		QuirkBrackets | QuirkTrailer,
	}, true},
}

func TestReadGolden(t *testing.T) {
	for _, g := range goldenFiles {
		t.Run(g.name, func(t *testing.T) {
			r, err := OpenFile(filepath.Join("testdata", g.name))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for i, want := range []string{"warcinfo", "response", "request", "revisit"} {
				rec, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				if rec.Type() != want {
					t.Errorf("record %d is a %s, want %s", i, rec.Type(), want)
				}
				if want != "warcinfo" && rec.TargetURI() != "http://example.org/chunked" {
					t.Errorf("target of %s is %q", want, rec.TargetURI())
				}
				if want == "response" {
					checkGoldenResponse(t, rec)
				}
				loc, err := r.Location()
				if err != nil {
					t.Fatal(err)
				}
				if rec.Quirks != g.quirks[i] {
					t.Errorf("record %d has quirks %q, want %q", i, rec.Quirks, g.quirks[i])
				}
				if g.places != nil &&
					(loc != page.Location{File: g.name, Offset: g.places[i][0], Length: g.places[i][1]}) {
					t.Errorf("record %d lies at %v, want %v", i, loc, g.places[i])
				}
				if g.sought {
					reopened(t, loc, rec.ID())
				}
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("after the last record: %v", err)
			}
		})
	}
}

func checkGoldenResponse(t *testing.T, rec *Record) {
	t.Helper()
	at, err := rec.Date()
	if err != nil || !at.Equal(start) {
		t.Errorf("date %v, %v", at, err)
	}
	if got := rec.Header.Get("warc-ip-address"); got != "192.0.2.7" {
		t.Errorf("address %q", got)
	}
	m, err := rec.HTTP()
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != 200 || m.MIME() != "text/plain" || !m.Chunked() {
		t.Errorf("message %+v", m)
	}
	body, err := io.ReadAll(m.Payload())
	if err != nil || string(body) != "Hello, archive!\n" || m.FramingError() != nil {
		t.Errorf("payload %q, %v, %v", body, err, m.FramingError())
	}
}

// reopened reads the record at its place alone.
func reopened(t *testing.T, loc page.Location, id string) {
	t.Helper()
	rec, err := Open("testdata", loc)
	if err != nil {
		t.Error(err)
		return
	}
	if rec.ID() != id {
		t.Errorf("at %v lies %s, not %s", loc, rec.ID(), id)
	}
	if err := errors.Join(rec.Close(), wholeAt("testdata", loc)); err != nil {
		t.Error(err)
	}
	loc.Length--
	if err := wholeAt("testdata", loc); err == nil {
		t.Errorf("%v is told to be whole", loc)
	}
}

// A file that was cut anywhere gives all records before the cut, and then an error that says where.
func TestReadTruncatedAnywhere(t *testing.T) {
	for _, name := range []string{"good.warc.gz", "plain.warc"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		places := goldenFiles[0].places
		if name == "plain.warc" {
			places = goldenFiles[1].places
		}
		for n := range data {
			whole, at := 0, int64(0)
			for whole < len(places) && places[whole][0]+places[whole][1] <= int64(n) {
				at = places[whole][0] + places[whole][1]
				whole++
			}
			got, err := countRecords(data[:n], name)
			// of a plain record the two line ends may be missing; of a gzip member nothing may
			if got != whole && !(name == "plain.warc" && got == whole+1) {
				t.Fatalf("%s cut at %d: %d records, want %d (%v)", name, n, got, whole, err)
			}
			if int64(n) == at || got > whole {
				continue
			}
			var format *FormatError
			if !errors.As(err, &format) || format.Offset != at || format.File != name {
				t.Fatalf("%s cut at %d: error %v, want one at %d", name, n, err, at)
			}
		}
	}
}

func countRecords(data []byte, name string) (n int, err error) {
	r, err := NewReader(bytes.NewReader(data), name)
	if err != nil {
		return 0, err
	}
	for {
		if _, err = r.Next(); err == nil {
			_, err = r.Location()
		}
		if err != nil {
			return n, err
		}
		n++
	}
}

func TestReadDamaged(t *testing.T) {
	head := "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\n"
	for _, tt := range []struct {
		name, data string
		want       error
	}{
		{"no record", "<html>", errNotWARC},
		{"no Content-Length", head + "\r\nabc\r\n\r\n", errHeader},
		{"negative Content-Length", head + "Content-Length: -1\r\n\r\nabc\r\n\r\n", errHeader},
		{"huge Content-Length", head + "Content-Length: 99999999999999999999\r\n\r\nabc\r\n\r\n", errHeader},
		{"no type", "WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n", errHeader},
		{"block too long", head + "Content-Length: 3\r\n\r\nabcdef\r\n\r\n", errLength},
		{"block too short", head + "Content-Length: 30\r\n\r\nabc\r\n\r\n", errTruncated},
		{"block too short in gzip", gzipped(head + "Content-Length: 30\r\n\r\nabc\r\n\r\n"), errLength},
		{"endless header", head + strings.Repeat("X: y\r\n", 1<<18), errHeader},
		{"bytes behind the member", gzipped(head+"Content-Length: 0\r\n\r\n\r\n\r\n") + "junk", errGzip},
		{"gzip header cut", "\x1f\x8b\x08", errTruncated},
		{"no deflate data", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff\xff", errGzip},
		{"wrong checksum", wrongSum(gzipped(head + "Content-Length: 3\r\n\r\nabc\r\n\r\n")), errGzip},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := countRecords([]byte(tt.data), "f.warc")
			var format *FormatError
			if !errors.Is(err, tt.want) || !errors.As(err, &format) {
				t.Errorf("error %v, want a FormatError of %v", err, tt.want)
			}
		})
	}
}

func wrongSum(s string) string {
	b := []byte(s)
	b[len(b)-8] ^= 1
	return string(b)
}

func TestRecover(t *testing.T) {
	for _, name := range []string{"good.warc.gz", "plain.warc"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		second := goldenFiles[0].places[1]
		if name == "plain.warc" {
			second = goldenFiles[1].places[1]
		}
		path := filepath.Join(t.TempDir(), name)
		copy(data[second[0]:], "XXXX") // the response is not readable
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var kinds []string
		for {
			rec, err := r.Next()
			if err == nil {
				kinds = append(kinds, rec.Type())
				_, err = r.Location()
			}
			if err != nil && !r.Recover() {
				break
			}
		}
		if diff := cmp.Diff([]string{"warcinfo", "request", "revisit"}, kinds); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestHeader(t *testing.T) {
	var h Header
	h.Add("A", "1")
	h.Add("b", "")
	h.Add("a", "2")
	h.Set("c", "x\r\nInjected: y\x00é")
	h.Set("C", h.Get("c")+"z")
	if got, want := string(h.appendTo(nil)), "A: 1\r\na: 2\r\nc: x  Injected: y éz\r\n"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if got := h.All("A"); len(got) != 2 || h.Has("b") || !h.Has("C") {
		t.Errorf("All %v of %v", got, h)
	}
	if diff := cmp.Diff(Header{{"software", "x"}, {"long", "a b"}},
		ParseFields([]byte("software: x\r\nlong: a\r\n b\r\nnonsense\r\n"))); diff != "" {
		t.Error(diff)
	}
}

// shortRecord is a WARC record that fuzzing can take apart quickly.
const shortRecord = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: " +
	"17\r\n\r\n" +
	"HTTP/1.1 200\r\n\r\nb\r\n\r\n"

// The seeds are small: what fuzzing finds in a file of kilobytes it shortens for minutes.
func FuzzReader(f *testing.F) {
	member := gzipped(shortRecord)
	for _, s := range []string{
		shortRecord, member, member + member, gzipped(shortRecord + shortRecord), member[:len(member)-9],
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(readBytes)
}

func TestReadBytesOfGoldenFiles(t *testing.T) {
	for _, g := range goldenFiles {
		data, err := os.ReadFile(filepath.Join("testdata", g.name))
		if err != nil {
			t.Fatal(err)
		}
		readBytes(t, data)
	}
}

// readBytes reads records to the first error. Their places follow one another within the file, and
// their index lines are read back.
func readBytes(t *testing.T, data []byte) {
	r, err := NewReader(bytes.NewReader(data), "fuzz")
	if err != nil {
		t.Fatal(err)
	}
	end := int64(0)
	for {
		rec, err := r.Next()
		if err != nil {
			return
		}
		if e, err := newEntry(rec); err == nil && e != nil {
			if _, err := parseEntry(e.Append(nil)); err != nil && e.Key != "" && e.Key[0] != '!' {
				t.Errorf("own index line is not read: %v", err)
			}
		}
		loc, err := r.Location()
		if err != nil {
			return
		}
		if loc.Length != 0 && (loc.Offset < end || loc.Offset+loc.Length > int64(len(data))) {
			t.Errorf("record at %v, the last ended at %d of %d", loc, end, len(data))
		}
		end = loc.Offset + loc.Length
	}
}
