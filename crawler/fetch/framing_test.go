package fetch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/page"
)

// TestBrokenResponses has responses that break the protocol, and the part that is kept of each.
func TestBrokenResponses(t *testing.T) {
	const b = "<html>the body of a page</html>"
	chunks, html := "Transfer-Encoding: chunked\r\n", "Content-Type: text/html\r\n"
	for _, tt := range []struct {
		name     string
		raw      string
		response string // "" for raw; "-" for none
		trailer  string // of its fields
		body     string
		cut      page.Truncation
		err      error
		status   int // by StatusOf
	}{
		{name: "longer than its length", raw: length("", b) + "more", response: length("", b), body: b},
		{
			name: "page longer than its length", raw: ok(html+"Content-Length: 9\r\n", b), body: b,
			cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "page that goes on with an address",
			raw:  ok(html+"Content-Length: 8\r\n", "<a href=http://a.test/>site"),
			body: "<a href=http://a.test/>site", cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "another answer behind a page", raw: ok(html+"Content-Length: 9\r\n", b[:9]+length("", b)),
			response: ok(html+"Content-Length: 9\r\n", b[:9]), body: b[:9],
		},
		{
			name: "remains behind a whole page", raw: length(html, b) + strings.Repeat("more ", 9),
			response: length(html, b), body: b,
		},
		{
			name: "shorter than its length", raw: ok("Content-Length: 500\r\n", b), body: b,
			cut: page.CutConnected, err: ErrCutShort,
		},
		{
			name: "nothing of the body", raw: ok("Content-Length: 500\r\n", ""), cut: page.CutConnected,
			err: ErrCutShort,
		},
		{
			name: "two lengths", raw: ok("Content-Length: 31\r\nContent-Length: 7\r\n", b), body: b,
			cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "negative length", raw: ok("Content-Length: -5\r\n", b), body: b, cut: page.CutUnknown,
			err: errFraming,
		},
		{
			name: "length with sign", raw: ok("Content-Length: +31\r\n", b), body: b, cut: page.CutUnknown,
			err: errFraming,
		},
		{
			name: "length in words", raw: ok("Content-Length: many\r\n", b), body: b, cut: page.CutUnknown,
			err: errFraming,
		},
		{
			name: "length beyond all numbers", raw: ok("Content-Length: 99999999999999999999\r\n", b),
			body: b,
			cut:  page.CutConnected, err: ErrCutShort,
		},
		{name: "empty length is none", raw: ok("Content-Length:\r\n", b), body: b},
		{
			name: "length beside chunks", raw: ok(chunks+"Content-Length: 3\r\n", chunked(b, 9, "", "")),
			body: b,
		},
		{
			name: "chunks cut in a chunk", raw: ok(chunks, "1f\r\n<html>"), body: "<html>",
			cut: page.CutConnected, err: ErrCutShort,
		},
		{
			name: "chunks cut behind a chunk", raw: ok(chunks, "6\r\n<html>"), body: "<html>",
			cut: page.CutConnected, err: ErrCutShort,
		},
		{
			name: "chunks cut in a size", raw: ok(chunks, "6\r\n<html>\r\n1"), body: "<html>",
			cut: page.CutConnected, err: ErrCutShort,
		},
		{
			name: "chunks that end without the empty line", raw: ok(chunks, "6\r\n<html>\r\n0\r\n"),
			response: ok(chunks, "6\r\n<html>\r\n0\r\n\r\n"), body: "<html>",
		},
		{
			name: "chunks cut in the trailer", raw: ok(chunks, "6\r\n<html>\r\n0\r\nX: "), body: "<html>",
			response: ok(chunks, "6\r\n<html>\r\n0\r\nX: \r\n"), trailer: "X: ",
			cut: page.CutConnected, err: ErrCutShort,
		},
		{
			name: "a trailer", raw: ok(chunks, "6\r\n<html>\r\n0\r\nX: y\r\nZ:\n\r\n"), body: "<html>",
			trailer: "X: y\r\nZ:\n",
		},
		{
			name: "an extension that warcio reads", raw: ok(chunks, "6;x=y\r\n<html>\r\n0;x\r\n\r\n"),
			body: "<html>",
		},
		{
			name:     "an extension that warcio does not read",
			raw:      ok(chunks, "6;"+strings.Repeat("x", 61)+"\r\n<html>\r\n0\r\n\r\n"),
			response: ok(chunks, "6\r\n<html>\r\n0\r\n\r\n"), body: "<html>",
		},
		{
			name: "no last chunk", raw: ok(chunks, "6\r\n<html>\r\n"), body: "<html>", cut: page.CutConnected,
			err: ErrCutShort,
		},
		{
			name: "size of chunk too small", raw: ok(chunks, "4\r\n<html>\r\n0\r\n\r\n"), body: "<htm",
			cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "size of chunk is none", raw: ok(chunks, "6\r\n<html>\r\nxyz\r\nmore"), body: "<html>",
			cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "negative chunk", raw: ok(chunks, "6\r\n<html>\r\n-6\r\n<html>\r\n"), body: "<html>",
			cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "chunk beyond all numbers", raw: ok(chunks, "ffffffffffffffffff\r\n"+b),
			body: b, cut: page.CutConnected, err: ErrCutShort,
		},
		{name: "not chunked at all", raw: ok(chunks, b), body: b, cut: page.CutUnknown, err: errFraming},
		{
			name: "not chunked at all, hexadecimal", raw: ok(chunks, "face to face\r\n"+b),
			body: "face to face\r\n" + b, cut: page.CutUnknown, err: errFraming,
		},
		{
			name: "chunk line without end", raw: ok(chunks, "5;"+strings.Repeat("x", 9000)),
			body: "5;" + strings.Repeat("x", 9000), cut: page.CutUnknown, err: errFraming,
		},
		{
			name:     "trailer without end",
			raw:      ok(chunks, "6\r\n<html>\r\n0\r\n"+strings.Repeat("T: x\r\n", 100_000)),
			response: ok(chunks, "6\r\n<html>\r\n0\r\n"+strings.Repeat("T: x\r\n", (64<<10-3)/6+1)+"\r\n"),
			trailer:  strings.Repeat("T: x\r\n", (64<<10-3)/6+1),
			body:     "<html>", cut: page.CutLength, err: ErrBody,
		},
		{
			name:     "extensions without end",
			raw:      ok(chunks, strings.Repeat("1;"+strings.Repeat("x", 1020)+"\r\na\r\n", 1000)),
			response: ok(chunks, strings.Repeat("1\r\na\r\n", 65)),
			body:     strings.Repeat("a", 65), cut: page.CutLength, err: ErrBody,
		},
		{
			name: "chunks of a byte", raw: ok(chunks, strings.Repeat("1\r\na\r\n", 100_000)+"0\r\n\r\n"),
			body: strings.Repeat("a", 100_000),
		},
		{name: "chunks of a blank more", raw: ok(chunks, " 6 \r\n<html>\r\n0 ;x\r\n\r\n"), body: "<html>"},
		{
			name: "chunks that end with CR CR LF",
			raw:  ok(chunks, "6\r\r\n<html>\r\r\n0\r\r\n\r\r\n"), body: "<html>",
			response: ok(chunks, "6\r\r\n<html>\r\n0\r\r\n\r\n"),
		},
		{
			name: "a length that ends with CR", raw: ok("Content-Length: 31\r\r\n", b), body: b,
			response: ok("Content-Length: 31\r\r\n", b),
		},
		{
			name: "bare LF in chunks", raw: ok(chunks, "6\n<html>\n0\n\n"), body: "<html>",
			response: ok(chunks, "6\r\n<html>\r\n0\r\n\r\n"),
		},
		{name: "empty chunked body", raw: ok(chunks, "0\r\n\r\n")},
		{name: "chunked by HTTP/1.0", raw: "HTTP/1.0 200 OK\r\n" + chunks + "\r\n" + b, body: b},
		{name: "unknown transfer coding", raw: ok("Transfer-Encoding: rot13\r\n", b), body: b},
		{
			name: "identity transfer coding",
			raw:  ok("Transfer-Encoding: identity\r\nContent-Length: 31\r\n", b), body: b,
		},
		{name: "empty lines in front", raw: "\r\n\n" + length("", b), response: length("", b), body: b},
		{name: "status without reason", raw: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"},
		{name: "lower-case protocol", raw: "http/1.1  200 ok\r\n\r\n" + b, body: b},
		{name: "text of HTTP/2", raw: "HTTP/2 200\r\n\r\n" + b, body: b},
		{name: "unknown status", raw: "HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nno", body: "no"},

		{name: "nothing", raw: "", response: "-", err: ErrLost, status: page.StatusLost},
		{
			name: "part of a head", raw: "HTTP/1.1 200 OK\r\nContent-Le", response: "-", err: ErrLost,
			status: page.StatusLost,
		},
		{
			name: "head without empty line", raw: "HTTP/1.1 200 OK\r\nA: b\r\n", response: "-", err: ErrLost,
			status: page.StatusLost,
		},
		{
			name: "interim alone", raw: "HTTP/1.1 100 Continue\r\n\r\n", response: "-", err: ErrLost,
			status: page.StatusLost,
		},
		{
			name: "HTTP/0.9", raw: "<html>\n\n</html>", response: "-", err: errNotHTTP,
			status: page.StatusRefused,
		},
		{
			name: "HTTP/0.9 without an empty line", raw: "<html></html>", response: "-", err: errNotHTTP,
			status: page.StatusRefused,
		},
		{
			name: "another protocol", raw: "SSH-2.0-OpenSSH_9.2\r\n\r\n", response: "-", err: errNotHTTP,
			status: page.StatusRefused,
		},
		{
			name: "status is none", raw: "HTTP/1.1 OK\r\n\r\n", response: "-", err: errNotHTTP,
			status: page.StatusRefused,
		},
		{
			name: "status of four digits", raw: "HTTP/1.1 2000 OK\r\n\r\n", response: "-", err: errNotHTTP,
			status: page.StatusRefused,
		},
		{
			name: "head too long", raw: ok("A: "+strings.Repeat("a", 300<<10)+"\r\n", b), response: "-",
			err: errHead, status: page.StatusRefused,
		},
		{
			name: "another protocol",
			raw: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n" +
				length("", b), response: "-", err: errNotHTTP, status: page.StatusRefused,
		},
		{
			name:     "endless interim responses",
			raw:      strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20_000),
			response: "-", err: errHead, status: page.StatusRefused,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, c := answered(t, local(), tt.raw)
			want := tt.response
			switch want {
			case "":
				want = tt.raw
			case "-":
				want = ""
			}
			if got := came(t, x); got != want {
				t.Errorf("response is %.300q, want %.300q", got, want)
			}
			repaired := tt.trailer != "" || strings.Contains(want, "chunked") && want != tt.raw
			if x.Rechunked != repaired || string(x.Trailer) != tt.trailer {
				t.Errorf("chunk lines repaired: %t, trailer %.100q", x.Rechunked, x.Trailer)
			}
			if (x.Response == nil) != (tt.response == "-") || (x.Status == 0) != (tt.response == "-") {
				t.Errorf("response is %v, status %d", x.Response, x.Status)
			}
			if string(x.Body.Bytes) != tt.body ||
				(x.Body.Err != nil) != strings.HasPrefix(tt.name, "unknown transfer") {
				t.Errorf("body is %.100q, %v; want %.100q", x.Body.Bytes, x.Body.Err, tt.body)
			}
			if x.Truncated != tt.cut || !errors.Is(x.Err, tt.err) || (x.Err != nil) != (tt.err != nil) {
				t.Errorf("truncated %q, %v; want %q, %v", x.Truncated, x.Err, tt.cut, tt.err)
			}
			payload := tt.body
			if strings.HasPrefix(tt.name, "not chunked") || tt.name == "chunk line without end" {
				payload = "" // of a cut answer it is what the framing yields
			}
			sum, err := archive.SumPayload(x)
			if err != nil || sum.SHA256 != sha256.Sum256([]byte(payload)) {
				t.Errorf("the archive takes %d bytes for the payload, %v", sum.Size, err)
			}
			if got := StatusOf(x.Err); got != tt.status {
				t.Errorf("StatusOf(%v) = %d, want %d", x.Err, got, tt.status)
			}
			if text(t, x.Request) != c.out.String() {
				t.Errorf("request is %q, sent was %q", text(t, x.Request), c.out.String())
			}
		})
	}
}

