package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"watershed/page"
)

// piped lets a fetcher reach a server that talks over a pipe, so that time is the test's own.
func piped(t testing.TB, o Options, serve func(net.Conn)) *Fetcher {
	t.Helper()
	return dialing(t, o, func() conner {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			br := bufio.NewReader(server)
			for line := ""; line != "\r\n"; {
				var err error
				if line, err = br.ReadString('\n'); err != nil {
					return
				}
			}
			serve(server)
		}()
		return client
	})
}

func say(c io.Writer, s string) bool {
	_, err := io.WriteString(c, s)
	return err == nil
}

// after waits until the time is over or the peer gone.
func after(c net.Conn, d time.Duration) {
	_ = c.SetReadDeadline(time.Now().Add(d))
	_, _ = c.Read(make([]byte, 1))
}

func TestLimitsOfTime(t *testing.T) {
	const second = time.Second
	head := ok("Content-Length: 100000\r\n", "")
	for _, tt := range []struct {
		name   string
		serve  func(net.Conn)
		took   time.Duration
		reason string
		status int
		cut    page.Truncation
		body   int // bytes at least
	}{
		{
			name: "no answer", serve: func(c net.Conn) { after(c, time.Hour) },
			took: 60 * second, reason: "no whole head within 1m0s", status: page.StatusTimeout,
		},
		{
			name: "head in drips", serve: func(c net.Conn) {
				for _, b := range strings.Repeat(head, 10) {
					if !say(c, string(b)) {
						return
					}
					after(c, 5*second)
				}
			},
			took: 60 * second, reason: "no whole head within 1m0s", status: page.StatusTimeout,
		},
		{
			name: "interim responses without end", serve: func(c net.Conn) {
				for say(c, "HTTP/1.1 103 Early Hints\r\n\r\n") {
					after(c, second)
				}
			},
			took: 60 * second, reason: "no whole head within 1m0s", status: page.StatusTimeout,
		},
		{
			name: "body stalls", serve: func(c net.Conn) {
				say(c, head+"part")
				after(c, time.Hour)
			},
			took: 30 * second, reason: "nothing more came for 30s", cut: page.CutTime, body: 4,
		},
		{
			name: "chunk size stalls", serve: func(c net.Conn) {
				say(c, ok("Transfer-Encoding: chunked\r\n", "4\r\npart\r\n1"))
				after(c, time.Hour)
			},
			took: 30 * second, reason: "nothing more came for 30s", cut: page.CutTime, body: 4,
		},
		{
			name: "body in drips", serve: func(c net.Conn) {
				say(c, head)
				for say(c, "x") {
					after(c, 10*second)
				}
			},
			took: 60 * second, reason: "slower than 64 bytes/s", cut: page.CutTime, body: 6,
		},
		{
			name: "body slows down", serve: func(c net.Conn) {
				say(c, head+strings.Repeat("x", 6400)) // pays for 100 s
				for say(c, "x") {
					after(c, second)
				}
			},
			took: 100*second + 102*second/64, reason: "slower than 64 bytes/s", cut: page.CutTime, body: 6400,
		},
		{
			name: "body without end", serve: func(c net.Conn) {
				say(c, ok("", ""))
				for say(c, strings.Repeat("x", 100)) {
					after(c, second)
				}
			},
			took: 1200 * second, reason: "not done within 20m0s", cut: page.CutTime, body: 119000,
		},
		{
			name: "a camera", serve: func(c net.Conn) {
				say(c, ok("Content-Type: Multipart/X-Mixed-Replace; boundary=b\r\n", ""))
				for say(c, strings.Repeat("x", 10_000)) {
					after(c, second)
				}
			},
			took: 3 * second, reason: "<nil>", cut: page.CutTime, body: 30_000,
		},
		{
			name: "a radio station", serve: func(c net.Conn) {
				say(c, ok("Content-Type: audio/mpeg\r\nicy-br: 40\r\nTransfer-Encoding: chunked\r\n", ""))
				for say(c, "a\r\n0123456789\r\n") {
					after(c, second)
				}
			},
			took: 3 * second, reason: "<nil>", cut: page.CutTime, body: 30,
		},
		{
			name: "pictures with an end", serve: func(c net.Conn) {
				say(c, ok("Content-Type: multipart/x-mixed-replace\r\nConnection: close\r\n"+
					"Content-Length: 5\r\n", ""))
				for range 5 {
					after(c, second)
					say(c, "x")
				}
			},
			took: 5 * second, reason: "<nil>", body: 5,
		},
		{
			name: "sound with an end", serve: func(c net.Conn) {
				say(c, ok("Icy-Br: 40\r\nConnection: close\r\nContent-Length: 5\r\n", ""))
				for range 5 {
					after(c, second)
					say(c, "x")
				}
			},
			took: 5 * second, reason: "<nil>", body: 5,
		},
		{
			name: "length unknown, kept open", serve: func(c net.Conn) {
				say(c, ok("Content-Length: 4\r\nContent-Length: 5\r\n", "part"))
				after(c, time.Hour)
			},
			took: 2 * second, reason: "Content-Length", cut: page.CutUnknown, body: 4,
		},
		{
			name: "length unknown, slow", serve: func(c net.Conn) {
				say(c, ok("Content-Length: 6\r\nContent-Length: 7\r\n", ""))
				after(c, 3*second)
				say(c, "who")
				after(c, 3*second)
				say(c, "le")
			},
			took: 6 * second, reason: "Content-Length", cut: page.CutUnknown, body: 5,
		},
		{
			name: "chunks lost, kept open", serve: func(c net.Conn) {
				say(c, ok("Transfer-Encoding: chunked\r\n", "4\r\npart\r\nzz\r\n"))
				after(c, time.Hour)
			},
			took: 2 * second, reason: "size of chunk", cut: page.CutUnknown, body: 4,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := piped(t, local(), tt.serve)
				start := time.Now()
				x := get(t, f, "http://a.test/")
				if took := time.Since(start); took != tt.took || x.Duration != took {
					t.Errorf("took %v, says %v; want %v", took, x.Duration, tt.took)
				}
				if !strings.Contains(fmt.Sprint(x.Err), tt.reason) || x.Truncated != tt.cut ||
					StatusOf(x.Err) != tt.status && x.Status == 0 {
					t.Errorf("%v, truncated %q, status %d; want %q, %q, %d", x.Err, x.Truncated,
						StatusOf(x.Err), tt.reason, tt.cut, tt.status)
				}
				if len(f.pool.idle) > 0 {
					t.Error("the connection was kept")
				}
				if len(x.Body.Bytes) < tt.body || (x.Response == nil) != (tt.status != 0) {
					t.Errorf("body of %d bytes, want %d; response %v", len(x.Body.Bytes), tt.body, x.Response)
				}
			})
		})
	}
}

