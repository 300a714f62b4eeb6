package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packing is how a file is compressed, told by its first bytes.
type packing uint8

const (
	notPacked packing = iota
	byGzip            // RFC 1952, a member a record or not
	byZstd            // RFC 8878, a frame a record, perhaps with a dictionary before them
	byBzip2           // bzip2, a stream a record or not
)

// String names the packing.
func (p packing) String() string { return [...]string{"plain", "gzip", "zstd", "bzip2"}[p] }

// packedHead is the number of bytes by which packingOf knows all packings.
const packedHead = 4

// packingOf tells the packing by the beginning of a member.
func packingOf(head []byte) packing {
	switch {
	case bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return byGzip
	case len(head) >= 4 && (isFrame(head) || isSkippable(head)):
		return byZstd
	case len(head) >= 4 && string(head[:3]) == "BZh" && head[3] >= '1' && head[3] <= '9':
		return byBzip2
	}
	return notPacked
}

const (
	frameMagic     = 0xFD2FB528
	skippableMagic = 0x184D2A50 // to …5F
	// dictionaryMagic begins the skippable frame in which a .warc.zst file has its dictionary, which
	// may itself be a frame.
	// Source: https://iipc.github.io/warc-specifications/specifications/warc-zstd/
	dictionaryMagic = 0x184D2A5D
)

func isFrame(head []byte) bool { return binary.LittleEndian.Uint32(head) == frameMagic }

func isSkippable(head []byte) bool {
	return binary.LittleEndian.Uint32(head)&^0xF == skippableMagic
}

// Bounds on the cost of compressed bytes.
const (
	// A file unpacks to at most so many times its bytes and some more. DEFLATE makes at most 1032
	// bytes of one, which this bound does not touch; Zstandard and bzip2 make some ten thousands.
	unpackShare = 1100
	unpackLeast = 256 << 20
	// maxDictionary is the size of a dictionary, in bytes, packed or not: ArchiveTeam's have up to
	// some megabytes.
	maxDictionary = 16 << 20
	// maxWindow is the memory that a Zstandard frame may ask for, in bytes: what zstd itself grants
	// without an option.
	maxWindow = 128 << 20
)

// unpacker reads the members of a packed file, one after the other. It keeps its memory.
//
// Invariant: unpacked is what came out of all members, also of those before the last begin.
type unpacker struct {
	packing    packing
	gzip       *gzip.Reader
	zstd       *zstd.Decoder
	frame      zstdFrame
	dictionary []byte
	member     io.Reader // the current one
	raw        *bufio.Reader
	within     func() bool       // a record has more bytes; nil for a text
	begins     func([]byte) bool // a record begins with these bytes
	joined     bool              // the record goes on in another member than it began in
	broken     bool              // it ends before its length is reached
	unpacked   int64
	limit      func() int64 // what may come out so far
}

// Read reads the current member, within the bounds. Where a member ends within a record, as bgzip
// ends one every 64 kB and pbzip2 every 900 kB, and no record begins behind it, the next member is
// taken for the rest of it.
func (u *unpacker) Read(p []byte) (int, error) {
	if u.broken {
		return 0, io.EOF
	}
	n, err := u.member.Read(p)
	for n == 0 && errors.Is(err, io.EOF) && u.within != nil && u.within() {
		if err = u.skip(u.raw); err == nil {
			err = u.open(u.raw)
		}
		if errors.Is(err, errNoMember) {
			err = io.EOF
		}
		if err != nil {
			break
		}
		if n, err = io.ReadAtLeast(u.member, p, min(len(p), recordMark)); n > 0 {
			err = nil // an error comes again
		}
		if u.begins(p[:n]) {
			u.broken = true
			return 0, io.EOF
		}
		u.joined = true
	}
	if u.unpacked += int64(n); u.unpacked > u.limit() {
		return 0, errBomb
	}
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil // it comes again: by then the record may have an end
	}
	return n, err
}