// A connection that broke in the midst is the peer's doing and keeps what came.
func TestReset(t *testing.T) {
	reset := errors.New("connection reset by peer")
	for _, head := range []string{ok("Content-Length: 500\r\n", "part"), ok("Transfer-Encoding: chunked\r\n",
		"9\r\npart"), ok("", "part")} {
		f := dialing(t, local(), func() conner { return &canned{in: reader(head), end: reset} })
		x := get(t, f, "http://a.test/")
		if text(t, x.Response) != head || x.Truncated != page.CutConnected || !errors.Is(x.Err, reset) ||
			string(x.Body.Bytes) != "part" {
			t.Errorf("%q: %q, truncated %q, %v, body %q", head, text(t, x.Response), x.Truncated,
				x.Err, x.Body.Bytes)
		}
	}
}

// A body at its limit is whole; one byte more is cut.
func TestBodyLimit(t *testing.T) {
	body := strings.Repeat("0123456789", 100)
	for _, tt := range []struct{ name, raw string }{
		{"length", length("", body)},
		{"chunks", ok("Transfer-Encoding: chunked\r\n", chunked(body, 300, "", ""))},
		{"close", ok("", body)},
		{"gzip", length("Content-Encoding: gzip\r\n", gzipped(body))},
	} {
		head := strings.Index(tt.raw, "\r\n\r\n") + 4
		size := len(tt.raw) - head
		o := local()
		o.SpoolAbove, o.SpoolDir, o.MaxIdle = 700, t.TempDir(), -1
		f := dialing(t, o, func() conner { return &canned{in: reader(tt.raw)} })
		w := f.Worker()
		for limit := 1; limit <= size+1; limit++ {
			f.opt.MaxBody = int64(limit)
			x := do(t, w, Request{URL: "http://a.test/"})
			want, cut, kind := tt.raw, page.Whole, error(nil)
			if limit < size {
				want, cut, kind = tt.raw[:head+limit], page.CutLength, ErrBody
			}
			if tt.name == "chunks" && limit >= size-len("\r\n") {
				want = tt.raw // the line behind the last chunk is always recorded
			}
			if got := text(t, x.Response); got != want || x.Truncated != cut || !errors.Is(x.Err, kind) {
				t.Errorf("%s, %d of %d: %d bytes, want %d; truncated %q; %v", tt.name, limit, size, len(got),
					len(want), x.Truncated, x.Err)
			}
			if !strings.HasPrefix(body, string(x.Body.Bytes)) || x.Body.Err != nil {
				t.Errorf("%s, %d of %d: body %.50q, %v", tt.name, limit, size, x.Body.Bytes, x.Body.Err)
			}
		}
	}
}

