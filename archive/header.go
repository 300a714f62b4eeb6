package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// Field is one named line of a WARC header, an HTTP header or a block of application/warc-fields.
type Field struct{ Name, Value string }

// Header is a list of fields in their order. Names are compared without regard to case.
type Header []Field

// Get is the value of the first field of that name, "" when there is none.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Has reports whether there is a field of that name.
func (h Header) Has(name string) bool {
	return slices.ContainsFunc(h, func(f Field) bool { return strings.EqualFold(f.Name, name) })
}

// All gives the values of every field of that name, in order.
func (h Header) All(name string) []string {
	var all []string
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			all = append(all, f.Value)
		}
	}
	return all
}

// Fields has the fields by their names.
func (h Header) Fields() textproto.MIMEHeader {
	m := make(textproto.MIMEHeader, len(h))
	for _, f := range h {
		m.Add(f.Name, f.Value)
	}
	return m
}

// Add appends a field; an empty value adds nothing.
func (h *Header) Add(name, value string) {
	if value != "" {
		*h = append(*h, Field{name, value})
	}
}

// Set gives the first field of that name a value, or appends it.
func (h *Header) Set(name, value string) {
	for i, f := range *h {
		if strings.EqualFold(f.Name, name) {
			(*h)[i].Value = value
			return
		}
	}
	*h = append(*h, Field{name, value})
}

// appendTo writes the fields, each closed by CRLF. Line ends and other controls in a value, which
// would break the record, become spaces.
func (h Header) appendTo(b []byte) []byte {
	for _, f := range h {
		b = append(b, f.Name...)
		b = append(b, ": "...)
		b = appendClean(b, f.Value)
		b = append(b, "\r\n"...)
	}
	return b
}

func appendClean(b []byte, s string) []byte {
	from := len(b)
	b = append(b, s...)
	for i, c := range b[from:] {
		if isControl(rune(c)) {
			b[from+i] = ' '
		}
	}
	return b
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }

// maxHeader bounds the header of a record or of an HTTP message that is read, in bytes. Browsertrix
// writes JSON of some kilobytes into one field; servers refuse HTTP heads above 8 to 64 KiB.
const maxHeader = 1 << 20

// headerText reads the lines of a header up to and with the empty one. Quirks that are understood
// are told, not refused.
type headerText struct {
	r     *bufio.Reader
	bytes int64 // consumed so far
	quirk Quirk
}

var errHeaderSize = fmt.Errorf("header is larger than %d bytes", maxHeader)

// line gives the next line without its end. io.ErrUnexpectedEOF means that the stream ended within
// it.
func (t *headerText) line() (string, error) {
	var long []byte
	for {
		part, err := t.r.ReadSlice('\n')
		t.bytes += int64(len(part))
		if t.bytes > maxHeader {
			return "", errHeaderSize
		}
		if err == nil {
			text := part
			if long != nil {
				text = append(long, part...)
			}
			return t.trim(text), nil
		}
		if errors.Is(err, io.EOF) && (len(part) > 0 || long != nil) {
			err = io.ErrUnexpectedEOF
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
		long = append(long, part...)
	}
}

func (t *headerText) trim(line []byte) string {
	text := bytes.TrimRight(line, "\r\n")
	if len(line)-len(text) != 2 {
		t.quirk |= QuirkLineEnd
	}
	return string(text)
}

// fields reads "name: value" lines up to the empty one. A line that begins with white space
// continues the one before.
func (t *headerText) fields() (Header, error) {
	h := make(Header, 0, 16)
	var folded []byte // the value of the last field, where lines continued it
	unfold := func() {
		if len(folded) > 0 {
			h[len(h)-1].Value = strings.TrimSpace(string(folded))
			folded = folded[:0]
		}
	}
	defer unfold()
	for {
		line, err := t.line()
		if errors.Is(err, io.EOF) {
			return h, io.ErrUnexpectedEOF
		}
		if err != nil || line == "" {
			return h, err
		}
		if line[0] == ' ' || line[0] == '\t' {
			t.quirk |= QuirkFolded
			more := strings.TrimSpace(line)
			if len(h) == 0 || more == "" {
				continue
			}
			if len(folded) == 0 {
				folded = append(folded, h[len(h)-1].Value...)
			}
			folded = append(append(folded, ' '), more...)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			t.quirk |= QuirkNoColon
			continue
		}
		unfold()
		h = append(h, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
}

// ParseFields reads a block of application/warc-fields, as warcinfo and metadata records have it.
// Lines that are no field are left out.
func ParseFields(block []byte) Header {
	if !bytes.HasSuffix(block, []byte("\n")) {
		block = append(block[:len(block):len(block)], "\r\n"...)
	}
	t := headerText{r: bufio.NewReader(bytes.NewReader(append(block[:len(block):len(block)], "\r\n"...)))}
	h, err := t.fields()
	// the block ends with an empty line by construction; a block beyond the limit gives the fields
	// before it
	_ = err
	return h
}

func parseLength(s string) (int64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("Content-Length %q", s[:min(len(s), 40)])
	}
	return int64(n), nil
}
