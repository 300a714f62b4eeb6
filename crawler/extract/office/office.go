// Package office reads the text of office documents: OOXML (docx, xlsx, pptx) and OpenDocument
// (odt, ods, odp), which are zip files with XML inside. Text comes in the order of the document,
// without layout, headers and notes; of a sheet, each different text comes once. The older binary
// formats are not read. Time and memory are bounded by Options on any input.
package office

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Errors that callers branch on.
var (
	// errFormat says that the body is not an office document that this package reads.
	errFormat = errors.New("not an office document")

	// ErrTooLarge says that text was given up to the limit only.
	ErrTooLarge = errors.New("office document is too large")
)

// Options bound the work. The zero value is the default.
type Options struct {
	// MaxXML bounds the bytes of XML, packed and unpacked, all parts together. Default 64 MiB: a
	// hundred times what a long book takes.
	MaxXML int64
}

// maxParts bounds the files within a document that are looked at.
const maxParts = 10_000

// parts are the files that hold text, by the order of the document.
var parts = regexp.MustCompile(
	`^(word/document\.xml|xl/sharedStrings\.xml|xl/worksheets/sheet(\d{1,6})\.xml|` +
		`ppt/slides/slide(\d{1,6})\.xml|content\.xml)$`)

// IsOffice reports whether a media type, without parameters and in lower case, is one of those that
// Text reads.
func IsOffice(mediaType string) bool {
	return strings.HasPrefix(mediaType, "application/vnd.openxmlformats-officedocument.") ||
		strings.HasPrefix(mediaType, "application/vnd.oasis.opendocument.")
}

// Text calls piece with the text of a document, in UTF-8, with "\n" between paragraphs and cells. A
// piece is valid during the call only. On an error, which wraps errFormat, ErrTooLarge or tells
// what is broken, the text before it has been given.
func Text(body []byte, o Options, piece func([]byte)) error {
	left := cmp.Or(o.MaxXML, 64<<20)
	files, err := textFiles(body)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := readPart(f, &left, piece); err != nil {
			return fmt.Errorf("read %s: %w", f.Name, err)
		}
	}
	return nil
}

// textFiles are the files of a document that hold its text, in its order.
func textFiles(body []byte) ([]*zip.File, error) {
	if !bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		return nil, errFormat
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, fmt.Errorf("open office document: %w", errors.Join(errFormat, err))
	}
	type numbered struct {
		file   *zip.File
		number int
	}
	var found []numbered
	seen := make(map[string]bool)
	for _, f := range z.File[:min(len(z.File), maxParts)] {
		m := parts.FindStringSubmatch(f.Name)
		if m == nil || seen[f.Name] {
			continue
		}
		seen[f.Name] = true
		n, err := strconv.Atoi(m[2] + m[3])
		if err != nil {
			n = 0 // a part without a number comes first
		}
		found = append(found, numbered{f, n})
	}
	if len(found) == 0 {
		return nil, errFormat
	}
	slices.SortStableFunc(found, func(a, b numbered) int {
		return cmp.Or(strings.Compare(path.Dir(a.file.Name), path.Dir(b.file.Name)),
			cmp.Compare(a.number, b.number))
	})
	files := make([]*zip.File, len(found))
	for i, f := range found {
		files[i] = f.file
	}
	return files, nil
}

// readPart gives the text of one XML file and takes its size from what is left.
func readPart(f *zip.File, left *int64, piece func([]byte)) error {
	// parts may share their bytes, and give nothing for them
	if *left -= int64(min(f.CompressedSize64, 1<<40)); *left < 0 {
		return ErrTooLarge
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // only read; a wrong checksum is told by Read
	limited := &io.LimitedReader{R: r, N: *left + 1}
	err = readXML(limited, strings.HasSuffix(f.Name, "content.xml"), piece)
	*left -= *left + 1 - limited.N
	if *left < 0 {
		return ErrTooLarge
	}
	return err
}

// readXML gives the text of a part: of OOXML what stands in elements t, of OpenDocument what stands
// in paragraphs and headings.
func readXML(r io.Reader, open bool, piece func([]byte)) error {
	d := xml.NewDecoder(&strewn{r: bufio.NewReader(r)})
	depth := 0 // elements open that hold text
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if holds(t.Name.Local, open) {
				depth++
			}
			separate(t.Name.Local, piece)
		case xml.EndElement:
			if holds(t.Name.Local, open) {
				depth = max(0, depth-1)
			}
			if ends(t.Name.Local) {
				piece([]byte("\n"))
			}
		case xml.CharData:
			if depth > 0 {
				piece(t)
			}
		}
	}
}

// holds reports an element whose text is part of the document.
func holds(name string, open bool) bool {
	if open {
		return name == "p" || name == "h"
	}
	return name == "t"
}

// separate gives what a mark within a paragraph stands for.
func separate(name string, piece func([]byte)) {
	switch name {
	case "tab", "br", "cr", "s", "line-break":
		piece([]byte(" "))
	}
}

// ends reports an element at whose end a word ends too: paragraph, heading, string item, inline
// string.
func ends(name string) bool { return name == "p" || name == "h" || name == "si" || name == "is" }
