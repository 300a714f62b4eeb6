package demo

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// TestLetters asks for addresses exactly as they are written, as a browser does, on one connection.
func TestLetters(t *testing.T) {
	w := New(Options{})
	stop, err := w.start()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ask := func(host, path string) (*http.Response, string) {
		t.Helper()
		c, err := net.Dial("tcp", netip.AddrPortFrom(w.Hosts()["letters.blogs.example"], w.Port()).String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\nGET %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", host, path)
		in := bufio.NewReader(c)
		var res *http.Response
		var text []byte
		for range 2 {
			if res, err = http.ReadResponse(in, nil); err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		if log := w.Log(); log[len(log)-1].Path != path {
			t.Errorf("%s is logged as %s", path, log[len(log)-1].Path)
		}
		return res, string(text)
	}
	for _, p := range permalinks {
		if res, text := ask("letters.blogs.example", "/"+p.path); res.StatusCode != 200 ||
			!strings.Contains(text, "<h1>"+p.title+"</h1>") {
			t.Errorf("%s: %d %s", p.path, res.StatusCode, text)
		}
	}
	for _, tt := range []struct{ host, path, location string }{
		{"lower.blogs.example", "/%D0%B7%D0%B2%D0%BE%D0%BD/", "/%d0%b7%d0%b2%d0%be%d0%bd/"},
		{"upper.blogs.example", "/%d0%b7%d0%b2%d0%be%d0%bd/", "/%D0%B7%D0%B2%D0%BE%D0%BD/"},
	} {
		if res, _ := ask(tt.host, tt.path); res.StatusCode != 301 ||
			res.Header.Get("Location") != "http://"+tt.host+tt.location {
			t.Errorf("%s: %d to %s", tt.path, res.StatusCode, res.Header.Get("Location"))
		}
		if res, _ := ask(tt.host, tt.location); res.StatusCode != 200 {
			t.Errorf("%s: %d", tt.location, res.StatusCode)
		}
	}
	home, _ := w.Site("letters")
	if len(home.Pages) != 13 || len(home.Requisites) != 10 {
		t.Errorf("%d pages, %d requisites", len(home.Pages), len(home.Requisites))
	}
	if _, text := ask("letters.blogs.example", "/"); !strings.Contains(text, `href="50%off/"`) ||
		!strings.Contains(text, `href="%d8%b1%d8%b3%d8%a7%d9%84%d8%a9/"`) {
		t.Errorf("the home page writes %s", text)
	}
}
