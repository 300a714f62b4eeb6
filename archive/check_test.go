package archive

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
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
			var c Checker
			got := 0
			for _, path := range []string{filepath.Join(w.opt.Dir, name), other} {
				rep, err := c.Check(t.Context(), &Source{Path: path})
				if err != nil {
					t.Fatal(err)
				}
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
