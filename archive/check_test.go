package archive

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"watershed/page"
)

// A file that lies in a folder and in a package beside it is checked twice, and is no fault: its
// records are copies. A record that stands twice in a file, or whose id another record took, is.
func TestCheckSharedIDs(t *testing.T) {
	w := testWriter(t, Options{})
	x := exchange("http://example.org/", "HTTP/1.1 200 OK\nContent-Type: text/html", "hello")
	write(t, w, capture(t, x, Meta{}, page.Origin{})...)
	name, _ := w.Current()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(w.opt.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name  string
		other []byte
		want  int
	}{
		{"a copy", text, 0},
		{"twice in a file", append(bytes.Clone(text), text...), 4},
		{"of another date", bytes.ReplaceAll(text, []byte("WARC-Date: 2"), []byte("WARC-Date: 1")), 4},
	} {
		t.Run(x.name, func(t *testing.T) {
			other := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".gz"))
			if err := os.WriteFile(other, x.other, 0o666); err != nil {
				t.Fatal(err)
			}
			reports, err := checkFiles(t.TempDir(), filepath.Join(w.opt.Dir, name), other)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, rep := range reports {
				for _, p := range rep.Problems {
					if strings.Contains(p.Text, "that of another record") {
						got++
					}
				}
			}
			if got != x.want {
				t.Errorf("%d records share their ids, want %d", got, x.want)
			}
		})
	}
}

