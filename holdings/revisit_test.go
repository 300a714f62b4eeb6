package holdings

import (
	"testing"
	"time"

	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
)

// TestRevisits: of a revisit the head is its own and the payload that of the capture to which it refers,
// also where that URL was answered otherwise in the same second.
func TestRevisits(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	run := folder.Run(1)
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	const moved, one = "<title>Moved</title>", "http://a.example/one"
	archivetest.Write(t, run.Archive(), run.Index(), []archivetest.Capture{
		{URL: one, Head: "302 Found\r\nLocation: /login\r\nContent-Type: text/html", Body: moved},
		{URL: one, Body: "<title>One</title>"},
		{
			URL: "http://a.example/two", Body: moved, Revisits: one,
			Head: "301 Moved\r\nLocation: /three\r\nContent-Type: text/html",
		},
		{URL: "http://a.example/gone", Head: "404 Not Found", Body: moved, Revisits: one},
		{URL: "http://a.example/same", Head: "304 Not Modified", Body: moved, Revisits: one},
		{
			URL: "http://a.example/chunks", Body: "<title>One</title>", Revisits: one,
			Head: "200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked",
		},
	})
	r, err := NewReader(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path   string
		status int
		leads  string
		title  string
	}{
		{"two", 301, "/three", "Moved"},
		{"gone", 404, "", "Moved"},
		{"same", 302, "/login", "Moved"},
		{"chunks", 200, "", "One"},
	} {
		f, err := Find(folder, "http://a.example/"+page.URL(tt.path), time.Time{})
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		for range 2 { // what was found can be read again
			d, err := r.Read(f)
			if err != nil || d.Status != tt.status || d.Header.Get("Location") != tt.leads ||
				string(d.Body) != "<title>"+tt.title+"</title>" {
				t.Errorf("%s: %+v, %v", tt.path, d, err)
			}
		}
	}
}
