package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"watershed/page"
)

func TestConditionalRequests(t *testing.T) {
	w, c := start(t, Options{})
	wake(t, c)
	validators := map[page.Host]string{}
	for u, d := range w.docs {
		if d.form == moved {
			continue
		}
		resp, _ := get(t, c, u)
		tag, last := resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
		validators[u.Host()] = strings.TrimSpace(map[bool]string{true: "etag"}[tag != ""] + " " +
			map[bool]string{true: "date"}[last != ""])
		for _, x := range []struct {
			name, value string
			want        int
		}{
			{"If-None-Match", tag, 304},
			{"If-None-Match", `"x", W/` + tag, 304},
			{"If-None-Match", `"x"`, 200},
			{"If-Modified-Since", last, 304},
			{"If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", 200},
		} {
			if x.value == "" || tag == "" && x.want == 304 && x.name == "If-None-Match" {
				continue
			}
			resp, text := get(t, c, u, x.name, x.value)
			if resp.StatusCode != x.want ||
				x.want == 304 && (len(text) > 0 || resp.Header.Get("ETag") != tag) {
				t.Errorf("%s, %s: %s: status %d and %d bytes, want %d", u, x.name, x.value, resp.StatusCode,
					len(text), x.want)
			}
		}
		if tag != "" && last != "" {
			if resp, _ := get(t, c, u, "If-None-Match", `"x"`, "If-Modified-Since",
				last); resp.StatusCode != 200 {
				t.Errorf("%s: If-None-Match does not go before If-Modified-Since", u)
			}
		}
	}
	for host, want := range map[page.Host]string{
		"www.gemo.example": "etag date", "docs.gemo.example": "etag",
		"people.campus.example": "date", "wanderer.blogs.example": "",
	} {
		if validators[host] != want {
			t.Errorf("%s has %q, want %q", host, validators[host], want)
		}
	}
}

// Each host sends its text as it should: compressed to those who ask, in pieces, in its charset.
func TestCodings(t *testing.T) {
	w, c := start(t, Options{})
	for _, x := range []struct {
		url        page.URL
		gzip       bool
		chunked    bool
		header     string
		begins     string // of the charset, inside the page
		compressed bool
	}{
		{
			url: "http://docs.gemo.example/", gzip: true, header: "text/html; charset=utf-8",
			begins: `charset="utf-8"`,
		},
		{url: "http://www.atlas.example/", header: "text/html; charset=utf-8", begins: `charset="utf-8"`},
		{
			url: "http://wanderer.blogs.example/2024/", chunked: true, header: "text/html; charset=utf-8",
			begins: `charset="utf-8"`,
		},
		{
			url: "http://people.campus.example/~dmitri/po-russki.htm", header: "text/html",
			begins: `charset="windows-1251"`,
		},
		{
			url: "http://www.lantern.example/journal/utsushi-e.html", gzip: true, header: "text/html",
			begins: `charset="shift_jis"`,
		},
		{
			url: w.docs["http://www.lantern.example/"].tree.leaves[10].url, gzip: true,
			header: "text/html; charset=iso-8859-1",
		},
	} {
		resp, text := get(t, c, x.url) // the client asks for gzip by itself and undoes it
		if resp.Uncompressed != x.gzip || resp.Header.Get("Content-Type") != x.header ||
			!strings.Contains(string(text), x.begins) {
			t.Errorf("%s: compressed %v, type %q", x.url, resp.Uncompressed, resp.Header.Get("Content-Type"))
		}
		if !bytes.Equal(text, w.docs[x.url].body) {
			t.Errorf("%s: other bytes than the document's", x.url)
		}
		if chunked := len(resp.TransferEncoding) > 0; chunked != x.chunked {
			t.Errorf("%s: chunked is %v", x.url, chunked)
		}
		plain, text := get(t, c, x.url, "Accept-Encoding", "gzip;q=0, br")
		if plain.Header.Get("Content-Encoding") != "" || !bytes.Equal(text, w.docs[x.url].body) {
			t.Errorf("%s: compressed for who does not want it", x.url)
		}
		if tag := plain.Header.Get("ETag"); x.gzip && tag == resp.Header.Get("ETag") {
			t.Errorf("%s: both codings have the tag %s", x.url, tag)
		}
	}
}

func TestAnswers(t *testing.T) {
	_, c := start(t, Options{})
	for _, x := range []struct {
		url      page.URL
		status   int
		location string
	}{
		{"http://www.gemo.example/news/taken-down.html", 404, ""},
		{"http://www.gemo.example/verso.html", 301, "http://www.gemo.example/projects/"},
		{"http://www.gemo.example/download/report-2024.txt", 200, ""},
		{"http://old.lantern.example/shows/?a=b", 301, "http://www.lantern.example/shows/?a=b"},
		{"http://old.lantern.example/robots.txt", 301, "http://www.lantern.example/robots.txt"},
		{"http://go.example/handbook", 301, "http://go.example/step2"},
		{"http://go.example/step2", 302, "http://go.example/step3"},
		{"http://go.example/step3", 303, "http://go.example/step4"},
		{"http://go.example/step4", 307, "http://go.example/step5"},
		{"http://go.example/step5", 308, "http://www.atlas.example/"},
		{"http://go.example/loop", 302, "http://go.example/loop/again"},
		{"http://go.example/loop/again", 302, "http://go.example/loop"},
		{"http://go.example/self", 301, "http://go.example/self"},
		{"http://go.example/robots.txt", 404, ""},
		{"http://catalogue.library.example/robots.txt", 200, ""},
		{"http://calendar.parish.example/month?y=1&m=12", 200, ""},
		{"http://tired.example/robots.txt", 404, ""}, // even while it refuses the rest
	} {
		resp, _ := get(t, c, x.url)
		if resp.StatusCode != x.status || resp.Header.Get("Location") != x.location {
			t.Errorf("%s: %d %q, want %d %q", x.url, resp.StatusCode, resp.Header.Get("Location"),
				x.status, x.location)
		}
	}
	_, one := get(t, c, "http://www.gemo.example/publications/report-2024.txt")
	_, two := get(t, c, "http://www.gemo.example/download/report-2024.txt")
	if !bytes.Equal(one, two) {
		t.Error("the report differs between its addresses")
	}
	resp, err := c.Post("http://www.gemo.example/", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // nothing is read from it
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", resp.StatusCode)
	}
}

func TestStartTwice(t *testing.T) {
	w, _ := start(t, Options{})
	if _, err := w.start(); err == nil {
		t.Error("a web that is served was started again")
	}
	other := New(Options{})
	for range 2 { // it can be served again
		want := errors.New("done")
		err := other.Serve(context.Background(), func(context.Context) error {
			if other.Port() == 0 || len(other.Hosts()) != len(other.order) {
				t.Errorf("port %d, %d hosts", other.Port(), len(other.Hosts()))
			}
			return want
		})
		if !errors.Is(err, want) {
			t.Error(err)
		}
	}
}

// Where there is one loopback address only, all hosts are at it.
func TestOneAddress(t *testing.T) {
	w := New(Options{})
	listeners, err := listen(together(w.order))
	if err != nil || len(listeners) != 1 {
		t.Fatalf("%d listeners, %v", len(listeners), err)
	}
	stop := w.serve(listeners)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for host, want := range map[string]string{
		"www.gemo.example":     "Gemo, databases and the Web",
		"www.atlas.example:80": "The Atlas Handbook", "none.example": "no such host",
	} {
		r, err := http.NewRequest(http.MethodGet, "http://"+listeners[0].Addr().String()+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v", host, text, err)
		}
	}
}
