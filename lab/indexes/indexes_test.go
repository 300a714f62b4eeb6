package indexes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const record = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x>\r\n" +
	"WARC-Date: 2026-01-01T00:00:00Z\r\n" +
	"WARC-Target-URI: http://a.example/%d\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"

// TestCompare: equal records are counted, and each difference is told by its member.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := fmt.Sprintf(record, 1)
	write("in/x.bin", first+fmt.Sprintf(record, 2), 0o666)
	write("in/notes.txt", "words", 0o666)
	size := len(first) - 4
	line := func(n, offset int, mime string) string {
		return fmt.Sprintf(`example,a)/%d 20260101000000 {"url": "http://a.example/%d", "mime": "%s", `+
			`"digest": "sha1:3IRWCTQCI2NA27D32G62WXE4I5FRSBG4", "length": "%d", "offset": "%d", `+
			`"filename": "x.bin"}`,
			n, n, mime, size, offset) + "\n"
	}
	judge := write("judge", "#!/bin/sh\ncat <<'END'\n"+line(1, 0, "text/plain")+line(2,
		len(first), "text/html")+
		line(3, 9999, "text/plain")+"END\n", 0o777)
	var out strings.Builder
	c := Compare{Folders: []string{filepath.Join(dir, "in")}, Judge: judge}
	if err := c.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"x.bin | 3 | 1 |\n", "| 1 files | 3 | 1 |",
		fmt.Sprintf("x.bin@%d: mime \"text/plain\", the judge", len(first)),
		"x.bin@9999: not in ours",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nwant %s", out.String(), want)
		}
	}
}
