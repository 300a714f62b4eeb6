package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"watershed/page"
)

// proxy is one that answers http itself and tunnels to one site, whatever is asked for.
type proxy struct {
	url  *url.URL
	to   uint16
	mu   sync.Mutex
	got  []string // heads of requests
	conn int
}

func newProxy(t *testing.T, secure bool, to *site) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{url: &url.URL{
		Scheme: "http", Host: l.Addr().String(),
		User: url.UserPassword("me", "secret"),
	}}
	if to != nil {
		p.to = to.port
	}
	if secure {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate(t)}})
		p.url.Scheme = "https"
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.conn++
			p.mu.Unlock()
			wg.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return p
}

// asked are the requests so far, and the connections.
func (p *proxy) asked() ([]string, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.got...), p.conn
}

func (p *proxy) serve(c net.Conn) {
	defer c.Close()
	for {
		var got []byte
		var one [1]byte
		for !strings.HasSuffix(string(got), "\r\n\r\n") {
			if _, err := io.ReadFull(c, one[:]); err != nil {
				return
			}
			got = append(got, one[0])
		}
		p.mu.Lock()
		p.got = append(p.got, string(got))
		p.mu.Unlock()
		switch {
		case strings.Contains(string(got), "refused.test"):
			say(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		case strings.HasPrefix(string(got), "CONNECT "):
			say(c, "HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n")
			p.tunnel(c)
			return
		default:
			say(c, length("Via: proxy\r\n", "by proxy"))
		}
	}
}

func (p *proxy) tunnel(c net.Conn) {
	to, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.to))
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(to, c)
		_ = to.Close()
	})
	_, _ = io.Copy(c, to)
	_ = c.Close()
	wg.Wait()
}

func TestProxy(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprint(secure), func(t *testing.T) {
			s := newSite(t, true, func(string) said { return whole(length("", "by the site")) })
			p := newProxy(t, secure, s)
			// no name below is ever looked up
			f := newFetcher(t, Options{UserAgent: "watershed-test/1.0", Proxy: p.url})
			w := f.Worker()
			for i, host := range []string{"a", "b"} {
				x := do(t, w, Request{
					URL:     page.URL("http://" + host + ".test:8080/x?y"),
					Address: netip.MustParseAddr("127.0.0.9"),
				})
				want := "GET http://" + host + ".test:8080/x?y HTTP/1.1\r\nHost: " + host + ".test:8080\r\n"
				if got := text(t, x.Request); x.Err != nil || !strings.HasPrefix(got, want) ||
					strings.Contains(got, "Proxy-") {
					t.Errorf("%v, recorded %q", x.Err, got)
				}
				if got, _ := p.asked(); !strings.Contains(got[i],
					"\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n") {
					t.Errorf("sent %q", got[i])
				}
				if text(t, x.Response) != length("Via: proxy\r\n", "by proxy") || !x.Proxied ||
					x.Remote.String() != p.url.Host || x.TLS != nil {
					t.Errorf("response %q, proxied %v, remote %v", text(t, x.Response), x.Proxied, x.Remote)
				}
			}
			if _, n := p.asked(); n != 1 {
				t.Errorf("%d connections to the proxy for two http hosts", n)
			}
			for range 2 {
				x := do(t, w, Request{URL: "https://c.test/z"})
				if got := text(t, x.Request); x.Err != nil ||
					!strings.HasPrefix(got, "GET /z HTTP/1.1\r\nHost: c.test\r\n") ||
					strings.Contains(got, "Proxy-") || got != s.received("/z") {
					t.Errorf("%v, recorded %q", x.Err, got)
				}
				if text(t, x.Response) != length("", "by the site") || !x.Proxied || x.TLS == nil ||
					x.TLS.Issuer != "Nobody" {
					t.Errorf("response %q, proxied %v, TLS %+v", text(t, x.Response), x.Proxied, x.TLS)
				}
			}
			if all, _ := p.asked(); len(all) != 3 ||
				!strings.HasPrefix(all[2], "CONNECT c.test:443 HTTP/1.1\r\nHost: c.test:443\r\n") {
				t.Errorf("requests to the proxy: %q", all)
			}
			x := get(t, f, "https://refused.test/")
			if !errors.Is(x.Err, errConnect) ||
				!strings.Contains(x.Err.Error(), "proxy refuses refused.test:443: 403") {
				t.Errorf("%v", x.Err)
			}
			if x := get(t, f, "http://127.0.0.1/"); !errors.Is(x.Err, errPrivate) {
				t.Errorf("private address behind a proxy: %v", x.Err)
			}
		})
	}
}
