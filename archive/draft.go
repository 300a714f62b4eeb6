package archive

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// The types of records (WARC 1.1, clause 6).
const (
	TypeWarcinfo     = "warcinfo"
	TypeResponse     = "response"
	TypeResource     = "resource"
	TypeRequest      = "request"
	TypeMetadata     = "metadata"
	TypeRevisit      = "revisit"
	TypeConversion   = "conversion"
	typeContinuation = "continuation"
)

// The fields of a record's header (WARC 1.1, clause 5, and the IIPC's annotations for the last
// two).
const (
	fieldType          = "WARC-Type"
	fieldID            = "WARC-Record-ID"
	fieldDate          = "WARC-Date"
	fieldURI           = "WARC-Target-URI"
	fieldIP            = "WARC-IP-Address"
	fieldConcurrent    = "WARC-Concurrent-To"
	fieldRefers        = "WARC-Refers-To"
	fieldRefersURI     = "WARC-Refers-To-Target-URI"
	fieldRefersDate    = "WARC-Refers-To-Date"
	fieldProfile       = "WARC-Profile"
	fieldPage          = "WARC-Page-ID"
	fieldResource      = "WARC-Resource-Type"
	fieldJSON          = "WARC-JSON-Metadata"
	fieldTruncated     = "WARC-Truncated"
	fieldFilename      = "WARC-Filename"
	fieldWarcinfo      = "WARC-Warcinfo-ID"
	fieldBlockDigest   = "WARC-Block-Digest"
	fieldPayloadDigest = "WARC-Payload-Digest"
	fieldContentType   = "Content-Type"
	fieldLength        = "Content-Length"
	fieldProtocol      = "WARC-Protocol"
	fieldCipher        = "WARC-Cipher-Suite"
)

// Profiles of revisit records in WARC 1.1 (6.7.2, 6.7.3).
const (
	ProfileIdentical   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	ProfileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

const (
	mimeResponse = "application/http; msgtype=response"
	mimeRequest  = "application/http; msgtype=request"
	mimeFields   = "application/warc-fields"
	version11    = "WARC/1.1"
)

// Draft is a record that was not yet written. The writer adds Content-Length, WARC-Warcinfo-ID,
// WARC-Block-Digest and, where Payload is set, WARC-Payload-Digest. Block is read each time the
// draft is written and must not change meanwhile.
type Draft struct {
	// WARC-Type, WARC-Record-ID, WARC-Date and the other fields of the type, in the order to be
	// written
	Header  Header
	Payload *Payload
	Block   *io.SectionReader
}

// ID is the WARC-Record-ID.
func (d Draft) ID() string { return d.Header.Get(fieldID) }

// Type is the WARC-Type.
func (d Draft) Type() string { return d.Header.Get(fieldType) }

// Date writes a moment as WARC-Date has it: UTC with milliseconds. All of this project keeps and
// compares dates of captures in this form.
func Date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// NewID makes a WARC-Record-ID, a random UUID of version 4 (RFC 9562, 5.4): "<urn:uuid:...>".
func NewID() string {
	var u [16]byte
	// crypto/rand.Read never fails; it ends the program where the system has no random bytes
	_, _ = rand.Read(u[:])
	u[6] = u[6]&0x0F | 0x40
	u[8] = u[8]&0x3F | 0x80
	const head = "<urn:uuid:"
	b := make([]byte, 0, len(head)+36+1)
	b = append(b, head...)
	for i, c := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, []byte{c})
	}
	return string(append(b, '>'))
}

// write writes the whole record: header, empty line, block, two line ends.
func (d Draft) write(w io.Writer, info string) error {
	digest, err := labelOf(io.NewSectionReader(d.Block, 0, d.Block.Size()))
	if err != nil {
		return fmt.Errorf("digest of a block: %w", err)
	}
	b := make([]byte, 0, 1024)
	b = append(b, version11+"\r\n"...)
	header := d.Header
	if len(header.Get(fieldJSON)) > maxHeader/2 { // it would keep the record from being read
		header = slices.DeleteFunc(slices.Clone(header), func(f Field) bool { return f.Name == fieldJSON })
	}
	b = header.appendTo(b)
	var last Header
	if d.Type() != TypeWarcinfo {
		last.Add(fieldWarcinfo, info)
	}
	if d.Type() == TypeMetadata && !d.Header.Has(fieldRefers) && !d.Header.Has(fieldConcurrent) {
		last.Add(fieldRefers, info)
	}
	if d.Payload != nil {
		last.Add(fieldPayloadDigest, d.Payload.label())
	}
	last.Add(fieldBlockDigest, digest)
	last.Add(fieldLength, strconv.FormatInt(d.Block.Size(), 10))
	b = append(last.appendTo(b), "\r\n"...)
	if _, err := w.Write(b); err != nil {
		return err
	}
	n := counter{w: w}
	if err := copyPooled(&n, io.NewSectionReader(d.Block, 0, d.Block.Size())); err != nil {
		return err
	}
	if n.bytes != d.Block.Size() {
		return fmt.Errorf("block of %d bytes gave %d", d.Block.Size(), n.bytes)
	}
	_, err = io.WriteString(w, "\r\n\r\n")
	return err
}

func blockOf(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

// counter counts what is written through it.
type counter struct {
	w     io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += int64(n)
	return n, err
}