// However the bytes arrive, the exchange is the same.
func TestPieces(t *testing.T) {
	for _, k := range kinds {
		r := k.said("<html>" + strings.Repeat("lorem ipsum ", 20) + "</html>")
		raw := r.before + r.final()
		whole, _ := answered(t, local(), raw)
		for _, piece := range []int{1, 2, 7} {
			f := dialing(t, local(), func() conner { return &canned{in: reader(raw), piece: piece} })
			x := get(t, f, "http://a.test/")
			if text(t, x.Response) != text(t, whole.Response) ||
				string(x.Body.Bytes) != string(whole.Body.Bytes) ||
				fmt.Sprint(x.Err) != fmt.Sprint(whole.Err) {
				t.Errorf("%s in pieces of %d: %q, %v; want %q, %v", k.name, piece, text(t, x.Response), x.Err,
					text(t, whole.Response), whole.Err)
			}
		}
	}
}

func TestHeadHasNoBody(t *testing.T) {
	raw := "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Encoding: gzip\r\n\r\n"
	c := &canned{in: reader(raw)}
	f := dialing(t, local(), func() conner { return c })
	x := do(t, f.Worker(), Request{URL: "http://a.test/", Method: "HEAD"})
	if x.Err != nil || x.Method != "HEAD" || text(t, x.Response) != raw || len(x.Body.Bytes) > 0 ||
		!strings.HasPrefix(c.out.String(), "HEAD / HTTP/1.1\r\n") {
		t.Errorf("%q, %v, request %q", text(t, x.Response), x.Err, c.out.String())
	}
}

