package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/klauspost/compress/s2"

	"watershed/page"
)

// A link takes few bytes because links repeat: its URL as what it shares with the link before (the
// page's URL before the first) and the rest, its context as a number once it was told. A part
// starts anew, so that it can be read by itself.

// linkFlags
const (
	linkNoFollow = 1 << iota
	linkNewContext
	linkHasText
	linkIsSpelled
)

type linkWriter struct {
	e        encoder
	prev     page.URL
	contexts map[string]uint64
}

func (w *linkWriter) put(l *page.Link) {
	var flags byte
	if l.NoFollow {
		flags |= linkNoFollow
	}
	number, known := w.contexts[l.Context]
	if !known {
		flags |= linkNewContext
		w.contexts[l.Context] = uint64(len(w.contexts))
	}
	if l.Text != "" {
		flags |= linkHasText
	}
	if l.Spelled != "" {
		flags |= linkIsSpelled
	}
	w.e.byte(byte(l.Kind))
	w.e.byte(flags)
	same := shared(string(w.prev), string(l.URL))
	w.e.uint(uint64(same))
	w.e.text(string(l.URL[same:]))
	if known {
		w.e.uint(number)
	} else {
		w.e.text(l.Context)
	}
	if l.Text != "" {
		w.e.text(l.Text)
	}
	if l.Spelled != "" {
		w.e.text(string(l.Spelled))
	}
	w.prev = l.URL
}

func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// span tells which parts a visit has.
type span struct {
	parts int
	upper bool // those beyond the first are in the upper half of the numbers
}

// mostParts is how many numbers each half has.
const mostParts = 1 << 15

// key is the number of a part, counted from 0, in its key.
func (s span) key(i int) uint16 {
	if s.upper && i > 0 {
		i += mostParts
	}
	return uint16(i)
}

// encodeVisit gives the parts of a visit, of about limit bytes each. The first one tells how many
// there are, and whether the others are in the upper half of the numbers.
func encodeVisit(v *page.Visit, limit int, upper bool) [][]byte {
	head := encodeHead(v)
	room := limit - len(head)
	parts := [][]byte{nil}
	w := linkWriter{prev: v.URL, contexts: map[string]uint64{}}
	for i := range v.Links {
		if len(w.e.b) >= max(room, 0) && i > 0 {
			parts[len(parts)-1] = w.e.b
			parts = append(parts, nil)
			w = linkWriter{prev: v.URL, contexts: map[string]uint64{}}
			room = limit
		}
		w.put(&v.Links[i])
	}
	parts[len(parts)-1] = w.e.b
	var first encoder
	n := uint64(len(parts))
	if v.Login != "" {
		n |= visitHasLogin
	}
	if d := uint64(v.Drawing); v.Drawing < page.DrawDoubted {
		n |= d * visitDrawing
	} else {
		n |= visitDoubted | (d-uint64(page.DrawDoubted))*visitDrawing
	}
	if v.Inlay != "" {
		n |= visitHasInlay
	}
	if upper {
		n |= visitUpper
	}
	if v.Unended {
		n |= visitUnended
	}
	if v.DrawnCut {
		n |= visitDrawnCut
	}
	first.uint(n)
	first.raw(head)
	first.raw(parts[0])
	parts[0] = first.b
	return parts
}

// visitFlags
const (
	visitNoIndex = 1 << iota
	visitRevisit
	visitHasSketch
	visitSoftError
	visitHasContent
	visitUnread
	visitSpelled       // since format 4
	visitOriginSpelled // likewise
)

// visitHasLogin is added to the number of parts, since format 8, as the flags are all taken.
const visitHasLogin = 1 << 17

// visitDrawing times the visit's Drawing, below 4, is added likewise, since format 9.
const visitDrawing = 1 << 18

// visitUpper is added likewise, since format 10.
const visitUpper = 1 << 20

// visitDoubted is added for page.DrawDoubted, since format 10, and visitDrawing times what the Drawing
// is beyond that: a program that does not know it takes the page for one that is not drawn.
const visitDoubted = 1 << 21

// visitHasInlay is added likewise, since format 11.
const visitHasInlay = 1 << 22

// visitUnended is added likewise; a program that does not know it passes it over.
const visitUnended = 1 << 23

