package protocol

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const bufferBytes = 32 << 10

// maxLayers is how often a file may be gzipped. Twice happens: a ".xml.gz" file that the server
// compressed again.
const maxLayers = 2

// open makes UTF-8 text without a byte order mark of what r has: decompressed, decoded, bounded by
// limit (below 0: not).
func open(r io.Reader, o Options) (text *bufio.Reader, count *bounded, gzipped bool, err error) {
	b := bufio.NewReaderSize(r, bufferBytes)
	count = &bounded{limit: o.MaxBytes}
	for range maxLayers {
		if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) { // a short read shows again below
			break
		}
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, count, true, fmt.Errorf("gzip header: %w", err)
		}
		gzipped = true
		// empty members swell a layer, and give nothing
		b = bufio.NewReaderSize(&bounded{r: z, limit: o.MaxBytes}, bufferBytes)
	}
	count.r = b
	b = bufio.NewReaderSize(count, bufferBytes)
	decoded, err := decode(b, o)
	return decoded, count, gzipped, err
}

// bounded counts what is read and ends with errTooLong after limit bytes.
type bounded struct {
	r     io.Reader
	limit int64
	n     int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.limit >= 0 {
		if left := b.limit - b.n; left <= 0 {
			return b.probe()
		} else if int64(len(p)) > left {
			p = p[:left]
		}
	}
	n, err := b.r.Read(p)
	b.n += int64(n)
	return n, err
}

// probe tells whether anything comes after the limit.
func (b *bounded) probe() (int, error) {
	var one [1]byte
	switch n, err := io.ReadFull(b.r, one[:]); {
	case n == 1:
		return 0, errTooLong
	case err != nil:
		return 0, err
	}
	return 0, io.EOF
}

// decode finds the encoding by byte order mark, by the first bytes and by the XML declaration, in
// this order (XML 1.0, appendix F).
func decode(b *bufio.Reader, o Options) (*bufio.Reader, error) {
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
		return bufio.NewReaderSize(&utf16Reader{r: b, order: binary.LittleEndian}, bufferBytes), nil
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}), bytes.HasPrefix(head, []byte{0, '<'}):
		return bufio.NewReaderSize(&utf16Reader{r: b, order: binary.BigEndian}, bufferBytes), nil
	}
	switch label := declared(head); label {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return b, nil
	case "utf-16", "utf-16le", "utf-16be": // a declaration that can be read as ASCII is not UTF-16
		return b, nil
	case "iso-8859-1", "latin1", "iso8859-1":
	default:
		if o.Charset != nil {
			if r, err := o.Charset(label, b); err == nil {
				return bufio.NewReaderSize(r, bufferBytes), nil
			}
		}
	}
	return bufio.NewReaderSize(&latin1Reader{r: b}, bufferBytes), nil
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

// utf16Reader turns UTF-16 into UTF-8; unpaired surrogates and a last odd byte become U+FFFD.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	rest  []byte // of a rune that did not fit
	space [utf8.UTFMax]byte
	begun bool
}

func (u *utf16Reader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(u.rest) == 0 {
			c, err := u.rune()
			if err != nil {
				if n > 0 {
					return n, nil
				}
				return 0, err
			}
			u.rest = u.space[:utf8.EncodeRune(u.space[:], c)]
		}
		k := copy(p[n:], u.rest)
		u.rest = u.rest[k:]
		n += k
	}
	return n, nil
}

func (u *utf16Reader) rune() (rune, error) {
	c, err := u.unit()
	if err == nil && c == 0xfeff && !u.begun {
		c, err = u.unit()
	}
	u.begun = true
	if err != nil || !utf16.IsSurrogate(c) {
		return c, err
	}
	next, _ := u.r.Peek(2) // at the end there is no second half
	if len(next) == 2 {
		if both := utf16.DecodeRune(c, rune(u.order.Uint16(next))); both != utf8.RuneError {
			_, err = u.r.Discard(2)
			return both, err
		}
	}
	return utf8.RuneError, nil
}

func (u *utf16Reader) unit() (rune, error) {
	var b [2]byte
	switch n, err := io.ReadFull(u.r, b[:]); {
	case n == 1 && errors.Is(err, io.ErrUnexpectedEOF):
		return utf8.RuneError, nil
	case err != nil:
		return 0, err
	}
	return rune(u.order.Uint16(b[:])), nil
}

// latin1Reader turns ISO-8859-1 into UTF-8.
type latin1Reader struct {
	r    *bufio.Reader
	half byte // second byte of a rune that did not fit, 0 for none
}

func (l *latin1Reader) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	if l.half != 0 {
		p[0], l.half, n = l.half, 0, 1
	}
	for n < len(p) {
		c, err := l.r.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		if c < utf8.RuneSelf {
			p[n] = c
			n++
			continue
		}
		p[n] = 0xc0 | c>>6
		n++
		if second := 0x80 | c&0x3f; n < len(p) {
			p[n] = second
			n++
		} else {
			l.half = second
		}
	}
	return n, nil
}
