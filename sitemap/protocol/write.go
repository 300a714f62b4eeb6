package protocol

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
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

// WriterOptions says how a Writer names and bounds its files. The zero value writes sitemap.xml,
// and past the protocol's limits sitemap-2.xml, sitemap-3.xml and so on, with sitemap-index.xml
// over them all.
type WriterOptions struct {
	Name string // base name of the files; "" means "sitemap"
	// Base is the URL under which the files will be found, which an index must name:
	// "https://example.org/maps/". Without it an index names them by file name alone.
	Base       string
	Gzip       bool  // compress every file, named .xml.gz
	MaxEntries int   // of one urlset; 0 means maxEntries, which is also the most
	MaxBytes   int64 // of one urlset before compression; 0 means MaxBytes, which is also the most
}

// Validate tells what is wrong with the options.
func (o WriterOptions) Validate() error {
	switch {
	case strings.ContainsAny(o.Name, `/\`):
		return fmt.Errorf("sitemap writer: Name %q is no base name", o.Name)
	case o.MaxEntries < 0 || o.MaxEntries > maxEntries:
		return fmt.Errorf("sitemap writer: MaxEntries is %d, want 1 to %d", o.MaxEntries, maxEntries)
	case o.MaxBytes < 0 || o.MaxBytes > MaxBytes:
		return fmt.Errorf("sitemap writer: MaxBytes is %d, want 1 to %d", o.MaxBytes, MaxBytes)
	}
	return nil
}

func (o WriterOptions) withDefaults() WriterOptions {
	if o.Name == "" {
		o.Name = "sitemap"
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = maxEntries
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = MaxBytes
	}
	if o.Base != "" && !strings.HasSuffix(o.Base, "/") {
		o.Base += "/"
	}
	return o
}

// Writer writes pages as urlset files and, when Close finds that there is more than one, the index
// over them. Every file keeps the protocol's limits. It is not safe for concurrent use.
//
// Invariants: (1) at most one file is open; (2) what stands in the open file and its footer are
// within the limits; (3) after the first failure nothing more is written.
type Writer struct {
	options WriterOptions
	create  func(name string) (io.WriteCloser, error)
	file    *file        // nil when none is open
	zip     *gzip.Writer // used for one file after the other, nil without compression
	names   []string
	latest  []time.Time // newest LastMod in each file
	line    []byte
	err     error // the first failure
	closed  bool
}

// NewWriter makes a Writer that asks create for each of its files, by base name, and closes them.
func NewWriter(create func(name string) (io.WriteCloser, error), o WriterOptions) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &Writer{options: o.withDefaults(), create: create}
	if o.Gzip {
		w.zip = gzip.NewWriter(nil)
	}
	return w, nil
}

// Add writes a page; a priority of 0 or less is left out. ErrLocation tells that the protocol has
// no place for it; the Writer goes on as if it had not been given. Any other error is that of a
// file and stays.
func (w *Writer) Add(e Entry) error {
	if w.err != nil || w.closed {
		return errors.Join(w.err, closedError(w.closed))
	}
	if err := admissible(e); err != nil {
		return err
	}
	w.line = appendURL(w.line[:0], e)
	if w.file != nil && !w.fits(len(w.line)) {
		w.fail(w.file.close(urlsetFoot))
		w.file = nil
	}
	if w.file == nil && w.err == nil {
		w.begin()
	}
	if w.err != nil {
		return w.err
	}
	w.fail(w.file.write(w.line))
	w.file.entries++
	if last := len(w.latest) - 1; e.LastMod.After(w.latest[last]) {
		w.latest[last] = e.LastMod
	}
	return w.err
}

// fits reports whether the open file has room for one more entry of so many bytes, and for its
// foot.
func (w *Writer) fits(n int) bool {
	return w.file.entries < w.options.MaxEntries &&
		w.file.bytes+int64(n+len(urlsetFoot)) <= w.options.MaxBytes
}

// Names are the files made so far, in order; after Close the index, where there is one, comes last.
func (w *Writer) Names() []string { return w.names }

// Close ends the last file and writes the index when there is more than one. Without any entry it
// writes one empty urlset. It may be called twice.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	if w.file == nil && w.err == nil {
		w.begin()
	}
	if w.file != nil {
		w.fail(w.file.close(urlsetFoot))
		w.file = nil
	}
	if len(w.names) > 1 && w.err == nil {
		w.fail(w.index())
	}
	return w.err
}

func closedError(closed bool) error {
	if closed {
		return errors.New("sitemap writer: used after Close")
	}
	return nil
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) begin() {
	part := ""
	if len(w.names) > 0 {
		part = "-" + strconv.Itoa(len(w.names)+1)
	}
	var err error
	w.file, err = w.open(part, urlsetHead)
	w.fail(err)
	w.latest = append(w.latest, time.Time{})
}

func (w *Writer) open(part, head string) (*file, error) {
	name := w.options.Name + part + ".xml"
	if w.options.Gzip {
		name += ".gz"
	}
	f, err := w.create(name)
	if err != nil {
		return nil, fmt.Errorf("create sitemap %s: %w", name, err)
	}
	w.names = append(w.names, name)
	out := &file{name: name, under: f, zip: w.zip}
	if w.zip != nil {
		w.zip.Reset(f)
		out.w = bufio.NewWriterSize(w.zip, bufferBytes)
	} else {
		out.w = bufio.NewWriterSize(f, bufferBytes)
	}
	return out, out.write([]byte(head))
}

// index lists the files. An index holds 50,000 of them, that is 2.5 thousand million pages.
func (w *Writer) index() error {
	files := w.names
	if len(files) > maxEntries {
		return fmt.Errorf("write sitemap index of %d files: %w", len(files), errTooMany)
	}
	f, err := w.open("-index", indexHead)
	if err != nil {
		return err
	}
	for i, name := range files {
		w.line = append(w.line[:0], "<sitemap><loc>"...)
		w.line = appendEscaped(w.line, w.options.Base+name)
		w.line = append(w.line, "</loc>"...)
		w.line = appendLastMod(w.line, w.latest[i])
		w.line = append(w.line, "</sitemap>\n"...)
		if err := f.write(w.line); err != nil {
			return errors.Join(err, f.close(""))
		}
	}
	return f.close(indexFoot)
}

// file is one file that is being written.
type file struct {
	name    string
	under   io.WriteCloser
	zip     *gzip.Writer // nil without compression
	w       *bufio.Writer
	bytes   int64 // before compression
	entries int
}

func (f *file) write(b []byte) error {
	n, err := f.w.Write(b)
	f.bytes += int64(n)
	if err != nil {
		return fmt.Errorf("write sitemap %s: %w", f.name, err)
	}
	return nil
}

// close writes the foot and closes all, also after an error.
func (f *file) close(foot string) error {
	err := f.write([]byte(foot))
	err = errors.Join(err, f.w.Flush())
	if f.zip != nil {
		err = errors.Join(err, f.zip.Close())
	}
	if err = errors.Join(err, f.under.Close()); err != nil {
		return fmt.Errorf("close sitemap %s: %w", f.name, err)
	}
	return nil
}

// admissible tells whether the protocol has a place for the entry.
func admissible(e Entry) error {
	switch {
	case e.Kind != Page:
		return fmt.Errorf("%s %.60q: %w", e.Kind, e.Loc, ErrLocation)
	case !looksLikeURL(e.Loc):
		return fmt.Errorf("%.60q is no http URL: %w", e.Loc, ErrLocation)
	case len(e.Loc) >= maxLocation:
		return fmt.Errorf("%.60q has %d bytes: %w", e.Loc, len(e.Loc), ErrLocation)
	}
	return nil
}

func appendURL(b []byte, e Entry) []byte {
	b = append(b, "<url><loc>"...)
	b = appendEscaped(b, e.Loc)
	b = append(b, "</loc>"...)
	b = appendLastMod(b, e.LastMod)
	if isFrequency(e.ChangeFreq) {
		b = append(b, "<changefreq>"...)
		b = append(b, e.ChangeFreq...)
		b = append(b, "</changefreq>"...)
	}
	if e.Priority > 0 && e.Priority <= 1 {
		b = append(b, "<priority>"...)
		b = strconv.AppendFloat(b, e.Priority, 'f', -1, 64)
		b = append(b, "</priority>"...)
	}
	return append(b, "</url>\n"...)
}

func appendLastMod(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	b = append(b, "<lastmod>"...)
	b = t.UTC().Truncate(time.Second).AppendFormat(b, time.RFC3339)
	return append(b, "</lastmod>"...)
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
