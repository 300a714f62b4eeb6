package protocol

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Read gives each entry of a sitemap or feed, in the order of the file: what it names, and its
// location as in the file, entities decoded and, in feeds, xml:base applied. It reads at most so
// many bytes, decompressed. It stops at the first error that each returns, and returns that error
// as it is. Any other error is a *readError, also when the file has none of the known formats
// (errFormat) or more bytes than the most (errTooLong); entries found until then have been given.
//
// Read is safe for concurrent use with different readers. It takes time linear in the decompressed
// length, and memory for the longest run of text, maxToken bytes at most.
func Read(r io.Reader, most int64, each func(k Kind, loc string) error) (Format, error) {
	p := &reader{each: each, m: markup{line: 1}}
	var err error
	if p.r, err = open(r, most); err == nil {
		err = p.read()
	}
	var stopped *stopError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return p.format, nil
	case errors.As(err, &stopped):
		return p.format, stopped.err
	}
	return p.format, &readError{Line: p.m.line, Offset: p.m.offset, Err: err}
}

// stopError carries what the callback returned past the errors of reading.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// reader is the state of one Read.
type reader struct {
	each   func(k Kind, loc string) error
	r      *bufio.Reader
	format Format
	m      markup
	stack  []element // open elements, the root first
	field  string    // the element whose text is being taken, "" for none
	value  strings.Builder
}

// maxDepth bounds the stack of open elements; deeper ones are read past.
const maxDepth = 64

// maxBase bounds an xml:base, in bytes, which is read again for each entry; a longer one is passed
// over.
const maxBase = 2048

type element struct {
	prefix, name string
	base         string // xml:base in force
}

func (p *reader) read() error {
	c, err := p.firstByte()
	if err != nil {
		return err
	}
	if c != '<' {
		return p.readText()
	}
	p.m.z = html.NewTokenizer(p.r)
	p.m.z.AllowCDATA(true)
	p.m.z.SetMaxBuf(maxToken)
	if err := p.root(); err != nil {
		return err
	}
	switch root := p.stack[0]; root.name {
	case "urlset":
		p.format = Urlset
		return p.walk(&sitemapReader{reader: p, prefix: root.prefix})
	case "sitemapindex":
		p.format = Index
		return p.walk(&sitemapReader{reader: p, prefix: root.prefix})
	case "rss", "rdf":
		p.format = RSS
		return p.walk(&rssReader{reader: p})
	case "feed":
		p.format = Atom
		return p.walk(&atomReader{reader: p})
	default:
		return fmt.Errorf("root element %.60q: %w", root.name, errFormat)
	}
}

// vocabulary makes entries of the tags of one format. The tag is in reader.m, what is open around
// it in reader.stack.
type vocabulary interface {
	start() error // a start tag; it calls push or capture
	end() error   // an end tag; it calls pop
	flush() error // the end of the file, also by an error: gives the entry that is open
}

// walk hands the tags of the file to v.
func (p *reader) walk(v vocabulary) error {
	for {
		err := p.m.next()
		switch {
		case err != nil:
			p.captured() // what the file ends within is cut, so it is not taken
			if ferr := v.flush(); ferr != nil || errors.Is(err, io.EOF) {
				return ferr
			}
			return err
		case p.m.kind == html.TextToken:
			if p.field != "" && p.value.Len() < maxText {
				p.value.Write(p.m.text)
			}
		case p.m.kind == html.StartTagToken:
			err = v.start()
		default:
			err = v.end()
		}
		if err != nil {
			return err
		}
	}
}

// capture begins to take the text of the element whose start tag is at hand, and opens it.
func (p *reader) capture() {
	p.push()
	if p.m.empty {
		return
	}
	p.field = p.m.name
	p.value.Reset()
}

// captured ends the taking of text; name is "" when none was taken.
func (p *reader) captured() (name, value string) {
	if p.field == "" {
		return "", ""
	}
	name, value = p.field, trim(p.value.String())
	p.field = ""
	return name, value
}

// firstByte reads past blanks and byte order marks and gives the first byte after them, which stays
// to be read.
func (p *reader) firstByte() (byte, error) {
	for {
		c, n, err := p.r.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return 0, errFormat
		case err != nil:
			return 0, err
		case !strings.ContainsRune(" \t\r\n\x00\uFEFF", c):
			if err := p.r.UnreadRune(); err != nil {
				return 0, err
			}
			head, err := p.r.Peek(1)
			return head[0], err
		}
		p.m.offset += int64(n)
		if c == '\n' {
			p.m.line++
		}
	}
}

// root reads up to and with the first start tag.
func (p *reader) root() error {
	for {
		if err := p.m.next(); errors.Is(err, io.EOF) {
			return errFormat
		} else if err != nil {
			return err
		}
		if p.m.kind == html.StartTagToken {
			p.push()
			return nil
		}
	}
}

// push opens the element whose start tag is at hand, unless it is empty.
func (p *reader) push() {
	if p.m.empty && len(p.stack) > 0 || len(p.stack) >= maxDepth {
		return
	}
	e := element{prefix: p.m.prefix, name: p.m.name}
	if len(p.stack) > 0 {
		e.base = p.stack[len(p.stack)-1].base
	}
	if base := join(e.base, p.m.attr("xml:base")); base != "" && len(base) <= maxBase {
		e.base = base
	}
	p.stack = append(p.stack, e)
}

// pop closes the innermost open element of that name and what is open within it. The root stays
// open, so that what follows a stray end tag is still read.
func (p *reader) pop(name string) {
	for i := len(p.stack) - 1; i > 0; i-- {
		if p.stack[i].name == name {
			p.stack = p.stack[:i]
			return
		}
	}
}

// top is the innermost open element.
func (p *reader) top() element { return p.stack[len(p.stack)-1] }

// give delivers an entry that has a location, unless that is longer than any that is fetched.
func (p *reader) give(k Kind, loc string) error {
	if loc == "" || len(loc) > longestLocation {
		return nil
	}
	if err := p.each(k, loc); err != nil {
		return &stopError{err}
	}
	return nil
}

// readText reads a text sitemap: one URL a line. It is taken for one if its first line is a URL.
func (p *reader) readText() error {
	for first := true; ; {
		line, err := p.line()
		if first && errors.Is(err, io.EOF) {
			return errFormat
		}
		if err != nil {
			return err
		}
		switch line = trim(line); {
		case line == "":
		case looksLikeURL(line):
			p.format = Text
			first = false
			if err := p.give(Page, line); err != nil {
				return err
			}
		case first:
			return errFormat
		}
	}
}

// line reads one line, cut to maxText.
func (p *reader) line() (string, error) {
	var line []byte
	for {
		part, err := p.r.ReadSlice('\n')
		p.m.advance(part)
		line = append(line, part[:min(len(part), maxText-len(line))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			err = nil
		}
		return string(line), err
	}
}

func looksLikeURL(s string) bool {
	return len(s) > 8 && (strings.EqualFold(s[:7], "http://") || strings.EqualFold(s[:8], "https://")) &&
		utf8.ValidString(s)
}

// trim takes white space, byte order marks and other invisible characters off both ends.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' || r == '\u200B'
	})
}