// TestCheckPayloadDigest: a payload digest is of the payload; older writers took the framing in.
func TestCheckPayloadDigest(t *testing.T) {
	const payload, framed = "hello", "5\r\nhello\r\n0\r\n\r\n"
	sum := func(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }
	for _, x := range []struct {
		name, digest, want string
		agreed             int
	}{
		{"the payload", sum(payload), "", 1},
		{"the framing, too", sum(framed), "covers the chunk framing, not the payload", 0},
		{"other bytes", sum("other"), "is not that of the bytes", 0},
		{"of no known kind", "crc:1", "", 0},
	} {
		body := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed
		path := filepath.Join(t.TempDir(), "a.warc")
		if err := os.WriteFile(path, []byte("WARC/1.1\r\nWARC-Type: response\r\n"+
			"WARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"+
			"WARC-Target-URI: http://a.example/\r\nContent-Type: application/http;msgtype=response\r\n"+
			"WARC-Payload-Digest: "+x.digest+"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+
			body+"\r\n\r\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		reports, err := checkFiles(t.TempDir(), path)
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, p := range reports[0].Problems {
			if rest, ok := strings.CutPrefix(p.Text, "WARC-Payload-Digest "); ok {
				told += rest
			}
		}
		if told != x.want || reports[0].Digests != x.agreed {
			t.Errorf("%s: %q, %d agreed, want %q, %d", x.name, told, reports[0].Digests, x.want, x.agreed)
		}
	}
}

// TestCheckRelations: a record names others of its file, of its address and its date, and a warcinfo
// that stands before it.
func TestCheckRelations(t *testing.T) {
	record := func(kind, id, uri, more string) string {
		return "WARC/1.1\r\nWARC-Type: " + kind + "\r\nWARC-Record-ID: <urn:x:" + id + ">\r\n" +
			"WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://" + uri + "/\r\n" + more +
			"Content-Length: 0\r\n\r\n\r\n\r\n"
	}
	info := strings.ReplaceAll(record("warcinfo", "info", "a", "WARC-Filename: 0.warc\r\n"),
		"WARC-Target-URI: http://a/\r\n", "")
	to := func(id string) string { return "WARC-Concurrent-To: <urn:x:" + id + ">\r\n" }
	of := func(id string) string { return "WARC-Warcinfo-ID: <urn:x:" + id + ">\r\n" }
	for _, x := range []struct {
		name  string
		files []string
		want  []string // problems, each with the number of its file
	}{
		{"good", []string{info + record("resource", "1", "a", to("2")+of("info")) +
			record("resource", "2", "a", to("1"))}, nil},
		{
			"in another file",
			[]string{info + record("resource", "1", "a", to("2")), record("resource", "2", "a", "")},
			[]string{"0 WARC-Concurrent-To names a record that is not in this file"},
		},
		{
			"nowhere, and twice",
			[]string{info + record("resource", "1", "a", to("2")+to("3"))},
			[]string{
				"0 WARC-Concurrent-To names a record that is not in this file",
				"0 WARC-Concurrent-To names a record that is not in this file",
			},
		},
		{
			"another address",
			[]string{info + record("resource", "1", "a", to("2")) + record("resource", "2", "b", "")},
			[]string{"0 concurrent with a record of another address"},
		},
		{
			"another date",
			[]string{info + record("resource", "1", "a", to("2")) +
				strings.Replace(record("resource", "2", "a", ""), "2020", "2021", 1)},
			[]string{"0 concurrent with a record of another date"},
		},
		{
			"no warcinfo",
			[]string{info + record("resource", "1", "a", "") + record("resource", "2", "a", of("1"))},
			[]string{"0 WARC-Warcinfo-ID names no warcinfo before it in this file"},
		},
		{
			"a warcinfo behind it",
			[]string{info + record("resource", "1", "a", of("2")) +
				strings.Replace(info, ":info", ":2", 1)},
			[]string{"0 WARC-Warcinfo-ID names no warcinfo before it in this file"},
		},
		{"a warcinfo that is not the last", []string{info + strings.Replace(info, ":info", ":2", 1) +
			record("resource", "1", "a", of("info"))}, nil},
		{
			"a warcinfo of another file",
			[]string{info, record("resource", "1", "a", of("info"))},
			[]string{"1 WARC-Warcinfo-ID names no warcinfo before it in this file"},
		},
		{
			"an id of another file",
			[]string{info + record("resource", "1", "a", ""), record("resource", "1", "b", "")},
			[]string{"1 WARC-Record-ID is that of another record, in 0.warc"},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for i, text := range x.files {
				path := filepath.Join(dir, strconv.Itoa(i)+".warc")
				paths = append(paths, path)
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			reports, err := checkFiles(dir, paths...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, rep := range reports {
				for _, p := range rep.Problems {
					if p.Offset >= 0 {
						got = append(got, strconv.Itoa(i)+" "+strings.ReplaceAll(p.Text, dir+"/", ""))
					}
				}
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
}

// TestCheckDates: a date is an error exactly where no reader can take it, or where the version does
// not know its form; the index has the first moment of a short one. Records of unknown types are a
// warning.
func TestCheckDates(t *testing.T) {
	for _, x := range []struct {
		version, kind, date string
		ok                  bool
		at                  string // in the index, "" for none
	}{
		{"1.0", TypeResource, "2020-01-02T03:04:05Z", true, "20200102030405"},
		{"1.0", TypeResource, "2020-13-41T03:04:05Z", false, ""},
		{"1.0", TypeResource, "2020", false, "20200101000000"},
		{"1.1", TypeResource, "2020", true, "20200101000000"},
		{"1.1", TypeResource, "2020-02", true, "20200201000000"},
		{"1.1", TypeResource, "2020-02-03", true, "20200203000000"},
		{"1.1", TypeResource, "2020-02-03T04:05Z", true, "20200203040500"},
		{"1.1", TypeResource, "2020-02-03T04:05:06.789Z", true, "20200203040506"},
		{"1.1", TypeResource, "2020-13", false, ""},
		{"1.1", "screenshot", "2020", true, ""},
	} {
		t.Run(x.version+" "+x.kind+" "+x.date, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.warc")
			text := strings.Replace(smallRecord, "resource", x.kind+"\r\nContent-Type: text/plain\r\n"+
				"WARC-Target-URI: http://a.example/\r\nWARC-Date: "+x.date, 1)
			text = strings.Replace(text, "1.1", x.version, 1)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			rep, err := checkFile(path)
			if err != nil || rep.OK() != x.ok {
				t.Errorf("checked %v, %v", rep.Problems, err)
			}
			at := ""
			err = indexWARC(path, func(e Entry) error {
				at = e.Timestamp
				return nil
			})
			if at != x.at || (err == nil) != (x.at != "" || x.kind != TypeResource) {
				t.Errorf("indexed at %q, %v", at, err)
			}
		})
	}
}

// TestCheckUnfinished: a file that is being written ends anywhere, which is no damage; one that was
// finished and is cut there is damaged.
func TestCheckUnfinished(t *testing.T) {
	dir := t.TempDir()
	name, data := twoCaptures(t)
	for n := 1; n < len(data); n += 61 {
		for suffix, ok := range map[string]bool{suffixOpen: true, "": false} {
			path := filepath.Join(dir, name+suffix)
			if err := os.WriteFile(path, data[:n], 0o666); err != nil {
				t.Fatal(err)
			}
			rep, err := checkFile(path)
			if whole := !ok && err == nil && wholeMembers(data[:n]); err != nil || rep.OK() != (ok || whole) {
				t.Errorf("%s with %d bytes: %v, %v", suffix, n, rep.Problems, err)
			}
		}
	}
}

// TestCheckIndex: a record that was taken out of its file, and one that lies elsewhere by then, are told
// by the index that names them, not by those of files of that name in other folders.
func TestCheckIndex(t *testing.T) {
	name, data := twoCaptures(t)
	dir := t.TempDir()
	path, index := filepath.Join(dir, name), filepath.Join(dir, "index.cdxj")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	var lines []byte
	var first Entry
	if err := indexWARC(path, func(e Entry) error {
		if lines = e.Append(lines); first.URL == "" {
			first = e
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	lines = append(lines, bytes.ReplaceAll(lines, []byte(name), []byte("away"))...)
	if err := os.WriteFile(index, lines, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		cut  int64 // bytes taken out from the first capture on
		want []string
	}{
		{"whole", 0, nil},
		{"a record taken out", first.Length, []string{"is not at", "is not in its file"}},
		{"moved", 1, []string{"is not in its file", "is not in its file"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			text := slices.Delete(bytes.Clone(data), int(first.Offset), int(first.Offset+x.cut))
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			rep, err := CheckIndex(t.Context(), index, []Source{
				sourceAt(path, FormatWARC), sourceAt(filepath.Join(t.TempDir(), name), FormatWARC),
			})
			if err != nil || len(rep.Problems) != len(x.want) || rep.OK() != (x.want == nil) {
				t.Fatalf("%v, %v", rep.Problems, err)
			}
			for i, p := range rep.Problems {
				if !strings.Contains(p.Text, x.want[i]) {
					t.Errorf("problem %d is %q, want %q", i, p.Text, x.want[i])
				}
			}
		})
	}
}

// twoCaptures is the content of a file with two captures.
func twoCaptures(t *testing.T) (name string, data []byte) {
	w := testWriter(t, Options{})
	for _, u := range []string{"http://a.example/", "http://b.example/"} {
		x := exchange(page.URL(u), "HTTP/1.1 200 OK\nContent-Type: text/html", u)
		write(t, w, capture(t, x, Meta{}, page.Origin{})...)
	}
	name, _ = w.Current()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(w.opt.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return name, data
}

// wholeMembers reports bytes that end where a gzip member does.
func wholeMembers(data []byte) bool {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return err == nil
}
