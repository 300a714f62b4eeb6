package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"watershed/page"
)

// Entry is a line of a CDXJ index (Webrecorder, CDXJ 0.1.0):
//
//	KEY SP TIMESTAMP SP JSON LF
//	org,example)/a 20260304050607 {"url": "http://example.org/a", "mime": "text/html",
//	"status": "200", "digest": "sha256:…", "length": "1043", "offset": "3329", "filename": "x.warc.gz"}
//
// (one line). KEY is page.SURT of the address, TIMESTAMP has 14 digits, and all values of the JSON
// object are strings, as every tool writes them.
type Entry struct {
	Key       string
	Timestamp string // YYYYMMDDhhmmss, 17 digits with milliseconds are read too
	URL       string
	MIME      string // "warc/revisit" of a revisit record
	Status    string // three digits; "" where the record is no HTTP message
	Digest    string // of the payload; "" where the record tells none and has none
	Length    int64
	Offset    int64
	File      string
	Extra     map[string]string // other members of the object, for example "method" and "requestBody"
}

// Spells reports an entry of a page, however the record spells its URL. The URL of an answer to
// another method than GET is that with method and body as arguments, as a replay program asks.
func (e *Entry) Spells(u page.URL) bool {
	if method := e.Extra["method"]; method != "" && strings.Contains(e.Key, MethodArgument) {
		of, err := page.ParseURL((&asked{method: method, query: e.Extra["requestBody"]}).address(e.URL))
		return err == nil && of == u
	}
	of, _ := page.Spelling(e.URL).URL()
	return of == u
}

// MIMERevisit is the media type by which an index tells revisit records.
const MIMERevisit = "warc/revisit"

// Location is where the record lies.
func (e *Entry) Location() page.Location {
	return page.Location{File: e.File, Offset: e.Offset, Length: e.Length}
}

func (e *Entry) place(l page.Location) { e.File, e.Offset, e.Length = l.File, l.Offset, l.Length }

// Time is the timestamp as a moment.
func (e *Entry) Time() (time.Time, error) {
	text := e.Timestamp
	if len(text) == 17 {
		text = text[:14] + "." + text[14:]
	}
	return time.Parse("20060102150405.999", text)
}

// recordedAs is the member of a line that names an address as pages link to it, and not as it was
// asked for: that address.
const recordedAs = "recordedAs"

// As is the entry of the same record under another spelling of its address, for players of archives
// that look for the text of a link.
func (e *Entry) As(spelled string) *Entry {
	other := *e
	other.URL, other.Extra = spelled, map[string]string{recordedAs: e.URL}
	maps.Copy(other.Extra, e.Extra)
	return &other
}

// Append appends the line with its LF.
func (e *Entry) Append(b []byte) []byte {
	b = append(b, e.Key...)
	b = append(b, ' ')
	b = append(b, e.Timestamp...)
	b = append(b, ` {"url": `...)
	b = appendJSON(b, e.URL)
	member := func(name, value string) {
		if value != "" {
			b = append(b, ", "...)
			b = appendJSON(b, name)
			b = append(b, ": "...)
			b = appendJSON(b, value)
		}
	}
	member("mime", e.MIME)
	member("status", e.Status)
	member("digest", e.Digest)
	member("length", strconv.FormatInt(e.Length, 10))
	member("offset", strconv.FormatInt(e.Offset, 10))
	member("filename", e.File)
	// an empty one too: a POST without a body has an empty requestBody
	for _, name := range slices.Sorted(maps.Keys(e.Extra)) {
		b = append(appendJSON(append(b, ", "...), name), ": "...)
		b = appendJSON(b, e.Extra[name])
	}
	return append(b, "}\n"...)
}

// parseEntry reads a line of a CDXJ index, with or without its LF. Numbers are read where other
// writers leave the quotes out. Lines that begin with "!" or a space are headings; they are errors
// here.
func parseEntry(line []byte) (*Entry, error) {
	key, stamp, object, err := cutEntry(line)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return nil, entryError(line, err.Error())
	}
	e := &Entry{Key: string(key), Timestamp: string(stamp)}
	return e, e.take(line, members)
}

// cutEntry cuts a line into its three parts.
func cutEntry(line []byte) (key, stamp, object []byte, err error) {
	line = bytes.TrimRight(line, "\r\n")
	key, rest, ok := bytes.Cut(line, []byte(" "))
	stamp, object, ok2 := bytes.Cut(rest, []byte(" "))
	if !ok || !ok2 || len(key) == 0 || key[0] == '!' {
		return nil, nil, nil, entryError(line, "want KEY TIMESTAMP {JSON}")
	}
	if len(stamp) != 14 && len(stamp) != 17 || !digits(stamp) {
		return nil, nil, nil, entryError(line, "timestamp has not 14 or 17 digits")
	}
	return key, stamp, object, nil
}

// take sorts the members of the JSON object into the fields.
func (e *Entry) take(line []byte, members map[string]any) (err error) {
	for name, v := range members {
		var text string
		switch v := v.(type) {
		case string:
			text = v
		case json.Number:
			text = v.String()
		case nil:
			continue
		default:
			text = strings.TrimSpace(fmt.Sprint(v))
		}
		switch name {
		case "url":
			e.URL = text
		case "mime":
			e.MIME = text
		case "status":
			e.Status = text
		case "digest":
			e.Digest = text
		case "filename":
			e.File = text
		case "length":
			e.Length, err = strconv.ParseInt(text, 10, 64)
		case "offset":
			e.Offset, err = strconv.ParseInt(text, 10, 64)
		default:
			if e.Extra == nil {
				e.Extra = make(map[string]string)
			}
			e.Extra[name] = text
		}
		if err != nil {
			return entryError(line, name+" is no number")
		}
	}
	return nil
}

func entryError(line []byte, why string) error {
	line = bytes.TrimRight(line, "\r\n")
	return fmt.Errorf("%w %q: %s", ErrEntry, line[:min(len(line), 80)], why)
}

func digits(b []byte) bool { return len(bytes.Trim(b, "0123456789")) == 0 }
