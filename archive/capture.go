package archive

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"watershed/page"
)

// Meta has the facts of a capture beside the bytes on the wire; it goes into the metadata record
// (WARC 1.1, 6.6, with the fields of Heritrix, and site and excess of our own).
type Meta struct {
	Via      page.URL // the page that named the URL; empty for a seed
	Hops     string   // discovery path, a letter a hop; empty for a seed
	Charset  string   // as found when the links were taken
	Site     string   // the harvest's site on whose behalf the URL was fetched
	Excess   float64  // that had reached the page when it was chosen; left out when 0
	Outlinks []page.Link
	Page     page.URL // that asked for it: the page itself, or that which it is a part of; may be empty
	Type     string   // as what: a type of resources of Chromium's, "document"; "" where it is not known
	Payload  *Payload // sums of the payload where they are known already
	Step     bool     // of a login: it was not asked for as a page
}

// Capture drafts the records of an exchange, the main one first: a response, or a revisit when
// origin tells an earlier capture of the same payload (or, with status 304, the capture that the
// server says is still good); the request; the metadata. All have one date and name each other by
// WARC-Concurrent-To. An exchange that brought no whole HTTP head has no records. The drafts read
// the exchange when they are written: do not close it before.
func Capture(x *page.Exchange, m Meta, origin page.Origin) ([]Draft, error) {
	if x.Response == nil || x.Head == 0 || x.Status == 0 {
		return nil, nil
	}
	if m.Payload == nil {
		sum, err := SumPayload(x)
		if err != nil {
			return nil, err
		}
		m.Payload = &sum
	}
	c := capturer{x: x, page: m.Page, kind: m.Type, main: NewID(), request: NewID(), metadata: NewID()}
	drafts := []Draft{c.response(m.Payload)}
	var notModified []byte
	if origin.URL != "" {
		drafts[0] = c.revisit(m.Payload, origin)
		if x.Status == 304 {
			notModified = make([]byte, x.Head)
			if _, err := x.Response.ReadAt(notModified, 0); err != nil && !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("read head of %s: %w", x.URL, err)
			}
		}
	}
	if c.requests() {
		drafts = append(drafts,
			Draft{Header: c.header(TypeRequest, c.request, mimeRequest), Block: c.x.Request})
	}
	return append(drafts, c.meta(m, string(notModified))), nil
}

// capturer drafts the records of one exchange.
type capturer struct {
	x                       *page.Exchange
	page                    page.URL
	kind                    string
	main, request, metadata string // record ids
}

// header begins a record of a type; the fields are in the order of Heritrix.
func (c *capturer) header(kind, id, mime string) Header {
	h := make(Header, 0, 20)
	h.Add(fieldType, kind)
	h.Add(fieldID, id)
	h.Add(fieldDate, Date(c.x.Start))
	h.Add(fieldURI, c.x.URL.As(c.x.Spelled))
	if c.x.Remote.Addr().IsValid() && !c.x.Proxied {
		h.Add(fieldIP, c.x.Remote.Addr().Unmap().WithZone("").String())
	}
	if id == c.main {
		if c.requests() {
			h.Add(fieldConcurrent, c.request)
		}
		h.Add(fieldConcurrent, c.metadata)
	} else {
		h.Add(fieldConcurrent, c.main)
	}
	if c.x.TLS != nil && kind != TypeMetadata {
		h.Add(fieldProtocol, "http/1.1")
		h.Add(fieldProtocol, c.x.TLS.Version)
		h.Add(fieldCipher, c.x.TLS.CipherSuite)
	}
	if c.page != "" {
		h.Add(fieldPage, PageID(c.page))
	}
	if kind != TypeMetadata {
		h.Add(fieldResource, c.kind)
	}
	if id == c.main {
		h.Add(fieldJSON, c.json())
	}
	h.Add(fieldContentType, mime)
	return h
}

// pixelRatio is that of the screen for which pages are drawn: of a page that names none, ReplayWeb.page
// tells the scripts that it is 2, and viewers of maps and scans ask for other tiles then.
const pixelRatio = 1

// json is what Browsertrix tells of an answer: whether its address is a public one, as Chromium calls
// that, and who signed the certificate; and of a page its pixelRatio. "" where none is known.
func (c *capturer) json() string {
	type cert struct {
		Issuer string `json:"issuer"`
	}
	var told struct {
		Address string `json:"ipType,omitempty"`
		Cert    *cert  `json:"cert,omitempty"`
		Ratio   int    `json:"pixelRatio,omitempty"`
	}
	if c.kind == "document" {
		told.Ratio = pixelRatio
	}
	switch a := c.x.Remote.Addr().Unmap(); {
	case !a.IsValid() || c.x.Proxied:
	case a.IsLoopback():
		told.Address = "Local"
	case a.IsPrivate(), a.IsLinkLocalUnicast():
		told.Address = "Private"
	default:
		told.Address = "Public"
	}
	if c.x.TLS != nil && c.x.TLS.Issuer != "" {
		told.Cert = &cert{c.x.TLS.Issuer}
	}
	text, err := json.Marshal(told)
	if err != nil || len(text) <= len("{}") { // never an error: texts have a JSON form
		return ""
	}
	return string(text)
}

// PageID is the number of a page: in pages.jsonl, and in WARC-Page-ID of all records of what it
// asked for, as Browsertrix has it.
func PageID(u page.URL) string { return fmt.Sprintf("%016x", uint64(u.Key())) }

