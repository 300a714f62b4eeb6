package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"watershed/page"
)

// The judges are other people's readers; they do not run in this test. To ask them:
//
//	go test ./archive -run TestJudgedFolder -generate /tmp/judged
//	judge-warc --expect /tmp/judged/expect.tsv /tmp/judged
//	judge-pywb --own-index --expect /tmp/judged/expect.tsv /tmp/judged
var generate = flag.String("generate", "", "keep the files of TestJudgedFolder in this folder")

// scene is an exchange of the judged folder, and what a replay has to show for it.
type scene struct {
	x      *page.Exchange
	origin page.Origin
	body   string // after transfer decoding
	skip   bool   // no replay expected
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s)) // a bytes.Buffer takes all
	_ = w.Close()
	return b.String()
}

// scenes has one of everything that crawlers get wrong (WARC.md, a1).
func scenes() []scene {
	html := "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\n"
	length := func(s string) string { return fmt.Sprintf("Content-Length: %d", len(s)) }
	var all []scene
	add := func(path, head, wire, body string, edit ...func(*scene)) *scene {
		s := scene{x: exchange(page.URL("http://site.example"+path), head, wire), body: body}
		s.x.Start = start.Add(time.Duration(len(all)) * 1003 * time.Millisecond)
		for _, e := range edit {
			e(&s)
		}
		all = append(all, s)
		return &all[len(all)-1]
	}
	front := "<title>Front</title><p>" + strings.Repeat("front page ", 300)
	add("/", html+length(front), front, front)
	add("/chunked", html+"Transfer-Encoding: chunked", chunks(front+"chunked", 700), front+"chunked")
	zipped := gzipped(front)
	add("/gzip", html+"Content-Encoding: gzip\n"+length(zipped), zipped, zipped)
	add("/gzip-chunked", html+"Content-Encoding: gzip\nTransfer-Encoding: chunked",
		chunks(zipped+"", 100), zipped)
	add("/empty", "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 0", "", "")
	add("/missing", "HTTP/1.1 404 Not Found\nContent-Type: text/html\n"+length("gone"), "gone", "gone")
	add("/moved", "HTTP/1.1 302 Found\nLocation: /\nContent-Type: text/html\n"+length("moved"),
		"moved", "moved")
	add("/query?b=2&a=1&c", html+length("query"), "query", "query")
	add("/A%20b/%C3%A9?x=%26", html+length("escapes"), "escapes", "escapes")
	add("/nocontenttype", "HTTP/1.1 200 OK\n"+length("untyped"), "untyped", "untyped")
	add("/closed", html+"Connection: close", "until close", "until close")
	add("/copy", html+length(front), front, front, func(s *scene) {
		s.origin = page.Origin{URL: all[0].x.URL, Time: all[0].x.Start}
	})
	add("/cut", html+"Content-Length: 100000", "only this", "only this",
		func(s *scene) { s.x.Truncated = page.CutLength })
	add("/cut-chunked", html+"Transfer-Encoding: chunked", "5\r\nhello\r\n10\r\nwor", "hellowor",
		func(s *scene) { s.x.Truncated = page.CutConnected })
	add("/bad-chunks", html+"Transfer-Encoding: chunked", "5\r\nhello\r\nzz\r\nrest", "hello",
		func(s *scene) { s.x.Truncated = page.CutUnknown; s.skip = true })
	add("/", "HTTP/1.1 304 Not Modified\nETag: \"x\"", "", "", func(s *scene) {
		s.origin = page.Origin{URL: all[0].x.URL, Time: all[0].x.Start}
		s.skip = true
	})
	add("/head", html+"Content-Length: 4711", "", "", func(s *scene) {
		s.x.Method, s.skip = "HEAD", true
		s.x.Request = section("HEAD /head HTTP/1.1\r\nHost: site.example\r\n\r\n")
	})
	add("/nothing", "HTTP/1.1 204 No Content", "", "", func(s *scene) { s.skip = true })
	add("/part", "HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-3/10\nContent-Type: "+
		"text/plain\nContent-Length: 4", "part", "part")
	add("/six", html+length("six"), "six", "six", func(s *scene) {
		s.x.Remote = netip.MustParseAddrPort("[2001:db8:0:0::7]:80")
	})
	add("/v6", html+length("v6 host"), "v6 host", "v6 host", func(s *scene) {
		s.x.URL = "http://[2001:db8::1]:8080/v6"
		s.skip = true
	})
	add("/tls", html+length("secret"), "secret", "secret", func(s *scene) {
		s.x.URL = "https://site.example/tls"
		s.x.TLS = &page.TLS{
			Version: "tls/1.3", CipherSuite: "TLS_AES_128_GCM_SHA256",
			Issuer: "Test CA, Ürümqi", Names: []string{"site.example"},
		}
	})
	add("/big", "HTTP/1.1 200 OK\nContent-Type: application/octet-stream\nContent-Length: 300000",
		strings.Repeat("0123456789", 30000), strings.Repeat("0123456789", 30000))
	add("/odd-head", "HTTP/1.1 200\nContent-Type:text/plain\nX-Latin: \xe9t\xe9\nX-Empty:\n"+length("odd"),
		"odd", "odd")
	return all
}