// open begins the member at the present place of raw, behind what is to be skipped. io.EOF says that
// there is none; other errors are of the format, or of raw.
func (u *unpacker) open(raw *bufio.Reader) (err error) {
	head, err := raw.Peek(packedHead)
	if len(head) == 0 || err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if packingOf(head) != u.packing {
		return errNoMember
	}
	u.raw = raw
	switch u.packing {
	case byZstd:
		return u.openFrame(raw)
	case byBzip2:
		u.member = bzip2.NewReader(&bzip2Stream{r: raw})
		return nil
	}
	if u.gzip == nil {
		u.gzip, err = gzip.NewReader(raw)
	} else {
		err = u.gzip.Reset(raw)
	}
	if err != nil {
		return noEOF(err)
	}
	u.gzip.Multistream(false)
	u.member = u.gzip
	return nil
}

var errNoMember = errors.New("what follows the last member is none")

// openFrame begins a Zstandard frame.
func (u *unpacker) openFrame(raw *bufio.Reader) error {
	if u.zstd == nil {
		if err := u.newDecoder(); err != nil {
			return err
		}
	}
	u.frame = zstdFrame{r: raw}
	u.member = u.zstd
	return u.zstd.Reset(&u.frame)
}

func (u *unpacker) newDecoder() (err error) {
	options := []zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow),
	}
	if len(u.dictionary) > 0 {
		options = append(options, zstd.WithDecoderDicts(u.dictionary))
	}
	u.zstd, err = zstd.NewReader(nil, options...)
	return err
}

