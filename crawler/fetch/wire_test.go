package fetch

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"watershed/page"
)

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func zlibbed(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func deflated(s string) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 6)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func brotlied(s string) string {
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// chunked puts s into chunks of n bytes.
func chunked(s string, n int, extension, trailer string) string {
	var b strings.Builder
	for s != "" {
		k := min(n, len(s))
		fmt.Fprintf(&b, "%x%s\r\n%s\r\n", k, extension, s[:k])
		s = s[k:]
	}
	return b.String() + "0\r\n" + trailer + "\r\n"
}

// kind is a way to answer; each target's body is different.
type kind struct {
	name string
	said func(body string) said
}

func ok(fields, body string) string { return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body }

func length(fields, body string) string {
	return ok(fmt.Sprintf("%sContent-Length: %d\r\n", fields, len(body)), body)
}

func whole(s string) said { return said{parts: []string{s}} }

var kinds = []kind{
	{"length", func(b string) said { return whole(length("Content-Type: text/html\r\n", b)) }},
	{"odd head", func(b string) said {
		return whole(fmt.Sprintf("HTTP/1.1 200 Okey  Dokey\r\ncontent-TYPE:text/html\r\nX-Odd:  two  "+
			"spaces \r\nX-Odd:\r\nno field at all\r\nX-Long: a\r\n\tb\r\nX-Latin: "+
			"caf\xe9\r\nCONTENT-length:  %d \r\n\r\n%s", len(b), b))
	}},
	{"bare LF", func(b string) said {
		return whole(fmt.Sprintf("HTTP/1.1 200 OK\nContent-Length: %d\n\n%s", len(b), b))
	}},
	{"length twice", func(b string) said {
		return whole(ok(fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d, %d\r\n", len(b),
			len(b), len(b)), b))
	}},
	{"chunks", func(b string) said {
		return whole(ok("Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n",
			chunked(b, 100, ";ext=1", "X-Trailer: yes\r\n")))
	}},
	{"chunks of old servers", func(b string) said {
		return whole(ok("Transfer-Encoding: Chunked\r\n", strings.ReplaceAll(chunked(b, 512, "  ", ""),
			"\n0  \r\n", "\n000  \r\n")))
	}},
	{"gzip", func(b string) said { return whole(length("Content-Encoding: gzip\r\n", gzipped(b))) }},
	{"gzip in chunks", func(b string) said {
		return whole(ok("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
			chunked(gzipped(b), 50, "", "")))
	}},
	{"gzip as transfer coding", func(b string) said {
		return whole(ok("Transfer-Encoding: gzip, chunked\r\n", chunked(gzipped(b), 50, "", "")))
	}},
	{"gzip twice", func(b string) said {
		return whole(length("Content-Encoding: gzip, gzip\r\n", gzipped(gzipped(b))))
	}},
	{"br over gzip", func(b string) said {
		return whole(length("Content-Encoding: gzip\r\nContent-Encoding: br\r\n", brotlied(gzipped(b))))
	}},
	{"deflate", func(b string) said { return whole(length("Content-Encoding: deflate\r\n", zlibbed(b))) }},
	{"raw deflate", func(b string) said {
		return whole(length("Content-Encoding: deflate\r\n", deflated(b)))
	}},
	{"br", func(b string) said { return whole(length("Content-Encoding: br\r\n", brotlied(b))) }},
	{"to the close", func(b string) said {
		return said{parts: []string{"HTTP/1.0 200 OK\r\n\r\n", b}, close: true}
	}},
	{"to the close, 1.1", func(b string) said {
		return said{parts: []string{ok("", b[:9]), b[9:]}, close: true}
	}},
	{"kept open, 1.0", func(b string) said {
		return whole(fmt.Sprintf("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: %d\r\n\r\n%s",
			len(b), b))
	}},
	{"closed by choice", func(b string) said {
		return said{parts: []string{length("Connection: close\r\n", b)}, close: true}
	}},
	{"redirect", func(b string) said {
		return whole(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nSet-Cookie: "+
			"a=b\r\nContent-Length: %d\r\n\r\n%s", len(b), b))
	}},
	{"bad redirect", func(b string) said {
		return whole(fmt.Sprintf("HTTP/1.1 301 Moved\r\nLocation: http://[::bad/%%zz\r\nContent-Length: "+
			"%d\r\n\r\n%s", len(b), b))
	}},
	{"not found", func(b string) said {
		return whole(fmt.Sprintf("HTTP/1.1 404 Nope\r\nContent-Length: %d\r\n\r\n%s", len(b), b))
	}},
	{"no content", func(string) said { return whole("HTTP/1.1 204 No Content\r\n\r\n") }},
	{"not modified", func(string) said {
		return whole("HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n")
	}},
	{"empty", func(string) said { return whole(length("", "")) }},
	{"interim", func(b string) said {
		return said{before: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; " +
			"rel=preload\r\nContent-Length: 7\r\n\r\n", parts: []string{length("", b)}}
	}},
	{"large", func(b string) said { return whole(length("", strings.Repeat(b, 9))) }},
	{"large to the close", func(b string) said {
		return said{parts: []string{ok("", strings.Repeat(b, 9))}, close: true}
	}},
	{"large chunks", func(b string) said {
		return whole(ok("Transfer-Encoding: chunked\r\n", chunked(strings.Repeat(b, 9), 1000, "", "")))
	}},
}

