package archive

import (
	"fmt"
	"io"
	"strings"
	"time"

	"watershed/page"
)

// Quirk is a set of departures from the format that are understood all the same.
type Quirk uint16

const (
	QuirkLineEnd  Quirk = 1 << iota // a header line does not end in CRLF
	QuirkFolded                     // a header line continues the one before (not in WARC 1.1)
	QuirkNoColon                    // a header line is no field and was passed over
	QuirkBrackets                   // WARC-Target-URI stands in <>, as GNU wget writes it
	QuirkTrailer                    // the record does not end in two line ends
	// the member has more than this record, so the record cannot be sought
	QuirkShared
	QuirkNoRecordID // WARC-Record-ID is missing
)

var quirkNames = []string{
	"line end", "folded line", "line without colon", "bracketed URI", "trailer",
	"shared gzip member", "no record id",
}

// String names the quirks, separated by ", ".
func (q Quirk) String() string {
	var names []string
	for i, n := range quirkNames {
		if q&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// Record is a record that is being read. Its block can be read once, before the next record is
// asked for.
type Record struct {
	Version string // "WARC/1.1"
	Header  Header
	Size    int64     // Content-Length: bytes of the block
	Block   io.Reader // the block's bytes; io.EOF after Size of them, a *FormatError when the file has fewer
	File    string    // base name
	Offset  int64     // of the record, or of the gzip member that has it
	Quirks  Quirk     // seen so far

	redirect string    // of its HTTP message, once the record was indexed
	under    *Message  // whose head HTTP gives; nil for its own
	closer   io.Closer // of a record that was opened by its location
}

// Close frees what a record that Open gave holds. For the records of a Reader it does nothing.
func (r *Record) Close() error {
	if r.closer == nil {
		return nil
	}
	c := r.closer
	r.closer = nil
	return c.Close()
}

// Type is the WARC-Type in lower case.
func (r *Record) Type() string { return strings.ToLower(r.Header.Get(fieldType)) }

// ID is the WARC-Record-ID, with its angle brackets.
func (r *Record) ID() string { return r.Header.Get(fieldID) }

// TargetURI is the WARC-Target-URI without the angle brackets that some writers put around it.
func (r *Record) TargetURI() string { return unbracket(r.Header.Get(fieldURI)) }

// URL is the target as a canonical URL; the error says that the target is no URL.
func (r *Record) URL() (page.URL, error) { return page.ParseURL(r.TargetURI()) }

// Spelled is how the record spells its URL.
func (r *Record) Spelled() page.Spelling {
	_, s, _ := page.ParseSpelled(r.TargetURI()) // what is no URL has no spelling
	return s
}

// Date is the WARC-Date.
func (r *Record) Date() (time.Time, error) {
	text := r.Header.Get(fieldDate)
	t, err := parseDate(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s %q: %w", fieldDate, text, err)
	}
	return t.UTC(), nil
}

// parseDate reads a date of any precision that WARC 1.1 allows (5.4, by W3CDTF), from the year alone
// to nanoseconds, as the first moment that it means.
func parseDate(text string) (time.Time, error) {
	t, failed := time.Parse(time.RFC3339Nano, text) // nearly all
	if failed == nil {
		return t, nil
	}
	for _, form := range []string{"2006", "2006-01", time.DateOnly, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(form, text); err == nil {
			return t, nil
		}
	}
	return t, failed
}

// Truncated tells why the record was cut, page.Whole when it was not.
func (r *Record) Truncated() page.Truncation { return page.Truncation(r.Header.Get(fieldTruncated)) }

// Origin is the capture that a revisit record refers to; ok is false where it names none.
func (r *Record) Origin() (o page.Origin, ok bool) {
	u, spelled, err := page.ParseSpelled(unbracket(r.Header.Get(fieldRefersURI)))
	if err != nil {
		return o, false
	}
	t, err := parseDate(r.Header.Get(fieldRefersDate))
	if err != nil {
		return o, false
	}
	return page.Origin{URL: u, Spelled: spelled, Time: t.UTC()}, true
}

// isHTTP reports a block that is an HTTP message.
func (r *Record) isHTTP() bool {
	mime, _, _ := strings.Cut(r.Header.Get(fieldContentType), ";")
	return strings.EqualFold(strings.TrimSpace(mime), "application/http")
}

func unbracket(s string) string {
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		return s[1 : len(s)-1]
	}
	return s
}
