package archive

import (
	"errors"
	"io"
	"sync"

	"watershed/internal/coding"
	"watershed/page"
)

var decoders = sync.Pool{New: func() any { return new(coding.Decoder) }}

// Decode undoes the content codings (RFC 9110, 8.4.1; the values of Content-Encoding in their
// order): gzip, deflate with or without its zlib frame, br, zstd. It holds at most limit bytes of
// the decoded body; Body.Cut tells that there was more. A coding that is not known or broken leaves
// what was decoded before, and a body that is not coded as it claims is left as it is (other
// crawlers store bodies decoded and keep the field), with Body.Err. An error of the payload's
// reader is in Body.Err too.
func Decode(payload io.Reader, codings []string, limit int64) page.Body {
	d := decoders.Get().(*coding.Decoder)
	defer decoders.Put(d)
	body, err := d.Decode(payload, coding.List(codings...), int(limit))
	body.Err = errors.Join(body.Err, err)
	return body
}
