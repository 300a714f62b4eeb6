package archive

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Records of ARC files are read as if they were WARC records. Their header is one line, in version 1
//
//	URL IP-address Archive-date Content-type Archive-length
//
// and in version 2 with five fields more before the length. The first record is the version block
//
//	filedesc://NAME 0.0.0.0 20080430204825 text/plain 77
//	1 0 InternetArchive
//	URL IP-address Archive-date Content-type Archive-length
//
// which becomes a warcinfo. Version 1.1, which Heritrix writes, has XML behind that.
// Source: Burner and Kahle, Arc File Format, 1996; Heritrix 3 for "1 1".

// Versions of ARC records.
const (
	versionARC = "ARC/1"
	fileDesc   = "filedesc:"
)

// maxARCLine bounds the header line of an ARC record, in bytes: a URL and some words.
const maxARCLine = 64 << 10

// IsARC reports a record of an ARC file.
func (r *Record) IsARC() bool { return r.Version == versionARC }

// arcLine is the header line of an ARC record.
type arcLine struct {
	uri, ip, mime string
	date          time.Time
	length        string
}

// parseARCLine reads a header line; ok is false for any other text. The URL may have spaces in it,
// as some crawlers wrote it: the date is what divides the line.
func parseARCLine(line string) (a arcLine, ok bool) {
	words := strings.Split(strings.TrimRight(line, "\r\n "), " ")
	if !strings.Contains(words[0], ":") {
		return a, false
	}
	for i := 2; i+2 < len(words); i++ {
		if a.date, ok = arcDate(words[i]); ok && isAddress(words[i-1]) {
			a.uri = strings.Join(words[:i-1], "%20")
			a.ip, a.mime, a.length = words[i-1], words[i+1], words[len(words)-1]
			return a, true
		}
	}
	return a, false
}

// arcDate reads a date of 14 digits, or of more or less, as some writers have it.
func arcDate(text string) (time.Time, bool) {
	if len(text) < 8 || len(text) > 18 || !digits([]byte(text)) {
		return time.Time{}, false
	}
	const form = "20060102150405"
	text = text[:min(len(text), len(form))]
	t, err := time.Parse(form[:len(text)], text)
	return t, err == nil
}

// isAddress reports a text in the place of an address: an address, or the sign for none.
func isAddress(text string) bool {
	return text == "-" || strings.ContainsAny(text, ".:") &&
		strings.Trim(text, "0123456789abcdefABCDEF.:") == ""
}

// arcHeader reads the header line of an ARC record. The head of the block tells whether it is an
// HTTP message.
func (d *Reader) arcHeader() (*Record, error) {
	t := headerText{r: d.in}
	line, err := t.line()
	d.heads += t.bytes
	if err != nil {
		return nil, d.fail(err, "in the header line")
	}
	a, ok := parseARCLine(line)
	if !ok || len(line) > maxARCLine {
		return nil, d.format(errNotWARC, fmt.Sprintf("%q", line[:min(len(line), 40)]))
	}
	d.arc = true
	size, err := parseLength(a.length)
	if err != nil {
		return nil, d.format(errHeader, "Archive-length "+strconv.Quote(a.length))
	}
	rec := &Record{File: d.file, Offset: d.start, Version: versionARC, Size: size}
	if d.zipped && d.records > 1 {
		rec.Quirks |= QuirkShared
	}
	kind, mime := TypeResource, a.mime
	head, _ := d.in.Peek(int(min(5, size))) // a cut block is told where it is read
	switch {
	case strings.HasPrefix(a.uri, fileDesc):
		kind = TypeWarcinfo
		rec.Header.Add(fieldFilename, strings.TrimPrefix(a.uri, fileDesc+"//"))
	case bytes.HasPrefix(head, []byte("HTTP/")):
		kind, mime = TypeResponse, mimeResponse
	}
	rec.Header.Add(fieldType, kind)
	rec.Header.Add(fieldDate, a.date.Format(time.RFC3339))
	if kind != TypeWarcinfo {
		rec.Header.Add(fieldURI, a.uri)
		rec.Header.Add(fieldIP, strings.Trim(a.ip, "-"))
	}
	rec.Header.Add(fieldContentType, strings.Trim(mime, "-"))
	rec.Header.Add(fieldLength, a.length)
	return rec, nil
}

// arcTrailer takes the line end behind the block of an ARC record, or more of them.
func (d *Reader) arcTrailer() {
	for range 4 {
		head, err := d.in.Peek(1)
		if err != nil || head[0] != '\r' && head[0] != '\n' {
			return // what is wrong is told where the next record is read
		}
		_, _ = d.in.Discard(1) // just seen
	}
}
