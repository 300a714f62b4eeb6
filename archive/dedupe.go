package archive

import (
	"fmt"
	"time"

	"watershed/page"
)

// Origins remembers which capture had a payload first. It must know only captures whose response
// record is on disk: register a capture after Writer.Sync, never before.
type Origins interface {
	// Origin gives the first capture with that payload; ok is false when there is none.
	Origin(payload page.Digest) (o page.Origin, ok bool, err error)
}

// Dedupe decides whether a capture is written as a response or as a revisit of an earlier one with
// the same payload. The zero value revisits whatever is the same, however old and small, of
// whatever URL.
type Dedupe struct {
	Off    bool
	MaxAge time.Duration // origins older than this are not referred to; 0 for no limit
}

// Eligible reports whether the exchange may be a revisit, and whether it may be the origin of later
// ones: a whole answer with a payload, no part of one (206), and none that has no payload of its
// own (304, HEAD).
func (d Dedupe) Eligible(x *page.Exchange, p Payload) bool {
	switch {
	case d.Off, x.Truncated != page.Whole, x.Status == 206, x.Status == 304, x.Status == 0,
		x.Method == "HEAD":
		return false
	}
	return p.Size > 0 // no payload is never the same as none
}

// Origin gives the capture that x may be a revisit of, the zero Origin when there is none.
func (d Dedupe) Origin(x *page.Exchange, p Payload, from Origins) (page.Origin, error) {
	if !d.Eligible(x, p) {
		return page.Origin{}, nil
	}
	o, ok, err := from.Origin(p.SHA256)
	if err != nil {
		return page.Origin{}, fmt.Errorf("look up origin of %s: %w", x.URL, err)
	}
	if !ok || d.MaxAge > 0 && x.Start.Sub(o.Time) > d.MaxAge {
		return page.Origin{}, nil
	}
	return o, nil
}
