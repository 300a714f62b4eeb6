package sitemap

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"watershed/page"
)

// maxRow bounds the entry of a list that is read without a decoder of JSON, in bytes.
const maxRow = 8 << 10

// mapReader reads JSON, and long lists as WriteJSON writes them: an entry a line, which costs a fifth
// of what a decoder takes for it. Its decoder is given a line at a time, so that between two tokens
// the next entry is still in lines.
type mapReader struct {
	*json.Decoder
	lines *bufio.Reader
}

func newMapReader(r io.Reader) *mapReader {
	lines := bufio.NewReaderSize(r, 8*maxRow)
	return &mapReader{json.NewDecoder(lineReader{lines}), lines}
}

// lineReader reads to the end of a line at most, and passes over lines of white space, of which the
// decoder would look through all again with each.
type lineReader struct{ *bufio.Reader }

func (r lineReader) Read(p []byte) (int, error) {
	for {
		if _, err := r.Peek(1); err != nil || len(p) == 0 {
			return 0, err
		}
		b, err := r.Peek(min(r.Buffered(), len(p)))
		end := bytes.IndexByte(b, '\n')
		if end >= 0 {
			b = b[:end+1]
		}
		_, _ = r.Discard(len(b)) // which are there, and stay as they are until the next Peek
		if end < 0 || len(bytes.TrimSpace(b)) > 0 {
			return copy(p, b), err
		}
	}
}

// readList reads a list, or null, one after the other; a long one then takes no memory of its own.
// field gives a pointer to a field of an entry, nil for a name that it does not know.
func readList[T any](in *mapReader, field func(x *T, key []byte) any, take func(T)) error {
	token, err := in.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("%v in place of a list", token)
	}
	ahead, err := io.ReadAll(in.Buffered())
	if err != nil {
		return err
	}
	var x, none T
	entry := func(key []byte) any { return field(&x, key) }
	for len(bytes.TrimSpace(ahead)) == 0 && in.row(entry) {
		take(x)
		x = none
	}
	for in.More() {
		x = none
		if err := in.Decode(&x); err != nil {
			return err
		}
		take(x)
	}
	return expect(in.Decoder, ']')
}

// row reads an entry of a list, an object whose values are fields; where it is anything else, nothing is
// read.
func (in *mapReader) row(field func(key []byte) any) bool {
	b, err := in.lines.Peek(maxRow)
	if err != nil && err != io.EOF {
		return false
	}
	n := object(b, field)
	switch {
	case n == 0:
		return false
	case bytes.HasPrefix(b[n:], []byte(",\n{")):
		n += 2
	case !bytes.HasPrefix(b[n:], []byte("]")):
		return false
	}
	_, err = in.lines.Discard(n)
	return err == nil
}

// object reads the object with which JSON begins, whose values are fields, and gives how many bytes it
// takes; 0 for anything else, of which it may have read a part.
func object(b []byte, field func(key []byte) any) (n int) {
	for between := byte('{'); n < len(b) && b[n] == between; between = ',' {
		key, more := scalar(b[n+1:])
		if n += 1 + more; more < 2 || b[n-1] != '"' || n >= len(b) || b[n] != ':' {
			return 0
		}
		value, more := scalar(b[n+1:])
		if n += 1 + more; more == 0 || n >= len(b) || !set(field(key), value, b[n-1] == '"') {
			return 0
		}
		if b[n] == '}' {
			return n + 1
		}
	}
	return 0
}

// isPlain are the characters that stand for themselves in a text of JSON, and are no part of another.
var isPlain = func() (is [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// scalar is the text, whole number, true or list of whole numbers with which JSON begins, and how many
// bytes it takes; 0 for anything else.
func scalar(b []byte) (value []byte, n int) {
	switch {
	case bytes.HasPrefix(b, []byte("true")):
		return b[:4], 4
	case len(b) > 0 && b[0] == '[':
		n = bytes.IndexByte(b, ']') + 1
		return b[:n], n
	}
	if len(b) == 0 || b[0] != '"' {
		for n < len(b) && (b[n] >= '0' && b[n] <= '9' || n == 0 && b[n] == '-') {
			n++
		}
		digits := bytes.TrimPrefix(b[:n], []byte("-"))
		if len(digits) == 0 || digits[0] == '0' && len(digits) > 1 {
			return nil, 0
		}
		return b[:n], n
	}
	for n = 1; n < len(b) && isPlain[b[n]]; n++ {
	}
	plain := n < len(b) && b[n] == '"'
	for ; n < len(b) && b[n] != '"'; n++ {
		if b[n] == '\\' {
			n++
		}
	}
	if n >= len(b) {
		return nil, 0
	}
	if value = b[1:n]; !plain {
		var text string
		if json.Unmarshal(b[:n+1], &text) != nil {
			return nil, 0
		}
		value = []byte(text)
	}
	return value, n + 1
}

// set gives a field what JSON has for it, a text or a whole number, and reports that it can have that.
func set(field any, value []byte, text bool) (ok bool) {
	var err error
	switch f := field.(type) {
	case *page.URL:
		*f = page.URL(value)
	case *string:
		*f = string(value)
	case *Why:
		err = f.UnmarshalText(value)
	case *int:
		*f, err = strconv.Atoi(string(value))
		return !text && err == nil
	case *int64:
		*f, err = strconv.ParseInt(string(value), 10, 64)
		return !text && err == nil
	case *bool:
		*f = string(value) == "true"
		return !text && *f
	case *[]uint32:
		*f = readNumbers(value)
		return !text && *f != nil
	default:
		return false
	}
	return text && err == nil
}

// readNumbers reads a list of whole numbers as JSON has them; nil for anything else.
func readNumbers(text []byte) []uint32 {
	list := make([]uint32, 0, bytes.Count(text, []byte{','})+1)
	for rest := bytes.TrimPrefix(text, []byte{'['}); ; {
		value, n := scalar(rest)
		x, err := strconv.ParseUint(string(value), 10, 32)
		if err != nil || rest[0] == '"' || n >= len(rest) {
			return nil
		}
		list = append(list, uint32(x))
		switch rest[n] {
		case ']':
			return list
		case ',':
			rest = rest[n+1:]
		default:
			return nil
		}
	}
}

// memberField is the field of a member that has a name in JSON.
func memberField(x *Member, key []byte) any {
	switch string(key) {
	case "url":
		return &x.URL
	case "why":
		return &x.Why
	case "state":
		return &x.State
	case "note":
		return &x.Note
	case "block":
		return &x.Block
	case "scale":
		return &x.Scale
	}
	return nil
}

// outsiderField is the field of an outsider that has a name in JSON.
func outsiderField(x *Outsider, key []byte) any {
	switch string(key) {
	case "url":
		return &x.URL
	case "reason":
		return &x.Reason
	case "note":
		return &x.Note
	case "block":
		return &x.Block
	case "links":
		return &x.Links
	case "from":
		return &x.From
	case "cut":
		return &x.Cut
	}
	return nil
}