// payload is the body that a target's answer carries, coded or not.
func payload(target string) string {
	b := "<html><body>" + target + strings.Repeat(" lorem ipsum", 150) + "</body></html>"
	if strings.Contains(target, "/large") {
		return strings.Repeat(b, 9)
	}
	return b
}

func answerByKind(t testing.TB) func(string) said {
	return func(target string) said {
		for _, k := range kinds {
			if strings.HasPrefix(target, "/"+strings.ReplaceAll(k.name, " ", "_")+"/") {
				b := payload(target)
				if strings.HasPrefix(k.name, "large") {
					b = b[:len(b)/9]
				}
				return k.said(b).cut(int64(len(target) + int(target[len(target)-1])))
			}
		}
		t.Errorf("asked for %s", target)
		return said{close: true}
	}
}

// cut breaks the parts at random places.
func (r said) cut(seed int64) said {
	rnd := rand.New(rand.NewSource(seed))
	var parts []string
	for _, p := range r.parts {
		for k := 0; k < 3 && p != ""; k++ {
			n := rnd.Intn(len(p) + 1)
			parts, p = append(parts, p[:n]), p[n:]
		}
		parts = append(parts, p)
	}
	r.parts = parts
	return r
}

// Sixteen workers fetch every kind of answer, over HTTP and HTTPS, over kept connections. The
// exchange holds the bytes that the server received and sent, every one of them.
func TestExchangeIsWhatWentOverTheWire(t *testing.T) {
	const workers = 16
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			s := newSite(t, scheme == "https", answerByKind(t))
			o := at(local(), s, s)
			o.SpoolAbove, o.SpoolDir = 16<<10, t.TempDir()
			f := newFetcher(t, o)
			targets := make(chan string)
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					w := f.Worker()
					for target := range targets {
						u := page.URL(scheme + "://" + fmt.Sprintf("h%d.test", len(target)%5) + target)
						x := w.Fetch(context.Background(), Request{URL: u})
						s.verify(t, target, x)
						if err := x.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					}
				})
			}
			n := 0
			for i := range rounds {
				for _, k := range kinds {
					targets <- fmt.Sprintf("/%s/%d", strings.ReplaceAll(k.name, " ", "_"), i)
					n++
				}
			}
			close(targets)
			wg.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.got) != n {
				t.Errorf("%d targets were asked for, want %d", len(s.got), n)
			}
			for target, n := range s.count {
				if n != 1 {
					t.Errorf("%s was asked for %d times", target, n)
				}
			}
			if s.conns > n/3+workers*5 {
				t.Errorf("%d connections for %d exchanges: none is kept", s.conns, n)
			}
		})
	}
}

func (s *site) verify(t *testing.T, target string, x *page.Exchange) {
	s.mu.Lock()
	got, sent := s.got[target], s.sent[target]
	s.mu.Unlock()
	switch {
	case x.Err != nil || x.Truncated != page.Whole:
		t.Errorf("%s: %v, truncated %q", target, x.Err, x.Truncated)
	case text(t, x.Request) != got:
		t.Errorf("%s: request is\n%q\nserver received\n%q", target, text(t, x.Request), got)
	case came(t, x) != sent:
		t.Errorf("%s: response of %d bytes, server sent %d\n%.300q\n%.300q", target, x.Response.Size(),
			len(sent), text(t, x.Response), sent)
	case x.Remote.Port() != s.port || x.Remote.Addr().String() != "127.0.0.1":
		t.Errorf("%s: remote is %v", target, x.Remote)
	case (x.TLS != nil) != (x.URL.Scheme() == "https"):
		t.Errorf("%s: TLS is %+v", target, x.TLS)
	case x.TLS != nil && (x.TLS.Version != "tls/1.3" || x.TLS.Issuer != "Nobody" || x.TLS.Untrusted == "" ||
		x.TLS.CipherSuite == ""):
		t.Errorf("%s: TLS is %+v", target, x.TLS)
	case x.Head > x.Response.Size() || !blankLineEnds(text(t, x.Response)[:x.Head]):
		t.Errorf("%s: head of %d bytes: %q", target, x.Head, sent[:min(len(sent), 200)])
	}
	want := payload(target)
	if x.Head == x.Response.Size() {
		want = ""
	}
	if string(x.Body.Bytes) != want || x.Body.Cut || x.Body.Err != nil {
		t.Errorf("%s: body of %d bytes, cut %v, %v; want %d", target, len(x.Body.Bytes), x.Body.Cut,
			x.Body.Err, len(want))
	}
}

func blankLineEnds(head string) bool {
	return strings.HasSuffix(head, "\r\n\r\n") || strings.HasSuffix(head, "\n\n")
}
