package fetch

import (
	"bufio"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// came is a response as it went over the wire.
func came(t testing.TB, x *page.Exchange) string {
	t.Helper()
	s := text(t, x.Response)
	if x.Trailer != nil {
		s = strings.TrimSuffix(s, "\r\n") + string(x.Trailer) + "\r\n"
	}
	if x.RawHead == nil {
		return s
	}
	return string(x.RawHead) + s[x.Head:]
}

// wellFormed is a head that every reader of archives knows: warcio.js looks for CR LF CR LF,
// warcio.py for HTTP/1.0 or HTTP/1.1.
var wellFormed = regexp.MustCompile(`^HTTP/1\.[01] [1-9][0-9][0-9]( [^\n]*)?\r\n([^\n]+\r\n)*\r\n$`)

func TestRepairedHead(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"as it should be", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", ""},
		{"no reason", "HTTP/1.1 200\r\n\r\n", ""},
		{"empty reason", "HTTP/1.0 404 \r\n\r\n", ""},
		{
			"odd fields", "HTTP/1.1 200 OK\r\nA : b \r\nno field\r\n: x\r\nB: c\r\n\td\r\n" +
				"X: \xe9\x00\r\n\r\n",
			"",
		},
		{"blanks in the reason", "HTTP/1.1 200  O  K \r\n\r\n", ""},
		{"bare LF", "HTTP/1.1 200 OK\nA: b\nC: d\n\n", "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n"},
		{
			"bare LF in places", "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\n",
			"HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n",
		},
		{"bare LF, folded", "HTTP/1.1 200 OK\nA: b\n c\n\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n"},
		{"HTTP/2", "HTTP/2 200\r\nA: b\r\n\r\n", "HTTP/1.1 200\r\nA: b\r\n\r\n"},
		{"HTTP/2.0", "HTTP/2.0 301 Moved\r\n\r\n", "HTTP/1.1 301 Moved\r\n\r\n"},
		{"SHOUTcast", "ICY 200 OK\r\nicy-br:128\r\n\r\n", "HTTP/1.0 200 OK\r\nicy-br:128\r\n\r\n"},
		{"no version", "HTTP 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"},
		{"part of a version", "HTTP/1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"},
		{"lower case", "http/1.1 200 ok\r\n\r\n", "HTTP/1.1 200 ok\r\n\r\n"},
		{"two blanks", "HTTP/1.1  200  OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"},
		{"tab", "HTTP/1.1\t200\tOK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"},
		{"no blank", "HTTP/1.1 200OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"},
		{
			"CR in a value", "HTTP/1.1 200 OK\r\nA: b\rWARC-Type: x\r\n\r\n",
			"HTTP/1.1 200 OK\r\nA: b WARC-Type: x\r\n\r\n",
		},
		{
			"lines end with CR CR LF", "HTTP/1.1 200 OK\r\r\nA: b\r\r\n\r\r\n",
			"HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
		},
		{"CR in the reason", "HTTP/1.1 200 O\rK\r\n\r\n", "HTTP/1.1 200\r\n\r\n"},
		{"a reason in Cyrillic", "HTTP/1.1 200 \u0414\u0430\r\n\r\n", "HTTP/1.1 200\r\n\r\n"},
		{"a reason in Latin-1", "HTTP/2 200 D\xe9\r\n\r\n", "HTTP/1.1 200\r\n\r\n"},
		{
			"a folded line of blanks", "HTTP/1.1 200 OK\r\nA: b\r\n \t\r\nC: d\r\n\r\n",
			"HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const body = "<html>\nlines\n\n</html>"
			x, _ := answered(t, local(), tt.raw+body)
			head, kept := tt.want, tt.raw
			if tt.want == "" {
				head, kept = tt.raw, ""
			}
			if got := text(t, x.Response); got != head+body || x.Head != int64(len(head)) ||
				string(x.RawHead) != kept {
				t.Errorf("response %q, head of %d bytes, as it came %q", got, x.Head, x.RawHead)
			}
			if string(x.Body.Bytes) != body || x.Err != nil || x.Truncated != page.Whole {
				t.Errorf("body %q, %v, truncated %q", x.Body.Bytes, x.Err, x.Truncated)
			}
			if tt.want == "" {
				return
			}
			r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(head)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(http.Header(x.Header), r.Header); diff != "" || r.StatusCode != x.Status {
				t.Errorf("net/http reads status %d, ours is %d %s", r.StatusCode, x.Status, diff)
			}
		})
	}
}

// TestMisleadingLength: a proxy removes a Content-Length beside chunks (RFC 9112, 6.3). pywb 2.10 would
// show as much of the body as the field says, and answers with 500 where a 204 has it.
func TestMisleadingLength(t *testing.T) {
	const (
		chunks = "Transfer-Encoding: chunked\r\n"
		body   = "4\r\nbody\r\n0\r\n\r\n"
	)
	for _, tt := range []struct{ name, head, want string }{
		{"beside chunks", "200 OK\r\nContent-Length: 2\r\n" + chunks, "200 OK\r\n" + chunks},
		{
			"lengths that differ", "200 OK\r\nContent-Length: 2\r\nA: b\r\ncontent-length : 9\r\n 0\r\n",
			"200 OK\r\nA: b\r\n",
		},
		{"a sign", "200 OK\r\nContent-Length: +19\r\n", "200 OK\r\n"},
		{"without content", "204 No\r\nContent-Length: 19\r\n", "204 No\r\n"},
		{"right twice", "200 OK\r\nContent-Length: 19\r\nContent-Length: 19\r\n", ""},
		{"not modified", "304 Not Modified\r\nContent-Length: 19\r\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := "HTTP/1.1 " + tt.head + "\r\n"
			x, _ := answered(t, local(), raw+body)
			head, kept := "HTTP/1.1 "+tt.want+"\r\n", raw
			if tt.want == "" {
				head, kept = raw, ""
			}
			if got := text(t, x.Response)[:x.Head]; got != head || string(x.RawHead) != kept {
				t.Errorf("head %q, as it came %q", got, x.RawHead)
			}
		})
	}
}