// skip passes over the skippable frames at the present place, and takes in the dictionary that one
// of them may be.
func (u *unpacker) skip(raw *bufio.Reader) error {
	for u.packing == byZstd {
		head, err := raw.Peek(8)
		if len(head) < 8 || !isSkippable(head) {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		_, _ = raw.Discard(8) // just seen
		if binary.LittleEndian.Uint32(head) == dictionaryMagic && u.dictionary == nil {
			if err := u.takeDictionary(raw, size); err != nil {
				return err
			}
			continue
		}
		if _, err := io.CopyN(io.Discard, raw, size); err != nil {
			return noEOF(err)
		}
	}
	return nil
}

// takeDictionary reads a dictionary of that many bytes.
func (u *unpacker) takeDictionary(raw io.Reader, size int64) error {
	if size > maxDictionary {
		return fmt.Errorf("%w: a dictionary of %d bytes", errBomb, size)
	}
	text, err := io.ReadAll(io.LimitReader(raw, size))
	if err == nil && int64(len(text)) < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if len(text) >= 4 && isFrame(text) {
		if text, err = unpackDictionary(text); err != nil {
			return err
		}
	}
	u.dictionary, u.zstd = text, nil
	return nil
}

func unpackDictionary(packed []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

// noEOF says that an end came where none should.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// zstdFrame reads the bytes of one frame and no more, so that the place of the next one is known:
// the header, the blocks up to the last, the checksum (RFC 8878, 3.1.1).
type zstdFrame struct {
	r        *bufio.Reader
	left     int // of the part at hand
	next     framePart
	checksum bool
}

type framePart uint8

const (
	frameHeader framePart = iota
	frameBlock
	frameChecksum
	frameEnd
)

func (f *zstdFrame) Read(p []byte) (int, error) {
	for f.left == 0 {
		if err := f.advance(); err != nil {
			return 0, err
		}
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	if n > 0 {
		return n, nil
	}
	return 0, noEOF(err)
}

// advance looks at the part that follows.
func (f *zstdFrame) advance() error {
	switch f.next {
	case frameHeader:
		head, err := f.r.Peek(5)
		if err != nil {
			return noEOF(err)
		}
		f.left, f.checksum = frameHeaderSize(head[4]), head[4]&4 != 0
		f.next = frameBlock
	case frameBlock:
		head, err := f.r.Peek(3)
		if err != nil {
			return noEOF(err)
		}
		word := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		f.left = 3 + word>>3
		if word>>1&3 == 1 { // one byte, repeated
			f.left = 4
		}
		if word&1 != 0 {
			f.next = frameChecksum
		}
	case frameChecksum:
		if f.next = frameEnd; f.checksum {
			f.left = 4
		}
	default:
		return io.EOF
	}
	return nil
}

// frameHeaderSize is told by the descriptor, which is the fifth byte of a frame.
func frameHeaderSize(descriptor byte) int {
	single := descriptor >> 5 & 1
	n := 6 + [4]int{0, 1, 2, 4}[descriptor&3] + [4]int{0, 2, 4, 8}[descriptor>>6]
	if single == 1 {
		n--
		if descriptor>>6 == 0 {
			n++
		}
	}
	return n
}

// bzip2Stream reads the bytes of one stream and no more, so that the place of the next one is known:
// a stream ends with a mark, at any bit, and a checksum of 32 bits, filled up to a byte. Of other
// bytes, one in 2^45 is taken for the end; the stream then counts as damaged.
type bzip2Stream struct {
	r    *bufio.Reader
	bits uint64 // the last ones
	left int    // bytes up to the end, once the mark was seen
	done bool
}

// bzip2End is the mark, the square root of pi in decimal digits.
const bzip2End = 0x177245385090

// Read gives bytes of the stream; bzip2 asks for them one by one.
func (s *bzip2Stream) Read(p []byte) (n int, err error) {
	if len(p) > 0 {
		if p[0], err = s.ReadByte(); err == nil {
			n = 1
		}
	}
	return n, err
}

// ReadByte gives the next byte of the stream.
func (s *bzip2Stream) ReadByte() (byte, error) {
	if s.done {
		return 0, io.EOF
	}
	b, err := s.r.ReadByte()
	if err != nil {
		return 0, err
	}
	if s.left > 0 {
		s.left--
		s.done = s.left == 0
		return b, nil
	}
	s.bits = s.bits<<8 | uint64(b)
	for shift := range 8 {
		if s.bits>>shift&(1<<48-1) == bzip2End {
			s.left = 4
		}
	}
	return b, nil
}

// Unpack reads a text that may be packed by gzip, Zstandard or bzip2 as the text itself, within the
// bounds of an archive's.
func Unpack(in io.Reader) (io.Reader, error) {
	source := &countReader{r: in}
	raw := bufio.NewReaderSize(source, 64<<10)
	head, err := raw.Peek(packedHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	t := &textUnpacker{source: source, raw: raw}
	t.u.packing = packingOf(head)
	t.u.limit = func() int64 { return unpackLeast + unpackShare*t.source.bytes }
	if t.u.packing == notPacked {
		return raw, nil
	}
	return t, nil
}

// textUnpacker reads all members of a text.
type textUnpacker struct {
	source *countReader
	raw    *bufio.Reader
	start  int64 // of the member at hand
	tried  int   // places, by skip
	u      unpacker
	open   bool
	blocks bool // a member ends a line, as in a ZipNum index
	cut    bool // the last byte was not the end of a line
}

func (t *textUnpacker) Read(p []byte) (int, error) {
	for {
		if !t.open {
			if err := t.u.skip(t.raw); err != nil {
				return 0, err
			}
			t.start = t.source.bytes - int64(t.raw.Buffered())
			if err := t.u.open(t.raw); err != nil {
				return 0, err
			}
			t.open = true
		}
		n, err := t.u.Read(p)
		if n > 0 {
			t.cut = p[n-1] != '\n'
		}
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if n > 0 { // the end comes again
			return n, nil
		}
		if t.open = false; t.blocks && t.cut && len(p) > 0 {
			p[0], t.cut = '\n', false
			return 1, nil
		}
	}
}

// mostTried bounds how often, in a file, a block is looked into that may be one of an index.
const mostTried = 1 << 12

// skip goes on with the next gzip member of the file that is a block of an index, and is false where
// there is none. Cost: the file is read once more for all damage of it, and maxHead bytes of each
// place that is tried.
func (t *textUnpacker) skip(f io.ReaderAt) bool {
	if t.u.packing != byGzip {
		return false
	}
	buf := make([]byte, 64<<10)
	for at := t.start + 1; ; at += int64(len(buf)) - recordMark {
		n, err := f.ReadAt(buf, at)
		for i := 0; i+recordMark <= n; i++ {
			if !isGzip(buf[i:]) {
				continue
			}
			if t.tried++; t.tried > mostTried {
				return false
			}
			place := at + int64(i)
			if format, _, _ := sniff(io.NewSectionReader(f, place, probeBytes)); !format.Index() {
				continue // also what cannot be unpacked
			}
			t.source = &countReader{r: io.NewSectionReader(f, place, math.MaxInt64-place), bytes: place}
			t.raw.Reset(t.source)
			t.open, t.cut = false, false
			return true
		}
		if err != nil {
			return false // an error of reading has ended the index before, or the end is reached
		}
	}
}
