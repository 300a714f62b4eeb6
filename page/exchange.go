package page

import (
	"io"
	"net/netip"
	"net/textproto"
	"strings"
	"time"
)

// Truncation says why a response was cut, in the words of WARC-Truncated; "" for a whole one.
type Truncation string

const (
	Whole        Truncation = ""
	CutLength    Truncation = "length"      // a limit of ours on its size
	CutTime      Truncation = "time"        // a limit of ours on its time
	CutConnected Truncation = "disconnect"  // the peer stopped before it had sent all
	CutUnknown   Truncation = "unspecified" // the framing was wrong
	// of a visit: a limit of ours on the time of what is Endless, for which records have CutTime
	CutEndless Truncation = "endless"
)

// Endless reports the fields of an answer that goes on for as long as somebody listens: events, pictures of a
// camera, or, by the fields of Icecast, a radio station. An answer that tells its length has an end.
func Endless(h textproto.MIMEHeader) bool {
	if h.Get("Content-Length") != "" {
		return false
	}
	for name := range h {
		if strings.HasPrefix(name, "Icy-") {
			return true
		}
	}
	kind, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	return kind == "text/event-stream" || kind == "multipart/x-mixed-replace"
}

// CutOf is how an answer with such fields was cut, as a visit has it, of what its record says.
func CutOf(t Truncation, h textproto.MIMEHeader) Truncation {
	if t == CutTime && Endless(h) {
		return CutEndless
	}
	return t
}

// Exchange is one request and its response as they went over the wire, after TLS: the first byte of
// the request line to the last byte of the body, transfer coding kept. A redirect is an exchange of
// its own. Whoever made it calls Close once the bytes have been used; until then it may be read by
// several goroutines.
type Exchange struct {
	URL      URL
	Spelled  Spelling // what was asked for
	Method   string   // "GET"
	Start    time.Time
	Duration time.Duration // from the first byte written to the last one read
	Remote   netip.AddrPort
	Proxied  bool // Remote is a proxy, not the host
	TLS      *TLS // nil without TLS

	Request *io.SectionReader // header and body as sent
	// from the final status line on, interim 1xx responses cut off; nil when none came
	Response *io.SectionReader
	Head     int64 // bytes of Response up to and with the empty line
	// the head as it came, where Response has it in the form of HTTP/1.1 that others can read; else
	// nil
	RawHead []byte
	// the lines around the chunks are not as they came, but as others can read them; Trailer has the
	// fields behind the last chunk, which Response has not
	Rechunked bool
	Trailer   []byte
	Status    int // of the final status line, 0 when none came
	Header    textproto.MIMEHeader

	Login  string   // whose login it was asked with, by the name of the site; "" for none
	Masked []string // fields of both heads, and "body" of the request, that the record has not as sent

	Truncated Truncation
	Body      Body  // payload without transfer and content coding, for those who read the page
	Err       error // why there is no response, or no whole one; nil otherwise
	Release   func() error
}

// Close frees the disk space of the exchange. It may be called twice.
func (x *Exchange) Close() error {
	if x.Release == nil {
		return nil
	}
	release := x.Release
	x.Release = nil
	return release()
}

// Body is a decoded payload, in memory and bounded: Cut tells that more bytes came than the bound
// lets through, Err that the content coding was broken (the bytes decoded before stay).
type Body struct {
	Bytes []byte
	Cut   bool
	Err   error
}

// TLS has the facts of a secure connection that the archive records.
type TLS struct {
	Version     string // "tls/1.3", as WARC-Protocol writes it
	CipherSuite string // "TLS_AES_128_GCM_SHA256"
	Issuer      string // common name or organisation that signed the leaf certificate
	Names       []string
	Untrusted   string // why a browser would have refused the certificate; "" when it is good
}
