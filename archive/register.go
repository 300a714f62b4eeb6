package archive

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/internal/disk"
)

// A register lies beside a WARC file that a Writer with Options.Register writes, under its name and
// ".register". It holds of each record what Compact and an index ask, so that neither has to unzip
// the file; the sum in a row shows to which member the row belongs. A register is only an aid: a
// member that it lacks, a member with another sum and a file without a register are unzipped as in
// any other file. So it is not synced, and it may be left in any state by a crash.
//
// A register is a row of lines, in the order of the members. Numbers are unsigned varints
// (encoding/binary), texts have their length in front:
//
//	length of the line, what follows
//	8 bytes: XXH3 of the rest of the line (64 bits, big-endian)
//	8 bytes: XXH3 of the member's bytes
//	offset of the member, its length
//	WARC-Type, WARC-Record-ID
//	number of WARC-Concurrent-To, each of them
//	key, timestamp, url, mime, status, digest of the index entry; nothing where the record has none.
//	Of a request by another method than GET, HEAD apart, the key is the method, and the url the body
//	as arguments; the others are empty
//
// The line of a request of 8 bytes at offset 300, whose id is "<r>" and which names "<m>":
//
//	24                       36 bytes follow
//	738ca2744c0dc907         XXH3 of the next 28
//	2d06800538d394c2         XXH3 of the 8 bytes (here: of none)
//	ac02 08                  offset 300, length 8
//	07 72657175657374        "request"
//	03 3c723e                "<r>"
//	01 03 3c6d3e             one name, "<m>"
const suffixRegister = ".register"

// registered has the facts of a record in a register. The place of the record is in its part; its
// entry has no place.
type registered struct {
	part
	named []string // WARC-Concurrent-To
	sum   uint64
}

// maxRegistered bounds a line that is read, in bytes: an index line of a record's header.
const maxRegistered = maxLine + maxHeader

// appendTo appends the line.
func (r *registered) appendTo(b []byte) []byte {
	var line []byte
	text := func(s string) {
		line = binary.AppendUvarint(line, uint64(len(s)))
		line = append(line, s...)
	}
	line = binary.BigEndian.AppendUint64(line, r.sum)
	line = binary.AppendUvarint(line, uint64(r.loc.Offset))
	line = binary.AppendUvarint(line, uint64(r.loc.Length))
	text(r.kind)
	text(r.id)
	line = binary.AppendUvarint(line, uint64(len(r.named)))
	for _, id := range r.named {
		text(id)
	}
	e := r.entry
	if r.asked != nil {
		e = &Entry{Key: r.asked.method, URL: r.asked.query}
	}
	if e != nil {
		for _, s := range [...]string{e.Key, e.Timestamp, e.URL, e.MIME, e.Status, e.Digest} {
			text(s)
		}
	}
	b = binary.AppendUvarint(b, uint64(8+len(line)))
	b = binary.BigEndian.AppendUint64(b, xxh3.Hash(line))
	return append(b, line...)
}

var errRegister = errors.New("not a line of a register")

// parseRegistered reads a line without its length.
func parseRegistered(line []byte) (r registered, err error) {
	number := func() uint64 {
		n, size := binary.Uvarint(line)
		if size <= 0 {
			err, line = errRegister, nil
			return 0
		}
		line = line[size:]
		return n
	}
	text := func() string {
		n := number()
		if n > uint64(len(line)) {
			err, line = errRegister, nil
			return ""
		}
		s := string(line[:n])
		line = line[n:]
		return s
	}
	if len(line) < 16 || binary.BigEndian.Uint64(line) != xxh3.Hash(line[8:]) {
		return r, errRegister
	}
	line = line[8:]
	r.sum, line = binary.BigEndian.Uint64(line), line[8:]
	offset, length := number(), number()
	if offset > 1<<62 || length == 0 || length > 1<<62 {
		return r, errRegister
	}
	r.loc.Offset, r.loc.Length = int64(offset), int64(length)
	r.kind, r.id = text(), text()
	for n := number(); n > 0 && err == nil; n-- {
		r.named = append(r.named, text())
	}
	if len(line) > 0 {
		r.entry = &Entry{
			Key: text(), Timestamp: text(), URL: text(), MIME: text(), Status: text(),
			Digest: text(),
		}
		if e := *r.entry; r.kind == TypeRequest {
			r.asked, r.entry = &asked{method: e.Key, query: e.URL}, nil
			if e.Timestamp+e.MIME+e.Status+e.Digest != "" {
				err = errRegister
			}
		}
	}
	if len(line) > 0 {
		err = errRegister
	}
	return r, err
}

// registerWriter writes a register. After an error it writes nothing more: later records will be
// read from the file itself.
type registerWriter struct {
	f    disk.File
	w    *bufio.Writer
	text []byte
}

func newRegisterWriter(d disk.FS, path string) (*registerWriter, error) {
	f, err := d.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	return &registerWriter{f: f, w: bufio.NewWriterSize(f, 32<<10)}, nil
}

// add takes the records of a batch, which lie where their parts say.
func (w *registerWriter) add(batch []registered) {
	if w == nil {
		return
	}
	for i := range batch {
		if batch[i].kind == "" {
			continue // it could not be told: see register
		}
		w.text = batch[i].appendTo(w.text[:0])
		_, _ = w.w.Write(w.text) // the error stays in the buffer, which then drops what comes
	}
}

// flush hands the added lines to the system, so that they outlive the process. An error loses no
// capture.
func (w *registerWriter) flush() {
	if w != nil {
		_ = w.w.Flush() // see add
	}
}

