package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/gzip"

	"watershed/page"
)

// Reader reads the records of one WARC or ARC file in order, of any writer: WARC 0.17 to 1.1, ARC 1
// and 2; plain, or packed by gzip, Zstandard or bzip2, a member a record or as a whole. The bytes
// tell which. It takes no more memory than a buffer, and the memory that the packing needs. It is
// not safe for concurrent use.
//
// Invariants: raw stands at the first byte that no member or record has taken; in is where records
// are read from, which is raw itself in a plain file.
type Reader struct {
	file   string
	source *countReader
	raw    *bufio.Reader
	zipped bool
	packed *unpacker // of a packed file
	in     *bufio.Reader

	zipBuffer *bufio.Reader // in, where members are read
	arc       bool          // an ARC record was read

	rec      *Record
	block    *block
	start    int64 // of the current member or record
	inMember bool  // the current member has bytes left, perhaps
	within   bool  // a header or block is being read
	records  int   // read from the current member
	bare     int64 // behind the block of the last record that was finished, in a plain file
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

const rawBuffer = 64 << 10

func newReader(r io.Reader, name string, offset int64) (*Reader, error) {
	d := emptyReader(rawBuffer)
	d.file = name
	return d, d.begin(r, offset)
}

// emptyReader has a buffer of that many bytes before what unpacks them.
func emptyReader(buffer int64) *Reader {
	return &Reader{raw: bufio.NewReaderSize(nil, int(buffer))}
}

// begin reads from r, which begins at that offset of the file. It keeps the memory of what was read
// before.
func (d *Reader) begin(r io.Reader, offset int64) error {
	*d = Reader{
		file: d.file, raw: d.raw, packed: d.packed, zipBuffer: d.zipBuffer, arc: d.arc, finished: true,
		from: offset,
	}
	d.source = &countReader{r: r, bytes: offset}
	d.raw.Reset(d.source)
	head, err := d.raw.Peek(packedHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read %s: %w", d.file, err)
	}
	d.in = d.raw
	if p := packingOf(head); p != notPacked {
		d.unpack(p)
	}
	return nil
}

// unpack reads members of that packing from here on, whatever is there.
func (d *Reader) unpack(p packing) {
	if d.zipBuffer == nil {
		d.zipBuffer = bufio.NewReaderSize(nil, 32<<10)
	}
	if d.packed == nil {
		d.packed = &unpacker{}
	}
	d.packed.packing = p
	d.packed.within = func() bool { return d.within }
	d.packed.begins = func(b []byte) bool { return recordBegins(b, d.arc) }
	d.packed.limit = func() int64 { return unpackLeast + unpackShare*d.source.bytes }
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
	d.within = true
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
		if !d.inMember {
			d.turn()
		}
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
				return d.format(errNotWARC, "nothing but line ends")
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

// turn goes over to the packing of what is next, as files have it that were put together.
func (d *Reader) turn() {
	head, _ := d.raw.Peek(recordMark) // an error comes again
	switch p := packingOf(head); {
	case p != notPacked && (!d.zipped || p != d.packed.packing):
		d.unpack(p)
	case d.zipped && string(head) == "WARC/":
		d.zipped, d.in = false, d.raw
	}
}

// openMember begins the member at the present position; io.EOF when there is none.
func (d *Reader) openMember() error {
	d.start, d.records = d.position(), 0
	err := d.packed.skip(d.raw)
	if err == nil {
		d.start = d.position()
		err = d.packed.open(d.raw)
	}
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errNoMember):
		return d.format(errGzip, err.Error())
	case err != nil:
		return d.fail(err, "in the "+d.packed.packing.String()+" header")
	}
	d.in.Reset(d.packed)
	d.inMember, d.packed.joined, d.packed.broken = true, false, false
	return nil
}

// header reads the version line and the fields.
func (d *Reader) header() (*Record, error) {
	if head, _ := d.in.Peek(5); string(head) != "WARC/" {
		switch _, err := d.in.Peek(1); {
		case bytes.HasPrefix([]byte("WARC/"), head) && err == nil:
			return nil, d.fail(io.ErrUnexpectedEOF, "in the version line")
		case d.arc || d.heads == 0 && bytes.Contains(head, []byte(":")) || string(head) == fileDesc[:5]:
			return d.arcHeader()
		}
		return nil, d.format(errNotWARC, fmt.Sprintf("%q", bytes.TrimRight(head, "\r\n")))
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
		return nil, d.format(errHeader, err.Error())
	}
	if err != nil {
		return nil, d.fail(err, "in the header")
	}
	if rec.Size, err = parseLength(rec.Header.Get(fieldLength)); err != nil {
		return nil, d.format(errHeader, err.Error())
	}
	if rec.Header.Get(fieldType) == "" {
		return nil, d.format(errHeader, "no "+fieldType)
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
	d.within = false
	d.bare = d.position()
	if d.rec.IsARC() {
		d.arcTrailer()
	} else if err := d.trailer(); err != nil {
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
			return d.format(errLength, "nothing but line ends behind the block")
		case err == nil && (head[0] == '\r' || head[0] == '\n'):
			if !d.rec.IsARC() {
				d.rec.Quirks |= QuirkTrailer
			}
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
		if d.packed.joined {
			d.rec.Quirks |= QuirkShared
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
		return d.format(errLength, fmt.Sprintf("%q follows the block", tail))
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
	var format *FormatError
	switch {
	case errors.As(err, &format):
		return err
	case errors.Is(err, errBomb):
		return d.format(errBomb, strings.TrimPrefix(strings.TrimPrefix(err.Error(), errBomb.Error()), ": "))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return d.format(errTruncated, detail)
	case d.source.err == nil && d.zipped && d.packed.packing != byGzip:
		return d.format(errUnpack, strings.TrimSpace(detail+" "+err.Error()))
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isCorrupt(err):
		return d.format(errGzip, strings.TrimSpace(detail+" "+err.Error()))
	}
	return fmt.Errorf("read %s at %d: %w", d.file, d.start, err)
}

// block reads the block of the current record.
type block struct {
	d    *Reader // nil once the record was closed
	left int64
}

// Read gives the block's bytes.
func (b *block) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.d == nil {
		return 0, fs.ErrClosed
	}
	n, err := b.d.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == nil || n > 0 && errors.Is(err, io.EOF) {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		if b.d.zipped { // the member ended well and was too short
			return n, b.d.format(errLength, fmt.Sprintf("%d bytes are missing", b.left))
		}
		return n, b.d.format(errTruncated, fmt.Sprintf("%d bytes of the block are missing", b.left))
	}
	return n, b.d.fail(err, "in the block")
}

// countReader counts what is read through it.
type countReader struct {
	r     io.Reader
	bytes int64
	err   error // of r, other than its end
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.bytes += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
