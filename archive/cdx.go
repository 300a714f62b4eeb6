package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"watershed/page"
)

// Columns of the CDX files that are in use, by the letters of their headings
// (https://iipc.github.io/warc-specifications/specifications/cdx-format/cdx-2015/).
const (
	columns9  = "N b a m s k r V g"
	columns11 = "N b a m s k r M S V g"
)

// cdxForm is how the lines of a CDX file are divided. The zero value is that of a file without a
// heading, whose lines have 9 or 11 columns.
type cdxForm struct {
	delimiter byte   // 0: a space
	columns   string // a letter each, "": told by their number
}

// parseCDXHeading reads the first line of a CDX file, " CDX N b a m s k r M S V g": its first byte
// divides the columns of all lines.
func parseCDXHeading(line []byte) (f cdxForm, ok bool) {
	if len(line) < 6 || !bytes.HasPrefix(line[1:], []byte("CDX")) || line[4] != line[0] {
		return f, false
	}
	letters := strings.Fields(strings.ReplaceAll(string(line[5:]), string(line[:1]), " "))
	for _, letter := range letters {
		if len(letter) != 1 {
			return f, false
		}
	}
	f.delimiter, f.columns = line[0], strings.Join(letters, "")
	return f, strings.ContainsAny(f.columns, "a") && strings.Contains(f.columns, "b")
}

// parse reads a line. A column "-" is not known; a digest without a name is SHA-1, as all
// writers of CDX mean it. An entry of 9 columns has no length.
func (f cdxForm) parse(line []byte) (*Entry, error) {
	delimiter := cmp.Or(f.delimiter, ' ')
	words := bytes.Split(bytes.TrimRight(line, "\r\n"), []byte{delimiter})
	letters := f.columns
	if letters == "" {
		letters = map[int]string{9: columns9, 11: columns11}[len(words)]
		letters = strings.ReplaceAll(letters, " ", "")
	}
	if letters == "" || len(words) != len(letters) {
		return nil, entryError(line, fmt.Sprintf("%d columns", len(words)))
	}
	e := &Entry{}
	for i, word := range words {
		if text := string(word); text != "-" || letters[i] == 'b' {
			if err := e.column(letters[i], text); err != nil {
				return nil, entryError(line, err.Error())
			}
		}
	}
	if e.URL == "" || e.Timestamp == "" {
		return nil, entryError(line, "no address or no time")
	}
	if e.Key == "" {
		e.Key = page.SURT(e.URL)
	}
	return e, nil
}

// column takes the value of one column.
func (e *Entry) column(letter byte, text string) (err error) {
	switch letter {
	case 'N', 'A':
		e.Key = text
	case 'b':
		if e.Timestamp = text; len(text) != 14 && len(text) != 17 || !digits([]byte(text)) {
			return fmt.Errorf("time %q", text)
		}
	case 'a':
		e.URL = text
	case 'm':
		e.MIME = text
	case 's':
		e.Status = text
	case 'k':
		if e.Digest = text; !strings.Contains(text, ":") {
			e.Digest = "sha1:" + text
		}
	case 'S':
		e.Length, err = strconv.ParseInt(text, 10, 64)
	case 'V', 'v':
		e.Offset, err = strconv.ParseInt(text, 10, 64)
	case 'g':
		e.File = text
	}
	return err
}

// entry reads a line of a CDXJ or CDX file: JSON tells the first.
func (f cdxForm) entry(line []byte) (*Entry, error) {
	if f.columns == "" && bytes.Contains(line, []byte(" {")) {
		return parseEntry(line)
	}
	e, err := f.parse(line)
	if err != nil && f.columns == "" { // most likely a damaged line of CDXJ
		return parseEntry(line)
	}
	return e, err
}
