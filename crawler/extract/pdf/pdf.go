// Package pdf reads the text of PDF files, as far as a sketch of it needs: words in the order in
// which pages show them, without layout.
//
// Objects are found by reading the file from its beginning to its end, not by its tables of
// references, which are what broken files have wrong; of several objects of one number the last one
// counts. Letters come from a font's ToUnicode map, else from its encoding. Letters that a font
// does not tell, and text that is drawn as a picture, are left out. Encrypted files are not read.
// Time and memory are bounded by Options on any input: each byte is looked at a few times, each
// stream is unpacked as often as pages show it, within Options.MaxUnpacked, and lists and dicts are
// read up to a depth.
//
// Source: ISO 32000-1:2008, sections 7.2 to 7.5 (syntax, filters, file structure), 7.7.3 (pages),
// 7.8 (content), and 9 (text).
package pdf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
)

// Errors that callers branch on.
var (
	// ErrFormat says that the body is not a PDF file, or that no page is found in it.
	ErrFormat = errors.New("not a PDF file")

	// errEncrypted says that the file is encrypted.
	errEncrypted = errors.New("encrypted PDF file")

	// ErrTooLarge says that text was given up to the limit only.
	ErrTooLarge = errors.New("PDF file is too large")
)

// MediaType is that of PDF files.
const MediaType = "application/pdf"

// Options bound the work. The zero value is the default.
type Options struct {
	// MaxUnpacked bounds the work on a file, in bytes: those of its streams as they are packed and
	// unpacked, each time that they are, and for whatever else can be asked for again and again
	// what costs about as much. Default 64 MiB: a book takes two or four.
	MaxUnpacked int64
	// Link is told of the addresses to which annotations of the pages lead, before the text of their
	// page; nil is told of none. Sections 12.5.6.5 and 12.6.4.7.
	Link func(address string)
}

// Text calls piece with the text of a file, in UTF-8, with "\n" between lines. A piece is valid
// during the call only. On an error, which wraps one of this package, the text before it has been
// given.
func Text(body []byte, o Options, piece func([]byte)) error {
	if !bytes.Contains(body[:min(len(body), 1024)], []byte("%PDF-")) {
		return ErrFormat
	}
	f := &file{left: cmp.Or(o.MaxUnpacked, 64<<20), room: maxValues, objects: map[int]value{}}
	f.scan(body)
	if f.encrypted {
		return errEncrypted
	}
	f.unpackObjects()
	pages := f.pages()
	if len(pages) == 0 && f.spent {
		return ErrTooLarge
	}
	if len(pages) == 0 {
		return fmt.Errorf("find its pages: %w", ErrFormat)
	}
	s := shower{file: f, piece: piece, fonts: map[int]*font{}}
	for _, p := range pages {
		f.annotations(p.dict, o.Link)
		s.page(p)
		if f.spent {
			return ErrTooLarge
		}
	}
	if f.room == 0 {
		return ErrTooLarge
	}
	return nil
}