// visitDrawnCut is added likewise. Programs that did not know it told it by how Cause begins.
const visitDrawnCut = 1 << 24

func encodeHead(v *page.Visit) []byte {
	var e encoder
	var flags byte
	if v.NoIndex {
		flags |= visitNoIndex
	}
	if v.Revisit {
		flags |= visitRevisit
	}
	if len(v.Sketch) > 0 {
		flags |= visitHasSketch
	}
	if v.SoftError {
		flags |= visitSoftError
	}
	if v.Content != 0 {
		flags |= visitHasContent
	}
	if v.Unread {
		flags |= visitUnread
	}
	if v.Spelled != "" {
		flags |= visitSpelled
	}
	if v.Origin.Spelled != "" {
		flags |= visitOriginSpelled
	}
	e.byte(flags)
	e.text(string(v.URL))
	e.time(v.Time)
	e.int(int64(v.Status))
	e.text(v.Cause)
	e.int(int64(v.Duration))
	for _, s := range []string{v.Remote, v.MIME, v.Charset, v.Language, v.Title, v.ETag, v.LastModified} {
		e.text(s)
	}
	e.int(v.Size)
	e.raw(v.Digest[:])
	e.text(string(v.Truncated))
	e.location(v.Record)
	if v.Revisit {
		e.origin(&v.Origin)
	}
	e.text(string(v.Via))
	e.text(v.Hops)
	e.text(v.Site)
	if len(v.Sketch) > 0 {
		e.text(string(v.Sketch))
	}
	if v.Content != 0 {
		e.fixed(v.Content)
	}
	for _, s := range []page.Spelling{v.Spelled, v.Origin.Spelled} {
		if s != "" {
			e.text(string(s))
		}
	}
	if v.Login != "" {
		e.text(v.Login)
	}
	if v.Inlay != "" {
		e.text(string(v.Inlay))
	}
	return e.b
}

// decodeVisit reads a first part up to its links, and tells where the others are. The sketch is a
// part of what d reads.
func decodeVisit(d *decoder, v *page.Visit) (at span, err error) {
	n := d.uint()
	flags := d.byte()
	*v = page.Visit{
		NoIndex: flags&visitNoIndex != 0, Revisit: flags&visitRevisit != 0,
		SoftError: flags&visitSoftError != 0, Unread: flags&visitUnread != 0,
		URL: page.URL(d.text()), Time: d.time(), Status: int(d.int()), Cause: d.text(),
		Duration: time.Duration(d.int()),
		Remote:   d.text(), MIME: d.text(), Charset: d.text(), Language: d.text(), Title: d.text(),
		ETag:         d.text(),
		LastModified: d.text(), Size: d.int(), Digest: d.digest(), Truncated: page.Truncation(d.text()),
		Record: d.location(), Drawing: page.Drawing(n / visitDrawing % 4), Unended: n&visitUnended != 0,
	}
	if n&visitDoubted != 0 {
		v.Drawing += page.DrawDoubted
	}
	v.DrawnCut = n&visitDrawnCut != 0 || v.Unread &&
		(strings.HasPrefix(v.Cause, "drawn in part: ") || strings.HasPrefix(v.Cause, "not drawn: "))
	at.upper = n&visitUpper != 0
	inlaid := n&visitHasInlay != 0
	n %= visitDrawing
	if v.Revisit {
		v.Origin = d.origin()
	}
	v.Via, v.Hops, v.Site = page.URL(d.text()), d.text(), d.text()
	if flags&visitHasSketch != 0 {
		v.Sketch = d.raw(d.uint())
	}
	if flags&visitHasContent != 0 {
		v.Content = d.fixed()
	}
	if flags&visitSpelled != 0 {
		v.Spelled = page.Spelling(d.text())
	}
	if flags&visitOriginSpelled != 0 {
		v.Origin.Spelled = page.Spelling(d.text())
	}
	if n&visitHasLogin != 0 {
		n &^= visitHasLogin
		v.Login = d.text()
	}
	if inlaid {
		v.Inlay = page.Inlay(d.text())
	}
	if d.err == nil && (n == 0 || n > mostParts) {
		d.err = fmt.Errorf("%d parts", n)
	}
	at.parts = int(n)
	return at, d.err
}