func (w *registerWriter) close() {
	if w != nil {
		w.flush()
		_ = w.f.Close() // nothing depends on it
	}
}

// register tells of a draft that was written as a member of that sum, at a place that the caller
// fills in. Of a draft that a reader would refuse it tells nothing, so that Compact finds the same
// fault as any reader of the file.
func (d Draft) register(sum uint64) registered {
	rec := Record{
		Version: version11, Header: d.Header, Size: d.Block.Size(),
		Block: io.NewSectionReader(d.Block, 0, d.Block.Size()),
	}
	if d.Payload != nil {
		rec.Header = append(d.Header[:len(d.Header):len(d.Header)],
			Field{fieldPayloadDigest, d.Payload.label()})
	}
	for _, f := range rec.Header {
		if strings.TrimSpace(f.Value) != f.Value || strings.ContainsFunc(f.Value, isControl) {
			return registered{} // it is not written as it stands
		}
	}
	r := registered{
		part: part{kind: d.Type(), id: d.ID()}, named: d.Header.All(fieldConcurrent), sum: sum,
	}
	var method [4]byte
	_, err := d.Block.ReadAt(method[:], 0)
	if err == nil && r.kind == TypeRequest && string(method[:]) == "GET " {
		return r // nearly all, which no index has
	}
	if r.entry, r.asked, err = indexed(&rec); err != nil {
		return registered{}
	}
	return r
}

// registerReader reads a register line by line.
type registerReader struct {
	f    *os.File
	r    *bufio.Reader
	line bytes.Buffer
	next registered
	some bool // next is there
}

// openRegister opens the register of a WARC file, be it finished or not; one that is not there tells
// nothing.
func openRegister(path string) *registerReader {
	r := &registerReader{}
	f, err := os.Open(strings.TrimSuffix(path, suffixOpen) + suffixRegister)
	if err != nil {
		return r
	}
	r.f, r.r = f, bufio.NewReaderSize(f, 64<<10)
	r.advance()
	return r
}

// at tells of the member at an offset; ok is false where the register does not know it.
func (r *registerReader) at(offset int64) (x registered, ok bool) {
	for r.some && r.next.loc.Offset < offset {
		r.advance()
	}
	if !r.some || r.next.loc.Offset != offset {
		return x, false
	}
	return r.next, true
}

func (r *registerReader) advance() {
	r.some = false
	n, err := binary.ReadUvarint(r.r)
	if err != nil || n > maxRegistered {
		return
	}
	r.line.Reset()
	if _, err := io.CopyN(&r.line, r.r, int64(n)); err != nil {
		return
	}
	r.next, err = parseRegistered(r.line.Bytes())
	r.some = err == nil
}

func (r *registerReader) close() error {
	r.some = false
	if r.f == nil {
		return nil
	}
	return r.f.Close()
}

// parts gives the records of a WARC file one after the other: by its register as far as that goes,
// else as a Reader finds them.
type parts struct {
	f        *os.File
	name     string
	index    bool // entries are wanted
	register *registerReader

	at  int64         // behind the last record
	raw *bufio.Reader // the file from at on, nil where the last record was not told by the register
	sum *xxh3.Hasher
	buf []byte      // through which members go to sum
	r   *FileReader // from at on, nil where the last record was told by the register
}

func newParts(f *os.File, name string, index bool) *parts {
	return &parts{
		f: f, name: name, index: index, register: openRegister(f.Name()), sum: xxh3.New(),
		buf: make([]byte, 32<<10),
	}
}

// next gives the next record with the ids that it names; io.EOF behind the last one.
func (p *parts) next() (part, []string, error) {
	if p.r == nil || p.r.err == nil && p.r.finished {
		if x, ok := p.register.at(p.at); ok && p.whole(&x) {
			p.at += x.loc.Length
			p.r = nil
			x.loc.File = p.name
			if x.entry != nil {
				x.entry.place(x.loc)
			}
			return x.part, x.named, nil
		}
	}
	if p.r == nil {
		d, err := newReader(io.NewSectionReader(p.f, p.at, 1<<62), p.name, p.at)
		if err != nil {
			return part{}, nil, err
		}
		if p.at > 0 { // behind members, where damage does not look like one
			d.unpack(byGzip)
		}
		p.r, p.raw = &FileReader{Reader: d, f: p.f}, nil
	}
	x, named, err := readPart(p.r.Reader, p.index)
	if err == nil {
		p.at = x.loc.Offset + x.loc.Length
	}
	return x, named, err
}

// whole reads the member and compares its sum.
func (p *parts) whole(x *registered) bool {
	if p.raw == nil {
		p.raw = bufio.NewReaderSize(io.NewSectionReader(p.f, p.at, 1<<62), 256<<10)
	}
	p.sum.Reset()
	n, err := io.CopyBuffer(p.sum, io.LimitReader(p.raw, x.loc.Length), p.buf)
	if err == nil && n == x.loc.Length && p.sum.Sum64() == x.sum {
		return true
	}
	p.raw = nil
	return false
}

// each calls yield with each capture of the file in order. Damage is passed over and told, and so is that
// of which yield gives a *FormatError. Any other error ends it.
func (p *parts) each(yield func(bundle) error, damaged func(error)) error {
	defer func() { _ = p.register.close() }() // it was only read
	for {
		err := bundles(p.next, yield)
		var format *FormatError
		if !errors.As(err, &format) {
			return err
		}
		damaged(err)
		if p.r != nil && p.r.err != nil && !p.r.Recover() {
			return nil
		}
	}
}
