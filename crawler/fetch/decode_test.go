package fetch

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"watershed/internal/coding"
	"watershed/page"
)

func TestBodies(t *testing.T) {
	const plain = "<html>the text of a page, the text of a page, the text of a page</html>"
	coded := func(name, b string) string { return length("Content-Encoding: "+name+"\r\n", b) }
	for _, tt := range []struct {
		name, raw string
		body      string
		err       string // part of Body.Err
	}{
		{name: "upper case", raw: coded("GZIP", gzipped(plain)), body: plain},
		{name: "x-gzip", raw: coded("x-gzip", gzipped(plain)), body: plain},
		{name: "identity", raw: coded("identity", plain), body: plain},
		{name: "zstd", raw: coded("zstd", zstded(plain)), body: plain},
		{name: "two members", raw: coded("gzip", gzipped(plain)+gzipped(plain)), body: plain + plain},
		{
			name: "three codings", raw: coded("br, gzip, deflate", zlibbed(gzipped(brotlied(plain)))),
			body: plain,
		},
		{name: "empty", raw: coded("gzip", "")},
		{name: "coded nothing", raw: coded("gzip", gzipped(""))},
		{
			name: "gzip cut", raw: coded("gzip", gzipped(plain)[:40]), body: "<html>the text of a",
			err: "unexpected EOF",
		},
		{
			name: "gzip, wrong sum", raw: coded("gzip", gzipped(plain)[:len(gzipped(plain))-8]+"12345678"),
			body: plain, err: "invalid checksum",
		},
		{
			name: "junk behind gzip", raw: coded("gzip", gzipped(plain)+"junk behind it"), body: plain,
			err: "more behind gzip: nothing of it is missing",
		},
		{
			name: "a line end behind gzip", raw: coded("gzip", gzipped(plain)+gzipped(plain)+"\n"),
			body: plain + plain, err: "more behind gzip: nothing of it is missing",
		},
		{
			name: "second member of gzip cut", raw: coded("gzip", gzipped(plain)+gzipped(plain)[:8]),
			body: plain, err: "unexpected EOF",
		},
		{
			name: "deflate cut", raw: coded("deflate", deflated(plain)[:len(deflated(plain))-4]),
			body: "<html>",
			err:  "unexpected EOF",
		},
		{name: "br cut", raw: coded("br", brotlied(plain)[:len(brotlied(plain))-4]), err: "unexpected EOF"},
		{name: "not br", raw: coded("br", plain), body: plain, err: "body is not br"},
		{name: "not gzip", raw: coded("gzip", plain), body: plain, err: "body is not gzip"},
		{
			name: "not gzip, gzip twice", raw: coded("gzip, gzip", gzipped(plain)), body: plain,
			err: "body is not gzip",
		},
		{name: "deflate that is gzip", raw: coded("deflate", gzipped(plain)), body: plain},
		{name: "gzip that is zlib", raw: coded("gzip", zlibbed(plain)), body: plain},
		{
			name: "identity, deflate that is gzip", raw: coded("identity, deflate", gzipped(plain)),
			body: plain,
		},
		{
			name: "gzip that is raw deflate", raw: coded("gzip", deflated(plain)), body: deflated(plain),
			err: "body is not gzip",
		},
		{
			name: "gzip, text like zlib", raw: coded("gzip", "x^ 2 + y"), body: "x^ 2 + y",
			err: "body is not gzip",
		},
		{
			name: "deflate, text like zlib", raw: coded("deflate", "x^ 2 + y"), body: "x^ 2 + y",
			err: "body is not deflate",
		},
		{name: "not zstd", raw: coded("zstd", plain), body: plain, err: "body is not zstd"},
		{name: "a charset", raw: coded("utf-8", plain), body: plain, err: `unknown content coding "utf-8"`},
		{
			name: "too many", raw: coded("gzip, gzip, gzip, gzip, gzip", gzipped(plain)),
			err: "5 content codings",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, _ := answered(t, local(), tt.raw)
			if x.Err != nil || text(t, x.Response) != tt.raw {
				t.Errorf("%v, response %q", x.Err, text(t, x.Response))
			}
			if got := string(x.Body.Bytes); got != tt.body &&
				!(tt.err == "unexpected EOF" && strings.HasPrefix(plain, got) &&
					strings.HasPrefix(got, tt.body)) {
				t.Errorf("body %q, want %q", got, tt.body)
			}
			if (x.Body.Err == nil) != (tt.err == "") ||
				x.Body.Err != nil && !strings.Contains(x.Body.Err.Error(), tt.err) || x.Body.Cut {
				t.Errorf("%v, cut %v, want %s", x.Body.Err, x.Body.Cut, tt.err)
			}
		})
	}
}

func zstded(s string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return string(w.EncodeAll([]byte(s), nil))
}