// writeJudged writes the scenes with a DNS record and gives the writer's folder's files.
func writeJudged(t *testing.T, dir string, o Options) (files []string) {
	t.Helper()
	o.Dir = dir
	o.Info = Info{
		Software: "watershed/test (+https://watershed.example/)",
		Operator: "Example Library, mailto:archive@example.org",
		IsPartOf: "judged", Robots: "obey", UserAgent: "watershed", Extra: Header{{"config", "sha256:00"}},
	}
	w := testWriter(t, o)
	write(t, w, dnsRecord("site.example"))
	var expect bytes.Buffer
	for i, s := range scenes() {
		m := Meta{
			Hops: "LE", Via: "http://site.example/", Site: "Site",
			Outlinks: []page.Link{
				{URL: "http://other.example/", Kind: page.Navigation, Context: "a/@href"},
				{URL: "http://site.example/img", Kind: page.Embed, Context: "img/@src"},
			},
		}
		if i == 0 {
			m.Hops, m.Via = "", ""
		}
		write(t, w, capture(t, s.x, m, s.origin)...)
		if !s.skip {
			sum := sha256.Sum256([]byte(s.body))
			fmt.Fprintf(&expect, "%s\t%d\t%s\n", s.x.URL, s.x.Status, hex.EncodeToString(sum[:]))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "expect.tsv"), expect.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return w.Files()
}

// indexFiles makes the sorted index of files and gives its path.
func indexFiles(t *testing.T, dir string, files []string) string {
	t.Helper()
	s := NewSorter(dir, 2000) // spills often
	for _, name := range files {
		if err := indexWARC(filepath.Join(dir, name), func(e Entry) error { return s.Add(&e) }); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "index.cdxj")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestJudgedFolder(t *testing.T) {
	dir := t.TempDir()
	if *generate != "" {
		dir = *generate
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files := writeJudged(t, dir, Options{MaxBytes: 6000, MemoryBytes: 2000})
	if len(files) < 2 {
		t.Errorf("no rotation: %v", files)
	}
	var paths []string
	for _, name := range files {
		paths = append(paths, filepath.Join(dir, name))
	}
	cleanFiles(t, paths)
	index := indexFiles(t, dir, files)
	p := Package{
		Title: "Judged", Description: "one of everything", Created: start, MainPage: "http://site.example/",
		MainDate: start,
		Index:    index,
		Pages: func(yield func(PackagePage, error) bool) {
			yield(PackagePage{
				ID: "1", URL: "http://site.example/", Date: Date(start), Title: "Front",
				Seed: true,
			}, nil)
		},
		Extra: func(yield func(PackagePage, error) bool) {
			s := scenes()[1].x
			yield(PackagePage{ID: "2", URL: string(s.URL), Date: Date(s.Start), Title: "Chunked <&>"}, nil)
		},
		Logs: []string{filepath.Join(dir, "expect.tsv")},
	}
	for _, name := range files {
		p.WARCs = append(p.WARCs, filepath.Join(dir, name))
	}
	if err := WriteWACZ(nil, filepath.Join(dir, "judged.wacz"), p); err != nil {
		t.Fatal(err)
	}
	checkWACZ(t, filepath.Join(dir, "judged.wacz"))
}

func checkWACZ(t *testing.T, path string) {
	t.Helper()
	z, err := OpenWACZ(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, err := range z.Verify() {
		t.Error(err)
	}
	for _, s := range scenes() {
		found := 0
		for e, err := range z.URL(s.x.URL) {
			if err != nil {
				t.Fatal(err)
			}
			rec, err := z.Open(e)
			if err != nil {
				t.Fatal(err)
			}
			if rec.TargetURI() == string(s.x.URL) {
				found++
			}
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		}
		if found == 0 {
			t.Errorf("%s is not in the package", s.x.URL)
		}
	}
	n := 0
	for p, err := range z.Pages() {
		if err != nil || p.URL == "" {
			t.Error(p, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d pages, want 2", n)
	}
}