// The caller's context ends an exchange at any stage, and what came stays.
func TestContextEnds(t *testing.T) {
	for _, stage := range []struct {
		name string
		say  string
		body string
	}{
		{"waiting for the head", "", ""},
		{"in the head", "HTTP/1.1 200 OK\r\nA: ", ""},
		{"in the body", ok("Content-Length: 100\r\n", "part"), "part"},
		{"in chunks", ok("Transfer-Encoding: chunked\r\n", "4\r\npart\r\n"), "part"},
		{"to the close", ok("", "part"), "part"},
	} {
		for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
			t.Run(fmt.Sprintf("%s, %v", stage.name, end), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := piped(t, local(), func(c net.Conn) {
						say(c, stage.say)
						after(c, time.Hour)
					})
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					defer cancel()
					if errors.Is(end, context.Canceled) {
						ctx, cancel = context.WithCancel(context.Background())
						defer cancel()
						time.AfterFunc(time.Second, cancel)
					}
					start := time.Now()
					x := f.Worker().Fetch(ctx, Request{URL: "http://a.test/"})
					if took := time.Since(start); took != time.Second || !errors.Is(x.Err, end) {
						t.Errorf("took %v, %v", took, x.Err)
					}
					if string(x.Body.Bytes) != stage.body || (x.Status == 200) != (stage.body != "") {
						t.Errorf("status %d, body %q, want %q", x.Status, x.Body.Bytes, stage.body)
					}
					if err := x.Close(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// afterRead is a connection on which something happens whenever bytes have come.
type afterRead struct {
	net.Conn
	then func()
}

func (c *afterRead) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.then()
	return n, err
}

// A context that ends between two reads is noticed before the second waits.
func TestContextEndsBetweenReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		f := piped(t, local(), func(c net.Conn) {
			say(c, ok("Content-Length: 100\r\n", "part"))
			after(c, time.Hour)
		})
		dial := f.dialer.tcp
		f.dialer.tcp = func(ctx context.Context, to string) (net.Conn, error) {
			c, err := dial(ctx, to)
			return &afterRead{c, func() { cancel(); <-time.After(time.Millisecond) }}, err
		}
		x := f.Worker().Fetch(ctx, Request{URL: "http://a.test/"})
		if !errors.Is(x.Err, context.Canceled) || x.Duration != time.Millisecond ||
			string(x.Body.Bytes) != "part" {
			t.Errorf("took %v, %v, body %q", x.Duration, x.Err, x.Body.Bytes)
		}
	})
}

