package archive

import (
	"errors"
	"io"
	"slices"

	"watershed/page"
)

// part is a record of a capture.
type part struct {
	kind, id string
	loc      page.Location
	entry    *Entry // its line of the index, where it has one and it was asked for
	asked    *asked // of a request of another method than GET, where the index was asked for
	unlisted error  // why no line could be made of a record that is whole
}

// bundle is a capture as it lies in a file: a record and those behind it that are bound to it by
// WARC-Concurrent-To.
type bundle struct {
	parts []part
	names []string // the records that the first one names
}

// captured reports a record that a capture is known by.
func (p *part) captured() bool {
	return p.kind == TypeResponse || p.kind == TypeRevisit || p.kind == TypeResource
}

// main is the record that a capture is known by: its response, revisit or resource; the first one
// where it has none.
func (b *bundle) main() *part {
	for i := range b.parts {
		if b.parts[i].captured() {
			return &b.parts[i]
		}
	}
	return &b.parts[0]
}

// sought reports that each record ends with its gzip member. A record behind which its member goes on
// shares that with others, or is damaged; its place is not known, nor was its checksum seen.
func (b *bundle) sought() bool {
	return !slices.ContainsFunc(b.parts, func(p part) bool { return p.loc.Length == 0 })
}

// whole reports that every record that the first one names is there, to its end.
func (b *bundle) whole() bool {
	return b.sought() && !slices.ContainsFunc(b.names, func(id string) bool {
		return !slices.ContainsFunc(b.parts, func(p part) bool { return p.id == id })
	})
}

// end is the offset behind the capture.
func (b *bundle) end() int64 {
	last := b.parts[len(b.parts)-1].loc
	return last.Offset + last.Length
}

// bundles calls yield with each capture of a file in order, whose records next gives with the ids
// that they name, and io.EOF behind the last one. At the end of the file, or where it is damaged,
// the captures before were all yielded. The error is next's or yield's.
func bundles(next func() (part, []string, error), yield func(bundle) error) error {
	var b bundle
	flush := func() error {
		if len(b.parts) == 0 {
			return nil
		}
		done := b
		b = bundle{}
		return yield(done)
	}
	for {
		p, named, err := next()
		if err != nil {
			if flushed := flush(); flushed != nil {
				return flushed
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if len(b.parts) > 0 && !slices.Contains(named, b.parts[0].id) {
			if err := flush(); err != nil {
				return err
			}
		}
		if len(b.parts) == 0 {
			b.names = named
		}
		b.parts = append(b.parts, p)
	}
}

// indexed is what an index has to know of a record: its entry, or of a request by another method than
// GET that.
func indexed(rec *Record) (e *Entry, a *asked, err error) {
	if rec.Type() != TypeRequest {
		e, err = newEntry(rec)
		return e, nil, err
	}
	if a, err = askedBy(rec); err != nil {
		return nil, nil, nil // damage of the file is told where the record ends
	}
	return nil, a, nil
}

// entries calls yield with the entries of the capture, each found under what was asked.
func (b *bundle) entries(yield func(Entry) error) error {
	var a *asked
	for i := range b.parts {
		if b.parts[i].asked != nil {
			a = b.parts[i].asked
		}
	}
	for i := range b.parts {
		p := &b.parts[i]
		if p.entry == nil {
			continue
		}
		if a != nil && p == b.main() {
			a.mark(p.entry)
		}
		if err := yield(*p.entry); err != nil {
			return err
		}
	}
	return nil
}

// readPart reads the next record to its end and gives it with the ids that it names; index asks for
// its line of the index too. A record that is whole and of which no line can be made has none.
func readPart(r *Reader, index bool) (p part, named []string, err error) {
	rec, err := r.Next()
	if err != nil {
		return p, nil, err
	}
	p.kind, p.id, named = rec.Type(), rec.ID(), rec.Header.All(fieldConcurrent)
	if index {
		var format *FormatError
		if p.entry, p.asked, p.unlisted = indexed(rec); p.unlisted != nil && !errors.As(p.unlisted, &format) {
			return p, nil, p.unlisted
		}
	}
	if p.loc, err = r.Location(); err == nil && p.entry != nil {
		p.entry.place(p.loc)
	}
	return p, named, err
}
