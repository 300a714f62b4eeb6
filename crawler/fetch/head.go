package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// head is the head of a response, read as leniently as browsers read it.
type head struct {
	old    bool // HTTP/1.0 or earlier
	status int
	reason string // as it stands behind the status
	header textproto.MIMEHeader
}

// readLines reads up to and with the first empty line that is not the first line, at most limit
// bytes. Lines end with LF, or CR LF. The error is errHead beyond the limit, io.EOF when nothing
// came, io.ErrUnexpectedEOF in the midst, or the reader's.
func readLines(br *bufio.Reader, limit int) ([]byte, error) {
	var raw []byte
	for line := 0; ; {
		part, err := br.ReadSlice('\n')
		raw = append(raw, part...)
		if len(raw) > limit {
			return raw, &Error{Kind: errHead}
		}
		line += len(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(raw) > 0:
			return raw, io.ErrUnexpectedEOF
		case err != nil:
			return raw, err
		}
		if blank(raw[len(raw)-line:]) {
			if len(raw) > line {
				return raw, nil
			}
			raw = raw[:0] // some servers send an empty line after a body; it belongs to no response
		}
		line = 0
	}
}

func blank(line []byte) bool { return len(bytes.TrimRight(line, "\r\n")) == 0 }

// parseHead reads a status line and fields (RFC 9112, 4 and 5). A line that is no field is passed
// over; it stays in the record. CR within a line is a blank (2.2). The error is errNotHTTP.
func parseHead(raw []byte) (*head, error) {
	text := string(raw) // the fields below are parts of this one string
	first, rest, _ := strings.Cut(text, "\n")
	h, err := parseStatus(strings.TrimRight(first, "\r"))
	if err != nil {
		return nil, err
	}
	h.header = make(textproto.MIMEHeader, 16)
	name := ""
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.ReplaceAll(strings.TrimRight(line, "\r"), "\r", " ")
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' { // a line folded in the old way continues the field before
			more := strings.Trim(line, " \t")
			if v := h.header[name]; len(v) > 0 && more != "" {
				v[len(v)-1] += " " + more
			}
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" {
			name = ""
			continue
		}
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimRight(key, " \t"))
		h.header[name] = append(h.header[name], strings.Trim(value, " \t"))
	}
	return h, nil
}

// parseStatus reads a status line. Besides HTTP's there are those of SHOUTcast servers (ICY) and
// such as leave the version out, which browsers take for HTTP/1.0. Source: Chromium,
// net/http/http_response_headers.cc (ParseVersion) and http_util.cc (LocateStartOfStatusLine).
func parseStatus(line string) (*head, error) {
	bad := &Error{
		Kind:  errNotHTTP,
		Cause: errors.New("status line " + strconv.Quote(line[:min(len(line), 80)])),
	}
	end := strings.IndexAny(line, blanks)
	if end < 0 {
		return nil, bad
	}
	protocol, rest := strings.ToUpper(line[:end]), strings.TrimLeft(line[end:], blanks)
	version, ok := strings.CutPrefix(protocol, "HTTP/")
	if !ok {
		if protocol != "HTTP" && protocol != "ICY" {
			return nil, bad
		}
		version = ""
	}
	if len(rest) < 3 || len(rest) > 3 && '0' <= rest[3] && rest[3] <= '9' {
		return nil, bad
	}
	status, err := strconv.ParseUint(rest[:3], 10, 16)
	if err != nil || status < 100 {
		return nil, bad
	}
	return &head{status: int(status), reason: rest[3:], old: version < "1.1"}, nil
}

// blanks may stand between the parts of a status line (RFC 9112, 4, tells recipients to be
// lenient).
const blanks = " \t"

// foreign reports the beginning of an answer that cannot become a status line.
func foreign(raw []byte) bool {
	for _, protocol := range [...]string{"HTTP", "ICY"} {
		n := min(len(raw), len(protocol))
		if strings.EqualFold(string(raw[:n]), protocol[:n]) {
			return false
		}
	}
	return true
}

// token reports whether a field that lists words, such as Connection, has the word.
func (h *head) token(field, word string) bool {
	return slices.Contains(h.list(field), word)
}

// list is a field's comma-separated words in lower case, of all its lines in order.
func (h *head) list(field string) []string {
	var all []string
	for _, v := range h.header[field] {
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.ToLower(strings.Trim(w, " \t")); w != "" {
				all = append(all, w)
			}
		}
	}
	return all
}

// persistent reports whether the server means to keep the connection (RFC 9112, 9.3). A connection
// is not kept after an answer whose end two readers find at two places: the rest of this answer for one
// reader is the next answer for the other (6.1).
func (h *head) persistent() bool {
	if h.header["Transfer-Encoding"] != nil && (h.old || h.header[contentLength] != nil) {
		return false
	}
	if h.old {
		return h.token("Connection", "keep-alive")
	}
	return !h.token("Connection", "close")
}
