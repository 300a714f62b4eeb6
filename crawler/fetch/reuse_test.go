package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watershed/page"
)

// A connection is used again after a whole response and nothing else.
func TestReuse(t *testing.T) {
	for _, tt := range []struct {
		name string
		said string
		kept bool
	}{
		{"length", length("", "body"), true},
		{"chunks", ok("Transfer-Encoding: chunked\r\n", chunked("body", 2, "", "")), true},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", true},
		{"bomb cut in memory, whole on the wire", length("Content-Encoding: gzip\r\n",
			gzipped(strings.Repeat("0", 1<<20))), true},
		{
			"broken gzip, whole on the wire", length("Content-Encoding: gzip\r\n", gzipped("some text")[:20]),
			true,
		},
		{"asked to close", length("Connection: Close\r\n", "body"), false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody", false},
		{
			"chunks and a length",
			ok("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", chunked("body", 2, "", "")), false,
		},
		{
			"chunks of HTTP/1.0", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" +
				"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nbody", false,
		},
		{"more than its length", length("", "body") + "HTTP/1.1 200 OK\r\n\r\nforged", false},
		{"body beyond the limit", length("", strings.Repeat("b", 3000)), false},
		{
			"framing lost", ok("Content-Length: 4\r\nContent-Length: 5\r\nConnection: close\r\n", "body"),
			false,
		},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, secure), func(t *testing.T) {
				s := newSite(t, secure, func(string) said {
					return said{parts: []string{tt.said}, close: strings.HasPrefix(tt.name, "framing")}
				})
				o := at(local(), s, s)
				o.MaxBody, o.MaxDecoded = 2000, 1000
				w := newFetcher(t, o).Worker()
				for i := range 3 {
					u := map[bool]string{false: "http", true: "https"}[secure] +
						fmt.Sprintf("://a.test/%d", i)
					x := do(t, w, Request{URL: page.URL(u)})
					if !strings.HasPrefix(tt.said, came(t, x)) || x.Status == 0 {
						t.Errorf("response is %q, %v", text(t, x.Response), x.Err)
					}
				}
				want := 3
				if tt.kept {
					want = 1
				}
				if s.connections() != want {
					t.Errorf("%d connections, want %d", s.connections(), want)
				}
			})
		}
	}
}

// corked is a connection that sends what was written when it is next read from, all at once.
type corked struct {
	net.Conn
	written []byte
}

func (c *corked) Write(p []byte) (int, error) {
	c.written = append(c.written, p...)
	return len(p), nil
}

func (c *corked) Read(p []byte) (int, error) {
	if _, err := c.Conn.Write(c.written); err != nil {
		return 0, err
	}
	c.written = nil
	return c.Conn.Read(p)
}

// Bytes that a server sends behind a response never become the head of the next one, not even from
// within the TLS layer, where they may have been read from the socket already.
func TestNothingIsLeftForTheNext(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		s := newSiteOver(t, scheme == "https", func(c net.Conn) net.Conn { return &corked{Conn: c} },
			func(string) said {
				return said{parts: []string{length("", "body"), length("", "forged")}} // on TLS a record each
			})
		w := newFetcher(t, at(local(), s, s)).Worker()
		for i := range 3 {
			x := do(t, w, Request{URL: page.URL(fmt.Sprintf("%s://a.test/%d", scheme, i))})
			if text(t, x.Response) != length("", "body") {
				t.Errorf("%s: response %d is %q", scheme, i, text(t, x.Response))
			}
		}
		if s.connections() != 3 {
			t.Errorf("%s: %d connections", scheme, s.connections())
		}
	}
}

// A kept connection that the server closed is noticed, or the request sent again on a new one; once
// only.
func TestStaleConnection(t *testing.T) {
	for _, tt := range []struct {
		name string
		post bool
		last func(net.Conn) // what a server does with the second request on a connection
		want int            // requests that reach the server
		err  error
	}{
		{name: "closed at the request", last: func(c net.Conn) { c.Close() }, want: 3},
		{name: "tired of waiting", last: func(c net.Conn) {
			say(c, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			c.Close()
		}, want: 3},
		{name: "the answer before once more", last: func(c net.Conn) {
			say(c, length("", "body")+length("", "its own"))
		}, want: 3},
		{name: "the answer before later once more", last: func(c net.Conn) {
			say(c, length("", "body"))
			say(c, length("", "its own"))
		}, want: 3},
		{name: "the answer before later once more, of another time", last: func(c net.Conn) {
			say(c, length("Age: 1\r\n", "body"))
			say(c, length("", "its own"))
		}, want: 3},
		{name: "the same answer", last: func(c net.Conn) {
			say(c, length("", "body"))
			after(c, time.Second)
		}, want: 2},
		{name: "the rest of the answer before", last: func(c net.Conn) { say(c, "cut\n\n") }, want: 3},
		{
			name: "the same before a post", post: true, last: func(c net.Conn) { say(c, "cut\n\n") },
			want: 2, err: errNotHTTP,
		},
		{name: "broke in the answer", last: func(c net.Conn) {
			say(c, "HTTP/1.1 200 OK\r\n")
			c.Close()
		}, want: 2, err: ErrLost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var requests, conns atomic.Int32
				f := newFetcher(t, local())
				f.dialer.tcp = func(context.Context, string) (net.Conn, error) {
					client, server := net.Pipe()
					conns.Add(1)
					go func() {
						defer server.Close()
						for i := 0; ; i++ {
							if !request(server) {
								return
							}
							requests.Add(1)
							if i > 0 {
								tt.last(server)
								return
							}
							say(server, length("", "body"))
						}
					}()
					return client, nil
				}
				w := f.Worker()
				do(t, w, Request{URL: "http://a.test/1"})
				q := Request{URL: "http://a.test/2"}
				if tt.post {
					q.Method = http.MethodPost
				}
				x := do(t, w, q)
				if int(requests.Load()) != tt.want || !errors.Is(x.Err, tt.err) ||
					(x.Err != nil) != (tt.err != nil) {
					t.Errorf("%d requests, want %d; %v", requests.Load(), tt.want, x.Err)
				}
				if tt.err == nil && (text(t, x.Response) != length("", "body") ||
					!strings.HasPrefix(text(t, x.Request), "GET /2 ")) {
					t.Errorf("response %q to %q", text(t, x.Response), text(t, x.Request))
				}
			})
		})
	}
}

