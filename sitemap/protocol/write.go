package protocol

import (
	"errors"
	"fmt"
	"io"
	"iter"
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

// Write writes pages into sitemap.xml, and past the protocol's limits into sitemap-2.xml,
// sitemap-3.xml and so on, with sitemap-index.xml over them all, which names them by file name
// alone. It asks create for each of its files, by base name, and closes them. Left out is what cannot
// stand in a urlset: what is no http or https URL, or has 2,048 bytes or more. Without any entry it
// writes one empty urlset. It holds one urlset at a time, and ends with the first failure.
func Write(locations iter.Seq[string], create func(name string) (io.WriteCloser, error)) error {
	w := &writer{create: create, maxEntries: maxEntries, maxBytes: MaxBytes}
	return w.write(locations)
}

// writer is the state of one Write.
type writer struct {
	create     func(name string) (io.WriteCloser, error)
	maxEntries int // of a urlset
	maxBytes   int
	names      []string // of the urlsets that were written
}

func (w *writer) write(locations iter.Seq[string]) error {
	body, entries := []byte(urlsetHead), 0
	var line []byte
	for loc := range locations {
		if !looksLikeURL(loc) || len(loc) >= maxLocation {
			continue
		}
		line = appendEscaped(append(line[:0], "<url><loc>"...), loc)
		line = append(line, "</loc></url>\n"...)
		full := entries == w.maxEntries || len(body)+len(line)+len(urlsetFoot) > w.maxBytes
		if full && entries > 0 {
			if err := w.putUrlset(body); err != nil {
				return err
			}
			body, entries = body[:len(urlsetHead)], 0
		}
		body = append(body, line...)
		entries++
	}
	if err := w.putUrlset(body); err != nil || len(w.names) == 1 {
		return err
	}
	return w.putIndex()
}

// putUrlset writes the next urlset, which lacks its foot.
func (w *writer) putUrlset(body []byte) error {
	name := "sitemap.xml"
	if len(w.names) > 0 {
		name = "sitemap-" + strconv.Itoa(len(w.names)+1) + ".xml"
	}
	w.names = append(w.names, name)
	return w.put(name, append(body, urlsetFoot...))
}

// putIndex lists the urlsets. An index holds 50,000 of them, that is 2.5 thousand million pages.
func (w *writer) putIndex() error {
	if len(w.names) > maxEntries {
		return fmt.Errorf("write sitemap index of %d files: more than the protocol allows", len(w.names))
	}
	body := []byte(indexHead)
	for _, name := range w.names {
		body = append(body, "<sitemap><loc>"+name+"</loc></sitemap>\n"...)
	}
	return w.put("sitemap-index.xml", append(body, indexFoot...))
}

// put writes a file.
func (w *writer) put(name string, text []byte) error {
	f, err := w.create(name)
	if err != nil {
		return fmt.Errorf("create sitemap %s: %w", name, err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write sitemap %s: %w", name, err)
	}
	return nil
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
