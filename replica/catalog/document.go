package catalog

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"watershed/page"
	"watershed/replica/sketch"
)

// Document is a page as one sweep found it.
type Document struct {
	URL    page.URL
	Gone   bool       // the sweep found that there is no such page any more; the rest is then zero
	Time   int64      // of the capture, in seconds since 1970
	Size   uint32     // of the payload, in bytes
	Digest uint64     // the first 8 bytes of the payload's digest, big-endian; 0 for unknown
	Label  uint64     // hash of a digest of the payload that is no SHA-256, as its record has it; 0 for none
	Sketch []byte     // of the visible text, as replica/sketch writes it; nil for none
	Part   bool       // it is a part of pages, such as an image, a style or a script: it makes no collection
	Links  []page.Key // of the pages it links to, ascending and distinct
}

// Of is the document that a visit found. ok is false for a visit that tells nothing of its page: no
// answer came, or one that says that the server is in trouble.
func Of(v *page.Visit) (d Document, ok bool) {
	d = Document{URL: v.URL, Time: v.Time.Unix()}
	switch {
	case v.SoftError:
		d.Gone = true
	case v.OK() || v.Status == 304:
	case v.Status >= 300 && v.Status < 500 && v.Status != 401 && v.Status != 403 && v.Status != 429:
		d.Gone = true
	default:
		return d, false
	}
	if d.Gone {
		return Document{URL: v.URL, Gone: true}, true
	}
	d.Size = uint32(min(max(v.Size, 0), math.MaxUint32))
	payload, text := v.Shown()
	d.Sketch, d.Part = text, isPart(v.MIME)
	if !payload.IsZero() {
		d.Digest = binary.BigEndian.Uint64(payload[:])
	}
	for i := range v.Links {
		if v.Links[i].Kind.Joins() {
			d.Links = append(d.Links, v.Links[i].URL.Key())
		}
	}
	slices.Sort(d.Links)
	d.Links = slices.Compact(d.Links)
	return d, true
}

// isPart reports the media types of files that pages embed.
func isPart(mime string) bool {
	kind, sub, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "font", "audio", "video":
		return true
	}
	return strings.Contains(sub, "javascript") || strings.Contains(sub, "font") || sub == "css" ||
		sub == "json" || sub == "wasm"
}

// sketch reads the document's sketch; false where it has none.
func (d *Document) sketch(into *sketch.Sketch) (bool, error) {
	if len(d.Sketch) == 0 {
		return false, nil
	}
	if err := into.Decode(d.Sketch); err != nil {
		return false, err
	}
	return !into.Empty(), nil
}

// The flags of a record.
const (
	goneFlag = 1 << iota
	partFlag
	labelFlag // a label follows the digest
)

// append writes the record of a document: docs/formats/catalog.md.
func (d *Document) append(dst []byte) []byte {
	var body []byte
	flags := byte(0)
	if d.Gone {
		flags |= goneFlag
	}
	if d.Part {
		flags |= partFlag
	}
	if d.Label != 0 {
		flags |= labelFlag
	}
	body = append(body, flags)
	body = binary.AppendUvarint(body, uint64(len(d.URL)))
	body = append(body, d.URL...)
	body = binary.AppendVarint(body, d.Time)
	body = binary.AppendUvarint(body, uint64(d.Size))
	body = binary.LittleEndian.AppendUint64(body, d.Digest)
	if d.Label != 0 {
		body = binary.LittleEndian.AppendUint64(body, d.Label)
	}
	body = binary.AppendUvarint(body, uint64(len(d.Sketch)))
	body = append(body, d.Sketch...)
	body = binary.AppendUvarint(body, uint64(len(d.Links)))
	for _, k := range d.Links {
		body = binary.LittleEndian.AppendUint64(body, uint64(k))
	}
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	dst = append(dst, body...)
	return binary.LittleEndian.AppendUint32(dst, uint32(xxh3.Hash(body)))
}

// parser takes a record apart; after an error everything is zero.
type parser struct {
	b   []byte
	bad bool
}

func (p *parser) bytes(n uint64) []byte {
	if p.bad || n > uint64(len(p.b)) {
		p.bad = true
		return nil
	}
	x := p.b[:n]
	p.b = p.b[n:]
	return x
}

func (p *parser) uvarint() uint64 {
	x, n := binary.Uvarint(p.b)
	p.bytes(uint64(max(n, 0)))
	p.bad = p.bad || n <= 0
	return x
}

func (p *parser) varint() int64 {
	x, n := binary.Varint(p.b)
	p.bytes(uint64(max(n, 0)))
	p.bad = p.bad || n <= 0
	return x
}

func (p *parser) uint64() uint64 {
	if x := p.bytes(8); x != nil {
		return binary.LittleEndian.Uint64(x)
	}
	return 0
}

// decode reads the body of a record; Sketch shares its memory.
func (d *Document) decode(body []byte) error {
	p := parser{b: body}
	flags := p.bytes(1)
	*d = Document{Links: d.Links[:0]}
	if flags != nil {
		d.Gone, d.Part = flags[0]&goneFlag != 0, flags[0]&partFlag != 0
	}
	d.URL = page.URL(p.bytes(p.uvarint()))
	d.Time = p.varint()
	d.Size = uint32(p.uvarint())
	d.Digest = p.uint64()
	if len(flags) > 0 && flags[0]&labelFlag != 0 {
		d.Label = p.uint64()
	}
	if x := p.bytes(p.uvarint()); len(x) > 0 {
		d.Sketch = x
	}
	n := p.uvarint()
	if n > uint64(len(p.b))/8 {
		p.bad = true
	}
	for range n {
		if p.bad {
			break
		}
		d.Links = append(d.Links, page.Key(p.uint64()))
	}
	if p.bad || len(p.b) > 0 {
		return errors.New("the record ends too early")
	}
	return nil
}
