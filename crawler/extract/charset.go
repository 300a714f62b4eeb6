package extract

import (
	"bytes"
	"mime"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// prescanBytes is how far a declaration is looked for. The standard's prescan takes 1,024 bytes,
// but browsers also heed a meta element that the parser meets later in the head.
const prescanBytes = 16 << 10

// Decode is the body of a page or style sheet as UTF-8 text, as it is read.
func Decode(in Input, as Format) []byte {
	c := gathering{in: in, result: Result{Format: as, Declared: contentType(in.Header)}}
	return []byte(c.decode(in.Body))
}

// decode is the body as UTF-8 text, without a byte order mark. It notes the encoding. Bytes that
// are no character in the encoding become U+FFFD. The text may be the body itself, which stays as it is
// while the page is read.
func (c *gathering) decode(body []byte) string {
	e, name := c.encoding(body)
	c.result.Charset = name
	if name == "utf-8" {
		body = bytes.TrimPrefix(body, []byte("\uFEFF"))
		return unsafe.String(unsafe.SliceData(body), len(body))
	}
	if !strings.HasPrefix(name, "utf-16") {
		c.encoder = e.NewEncoder()
		if allASCII(body) && name != "iso-2022-jp" {
			return string(body)
		}
	}
	text, err := e.NewDecoder().Bytes(body)
	// x/text replaces rather than fails; should a decoder fail, the bytes are better than nothing
	if err != nil {
		c.result.Err = err
		text = body
	}
	return string(bytes.TrimPrefix(text, []byte("\uFEFF")))
}

// encoding finds out how the body is encoded: by byte order mark, by the Content-Type header, by
// what the body declares of itself, and at last by how its bytes look. Source: HTML standard,
// 13.2.3.2 (determining the character encoding).
func (c *gathering) encoding(body []byte) (encoding.Encoding, string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return byLabel("utf-8")
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return byLabel("utf-16le")
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return byLabel("utf-16be")
	}
	if e, name := byLabel(headerCharset(c.in.Header.Get("Content-Type"))); e != nil {
		return e, name
	}
	if name := wide(body); name != "" {
		return byLabel(name)
	}
	if c.result.Format != Opaque { // what a plain text says of markup is not about itself
		if e, name := byLabel(c.declaredIn(body[:min(len(body), prescanBytes)])); e != nil {
			return e, name
		}
	}
	if c.result.Format == CSS || c.isXML() { // CSS Syntax 3, section 3.2; XML 1.0, section 4.3.3
		return byLabel("utf-8")
	}
	return byLabel(detect(body, topLevel(c.in.URL.Host())))
}

// byLabel is the encoding of that label; nil for an unknown one and for those that the standard
// replaces by nothing.
func byLabel(label string) (encoding.Encoding, string) {
	if label == "" {
		return nil, ""
	}
	e, name := charset.Lookup(label)
	if name == "replacement" {
		return nil, ""
	}
	return e, name
}

// headerCharset is the charset parameter of a Content-Type field, also of one that is not
// well-formed.
func headerCharset(contentType string) string {
	if contentType == "" {
		return ""
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		return params["charset"]
	}
	return labelBy(charsetIn, contentType)
}

// charsetIn finds the name behind "charset=" in the content of a meta element. Source: HTML standard,
// 2.6.5 (extracting a character encoding from a meta element).
var charsetIn = regexp.MustCompile(`(?i)charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^"';\s][^;\s]*))`)

// declaredIn is the label that a document names itself: by @charset in a stylesheet, by an XML
// declaration, or by a meta element. A document whose declaration can be read as ASCII is not
// UTF-16, whatever it says.
func (c *gathering) declaredIn(head []byte) (label string) {
	if c.result.Format == CSS {
		label = labelBy(cssCharset, string(head[:min(len(head), 1024)]))
	} else if label = labelBy(xmlEncoding, string(head[:min(len(head), 256)])); label == "" {
		label = c.metaCharset(string(head))
	}
	label = strings.ToLower(strings.TrimSpace(label))
	switch {
	case strings.HasPrefix(label, "utf-16"), label == "unicode", label == "ucs-2", label == "iso-10646-ucs-2",
		label == "csunicode":
		return "utf-8"
	case label == "x-user-defined":
		return "windows-1252"
	}
	return label
}

var (
	// cssCharset finds the label of an @charset rule. Source: CSS Syntax Module Level 3, 3.2.
	cssCharset = regexp.MustCompile(`^@charset "([^"]*)";`)
	// xmlEncoding finds the encoding that an XML declaration names.
	xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"'>]*)`)
)

// labelBy is the label that an expression finds, in whichever of its groups; "" for none.
func labelBy(found *regexp.Regexp, text string) string {
	m := found.FindStringSubmatch(text)
	return strings.Join(m[min(len(m), 1):], "")
}

// metaCharset is the label in the first meta element that names a known encoding.
func (c *gathering) metaCharset(head string) string {
	s := &c.scanner
	s.reset(head)
	for s.next() {
		if s.kind == startTag && s.atom == atom.Body {
			break
		}
		if s.kind != startTag || s.atom != atom.Meta {
			continue
		}
		label, ok := find(s.attrs, "charset")
		if !ok && strings.EqualFold(attr(s.attrs, "http-equiv"), "content-type") {
			label = labelBy(charsetIn, attr(s.attrs, "content"))
		}
		if e, _ := charset.Lookup(label); e != nil {
			return label
		}
	}
	return ""
}

// encodeQuery spells the query of a reference as a browser would on a page in an older encoding: in
// the encoding of the page, while the path is always UTF-8. Source: URL standard, query state;
// Encoding standard, "html" error mode.
func (c *gathering) encodeQuery(ref string) string {
	at := strings.IndexByte(ref, '?')
	if at < 0 || allASCII([]byte(ref[at:])) {
		return ref
	}
	var b strings.Builder
	b.Grow(len(ref) + 16)
	b.WriteString(ref[:at])
	for rest := ref[at:]; rest != ""; {
		n := strings.IndexFunc(rest, func(r rune) bool { return r >= utf8.RuneSelf })
		if n < 0 {
			n = len(rest)
		}
		b.WriteString(rest[:n])
		rest = rest[n:]
		if n = strings.IndexFunc(rest, func(r rune) bool { return r < utf8.RuneSelf }); n < 0 {
			n = len(rest)
		}
		c.encodeRun(&b, rest[:n])
		rest = rest[n:]
	}
	return b.String()
}

// encodeRun encodes characters that are not ASCII. They are encoded together, since an encoding may
// change its state between them as ISO-2022-JP does; one by one where it lacks some of them.
func (c *gathering) encodeRun(b *strings.Builder, run string) {
	if code, ok := c.encoded(run); ok {
		escape(b, code)
		return
	}
	for _, r := range run {
		if code, ok := c.encoded(string(r)); ok {
			escape(b, code)
			continue
		}
		b.WriteString("%26%23")
		b.WriteString(strconv.Itoa(int(r)))
		b.WriteString("%3B")
	}
}

// encoded is a text in the encoding of the page, if that has all its characters.
func (c *gathering) encoded(text string) (string, bool) {
	code, err := c.encoder.String(text)
	return code, err == nil && !strings.Contains(code, "&#")
}

// escape writes the bytes of a query that would not be taken for its own as escapes.
func escape(b *strings.Builder, code string) {
	for i := 0; i < len(code); i++ {
		if code[i] < utf8.RuneSelf && code[i] != '#' {
			b.WriteByte(code[i])
			continue
		}
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[code[i]>>4], digits[code[i]&15]})
	}
}

func allASCII(b []byte) bool {
	for len(b) >= 8 {
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}