// linkReader reads the links of parts, one after the other, through its buffers.
type linkReader struct {
	urls     []byte // that of what is before, and those that were read, one behind the other
	before   int    // how long the first of them is
	ends     []int  // of the others
	contexts []string
}

// enoughURLs is the size from which on a linkReader begins its buffer anew: what front coding blows
// up is not there twice.
const enoughURLs = 64 << 10

// read appends the links of a part to links. URLs share memory where all other texts do.
func (r *linkReader) read(d *decoder, base page.URL, links []page.Link) ([]page.Link, error) {
	r.urls, r.contexts = append(r.urls[:0], base...), r.contexts[:0]
	r.before, r.ends = len(r.urls), r.ends[:0]
	prev := 0 // where the URL before begins
	for len(d.b) > 0 {
		l := page.Link{Kind: page.LinkKind(d.byte())}
		flags := d.byte()
		l.NoFollow = flags&linkNoFollow != 0
		same := d.uint()
		rest := d.raw(d.uint())
		if same > uint64(len(r.urls)-prev) || same+uint64(len(rest)) > maxURL {
			return links, errors.New("URL of a link is out of bounds")
		}
		start := len(r.urls)
		r.urls = append(append(r.urls, r.urls[prev:prev+int(same)]...), rest...)
		r.ends = append(r.ends, len(r.urls))
		if flags&linkNewContext != 0 {
			l.Context = d.text()
			r.contexts = append(r.contexts, l.Context)
		} else if i := d.uint(); i < uint64(len(r.contexts)) {
			l.Context = r.contexts[i]
		} else {
			d.fail()
		}
		if flags&linkHasText != 0 {
			l.Text = d.text()
		}
		if flags&linkIsSpelled != 0 {
			// before format 4, the reference as it stood in the page
			l.Spelled = page.URL(r.urls[start:]).Spelling(d.text())
		}
		if d.err != nil {
			return links, d.err
		}
		links = append(links, l)
		if prev = start; len(r.urls) > enoughURLs || len(d.b) == 0 {
			r.give(links[len(links)-len(r.ends):], d.whole != "")
			r.urls = append(r.urls[:0], r.urls[prev:]...)
			r.before, r.ends, prev = len(r.urls), r.ends[:0], 0
		}
	}
	return links, nil
}

// give gives links their URLs: as parts of one text, or as texts of their own.
func (r *linkReader) give(links []page.Link, shared bool) {
	var all page.URL
	if shared {
		all = page.URL(r.urls[r.before:])
	}
	from := r.before
	for i, to := range r.ends {
		if shared {
			links[i].URL = all[from-r.before : to-r.before]
		} else {
			links[i].URL = page.URL(r.urls[from:to])
		}
		from = to
	}
}

// maxURL bounds what front coding can blow up: a URL is never longer (page.ParseURL).
const maxURL = 16 << 10

// Parts are stored compressed: the links of a page are much alike, and what is compressed already
// costs less to write, and to write again each time that the database merges its tables. The first
// byte says how.
const (
	packedNot = 0
	packedS2  = 1
)

// worthPacking is the size from which compression is tried.
const worthPacking = 256

func pack(part []byte) []byte {
	if len(part) >= worthPacking {
		b := make([]byte, 1+s2.MaxEncodedLen(len(part)))
		b[0] = packedS2
		if packed := s2.Encode(b[1:], part); len(packed) < len(part)-len(part)/8 {
			return append([]byte(nil), b[:1+len(packed)]...)
		}
	}
	return append([]byte{packedNot}, part...)
}

// unpack undoes pack; the result may be part of b, or of buf where that is large enough.
func unpack(b, buf []byte) ([]byte, error) {
	switch {
	case len(b) == 0:
		return nil, errShort
	case b[0] == packedNot:
		return b[1:], nil
	case b[0] != packedS2:
		return nil, fmt.Errorf("packed in manner %d", b[0])
	}
	n, err := s2.DecodedLen(b[1:])
	if err == nil && n > maxPart {
		err = fmt.Errorf("%d bytes unpacked, at most %d", n, maxPart)
	}
	if err != nil {
		return nil, err
	}
	return s2.Decode(buf[:cap(buf)], b[1:])
}
