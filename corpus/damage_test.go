package corpus

import (
	azip "archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/crawler/extract"
	"watershed/internal/guard"
)

const day = "2026-11-21T08:00:00Z"

// packed makes a package of one WARC file, which it compresses as no writer should.
func packed(t *testing.T, name, warc string) string {
	t.Helper()
	var b bytes.Buffer
	z := azip.NewWriter(&b)
	z.RegisterCompressor(azip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, 9)
	})
	for _, f := range [][2]string{{"datapackage.json", "{}"}, {"archive/a.warc.gz", warc}} {
		w, err := z.Create(f[0])
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, t.TempDir(), name, b.String())
}

// TestOneBadFile: of several files each that cannot be read, or not to its end, is told by its
// name, and the others are read whole.
func TestOneBadFile(t *testing.T) {
	good := zip(response("http://good.example/", "1", day, "x"))
	second := zip(response("http://good.example/2", "2", day, "x"))
	whole := zip(response("http://bad.example/", "3", day, strings.Repeat("text ", 100)))
	dir := t.TempDir()
	locked := write(t, dir, "locked.warc.gz", good)
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	hidden := write(t, dir, "hidden/x.warc.gz", good)
	if err := os.Chmod(dir+"/hidden", 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir+"/hidden", 0o777) }) // so that the folder can be removed
	root := os.Geteuid() == 0                                // who may read what nobody may
	for name, tt := range map[string]struct {
		bad  string
		want []string // pages of it that are read all the same
	}{
		"missing":                  {dir + "/none.warc.gz", nil},
		"a cut package":            {write(t, dir, "cut.wacz", "PK\x03\x04"), nil},
		"no package":               {write(t, dir, "no.wacz", "text"), nil},
		"a cut record":             {write(t, dir, "cut.warc.gz", whole[:len(whole)-20]), nil},
		"a record that is no WARC": {write(t, dir, "text.warc", "text\n"), nil},
		"cut, compressed":          {packed(t, "deflated.wacz", whole[:len(whole)-20]), nil},
		"damage, compressed": {
			packed(t, "damaged.wacz", second+whole[:len(whole)-20]+second),
			[]string{"200 http://good.example/2"},
		},
		"nothing, compressed":  {packed(t, "empty.wacz", "WARC/"), nil},
		"a cut index":          {write(t, dir, "cut.cdxj.gz", good[:20]), nil},
		"unreadable":           {locked, nil},
		"an unreadable folder": {dir + "/hidden", nil},
		"below":                {hidden, nil},
	} {
		if root && slices.Contains([]string{"unreadable", "an unreadable folder", "below"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			before, behind := write(t, t.TempDir(), "a.warc.gz", good), write(t, t.TempDir(),
				"z.warc.gz", second)
			if name == "a cut index" {
				before, behind = write(t, t.TempDir(), "a.txt", "http://good.example/ http://x.example/\n"),
					write(t, t.TempDir(), "b.txt", "http://good.example/2 http://x.example/\n")
			}
			var told []Damage
			lines, st, _ := read(t, Options{Damaged: func(d Damage) { told = append(told, d) }}, before,
				tt.bad, behind)
			pages := strings.Join(lines, "\n")
			if !strings.Contains(pages, "200 http://good.example/") ||
				!strings.Contains(pages, "200 http://good.example/2") {
				t.Errorf("pages %q", lines)
			}
			if len(told) == 0 || st.Damaged != len(told) || !strings.Contains(told[0].String(), tt.bad) ||
				told[0].Err == nil {
				t.Errorf("told %v, counted %d", told, st.Damaged)
			}
			for _, w := range tt.want {
				if !slices.Contains(lines, w) {
					t.Errorf("%s is not in %q", w, lines)
				}
			}
		})
	}
}

// TestPanic: a reader that panics gives up its page, and the pages before and behind it are read.
func TestPanic(t *testing.T) {
	path := write(t, t.TempDir(), "a.warc.gz",
		zip(response("http://a.example/", "1", day, "x"))+zip(response("http://b.example/", "2", day, "x"))+
			zip(response("http://c.example/", "3", day, "x")))
	var told []Damage
	c, err := Open(t.Context(), []string{path},
		Options{Workers: 1, Damaged: func(d Damage) { told = append(told, d) }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()                                           //nolint:errcheck // it was only read
	c.captures[1].origin, c.captures[1].revisit = 1<<20, true // a capture that is not there
	n := 0
	if err := c.Pages(t.Context(), func(*Page) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("%d pages, %v", n, err)
	}
	if len(told) != 1 || !errors.Is(told[0].Err, guard.ErrPanic) || told[0].File != path {
		t.Errorf("told %v", told)
	}
	c.extract = new(extract.Extractor) // whose pool is empty and whose options allow nothing
	c.files[0].stream = true
	c.files[0].Package = new(archive.WACZ)
	told = nil
	if err := c.Pages(t.Context(), func(*Page) error { return nil }); err != nil || len(told) == 0 {
		t.Errorf("a panic of the file's reader: told %v, %v", told, err)
	}
}
