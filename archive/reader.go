package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"watershed/page"
)

// Reader reads the records of one WARC file in order: versions 0.17 to 1.1, plain, gzipped a member
// a record, or gzipped as a whole, of any writer. It holds no more than a buffer in memory. It is
// not safe for concurrent use.
//
// Invariants: raw stands at the first byte that no gzip member or record has taken; in is where
// records are read from, which is raw itself in a plain file.
type Reader struct {
	file   string
	source *countReader
	raw    *bufio.Reader
	zipped bool
	zr     *gzip.Reader
	in     *bufio.Reader

	zipBuffer *bufio.Reader // in, where members are read

	rec      *Record
	block    *block
	start    int64 // of the current member or record
	inMember bool  // the current gzip member has bytes left, perhaps
	records  int   // read from the current member
	end      int64 // behind the last record that was finished
	finished bool  // the current record was read to its end
	err      error // sticky

	from  int64 // where reading began
	heads int64 // bytes of the headers that were read, unzipped
}

// maxBlank bounds the line ends between two records, and behind the last one of a gzip member: a
// few bytes unzip to any number.
const maxBlank = 64 << 10

// NewReader reads records from r, whose bytes begin at the start of a WARC file (or of a member of
// it). The name stands in locations and errors.
func NewReader(r io.Reader, name string) (*Reader, error) { return newReader(r, name, 0) }

func newReader(r io.Reader, name string, offset int64) (*Reader, error) {
	d := &Reader{file: name, raw: bufio.NewReaderSize(nil, 64<<10)}
	return d, d.begin(r, offset)
}

// begin reads from r, which begins at that offset of the file. It keeps the memory of what was read
// before.
func (d *Reader) begin(r io.Reader, offset int64) error {
	*d = Reader{file: d.file, raw: d.raw, zr: d.zr, zipBuffer: d.zipBuffer, finished: true, from: offset}
	d.source = &countReader{r: r, bytes: offset}
	d.raw.Reset(d.source)
	head, err := d.raw.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", d.file, err)
	}
	if d.in = d.raw; len(head) == 2 && head[0] == 0x1F && head[1] == 0x8B {
		d.unzip()
	}
	return nil
}

// unzip reads gzip members from here on, whatever is there.
func (d *Reader) unzip() {
	if d.zipBuffer == nil {
		d.zipBuffer = bufio.NewReaderSize(nil, 32<<10)
	}
	d.zipped, d.in = true, d.zipBuffer
}

// Next gives the next record, having passed over what is left of the one before. The error is
// io.EOF after the last one, and a *FormatError where the file is damaged; after an error the
// reader goes no further.
func (d *Reader) Next() (*Record, error) {
	if d.err != nil {
		return nil, d.err
	}
	rec, err := d.next()
	if err != nil {
		d.err = err
		return nil, err
	}
	return rec, nil
}

// Broken reports that Next has given an error and goes no further.
func (d *Reader) Broken() bool { return d.err != nil }

func (d *Reader) next() (*Record, error) {
	if err := d.finish(); err != nil {
		return nil, err
	}
	if err := d.seekRecord(); err != nil {
		return nil, err
	}
	d.records++
	rec, err := d.header()
	if err != nil {
		return nil, err
	}
	d.block = &block{d: d, left: rec.Size}
	rec.Block = d.block
	d.rec, d.finished = rec, false
	return rec, nil
}

// seekRecord moves to the first byte of the next record, past empty lines and empty members.
func (d *Reader) seekRecord() error {
	for blank := 0; ; {
		if d.zipped && !d.inMember {
			if err := d.openMember(); err != nil {
				return err
			}
		}
		if !d.zipped {
			d.start = d.position()
		}
		head, err := d.in.Peek(1)
		switch {
		case err == nil && (head[0] == '\r' || head[0] == '\n'):
			_, _ = d.in.Discard(1) // it was just seen
			if blank++; blank > maxBlank {
				return d.format(ErrNotWARC, "nothing but line ends")
			}
			continue
		case err == nil:
			return nil
		case errors.Is(err, io.EOF) && d.zipped:
			d.inMember = false
			d.end = d.position()
			continue
		case errors.Is(err, io.EOF):
			return io.EOF
		}
		return d.fail(err, "")
	}
}

// openMember begins the gzip member at the present position; io.EOF when there is none.
func (d *Reader) openMember() error {
	d.start, d.records = d.position(), 0
	head, err := d.raw.Peek(2)
	if len(head) == 0 {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("read %s: %w", d.file, err)
	}
	if len(head) < 2 || head[0] != 0x1F || head[1] != 0x8B {
		return d.format(ErrGzip, "what follows the last member is none")
	}
	if d.zr == nil {
		d.zr, err = gzip.NewReader(d.raw)
	} else {
		err = d.zr.Reset(d.raw)
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return d.fail(err, "in the gzip header")
	}
	d.zr.Multistream(false)
	d.in.Reset(d.zr)
	d.inMember = true
	return nil
}

