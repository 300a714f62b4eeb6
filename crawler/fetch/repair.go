package fetch

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// repaired is a head in the form that HTTP/1.1 gives it (RFC 9112, 2 and 4), nil where raw has that
// form. Only what keeps other programs from reading the record is changed: a status line of another
// protocol or with odd blanks, a reason that is not text in ASCII, lines that end with LF alone, CR
// within a line, folded lines of blanks alone, and a Content-Length that is not the body's by its
// framing. Names, values, order and folding of fields stay as they came otherwise, and so do lines
// that are no fields. O(len(raw)).
//
// Without it, programs that look for CR LF CR LF take the body for a part of the head and show an
// empty page, those that know HTTP/1.0 and 1.1 alone refuse the record, and pywb answers with 500, or
// with as much of the body as the wrong length tells.
func (h *head) repaired(raw []byte, kind framing) []byte {
	unsized, dropping := kind > byLength || h.status == http.StatusNoContent, false
	out := make([]byte, 0, len(raw)+bytes.Count(raw, []byte("\n"))+len("HTTP/1.1"))
	for line := range bytes.Lines(raw) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || strings.IndexByte(blanks, line[0]) < 0 { // the line continues no other
			name, _, field := bytes.Cut(line, []byte(":"))
			dropping = unsized && field && len(out) > 0 &&
				bytes.EqualFold(bytes.TrimRight(name, blanks), []byte(contentLength))
		}
		switch {
		case dropping:
			continue
		case len(out) == 0:
			out = append(out, h.statusLine(string(line))...)
		case len(line) > 0 && len(bytes.Trim(line, lineBlanks)) == 0:
			continue // warcio.py takes it for the end of the head
		default:
			out = append(out, bytes.ReplaceAll(line, []byte("\r"), []byte(" "))...)
		}
		out = append(out, "\r\n"...)
	}
	if bytes.Equal(out, raw) {
		return nil
	}
	return out
}

// lineBlanks are what a line without text may have. CR within a line stands for a blank (RFC 9112,
// 2.2).
const lineBlanks = blanks + "\r"

// statusLine is a status line as HTTP/1.0 or 1.1 write it: the line itself where it is one.
func (h *head) statusLine(line string) string {
	code := strconv.Itoa(h.status)
	for _, version := range [...]string{"HTTP/1.1 ", "HTTP/1.0 "} {
		rest, ok := strings.CutPrefix(line, version+code)
		if ok && (rest == "" || rest[0] == ' ' && printable(rest)) {
			return line
		}
	}
	version := "HTTP/1.1 "
	if h.old {
		version = "HTTP/1.0 "
	}
	if reason := strings.Trim(h.reason, blanks); reason != "" && printable(reason) {
		return version + code + " " + reason
	}
	return version + code
}

// printable reports text of ASCII without controls but tabs. pywb and browsers refuse a reason that
// is more; clients pay it no heed (RFC 9112, 4).
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c != '\t' && (c < ' ' || c > '~') })
}
