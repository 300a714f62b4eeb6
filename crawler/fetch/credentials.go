package fetch

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"watershed/page"
)

// Credentials are what a login adds to a request. They go over the wire and into no record: in the
// exchange, page.Redacted stands for each of them. A value of theirs belongs to one request.
type Credentials interface {
	// Name is whose login it is, as records may tell it.
	Name() string
	// Fields gives the secret fields of the request; target is its path and query as they are sent.
	// It is called anew where the request is repeated on another connection.
	Fields(method, target string) http.Header
	// Answered takes over what the head of the answer sets, before that is masked.
	Answered(status int, h http.Header)
}

// The fields of requests and answers that no record of an exchange with a login has.
const (
	setCookie  = "Set-Cookie"
	bodyMasked = "body" // of the request
)

// confide adds the secret fields of the request's login to its fields; masked are the fields and the
// body as they are recorded, and the exchange tells what these lack.
func (r *recorder) confide(header http.Header, target string) (sent, masked http.Header, body []byte) {
	secret := r.q.Login.Fields(r.q.Method, target)
	sent, masked, body = maps.Clone(header), maps.Clone(header), r.q.Body
	r.x.Login, r.x.Masked = r.q.Login.Name(), nil
	for name, values := range secret {
		if validField(name, values) { // else the server would read another request
			sent[name], masked[name] = values, []string{page.Redacted}
			r.x.Masked = append(r.x.Masked, name)
		}
	}
	slices.Sort(r.x.Masked)
	if len(body) > 0 {
		body = []byte(page.Redacted)
		masked[contentLength] = []string{strconv.Itoa(len(body))}
		r.x.Masked = append(r.x.Masked, bodyMasked)
	}
	return sent, masked, body
}

// mask tells the login what the head of an answer sets, and takes the cookies out of the head, as it
// came and as it was parsed.
func (r *recorder) mask(h *head, raw []byte) []byte {
	r.q.Login.Answered(h.status, http.Header(h.header))
	if _, has := h.header[setCookie]; !has {
		return raw
	}
	h.header[setCookie] = []string{page.Redacted}
	r.x.Masked = append(r.x.Masked, setCookie)
	var b strings.Builder
	cookie := false
	for line := range strings.Lines(string(raw)) {
		if folded := line[0] == ' ' || line[0] == '\t'; folded && cookie {
			continue
		}
		name, _, field := strings.Cut(line, ":")
		cookie = field && strings.EqualFold(strings.TrimRight(name, " \t"), setCookie)
		if cookie {
			line = setCookie + ": " + page.Redacted + "\r\n"
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}
