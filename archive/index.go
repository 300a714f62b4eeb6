package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"watershed/page"
)

// indexRecords calls yield with an index entry for each response, revisit and resource record of a
// WARC or ARC file of any writer, and for metadata records that are pages of their own; in the
// order of the file, from where it stands on. Damage is passed over: all that can be read is
// yielded, and the error then joins a *FormatError for each place, of the first thousand. Records
// that share their gzip member with others cannot be sought, which is such an error too, one a
// member. Answers to other requests than GET are found under their method and body.
func indexRecords(r *FileReader, described bool, yield func(Entry) error) error {
	var damage faults
	shared := int64(-1) // the last member that was told to have several records
	p := pairing{yield: yield, described: described}
	for {
		err := p.next(r.Reader)
		var format *FormatError
		var fault error
		switch {
		case p.stopped != nil:
			return p.stopped
		case errors.Is(err, io.EOF):
			return errors.Join(p.flush(), damage.join())
		case errors.As(err, &format) && errors.Is(err, errShared) && format.Offset == shared:
		case errors.As(err, &format):
			if fault = err; errors.Is(err, errShared) {
				shared = format.Offset
			}
		case err != nil:
			return errors.Join(damage.join(), p.flush(), err)
		}
		more := true
		if r.err != nil {
			more = r.Recover()
			fault = r.Lost(cmp.Or(fault, err, r.err))
		}
		if damage.add(fault); !more {
			return errors.Join(p.flush(), damage.join())
		}
	}
}

// faults are the first places of damage of a file, and how many there are besides.
type faults struct {
	kept []error
	more int
}

func (f *faults) add(err error) {
	switch {
	case err == nil:
	case len(f.kept) < mostFaults:
		f.kept = append(f.kept, err)
	default:
		f.more++
	}
}

func (f *faults) join() error {
	if f.more == 0 {
		return errors.Join(f.kept...)
	}
	return errors.Join(append(f.kept, moreFaults(f.more))...)
}

// moreFaults is a number of places of damage that are not told one by one.
type moreFaults int

func (n moreFaults) Error() string { return fmt.Sprintf("there is damage at %d places more", int(n)) }

// Places is how many these are.
func (n moreFaults) Places() int { return int(n) }

var errShared = errors.New("records share a member, so they cannot be sought; pack each on its own")

// next takes in the next record.
func (p *pairing) next(r *Reader) error {
	rec, err := r.Next()
	if err != nil {
		return err
	}
	ids := pairIDs{rec.ID(), rec.TargetURI(), rec.Header.All(fieldConcurrent)}
	if rec.Type() == TypeRequest {
		a, err := askedBy(rec)
		if err != nil {
			a = nil // damage of the file is told where the record ends
		}
		p.stopped = p.asked(ids, a)
		return nil
	}
	e, err := entryOf(r, rec)
	if e != nil {
		if p.described {
			e.describe(rec)
		}
		p.stopped = p.answer(ids, e)
	}
	return err
}

// entryOf makes the entry of a record, nil where it has none. A record that is whole has one where
// only the bytes behind it are damaged.
//
// The length of a record in a plain file is told without the line ends behind it, as cdxj-indexer
// and pywb have it.
func entryOf(r *Reader, rec *Record) (*Entry, error) {
	e, err := newEntry(rec)
	if err != nil {
		return nil, err
	}
	loc, err := r.Location()
	if err != nil {
		if e == nil || r.zipped || r.block.left > 0 {
			return nil, err
		}
		e.place(page.Location{File: rec.File, Offset: rec.Offset, Length: r.bare - rec.Offset})
		return e, err
	}
	if rec.Quirks&QuirkShared != 0 {
		kind := errUnpack
		if r.packed.packing == byGzip {
			kind = errGzip
		}
		return nil, &FormatError{
			File: rec.File, Offset: rec.Offset,
			Err: fmt.Errorf("%w: %w", kind, errShared),
		}
	}
	if e != nil {
		if !r.zipped {
			loc.Length = r.bare - rec.Offset
		}
		e.place(loc)
	}
	return e, nil
}