// TestListening: a connection is listened to within the limits of an exchange, and the origins of which it is
// known whether they repeat themselves are bounded.
func TestListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		defer client.Close()
		stopped, stop := context.WithCancel(t.Context())
		stop()
		for _, x := range []struct {
			ctx     context.Context
			timeout time.Duration
			want    time.Duration
		}{
			{t.Context(), time.Minute, moment + time.Second},
			{t.Context(), 20 * time.Millisecond, 20 * time.Millisecond},
			{stopped, time.Minute, 0},
		} {
			now := time.Now()
			limits := newLimits(x.ctx, &Options{Timeout: x.timeout}, now, 0)
			c := &conn{Conn: client, took: time.Hour, limits: limits}
			if c.goesOn() || time.Since(now) != x.want {
				t.Errorf("%v of %v", time.Since(now), x.want)
			}
		}
	})
	p := newPool(1, time.Minute)
	for i := range maxVain + 9 {
		p.learn(poolKey{host: page.Host(strconv.Itoa(i))}, i%2 == 0)
	}
	if len(p.vain) > maxVain {
		t.Errorf("%d origins", len(p.vain))
	}
}

// reset is a connection that its server has reset.
type reset struct {
	net.Conn
	closed int
}

func (c *reset) Close() error { c.closed++; return net.ErrClosed }

// A server that has reset a kept connection in the meantime is no fault of the harvest that ends.
func TestResetConnection(t *testing.T) {
	f, err := New(local())
	if err != nil {
		t.Fatal(err)
	}
	c := &reset{}
	f.pool.put(&conn{Conn: c, tcp: c})
	if err := f.Close(); err != nil || c.closed != 1 {
		t.Errorf("closed %d times: %v", c.closed, err)
	}
}

// request reads one request, byte by byte.
func request(c net.Conn) bool {
	var got []byte
	var one [1]byte
	for !strings.HasSuffix(string(got), "\r\n\r\n") {
		if _, err := io.ReadFull(c, one[:]); err != nil {
			return false
		}
		got = append(got, one[0])
	}
	return true
}

// A fresh connection that ends without an answer is a failure, not a reason to ask again.
func TestFreshConnectionIsNotRetried(t *testing.T) {
	s := newSite(t, false, func(string) said { return said{close: true} })
	x := get(t, newFetcher(t, at(local(), s, nil)), "http://a.test/")
	if !errors.Is(x.Err, ErrLost) || StatusOf(x.Err) != page.StatusLost || s.times("/") != 1 ||
		x.Request == nil {
		t.Errorf("%v after %d requests", x.Err, s.times("/"))
	}
}

// A server that closes while the connection is idle is noticed before a request is sent.
func TestClosedWhileIdle(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var c *conn
		s := newSite(t, secure, func(string) said {
			return said{parts: []string{length("", "body")}, close: true}
		})
		f := newFetcher(t, at(local(), s, s))
		w := f.Worker()
		scheme := map[bool]string{false: "http", true: "https"}[secure]
		do(t, w, Request{URL: page.URL(scheme + "://a.test/1")})
		for _, e := range f.pool.idle {
			c = e[0].Value.(*conn)
		}
		if c == nil {
			t.Fatal("the connection was not kept")
		}
		for c.quiet() { // until the server's end has arrived
		}
		do(t, w, Request{URL: page.URL(scheme + "://a.test/2")})
		if s.connections() != 2 || s.times("/2") != 1 {
			t.Errorf("%d connections, asked %d times", s.connections(), s.times("/2"))
		}
	}
}

func TestPoolIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(3, time.Minute)
		made := func(host string) (*conn, *canned) {
			c := &canned{in: reader("")}
			return &conn{Conn: c, tcp: c, key: poolKey{host: page.Host(host)}}, c
		}
		var all []*canned
		for i := range 5 {
			c, raw := made(fmt.Sprintf("h%d", i%2))
			p.put(c)
			all = append(all, raw)
		}
		for i, c := range all {
			if c.closed != (i < 2) {
				t.Errorf("connection %d: closed is %v", i, c.closed)
			}
		}
		if p.take(poolKey{host: "h1"}) == nil || p.take(poolKey{host: "h1"}) != nil ||
			p.take(poolKey{host: "h9"}) != nil {
			t.Error("take gave out the wrong connections")
		}
		<-time.After(time.Minute)
		if p.take(poolKey{host: "h0"}) != nil || !all[4].closed {
			t.Error("an expired connection was given out, or left open")
		}
		p.close()
		if p.close(); !all[2].closed {
			t.Error("a closed pool has open connections")
		}
		c, raw := made("late")
		p.put(c)
		if !raw.closed {
			t.Error("a closed pool keeps connections")
		}
	})
}
