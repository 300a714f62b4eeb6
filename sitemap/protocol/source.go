package protocol

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

const bufferBytes = 32 << 10

// maxLayers is how often a file may be gzipped. Twice happens: a ".xml.gz" file that the server
// compressed again.
const maxLayers = 2

// open makes UTF-8 text without a byte order mark of what r has: decompressed, decoded, bounded.
func open(r io.Reader, most int64) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, bufferBytes)
	for range maxLayers {
		if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) { // a short read shows again below
			break
		}
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("gzip header: %w", err)
		}
		// empty members swell a layer, and give nothing
		b = bufio.NewReaderSize(&bounded{r: z, left: most}, bufferBytes)
	}
	return decode(bufio.NewReaderSize(&bounded{r: b, left: most}, bufferBytes))
}

// bounded ends with errTooLong when anything comes after what may be read.
type bounded struct {
	r    io.Reader
	left int64 // below 0 once something did
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, errTooLong
	}
	return n, err
}

// decode finds the encoding by byte order mark, by the first bytes and by the XML declaration, in
// this order (XML 1.0, appendix F).
func decode(b *bufio.Reader) (*bufio.Reader, error) {
	head, err := b.Peek(512)
	if len(head) == 0 {
		if errors.Is(err, io.EOF) {
			err = errFormat
		}
		return b, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err = b.Discard(3)
		return b, err
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{'<', 0}):
		return decoded(b, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)), nil
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}), bytes.HasPrefix(head, []byte{0, '<'}):
		return decoded(b, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)), nil
	}
	switch label := declared(head); label {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return b, nil
	case "utf-16", "utf-16le", "utf-16be": // a declaration that can be read as ASCII is not UTF-16
		return b, nil
	case "iso-8859-1", "latin1", "iso8859-1":
	default:
		if r, err := charset.NewReaderLabel(label, b); err == nil {
			return bufio.NewReaderSize(r, bufferBytes), nil
		}
	}
	return decoded(b, charmap.ISO8859_1), nil
}

func decoded(b *bufio.Reader, e encoding.Encoding) *bufio.Reader {
	return bufio.NewReaderSize(e.NewDecoder().Reader(b), bufferBytes)
}

// declared is the encoding that an XML declaration in the head names, in lower case.
func declared(head []byte) string {
	s := strings.TrimLeft(string(head), " \t\r\n")
	if !strings.HasPrefix(s, "<?xml") {
		return ""
	}
	s, _, _ = strings.Cut(s, "?>")
	_, s, _ = strings.Cut(s, "encoding")
	s = strings.TrimLeft(strings.TrimLeft(s, " \t\r\n"), "=")
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	label, _, _ := strings.Cut(s[1:], s[:1])
	return strings.ToLower(strings.TrimSpace(label))
}
