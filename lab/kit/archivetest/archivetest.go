// Package archivetest writes small archives for tests.
package archivetest

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/page"
)

// Capture is a response in an archive, or with a URL that it revisits, a revisit of that one's
// capture of the Day 0 that has the Body, if a Body is told.
type Capture struct {
	URL      string
	Head     string // status and header lines, without HTTP's version; "" is that of an HTML page
	Body     string
	Day      int // after the first
	Revisits string
	// WARC-Truncated, "" for a whole one
	Truncated string
	Drawing   *archive.Drawing // that a browser has made of it; nil for none
}

// First is the time of captures of Day 0.
func First() time.Time { return time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC) }

// Write makes the WARC files of a folder anew, and their index. The folder of the index must be
// there.
func Write(t testing.TB, dir, index string, captures []Capture) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	w, err := archive.NewWriter(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range captures {
		if _, err := w.Write(c.draft()); err != nil {
			t.Fatal(err)
		}
		if c.Drawing == nil {
			continue
		}
		drafts, err := c.Drawing.Drafts(page.URL(c.URL), "", First().AddDate(0, 0, c.Day))
		if err == nil {
			_, err = w.Write(drafts...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, path := range paths {
		if err := (&archive.Source{Path: path}).Entries(func(e archive.Entry) error {
			lines = append(lines, string(e.Append(nil)))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(lines)
	if err := os.WriteFile(index, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (c *Capture) draft() archive.Draft {
	h := archive.Header{
		{Name: "WARC-Type", Value: "response"},
		{Name: "WARC-Record-ID", Value: archive.NewID()},
		{Name: "WARC-Target-URI", Value: c.URL},
		{Name: "WARC-Date", Value: archive.Date(First().AddDate(0, 0, c.Day))},
		{Name: "Content-Type", Value: "application/http;msgtype=response"},
	}
	if c.Truncated != "" {
		h.Add("WARC-Truncated", c.Truncated)
	}
	if c.Revisits != "" {
		h.Set("WARC-Type", "revisit")
		h.Add("WARC-Profile", archive.ProfileIdentical)
		h.Add("WARC-Refers-To-Target-URI", c.Revisits)
		h.Add("WARC-Refers-To-Date", archive.Date(First()))
	}
	body, payload := c.Body, (*archive.Payload)(nil)
	if body != "" {
		payload = &archive.Payload{SHA256: page.SumDigest([]byte(body)), Size: int64(len(body))}
	}
	if c.Revisits != "" {
		body = ""
	}
	head := c.Head
	if head == "" {
		head = "200 OK\r\nContent-Type: text/html; charset=utf-8"
	}
	text := "HTTP/1.1 " + head + "\r\n\r\n" + body
	block := io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
	return archive.Draft{Header: h, Payload: payload, Block: block}
}
