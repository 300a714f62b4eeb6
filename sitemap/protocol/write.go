package protocol

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

const (
	namespace  = "http://www.sitemaps.org/schemas/sitemap/0.9"
	xmlHead    = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	urlsetHead = xmlHead + `<urlset xmlns="` + namespace + `">` + "\n"
	urlsetFoot = "</urlset>\n"
	indexHead  = xmlHead + `<sitemapindex xmlns="` + namespace + `">` + "\n"
	indexFoot  = "</sitemapindex>\n"
)

// Writer writes pages into sitemap.xml, and past the protocol's limits into sitemap-2.xml,
// sitemap-3.xml and so on, with sitemap-index.xml over them all, which names them by file name
// alone. It is not safe for concurrent use.
//
// Invariants: (1) at most one file is open; (2) what stands in the open file and its footer are
// within the limits; (3) after the first failure nothing more is written.
type Writer struct {
	create     func(name string) (io.WriteCloser, error)
	maxEntries int // of a urlset
	maxBytes   int64
	file       *file // nil when none is open
	entries    int   // in it
	names      []string
	line       []byte
	err        error // the first failure
	closed     bool
}

// NewWriter makes a Writer that asks create for each of its files, by base name, and closes them.
func NewWriter(create func(name string) (io.WriteCloser, error)) *Writer {
	return &Writer{create: create, maxEntries: maxEntries, maxBytes: MaxBytes}
}

// Add writes a page. ErrLocation tells that the protocol has no place for it; the Writer goes on as
// if it had not been given. Any other error is that of a file and stays.
func (w *Writer) Add(loc string) error {
	switch {
	case w.closed:
		return errors.Join(w.err, errors.New("sitemap writer: used after Close"))
	case w.err != nil:
		return w.err
	case !looksLikeURL(loc):
		return fmt.Errorf("%.60q is no http URL: %w", loc, ErrLocation)
	case len(loc) >= maxLocation:
		return fmt.Errorf("%.60q has %d bytes: %w", loc, len(loc), ErrLocation)
	}
	w.line = appendEscaped(append(w.line[:0], "<url><loc>"...), loc)
	w.line = append(w.line, "</loc></url>\n"...)
	if w.file != nil && !w.fits(len(w.line)) {
		w.end()
	}
	if w.file == nil {
		w.begin()
	}
	w.write(w.line)
	w.entries++
	return w.err
}

// fits reports whether the open file has room for one more entry of so many bytes, and for its
// foot.
func (w *Writer) fits(n int) bool {
	return w.entries < w.maxEntries && w.file.bytes+int64(n+len(urlsetFoot)) <= w.maxBytes
}

// Close ends the last file and writes the index when there is more than one. Without any entry it
// writes one empty urlset. It may be called twice.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.file == nil {
		w.begin()
	}
	w.end()
	if len(w.names) > 1 {
		w.index()
	}
	return w.err
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) begin() {
	name := "sitemap.xml"
	if len(w.names) > 0 {
		name = "sitemap-" + strconv.Itoa(len(w.names)+1) + ".xml"
	}
	w.open(name, urlsetHead)
}

func (w *Writer) end() { w.shut(urlsetFoot) }

// open begins a file, unless something has failed.
func (w *Writer) open(name, head string) {
	if w.err != nil {
		return
	}
	f, err := w.create(name)
	if err != nil {
		w.fail(fmt.Errorf("create sitemap %s: %w", name, err))
		return
	}
	w.names = append(w.names, name)
	w.file, w.entries = &file{name: name, under: f, w: bufio.NewWriterSize(f, bufferBytes)}, 0
	w.write([]byte(head))
}

// write adds to the open file, unless something has failed.
func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.file.w.Write(b)
	if w.file.bytes += int64(n); err != nil {
		w.fail(fmt.Errorf("write sitemap %s: %w", w.file.name, err))
	}
}

// shut closes the open file, if there is one, also after an error.
func (w *Writer) shut(foot string) {
	if w.file == nil {
		return
	}
	w.write([]byte(foot))
	if err := errors.Join(w.file.w.Flush(), w.file.under.Close()); err != nil {
		w.fail(fmt.Errorf("close sitemap %s: %w", w.file.name, err))
	}
	w.file = nil
}

// index lists the files. An index holds 50,000 of them, that is 2.5 thousand million pages.
func (w *Writer) index() {
	files := w.names
	if len(files) > maxEntries {
		w.fail(fmt.Errorf("write sitemap index of %d files: more than the protocol allows", len(files)))
	}
	w.open("sitemap-index.xml", indexHead)
	for _, name := range files {
		w.write([]byte("<sitemap><loc>" + name + "</loc></sitemap>\n"))
	}
	w.shut(indexFoot)
}

// file is one file that is being written.
type file struct {
	name  string
	under io.WriteCloser
	w     *bufio.Writer
	bytes int64
}

// appendEscaped appends s with the five characters escaped that the protocol names: ampersand, both
// quotes, less-than and greater-than. A character that XML cannot hold at all becomes U+FFFD.
func appendEscaped(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '\'':
			b = append(b, "&apos;"...)
		case r == '"':
			b = append(b, "&quot;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0xfffe, r == 0xffff:
			b = append(b, "\uFFFD"...)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
