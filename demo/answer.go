package demo

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/page"
)

// answer is what a request gets.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	chunked bool
}

// retryAfter is how long a host that refuses asks to be left alone.
const retryAfter = time.Second

// ServeHTTP answers for all hosts; the Host header says which is meant.
func (w *Web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	start := time.Now()
	name, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	a := w.answer(page.Host(name), r)
	// The end is noted before the bytes leave: a client that has them all may be back before this
	// line otherwise.
	w.note(Request{
		Host: page.Host(name), Path: target(r), Start: start, End: time.Now(),
		Status: a.status,
	})
	a.write(out)
}

// write sends the answer. An error means that the client has gone, and so has no reader.
func (a *answer) write(out http.ResponseWriter) {
	maps.Copy(out.Header(), a.header)
	if !a.chunked && a.status != http.StatusNotModified {
		out.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	out.WriteHeader(a.status)
	if !a.chunked {
		_, _ = out.Write(a.body)
		return
	}
	for piece := range slices.Chunk(a.body, 1000) {
		_, _ = out.Write(piece)
		_ = http.NewResponseController(out).Flush()
	}
}

// plain is an answer of one line.
func plain(status int, text string) *answer {
	return &answer{
		status: status, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
		body: []byte(text + "\n"),
	}
}

func (w *Web) answer(name page.Host, r *http.Request) *answer {
	h := w.hosts[name]
	u, err := page.ParseURL("http://" + string(name) + target(r))
	switch {
	case h == nil || err != nil:
		return plain(http.StatusMisdirectedRequest, "no such host here")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return plain(http.StatusMethodNotAllowed, "only GET and HEAD")
	case r.URL.Path == "/robots.txt" && h.renamed == "":
		if h.rules.none() {
			return plain(http.StatusNotFound, "no rules")
		}
		return plain(http.StatusOK, h.rules.text())
	case w.refused(h):
		a := plain(http.StatusServiceUnavailable, "not yet")
		a.header.Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
		return a
	}
	if h.spells != nil && h.spells(target(r)) != target(r) {
		a := plain(http.StatusMovedPermanently, "this is spelt otherwise")
		a.header.Set("Location", "http://"+string(name)+h.spells(target(r)))
		return a
	}
	return h.answer(w.find(u), r)
}

// refused counts the requests that a host does not answer.
func (w *Web) refused(h *host) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refusals[h.name] >= h.refuses {
		return false
	}
	w.refusals[h.name]++
	return true
}

// answer gives the answer of the host for a document; nil where there is no document.
func (h *host) answer(d *document, r *http.Request) *answer {
	switch {
	case d == nil:
		return plain(http.StatusNotFound, "not found")
	case d.form == moved:
		a := plain(d.status, "see "+string(d.destination()))
		a.header.Set("Location", string(d.destination()))
		return a
	case d.status >= 400:
		return plain(d.status, "this page is gone")
	}
	a := &answer{
		status: http.StatusOK, header: http.Header{"Content-Type": {d.mime}}, body: d.body,
		chunked: h.chunked,
	}
	tag := entityTag(d.body)
	if h.gzip && strings.HasPrefix(d.mime, "text/") {
		a.header.Set("Vary", "Accept-Encoding")
		if accepts(r, "gzip") {
			a.body = compress(d.body)
			a.header.Set("Content-Encoding", "gzip")
			tag = tag[:len(tag)-1] + `-gzip"`
		}
	}
	if h.etag {
		a.header.Set("ETag", tag)
	}
	if h.dated {
		a.header.Set("Last-Modified", d.modified().Format(http.TimeFormat))
	}
	if a.current(r) {
		a.status, a.body = http.StatusNotModified, nil
		a.chunked = false
	}
	return a
}

// entityTag is a strong validator of bytes.
func entityTag(b []byte) string {
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%q", hex.EncodeToString(sum[:8]))
}

// current tells whether the client has this already: If-None-Match decides where it is sent,
// If-Modified-Since else (RFC 9110, section 13.2.2).
func (a *answer) current(r *http.Request) bool {
	if list := r.Header.Get("If-None-Match"); list != "" {
		tag := a.header.Get("ETag")
		for t := range strings.SplitSeq(list, ",") {
			t = strings.TrimSpace(t)
			if t == "*" || tag != "" && strings.TrimPrefix(t, "W/") == tag {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	last, none := http.ParseTime(a.header.Get("Last-Modified"))
	return err == nil && none == nil && !last.After(since)
}

func accepts(r *http.Request, coding string) bool {
	for c := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(c), ";")
		if name == coding && strings.TrimSpace(q) != "q=0" {
			return true
		}
	}
	return false
}

func compress(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b) // a buffer takes all
	_ = z.Close()     // as above
	return out.Bytes()
}
