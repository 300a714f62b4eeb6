package fetch

import (
	"bytes"
	"strconv"
	"strings"
)

// repaired is a head in the form that HTTP/1.1 gives it (RFC 9112, 2.1 and 4), nil where raw has
// that form. Only what keeps other programs from reading the record is changed: a status line of
// another protocol or with odd blanks, and lines that end with LF alone. Names, values, order and
// folding of fields stay as they came, and so do lines that are no fields. O(len(raw)).
//
// Without it, programs that look for CR LF CR LF take the body for a part of the head and show an
// empty page, and those that know HTTP/1.0 and 1.1 alone refuse the record.
func (h *head) repaired(raw []byte) []byte {
	first, rest, _ := bytes.Cut(raw, []byte("\n"))
	line := strings.TrimSuffix(string(first), "\r")
	repaired := h.statusLine(line)
	if repaired == line && !bareLF(raw) {
		return nil
	}
	out := make([]byte, 0, len(raw)+bytes.Count(raw, []byte("\n"))+len("HTTP/1.1"))
	out = append(out, repaired...)
	out = append(out, "\r\n"...)
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		out = append(out, bytes.TrimSuffix(line, []byte("\r"))...)
		out = append(out, "\r\n"...)
	}
	return out
}

// bareLF reports a line that ends without CR.
func bareLF(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\n')
		switch {
		case i < 0:
			return false
		case i == 0 || raw[i-1] != '\r':
			return true
		}
		raw = raw[i+1:]
	}
}

// statusLine is a status line as HTTP/1.0 or 1.1 write it: the line itself where it is one.
func (h *head) statusLine(line string) string {
	code := strconv.Itoa(h.status)
	for _, version := range [...]string{"HTTP/1.1 ", "HTTP/1.0 "} {
		if rest, ok := strings.CutPrefix(line, version+code); ok && (rest == "" || rest[0] == ' ') {
			return line
		}
	}
	version := "HTTP/1.1 "
	if h.old {
		version = "HTTP/1.0 "
	}
	if reason := strings.Trim(h.reason, blanks); reason != "" {
		return version + code + " " + reason
	}
	return version + code
}