// newEntry makes the entry of a record, whose block it may read; nil for a record that no index
// has.
func newEntry(rec *Record) (*Entry, error) {
	kind := rec.Type()
	switch kind {
	case TypeResponse, TypeRevisit, TypeResource:
	case TypeMetadata:
		if strings.HasPrefix(rec.Header.Get(fieldContentType), mimeFields) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	at, err := rec.Date()
	if err != nil {
		return nil, &FormatError{File: rec.File, Offset: rec.Offset, Err: errHeader, Detail: err.Error()}
	}
	uri := strings.ReplaceAll(strings.TrimSpace(rec.TargetURI()), " ", "%20")
	e := &Entry{
		Key: keyOf(uri), Timestamp: at.Format("20060102150405"),
		URL:    uri,
		Digest: rec.Header.Get(fieldPayloadDigest),
	}
	body := rec.Block
	e.MIME = cmp.Or(mediaType(rec.Header.Get(fieldContentType)), "unk")
	if rec.isHTTP() && rec.Size > 0 {
		m, err := rec.HTTP()
		if err != nil {
			return nil, err
		}
		if m.Status > 0 && m.Head > 0 { // an answer of HTTP/0.9 tells none
			e.Status = strconv.Itoa(m.Status)
		}
		e.MIME, body = cmp.Or(m.MIME(), "unk"), m.Payload()
		if m.Status/100 == 3 {
			rec.redirect = m.Header.Get("Location")
		}
	}
	if kind == TypeRevisit {
		e.MIME = MIMERevisit
	} else if e.Digest == "" {
		sum := sha1.New()
		if err := copyPooled(sum, body); err != nil {
			return nil, err
		}
		// what cdxj-indexer makes where a record has none
		e.Digest = page.SHA1Label([sha1.Size]byte(sum.Sum(nil)))
	}
	return e, nil
}

// describe adds what the record tells of its payload beside what an index has.
func (e *Entry) describe(rec *Record) {
	e.Extra = map[string]string{}
	for name, value := range map[string]string{
		"redirect": rec.redirect, "truncated": rec.Header.Get(fieldTruncated),
		"mime-detected": rec.Header.Get("WARC-Identified-Payload-Type"),
	} {
		if value != "" {
			e.Extra[name] = value
		}
	}
}

// Entries reads an index line by line, CDXJ or CDX of 9 or 11 columns or of those that its heading
// names; headings and empty lines are passed over.
type Entries struct {
	r    *bufio.Reader
	line int
	text []byte // of that line, until the next call
	form cdxForm
	skip func() bool // over a damaged block, nil where there are none
}

// Line is the number of the last line that was read, from 1.
func (s *Entries) Line() int { return s.line }

// maxLine bounds a line of an index, in bytes; a POST body of Browsertrix may fill much of one.
const maxLine = 4 << 20

// NewEntries reads an index from r.
func NewEntries(r io.Reader) *Entries { return &Entries{r: bufio.NewReaderSize(r, 64<<10)} }

// Next gives the next entry; io.EOF after the last one. After an ErrEntry it goes on with the next
// line. Lines of other spellings (see Entry.As) are passed over.
func (s *Entries) Next() (*Entry, error) {
	for {
		text, err := readLine(s.r)
		long := errors.Is(err, ErrEntry)
		if err != nil && !long && s.skip != nil && !errors.Is(err, io.EOF) && s.skip() {
			err = fmt.Errorf("%w: behind line %d: %w; the rest of the block is lost", ErrEntry, s.line, err)
		}
		if s.text = text; err != nil && !long {
			return nil, err
		}
		if s.line++; long {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
		if f, ok := parseCDXHeading(text); ok {
			s.form = f
			continue
		}
		if len(text) == 0 || text[0] == '!' || text[0] == ' ' {
			continue
		}
		e, err := s.form.entry(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
		if e.Extra[recordedAs] != "" {
			continue // a reader here finds a capture by any spelling
		}
		return e, nil
	}
}

// EntriesIn gives the entries of an index file, and behind the error of a line that is none those of
// the lines behind it. Any other error ends it.
func EntriesIn(path string) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = f.Close() }() // it was only read
		lines := NewEntries(f)
		for {
			e, err := lines.Next()
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil && !errors.Is(err, ErrEntry) {
				return
			}
		}
	}
}

// readLine gives the next line without its end; the last one may lack it. It is valid until the
// next call. A line that is too long is an ErrEntry; the next call goes on behind it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var long []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(long)+len(part) > maxLine {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice('\n')
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			return nil, fmt.Errorf("%w: longer than %d bytes", ErrEntry, maxLine)
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && len(long)+len(part) > 0:
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
			continue
		default:
			return nil, err
		}
		if long != nil {
			part = append(long, part...)
		}
		return bytes.TrimRight(part, "\r\n"), nil
	}
}