// A response above SpoolAbove is on disk, and leaves nothing there.
func TestSpool(t *testing.T) {
	o := local()
	o.SpoolDir, o.SpoolAbove = t.TempDir(), 1000
	body := strings.Repeat("0123456789", 500)
	x, _ := answered(t, o, length("", body))
	if text(t, x.Response) != length("", body) || string(x.Body.Bytes) != body || x.Err != nil {
		t.Errorf("response of %d bytes, body of %d, %v", x.Response.Size(), len(x.Body.Bytes), x.Err)
	}
	if left, err := os.ReadDir(o.SpoolDir); err != nil || runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("a kill would leave behind: %v, %v", left, err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	const html = "Content-Type: text/html\r\n"
	long, _ := answered(t, o, ok(html+"Content-Length: 500\r\n", body))
	if text(t, long.Response) != ok(html, body) || len(long.RawHead) == 0 || string(long.Body.Bytes) != body {
		t.Errorf("page longer than its length: %.100q", text(t, long.Response))
	}
	if err := long.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(o.SpoolDir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	o.SpoolDir = o.SpoolDir + "/none"
	x, _ = answered(t, o, length("", body))
	if !errors.Is(x.Err, ErrSpool) || !errors.Is(x.Err, os.ErrNotExist) || x.Truncated != page.CutUnknown {
		t.Errorf("no folder for the spool: %v, truncated %q", x.Err, x.Truncated)
	}
}

// Whatever a server says, the response is a part of it, begins with a status line and is bounded.
func FuzzResponse(f *testing.F) {
	for _, k := range kinds {
		r := k.said("<html>body</html>")
		// what fuzzing finds in a long one it shortens for minutes
		if raw := r.before + r.final(); len(raw) <= 120 {
			f.Add(raw, uint8(3))
		}
	}
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", uint8(1))
	f.Add("HTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\nContent-Length: 4\n\nabcd", uint8(2))
	f.Add("HTTP/1.1 200 OK\nContent-Encoding: br, deflate\n\nabcd", uint8(2))
	s := newUtterance(f)
	f.Fuzz(s.bounded)
}

func TestResponsesAreBounded(t *testing.T) {
	s := newUtterance(t)
	for _, k := range kinds {
		r := k.said("<html>body</html>")
		s.bounded(t, r.before+r.final(), 3)
	}
	s.bounded(t, "\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\nContent-Length: 4\nContent-Encoding: br, "+
		"deflate, zstd\n\nabcd", 2)
}

// utterance is a worker with narrow limits, and the server that it asks next: one for all that is
// said, since making a fetcher takes longer than what it is made for.
type utterance struct {
	worker *Worker
	server *canned
}

func newUtterance(t testing.TB) *utterance {
	s := new(utterance)
	o := local()
	o.MaxHead, o.MaxBody, o.MaxDecoded, o.SpoolAbove, o.SpoolDir, o.MaxIdle = 200, 300, 100, 250,
		t.TempDir(), -1
	s.worker = dialing(t, o, func() conner { return s.server }).Worker()
	return s
}

// bounded fetches what a server says in pieces, and looks at the exchange.
func (s *utterance) bounded(t *testing.T, raw string, piece uint8) {
	s.server = &canned{in: reader(raw), piece: int(piece)}
	x := do(t, s.worker, Request{URL: "http://a.test/"})
	if x.Response == nil {
		if x.Err == nil || x.Status != 0 {
			t.Fatalf("no response, no error: %+v", x)
		}
		return
	}
	got, received, head := text(t, x.Response), came(t, x), x.Head
	if x.RawHead != nil {
		head = int64(len(x.RawHead))
	}
	if x.Rechunked {
		received = received[:head]
	}
	if !strings.Contains(raw, received) || head > 200 || int64(len(got)) > x.Head+2*300 {
		t.Fatalf("response %q of %q, head %d", got, raw, x.Head)
	}
	if !wellFormed.MatchString(got[:x.Head]) {
		t.Fatalf("head %q of %q", got[:x.Head], raw)
	}
	if len(x.Body.Bytes) > 100 || (x.Err == nil) != (x.Truncated == page.Whole) {
		t.Fatalf("body of %d bytes, %v, truncated %q", len(x.Body.Bytes), x.Err, x.Truncated)
	}
}
