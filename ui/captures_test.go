package ui

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/harvest"
)

// writePages makes the archive and index of a run anew, with pages by URL.
func writePages(t testing.TB, run harvest.Run, pages map[string]string) {
	t.Helper()
	if err := os.RemoveAll(run.Archive()); err != nil {
		t.Fatal(err)
	}
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	w, err := archive.NewWriter(archive.Options{Dir: run.Archive()})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range slices.Sorted(maps.Keys(pages)) {
		h := archive.Header{
			{Name: "WARC-Type", Value: "response"},
			{Name: "WARC-Record-ID", Value: archive.NewID()},
			{Name: "WARC-Target-URI", Value: u},
			{Name: "WARC-Date", Value: archive.Date(testTime)},
			{Name: "Content-Type", Value: "application/http;msgtype=response"},
		}
		text := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + pages[u]
		if _, err := w.Write(archive.Draft{Header: h, Block: io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	paths, err := filepath.Glob(filepath.Join(run.Archive(), "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if err := archive.IndexWARC(path, func(e archive.Entry) error { lines = append(lines, string(e.Append(nil))); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lines)
	write(t, run.Index(), []byte(strings.Join(lines, "")))
}
