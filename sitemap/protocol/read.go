package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Read gives each entry of a sitemap or feed, in the order of the file. It stops at the first error
// that each returns, and returns that error as it is. Any other error is that of Options.Validate
// or a *readError, also when the file has none of the known formats (errFormat) or goes beyond a
// limit (errTooLong, errTooMany); entries found until then have been given, and the Summary tells
// of them.
//
// Read is safe for concurrent use with different readers. It takes time linear in the decompressed
// length, and a fixed 200 KiB or so of memory.
func Read(r io.Reader, o Options, each func(Entry) error) (Summary, error) {
	p := &reader{options: o.withDefaults(), each: each}
	if err := o.Validate(); err != nil {
		return p.sum, err
	}
	text, count, zipped, err := open(r, p.options)
	p.sum.Gzip = zipped
	p.m = markup{r: text, line: 1}
	if err == nil {
		err = p.read()
	}
	p.sum.Bytes = count.n
	var stopped *stopError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return p.sum, nil
	case errors.As(err, &stopped):
		return p.sum, stopped.err
	}
	return p.sum, &readError{Line: p.m.line, Offset: p.m.offset, Err: err}
}

// stopError carries what the callback returned past the errors of reading.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// reader is the state of one Read.
type reader struct {
	options Options
	each    func(Entry) error
	sum     Summary
	m       markup
	stack   []element // open elements, the root first
	field   string    // the element whose text is being taken, "" for none
	value   strings.Builder
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
	if err := p.root(); err != nil {
		return err
	}
	switch root := p.stack[0]; root.name {
	case "urlset":
		p.sum.Format = Urlset
		return p.walk(&sitemapReader{reader: p, prefix: root.prefix})
	case "sitemapindex":
		p.sum.Format = Index
		return p.walk(&sitemapReader{reader: p, prefix: root.prefix})
	case "rss", "rdf":
		p.sum.Format = RSS
		return p.walk(&rssReader{reader: p})
	case "feed":
		p.sum.Format = Atom
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
		case p.m.kind == textToken:
			if p.field != "" && p.value.Len() < maxText {
				p.value.Write(p.m.text)
			}
		case p.m.kind == startToken:
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
	p.field, p.m.keep = p.m.name, true
	p.value.Reset()
}

// captured ends the taking of text; name is "" when none was taken.
func (p *reader) captured() (name, value string) {
	if p.field == "" {
		return "", ""
	}
	name, value = p.field, trim(p.value.String())
	p.field, p.m.keep = "", false
	return name, value
}

// firstByte reads past blank lines and gives the first byte after them, which stays to be read.
func (p *reader) firstByte() (byte, error) {
	for {
		c, err := p.m.peek()
		switch {
		case errors.Is(err, io.EOF):
			return 0, errFormat
		case err != nil:
			return 0, err
		case c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != 0:
			if c == 0xef {
				if head, _ := p.m.r.Peek(3); string(head) == "\uFEFF" { // a byte order mark after blank lines
					if err := p.m.discard(3); err != nil {
						return 0, err
					}
					continue
				}
			}
			return c, nil
		}
		if err := p.m.discard(1); err != nil {
			return 0, err
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
		if p.m.kind == startToken {
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
	if bytes.Contains(p.m.attrs, []byte("xml:base")) {
		if base := join(e.base, p.m.attr("xml:base")); len(base) <= maxBase {
			e.base = base
		}
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

// problem notes a fault that is passed over.
func (p *reader) problem(format string, args ...any) {
	p.sum.Passed++
	if len(p.sum.Problems) < maxProblems {
		p.sum.Problems = append(p.sum.Problems, Problem{
			Line: p.m.line, Offset: p.m.offset,
			Text: fmt.Sprintf(format, args...),
		})
	}
}

// give delivers an entry whose location is worth it.
func (p *reader) give(e Entry) error {
	switch {
	case e.Loc == "":
		p.problem("%s without a location", e.Kind)
		return nil
	case len(e.Loc) > p.options.MaxLocation:
		p.problem("location of %d bytes: %.60q", len(e.Loc), e.Loc)
		return nil
	}
	main := e.Kind == Page || e.Kind == Sitemap || e.Kind == Item
	if main && p.options.MaxEntries >= 0 && p.sum.Entries >= p.options.MaxEntries {
		return errTooMany
	}
	if main {
		p.sum.Entries++
	} else {
		p.sum.Others++
	}
	e.Line = p.m.line
	if err := p.each(e); err != nil {
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
			p.sum.Format = Text
			first = false
			if err := p.give(Entry{Kind: Page, Loc: line, Priority: NoPriority}); err != nil {
				return err
			}
		case first:
			return errFormat
		default:
			p.problem("no URL: %.60q", line)
		}
	}
}

// line reads one line, ended by LF, CR or both, and cut to maxText.
func (p *reader) line() (string, error) {
	p.m.buf = p.m.buf[:0]
	const forever = int(^uint(0) >> 1)
	err := p.m.until('\n', maxText, forever)
	if errors.Is(err, io.EOF) && len(p.m.buf) > 0 {
		err = nil
	}
	return string(p.m.buf), err
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
