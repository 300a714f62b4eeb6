package draw

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"watershed/page"
)

// TestParts: players and readers of large files get the part that they ask for, of a file of whatever
// length where its length is known.
func TestParts(t *testing.T) {
	const large = maxPart + 1000
	for _, c := range []struct {
		name, asked   string
		size, says    int // says is Content-Length; -1 for none
		status, first int
		length        int
		place         string // Content-Range
	}{
		{"from the start", "bytes=0-9", 100, 100, 206, 0, 10, "bytes 0-9/100"},
		{"to the end", "bytes=90-", 100, -1, 206, 90, 10, "bytes 90-99/100"},
		{"the last", "bytes=-10", 100, 100, 206, 90, 10, "bytes 90-99/100"},
		{"the last, of no known length", "bytes=-10", 100, -1, 206, 90, 10, "bytes 90-99/100"},
		{"more than there are", "bytes=-500", 100, 100, 206, 0, 100, "bytes 0-99/100"},
		{"behind the end", "bytes=100-", 100, 100, 416, 0, 0, "bytes */100"},
		{
			"of a large file", "bytes=20000005-20000014", large, large, 206, 20000005, 10,
			"bytes 20000005-20000014/" + strconv.Itoa(large),
		},
		{
			"the last of a large file", "bytes=-7", large, large, 206, large - 7, 7,
			"bytes " + strconv.Itoa(large-7) + "-" + strconv.Itoa(large-1) + "/" + strconv.Itoa(large),
		},
		{"of a large file of no known length", "bytes=5-9", large, -1, 200, 0, large, ""},
		{"of a file that is cut", "bytes=150-160", 100, 200, 416, 0, 0, ""},
		{"several", "bytes=0-1,5-9", 100, 100, 200, 0, 100, ""},
		{"no number", "bytes=a-b", 100, 100, 200, 0, 100, ""},
		{"no bound", "bytes=-", 100, -1, 200, 0, 100, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/film", nil)
		r.Header.Set("Range", c.asked)
		body := io.LimitReader(counter{new(int)}, int64(c.size))
		a := &Answer{Status: 200, Header: http.Header{}, Body: io.NopCloser(body)}
		if c.says >= 0 {
			a.Header.Set("Content-Length", strconv.Itoa(c.says))
		}
		w := httptest.NewRecorder()
		send(w, r, a)
		got, place := w.Body.Bytes(), w.Header().Get("Content-Range")
		had := w.Code >= 400 || len(got) == c.length && got[0] == byte(c.first)
		if w.Code != c.status || place != c.place || !had {
			t.Errorf("%s: %d, %d bytes, %q", c.name, w.Code, len(got), place)
		}
	}
}

// counter reads as bytes that count up.
type counter struct{ n *int }

func (c counter) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(*c.n)
		*c.n++
	}
	return len(b), nil
}

// TestRefusedCount: what is refused before anybody is asked is no request of the page's number, and is
// told once.
func TestRefusedCount(t *testing.T) {
	s := &sight{seen: map[string]int{}, noted: map[string]bool{}}
	for i := range 40 {
		u := page.URL("http://a.example/" + strconv.Itoa(i/2))
		s.note(&Asked{Method: "GET", URL: u, Cause: "refused"})
	}
	if n := s.different(); n != 0 || len(s.asked) != 20 {
		t.Errorf("%d count, %d are told", n, len(s.asked))
	}
	words := &Request{Method: "GET", URL: "http://a.example/words"}
	if times := s.begin(words, 10, Asked{}); times != 1 || s.over {
		t.Errorf("a request beside them is number %d, over %t", times, s.over)
	}
}

// TestUnawaited: what is awaited is told before its answer has come, but for a post, which may not be sent
// any more.
func TestUnawaited(t *testing.T) {
	s := &sight{seen: map[string]int{}}
	for _, method := range []string{"GET", "POST"} {
		note := Asked{Method: method, URL: "http://a.example/words"}
		times := s.begin(&Request{Method: method, URL: note.URL}, 10, note)
		if got := s.asked[len(s.asked)-1]; len(s.asked) != 1 || got.Method != "GET" {
			t.Errorf("%s, awaited: %+v", method, s.asked)
		}
		if method == "GET" && s.asked[0].Cause != Unawaited {
			t.Errorf("awaited for the cause %q", s.asked[0].Cause)
		}
		note.Status = 200
		s.end(times, &note)
	}
	if len(s.asked) != 2 || s.asked[0].Status != 200 || s.asked[0].Cause != "" ||
		s.asked[1].Method != "POST" {
		t.Errorf("%+v", s.asked)
	}
}