func (c *capturer) response(sum *Payload) Draft {
	h := c.header(TypeResponse, c.main, mimeResponse)
	h.Add(fieldTruncated, string(c.x.Truncated))
	if c.bodiless() || sum.Torn {
		sum = nil // no payload, or none that all readers agree on, so none of which to tell the digest
	}
	return Draft{Header: h, Payload: sum, Block: c.x.Response}
}

// bodiless reports a response that has no payload by the rules of HTTP (RFC 9110, 6.4.1).
func (c *capturer) bodiless() bool {
	return c.x.Method == "HEAD" || c.x.Status == 204 || c.x.Status == 304
}

// revisit refers to the origin and leaves the payload out.
//
// Of an identical payload the HTTP head stays (6.7.2). After a 304 the block is empty, as 6.7.3
// allows, and the head goes into the metadata: pywb and ReplayWeb.page answer with whatever head a
// revisit has, and a reader would be shown a blank page with status 304 where the original can be
// had.
func (c *capturer) revisit(sum *Payload, o page.Origin) Draft {
	h := c.header(TypeRevisit, c.main, mimeResponse)
	refer := func(profile string) {
		h.Add(fieldProfile, profile)
		h.Add(fieldRefersURI, o.URL.As(o.Spelled))
		h.Add(fieldRefersDate, Date(o.Time))
	}
	if c.x.Status != 304 {
		h.Add(fieldTruncated, string(page.CutLength)) // shall be there when the body is left out
		refer(ProfileIdentical)
		return Draft{Header: h, Payload: sum, Block: io.NewSectionReader(c.x.Response, 0, c.x.Head)}
	}
	refer(ProfileNotModified)
	d := Draft{Header: h, Block: blockOf(nil)}
	if !o.Digest.IsZero() {
		d.Payload = &Payload{SHA256: o.Digest} // the payload is the original's
	}
	return d
}

// requests reports that the exchange has a request to be written.
func (c *capturer) requests() bool { return c.x.Request != nil && c.x.Request.Size() > 0 }

func (c *capturer) meta(m Meta, notModified string) Draft {
	var f Header
	f.Add("via", string(m.Via))
	f = append(f, Field{"hopsFromSeed", m.Hops})
	f.Add("fetchTimeMs", strconv.FormatInt(c.x.Duration.Milliseconds(), 10))
	f.Add("charsetForLinkExtraction", m.Charset)
	f.Add("site", m.Site)
	f.Add("login", c.x.Login)
	if m.Step {
		f.Add("loginStep", "true")
	}
	f.Add("masked", strings.Join(c.x.Masked, " "))
	if m.Excess != 0 {
		f.Add("excess", strconv.FormatFloat(m.Excess, 'g', -1, 64))
	}
	if t := c.x.TLS; t != nil {
		f.Add("tlsIssuer", t.Issuer)
		f.Add("tlsNames", strings.Join(t.Names, " "))
		f.Add("tlsUntrusted", t.Untrusted)
	}
	if c.x.RawHead != nil {
		f.Add("receivedHead", base64.StdEncoding.EncodeToString(c.x.RawHead))
	}
	if c.x.Rechunked {
		f.Add("chunkLines", "repaired")
		f.Add("receivedTrailer", base64.StdEncoding.EncodeToString(c.x.Trailer))
	}
	for line := range strings.Lines(notModified) {
		f.Add("notModifiedHead", strings.TrimSpace(line))
	}
	block := f.appendTo(make([]byte, 0, 512+96*len(m.Outlinks)))
	for i := range m.Outlinks {
		block = appendOutlink(block, &m.Outlinks[i])
	}
	return Draft{Header: c.header(TypeMetadata, c.metadata, mimeFields), Block: blockOf(block)}
}

// appendOutlink writes a link as Heritrix does: address as the page spells it, letter of the hop, where
// it stood: "outlink: http://example.org/ L a/@href".
func appendOutlink(b []byte, l *page.Link) []byte {
	context := l.Context
	if strings.ContainsFunc(context, unicode.IsSpace) {
		context = strings.Join(strings.Fields(context), "_")
	}
	b = appendClean(append(b, "outlink: "...), l.URL.As(l.Spelled))
	b = appendClean(append(b, ' ', l.Kind.Hop(), ' '), cmp.Or(context, "-"))
	return append(b, "\r\n"...)
}

// Note drafts a metadata record about a URL of which nothing was fetched: why it was left out, for
// example. As there is no capture to refer to, it refers to the warcinfo of the file that it comes
// into. WARC 1.1, 6.6.
func Note(u page.URL, at time.Time, fields Header) Draft {
	var h Header
	h.Add(fieldType, TypeMetadata)
	h.Add(fieldID, NewID())
	h.Add(fieldDate, Date(at))
	h.Add(fieldURI, string(u))
	h.Add(fieldContentType, mimeFields)
	return Draft{Header: h, Block: blockOf(fields.appendTo(nil))}
}

// Resource drafts a record of bytes that were not fetched over HTTP, for example the harvest's
// configuration under a "urn:" or "metadata:" address.
func Resource(uri, mime string, at time.Time, block []byte) Draft {
	var h Header
	h.Add(fieldType, TypeResource)
	h.Add(fieldID, NewID())
	h.Add(fieldDate, Date(at))
	h.Add(fieldURI, uri)
	h.Add(fieldContentType, mime)
	return resource(h, block)
}

func resource(h Header, block []byte) Draft {
	p := Payload{SHA256: page.SumDigest(block), Size: int64(len(block))}
	return Draft{Header: h, Payload: &p, Block: blockOf(block)}
}

// appendJSON appends s as a JSON string.
func appendJSON(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7F {
			text, err := json.Marshal(s)
			if err != nil { // never: a string has a JSON form
				text = []byte(`""`)
			}
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