// A worker decodes one body after the other with the same readers; a broken body harms none that
// follows.
func TestDecodersAreUsedAgain(t *testing.T) {
	const text = "<html>some text of some page</html>"
	bodies := []string{
		length("Content-Encoding: gzip\r\n", gzipped(text)[:12]), length("Content-Encoding: gzip\r\n",
			gzipped(text)),
		length("Content-Encoding: br\r\n", "junk"), length("Content-Encoding: br\r\n", brotlied(text)),
		length("Content-Encoding: gzip, br\r\n", brotlied(gzipped(text))),
		length("Content-Encoding: br, gzip\r\n", gzipped(brotlied(text))),
	}
	i := 0
	f := dialing(t, local(), func() conner { i++; return &canned{in: reader(bodies[(i-1)%len(bodies)])} })
	f.pool.max = -1
	w := f.Worker()
	for k := range 3 * len(bodies) {
		x := do(t, w, Request{URL: "http://a.test/"})
		if broken := k%len(bodies) == 0 || k%len(bodies) == 2; (x.Body.Err != nil) != broken ||
			!broken && string(x.Body.Bytes) != text {
			t.Errorf("body %d: %q, %v", k, x.Body.Bytes, x.Body.Err)
		}
	}
}

// Bombs stay within the bound in memory, whole on the wire.
func TestBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 16<<20)
	small := gzipped(zeros)
	empty := strings.Repeat(gzipped(""), 1<<19)
	for _, tt := range []struct {
		name, coding, wire string
		cut                bool
		err                string
	}{
		{name: "gzip", coding: "gzip", wire: small, cut: true},
		{name: "gzip twice", coding: "gzip, gzip", wire: gzipped(small), cut: true},
		{name: "br", coding: "br", wire: brotlied(zeros), cut: true},
		{name: "deflate", coding: "deflate", wire: deflated(zeros), cut: true},
		{name: "zstd", coding: "zstd", wire: zstded(zeros), cut: true},
		{name: "empty members inside", coding: "gzip, gzip", wire: gzipped(empty), err: "swells"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := local()
			o.MaxDecoded = 1 << 20
			raw := length("Content-Encoding: "+tt.coding+"\r\n", tt.wire)
			f := dialing(t, o, func() conner { return &canned{in: reader(raw)} })
			w := f.Worker()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			x := do(t, w, Request{URL: "http://a.test/"})
			runtime.ReadMemStats(&after)
			if x.Err != nil || x.Truncated != page.Whole || x.Response.Size() != int64(len(raw)) {
				t.Errorf("%v, truncated %q, %d bytes of %d", x.Err, x.Truncated, x.Response.Size(), len(raw))
			}
			if x.Body.Cut != tt.cut || len(x.Body.Bytes) > 1<<20 || tt.cut && len(x.Body.Bytes) != 1<<20 ||
				(tt.err != "") != (x.Body.Err != nil) {
				t.Errorf("body of %d bytes, cut %v, %v", len(x.Body.Bytes), x.Body.Cut, x.Body.Err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
				t.Errorf("%d MiB allocated", used>>20)
			}
		})
	}
}

// Media that are never read for links are not held twice.
func TestUnreadMedia(t *testing.T) {
	body := strings.Repeat("x", 1<<20)
	for kind, want := range map[string]int{
		"video/mp4": coding.Unread, "Image/JPEG; q=1": coding.Unread, "font/woff2": coding.Unread,
		"image/svg+xml": 1 << 20, "text/html": 1 << 20,
		"application/pdf": 1 << 20, "": 1 << 20,
	} {
		x, _ := answered(t, local(), ok("Content-Type: "+kind+"\r\n", body))
		if len(x.Body.Bytes) != want || x.Body.Cut != (want < 1<<20) || x.Response.Size() < 1<<20 {
			t.Errorf("%q: body of %d bytes, cut %v, response of %d", kind, len(x.Body.Bytes), x.Body.Cut,
				x.Response.Size())
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		gzipped("text"), brotlied("text"), zlibbed("text"), deflated("text"),
		zstded("text"),
	} {
		f.Add(s, "gzip, deflate, br, zstd")
		f.Add(s, "gzip")
	}
	r := newRecorder(&Fetcher{opt: Options{MaxDecoded: 1000}, budget: newBudget(1 << 20)})
	f.Fuzz(func(t *testing.T, wire, codings string) {
		h := &head{status: 200, header: map[string][]string{"Content-Encoding": {codings}}}
		r.q, r.x = &Request{Method: "GET"}, &page.Exchange{
			Response: io.NewSectionReader(strings.NewReader(wire), 0, int64(len(wire))),
			Release:  func() error { return nil },
		}
		if err := r.read(t.Context(), h, nil); err != nil {
			t.Fatal(err)
		}
		got := r.x.Body
		if err := r.x.Close(); err != nil {
			t.Fatal(err)
		}
		if len(got.Bytes) > 1000 || got.Cut && len(got.Bytes) != 1000 {
			t.Errorf("%d bytes, cut %v", len(got.Bytes), got.Cut)
		}
		if codings == "" && string(got.Bytes) != wire[:min(len(wire), 1000)] {
			t.Error("body without codings is not what came")
		}
	})
}