// header reads the version line and the fields.
func (d *Reader) header() (*Record, error) {
	if head, _ := d.in.Peek(5); string(head) != "WARC/" {
		if bytes.HasPrefix([]byte("WARC/"), head) {
			return nil, d.fail(io.ErrUnexpectedEOF, "in the version line")
		}
		return nil, d.format(ErrNotWARC, fmt.Sprintf("%q", head))
	}
	t := headerText{r: d.in}
	rec := &Record{File: d.file, Offset: d.start}
	line, err := t.line()
	if err == nil {
		rec.Version = line
		rec.Header, err = t.fields()
	}
	rec.Quirks = t.quirk
	d.heads += t.bytes
	if errors.Is(err, errHeaderSize) {
		return nil, d.format(ErrHeader, err.Error())
	}
	if err != nil {
		return nil, d.fail(err, "in the header")
	}
	if rec.Size, err = parseLength(rec.Header.Get(fieldLength)); err != nil {
		return nil, d.format(ErrHeader, err.Error())
	}
	if rec.Header.Get(fieldType) == "" {
		return nil, d.format(ErrHeader, "no "+fieldType)
	}
	if strings.HasPrefix(rec.Header.Get(fieldURI), "<") {
		rec.Quirks |= QuirkBrackets
	}
	if rec.ID() == "" {
		rec.Quirks |= QuirkNoRecordID
	}
	if d.zipped && d.records > 1 {
		rec.Quirks |= QuirkShared
	}
	return rec, nil
}

// Location tells where the current record lies, having read what is left of it. The length is 0
// where the record cannot be sought because it shares its gzip member with others.
func (d *Reader) Location() (page.Location, error) {
	if d.err != nil {
		return page.Location{}, d.err
	}
	if d.rec == nil {
		return page.Location{}, io.EOF
	}
	if err := d.finish(); err != nil {
		d.err = err
		return page.Location{}, err
	}
	loc := page.Location{File: d.file, Offset: d.start, Length: d.end - d.start}
	if d.rec.Quirks&QuirkShared != 0 {
		loc.Length = 0
	}
	return loc, nil
}

// finish reads the rest of the current record with what closes it.
func (d *Reader) finish() error {
	if d.finished {
		return nil
	}
	if err := copyPooled(io.Discard, d.block); err != nil {
		return err
	}
	if err := d.trailer(); err != nil {
		return err
	}
	d.finished = true
	d.end = d.position()
	if !d.zipped {
		return nil
	}
	return d.memberEnd()
}

// memberEnd looks whether the gzip member ends with the record, as it should.
func (d *Reader) memberEnd() error {
	for blank := 0; ; blank++ {
		switch head, err := d.in.Peek(1); {
		case blank > maxBlank:
			return d.format(ErrLength, "nothing but line ends behind the block")
		case err == nil && (head[0] == '\r' || head[0] == '\n'):
			d.rec.Quirks |= QuirkTrailer
			_, _ = d.in.Discard(1) // it was just seen
			continue
		case err == nil:
			d.rec.Quirks |= QuirkShared
		case errors.Is(err, io.EOF): // the member was whole, its checksum right
			d.inMember = false
			d.end = d.position()
		default:
			return d.fail(err, "behind the block")
		}
		return nil
	}
}

// trailer takes the two line ends behind a block, or as much of them as there is.
func (d *Reader) trailer() error {
	tail, err := d.in.Peek(4)
	if string(tail) == "\r\n\r\n" {
		_, err = d.in.Discard(4)
		return err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return d.fail(err, "behind the block")
	}
	d.rec.Quirks |= QuirkTrailer
	n := 0
	for n < len(tail) && (tail[n] == '\r' || tail[n] == '\n') {
		n++
	}
	rest := tail[n:]
	if len(rest) > 0 && !bytes.HasPrefix([]byte("WARC/"), rest) && !bytes.HasPrefix(rest, []byte("WARC/")) {
		return d.format(ErrLength, fmt.Sprintf("%q follows the block", tail))
	}
	if len(tail) < 4 && !d.zipped && n == 0 {
		return d.format(ErrTruncated, "no line ends behind the block")
	}
	_, err = d.in.Discard(n)
	return err
}

// position is the offset in the file of the first byte not taken.
func (d *Reader) position() int64 { return d.source.bytes - int64(d.raw.Buffered()) }

func (d *Reader) format(kind error, detail string) error {
	return &FormatError{File: d.file, Offset: d.start, Detail: detail, Err: kind}
}

// fail turns an error of the stream below into one of the format, where it is one.
func (d *Reader) fail(err error, detail string) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return d.format(ErrTruncated, detail)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isCorrupt(err):
		return d.format(ErrGzip, strings.TrimSpace(detail+" "+err.Error()))
	}
	return fmt.Errorf("read %s at %d: %w", d.file, d.start, err)
}

// block reads the block of the current record.
type block struct {
	d    *Reader
	left int64
}

// Read gives the block's bytes.
func (b *block) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.d.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == nil || n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		if b.d.zipped { // the member ended well and was too short
			return n, b.d.format(ErrLength, fmt.Sprintf("%d bytes are missing", b.left))
		}
		return n, b.d.format(ErrTruncated, fmt.Sprintf("%d bytes of the block are missing", b.left))
	}
	return n, b.d.fail(err, "in the block")
}

// countReader counts what is read through it.
type countReader struct {
	r     io.Reader
	bytes int64
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bytes += int64(n)
	return n, err
}