// A connection that the context's end may still touch is not used again, though its response is
// whole.
func TestContextEndsWithTheResponse(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := dialing(t, local(), func() conner {
		return &afterRead{&canned{in: reader(length("", "body"))}, cancel}
	})
	x := f.Worker().Fetch(ctx, Request{URL: "http://a.test/"})
	if x.Err != nil || string(x.Body.Bytes) != "body" || len(f.pool.idle) > 0 {
		t.Errorf("%v, body %q, %d connections kept", x.Err, x.Body.Bytes, len(f.pool.idle))
	}
}

func TestContextEndedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := newSite(t, false, func(string) said { return whole(length("", "")) })
	f := newFetcher(t, at(local(), s, nil))
	if x := f.Worker().Fetch(ctx, Request{URL: "http://a.test/"}); !errors.Is(x.Err, context.Canceled) {
		t.Errorf("%v", x.Err)
	}
}

func TestConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFetcher(t, local())
		f.dialer.tcp = func(ctx context.Context, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		start := time.Now()
		x := get(t, f, "http://a.test/")
		if took := time.Since(start); took != 20*time.Second || StatusOf(x.Err) != page.StatusConnect ||
			x.Request != nil {
			t.Errorf("took %v, %v, status %d", took, x.Err, StatusOf(x.Err))
		}
	})
}

// TestMaxBodyOfRequest: a request's own bound cuts a body as that of the options does, and no
// larger one counts.
func TestMaxBodyOfRequest(t *testing.T) {
	o := local()
	o.MaxBody = 2000
	for _, tt := range []struct{ asked, want int64 }{{0, 2000}, {1000, 1000}, {3000, 2000}} {
		f := dialing(t, o, func() conner { return &canned{in: reader(ok("", strings.Repeat("x", 5000)))} })
		x := do(t, f.Worker(), Request{URL: "http://a.test/", MaxBody: tt.asked})
		if got := x.Response.Size() - x.Head; got != tt.want || x.Truncated != page.CutLength {
			t.Errorf("%d asked for: %d bytes, %v", tt.asked, got, x.Truncated)
		}
	}
}

// TestWorkerKeepsNothing: what a worker fetched is free once its exchange is closed and forgotten,
// although the worker goes on.
func TestWorkerKeepsNothing(t *testing.T) {
	f := dialing(t, local(), func() conner { return &canned{in: reader(ok("", strings.Repeat("x", 1<<20)))} })
	w := f.Worker()
	x := w.Fetch(t.Context(), Request{URL: "http://a.test/"})
	kept, body := weak.Make(x), weak.Make(&x.Body.Bytes[0])
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = nil
	runtime.GC()
	if kept.Value() != nil || body.Value() != nil {
		t.Error("the exchange, or its body, is still held")
	}
	runtime.KeepAlive(w)
}

// TestEventsFetched: events that a script reads as any answer may end, as those of an EventSource do not.
func TestEventsFetched(t *testing.T) {
	for accept, want := range map[string]time.Duration{
		"*/*": 5 * time.Second, "text/event-stream": endlessTime,
	} {
		synctest.Test(t, func(t *testing.T) {
			f := piped(t, local(), func(c net.Conn) {
				say(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
				for range 5 {
					after(c, time.Second)
					say(c, "data: x\n\n")
				}
			})
			x := do(t, f.Worker(), Request{
				URL: "http://a.test/", Header: http.Header{"Accept": {accept}}, Timeout: time.Minute,
			})
			cut := page.CutEndless
			if want > endlessTime {
				cut = page.Whole
			}
			if x.Err != nil || x.Duration != want || page.CutOf(x.Truncated, x.Header) != cut {
				t.Errorf("%s: %v in %v, truncated %q", accept, x.Err, x.Duration, x.Truncated)
			}
		})
	}
}

// TestFilms: a film or a sound that a page asks for as it is drawn has the time of any other answer where it
// has a length, or a date or a tag as files have; others may have no end.
func TestFilms(t *testing.T) {
	for _, test := range []struct {
		name, fields string
		rate         int // bytes a second
		cut          bool
	}{
		{"live", "Content-Type: video/webm\r\n", 64 << 10, true},
		{"with a date", "Content-Type: video/mp4\r\n" +
			"Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n", 64 << 10, false},
		{"with a tag", "Content-Type: application/ogg\r\nETag: \"a\"\r\n", 64 << 10, false},
		{"with a length", "Content-Type: video/mp4\r\nContent-Length: 4259840\r\n", 64 << 10, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := local()
				o.Timeout = 10 * time.Minute
				f := piped(t, o, func(c net.Conn) {
					say(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n"+test.fields+"\r\n")
					for range 65 {
						after(c, time.Second)
						say(c, strings.Repeat("x", test.rate))
					}
				})
				x := do(t, f.Worker(), Request{URL: "http://a.test/", Timeout: 20 * time.Second})
				if (x.Truncated == page.CutTime) != test.cut {
					t.Errorf("truncated %q in %v: %v", x.Truncated, x.Duration, x.Err)
				}
			})
		})
	}
}
