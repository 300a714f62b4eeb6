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
