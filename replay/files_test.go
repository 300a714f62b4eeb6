package replay

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/archivetest"
)

// TestFiles checks what replay programs read: whole, by range, of any origin, and nothing beside.
func TestFiles(t *testing.T) {
	folder := fixture(t)
	s := &Server{
		Key:     "key",
		Folder:  func(name string) (harvest.Folder, bool) { return folder, name == "h" },
		Allowed: func(*http.Request) bool { return true },
	}
	paths, err := filepath.Glob(filepath.Join(folder.Run(1).Archive(), "*.warc.gz"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	warc, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.Run(1).Status(), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	get := server(s)
	name := url.PathEscape(filepath.Base(paths[0]))
	for _, target := range []string{"/key/h/files/" + name, "/key/h/files/run-0001/" + name} {
		if r := get(target); r.StatusCode != 200 || textOf(t, r) != string(warc) ||
			r.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d", target, r.StatusCode)
		}
		r := get(target, "Range", "bytes=3-12")
		if text := textOf(t, r); r.StatusCode != 206 || text != string(warc[3:13]) ||
			!strings.Contains(r.Header.Get("Access-Control-Expose-Headers"), "Content-Range") {
			t.Errorf("%s by range: %d %q", target, r.StatusCode, text)
		}
	}
	if r := get("/key/h/files/run-0001/index.cdxj"); r.StatusCode != 200 {
		t.Errorf("index: %d", r.StatusCode)
	}
	for _, target := range []string{
		"/key/h/files/run-0002/" + name, "/key/h/files/status.json", "/key/h/files/run-0001/..%2fstatus.json",
		"/key/h/files/..%2f..%2fstate", "/key/h/files/.",
		"/key/h/files/run-0001/%2e%2e", "/key/h/files/a/b/c", "/key/h/files", "/key/h/files/" + name + "%00",
		"/key/h/files/..%5cstatus.json",
	} {
		if r := get(target); r.StatusCode != 404 && r.StatusCode != 400 {
			t.Errorf("%s: %d", target, r.StatusCode)
		}
	}
	if r := get("/other/h/files/" + name); r.StatusCode != 403 {
		t.Errorf("without the key: %d", r.StatusCode)
	}
}

// TestCaptures checks the CDX server API on the index of the fixture.
func TestCaptures(t *testing.T) {
	get := serve(t)
	urls := func(query string) (list []string) {
		t.Helper()
		r := get("/key/h/cdx?" + query)
		text := textOf(t, r)
		if r.StatusCode != 200 {
			return []string{text}
		}
		in := archive.NewEntries(bytes.NewReader([]byte(text)))
		for {
			e, err := in.Next()
			if err != nil {
				return list
			}
			list = append(list, e.Timestamp[6:8]+" "+strings.TrimPrefix(e.URL, "http://www.a.example"))
		}
	}
	for query, want := range map[string]string{
		"url=http://www.a.example/same":                                   "20 /same,21 /same",
		"url=www.a.example/same&sort=reverse":                             "21 /same,20 /same",
		"url=https://a.example/same&sort=closest&closest=20261121000000":  "21 /same,20 /same",
		"url=http://www.a.example/same&sort=closest&closest=2026&limit=1": "20 /same",
		"url=http://www.a.example/s*":                                     "20 /s.css,20 /same,21 /same",
		"url=http://www.a.example/g&matchType=prefix":                     "20 /gone",
		"url=http://www.a.example/x&matchType=host&limit=2":               "20 /,21 /",
		"url=http://www.a.example/nothing":                                "",
		"url=ftp://www.a.example/": "url is no address of a " +
			"web page\n",
		"url=http://www.a.example/&matchType=x": "matchType is exact, prefix, " +
			"host or domain\n",
		"url=http://www.a.example/&limit=0": "limit is a number from 1 on\n",
		"url=http://www.a.example/&sort=closest&closest=" + "yesterday": "closest is a time of 4 to 14 " +
			"digits\n",
		"url=http://www.a.example/&sort=" + url.QueryEscape("\u202e<b>"):    "sort is closest or reverse\n",
		"url=http://www.a.example/%0aorg,evil)/ 20200101000000 {}&limit=10": "",
	} {
		if got := strings.Join(urls(strings.ReplaceAll(query, " ", "%20")), ","); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestDomain: a question about a domain is answered with its hosts alone, of all runs together as many as
// are asked for.
func TestDomain(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var list []archivetest.Capture
	for _, host := range []string{
		"example.org", "example-x.org", "a.example.org", "example.org:8080", "example2.org", "a.example2.org",
	} {
		list = append(list, archivetest.Capture{URL: "http://" + host + "/", Head: "200 OK"})
	}
	for i, of := range [][]archivetest.Capture{list, {{URL: "http://example.org/z", Head: "200 OK"}}} {
		run := folder.Run(i + 1)
		if err := run.Make(); err != nil {
			t.Fatal(err)
		}
		archivetest.Write(t, run.Archive(), run.Index(), of)
	}
	c, err := readCaptureQuery(url.Values{
		"url": {"example.org"}, "matchType": {"domain"}, "limit": {"4"},
	})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := c.collect(folder)
	got := ""
	for _, e := range lines {
		got += e.URL + " "
	}
	want := "http://example.org/ http://example.org/z http://a.example.org/ http://example.org:8080/ "
	if err != nil || got != want {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
}

// TestCollectIsBounded: of the lines of all runs only those are kept that may be answered, which are the
// first by the order that is asked for.
func TestCollectIsBounded(t *testing.T) {
	folder := fixture(t)
	for query, want := range map[string]string{
		"": "20", "sort=reverse": "21", "sort=closest&closest=20261121000000": "21",
	} {
		values, err := url.ParseQuery("url=http://www.a.example/same&limit=1&" + query)
		if err != nil {
			t.Fatal(err)
		}
		c, err := readCaptureQuery(values)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := c.collect(folder)
		if err != nil || len(lines) != 1 || lines[0].Timestamp[6:8] != want {
			t.Errorf("%q: %d lines, %v", query, len(lines), err)
		}
	}
}

// TestPreflight checks that replay programs of another origin may ask for ranges, if they have the
// key.
func TestPreflight(t *testing.T) {
	s := &Server{Key: "key", Allowed: func(*http.Request) bool { return true }}
	for key, status := range map[string]int{"key": 204, "other": 403} {
		w := answer(s, "OPTIONS", "/"+key+"/h/files/x.wacz")
		if w.StatusCode != status ||
			(w.Header.Get("Access-Control-Allow-Headers") == "Range") != (status == 204) {
			t.Errorf("%s: %d %v", key, w.StatusCode, w.Header)
		}
	}
}
