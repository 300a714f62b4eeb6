package archive

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"watershed/page"
)

// labelOf hashes a block and gives the digest as a record has it.
func labelOf(r io.Reader) (string, error) {
	h := sha256.New()
	if err := copyPooled(h, r); err != nil {
		return "", err
	}
	return page.Digest(h.Sum(nil)).String(), nil
}

// Payload has the sum of a payload: the entity-body with its transfer coding removed and its
// content coding kept (WARC 1.1, 5.9 and 6.3.2), as much of it as came.
type Payload struct {
	SHA256 page.Digest
	Size   int64
	// Torn tells that the framing of its chunks is wrong, or cut elsewhere than within a chunk or before
	// one. Some readers, warcio among them, take the line in question for a part of the payload.
	Torn bool
}

// label is the digest as a record has it, "" for a sum that was never computed.
func (p *Payload) label() string {
	if p.SHA256.IsZero() {
		return ""
	}
	return p.SHA256.String()
}

// SumPayload reads the body of the exchange's response once and gives the sum of its payload. An
// exchange without a response has the sum of nothing.
func SumPayload(x *page.Exchange) (p Payload, err error) {
	var body io.Reader = strings.NewReader("")
	var chunks *dechunker
	if x.Response != nil {
		body = io.NewSectionReader(x.Response, x.Head, x.Response.Size()-x.Head)
		if chunked(x.Header.Values("Transfer-Encoding")) {
			body = dechunkExchange(x)
			chunks, _ = body.(*dechunker) // nil for a body that is in none
		}
	}
	n := counter{w: sha256.New()}
	if err := copyPooled(&n, body); err != nil {
		return Payload{}, fmt.Errorf("sum payload of %s: %w", x.URL, err)
	}
	return Payload{
		SHA256: page.Digest(n.w.(hash.Hash).Sum(nil)), Size: n.bytes,
		Torn: chunks != nil && chunks.err != nil && !chunks.agreed,
	}, nil
}

// dechunkExchange gives the body without chunk framing; a whole response that says chunked and is
// not has its payload as it came.
func dechunkExchange(x *page.Exchange) io.Reader {
	section := io.NewSectionReader(x.Response, x.Head, x.Response.Size()-x.Head)
	d := newDechunker(bufio.NewReader(section))
	if !d.plausible() && x.Truncated == page.Whole {
		return io.NewSectionReader(x.Response, x.Head, x.Response.Size()-x.Head)
	}
	return d
}

// copyPooled copies through a buffer that is kept for the next call.
func copyPooled(w io.Writer, r io.Reader) error {
	buf := copyPool.Get().(*[32 << 10]byte)
	defer copyPool.Put(buf)
	_, err := io.CopyBuffer(onlyWriter{w}, onlyReader{r}, buf[:])
	return err
}

var copyPool = sync.Pool{New: func() any { return new([32 << 10]byte) }}

type onlyWriter struct{ io.Writer }

type onlyReader struct{ io.Reader }

// digestText is a digest as found in a record: a label and a value in hexadecimal, base32 or
// base64.
type digestText struct {
	name string // "sha1", "sha256"
	sum  []byte
}

// parseDigest reads the digests that writers are known to make. ok is false for an algorithm or an
// encoding not known here.
func parseDigest(s string) (d digestText, ok bool) {
	label, value, found := strings.Cut(s, ":")
	if !found {
		return d, false
	}
	d.name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(label)), "sha-", "sha")
	size := map[string]int{"sha1": sha1.Size, "sha256": sha256.Size}[d.name]
	if size == 0 {
		return d, false
	}
	value = strings.TrimRight(strings.TrimSpace(value), "=")
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString,
		func(s string) ([]byte, error) {
			return base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(s))
		},
		base64.RawStdEncoding.DecodeString,
		base64.RawURLEncoding.DecodeString,
	} {
		if sum, err := decode(value); err == nil && len(sum) == size {
			d.sum = sum
			return d, true
		}
	}
	return d, false
}

// newHash is the hash of a digest that parseDigest knew.
func (d digestText) newHash() hash.Hash {
	if d.name == "sha1" {
		return sha1.New()
	}
	return sha256.New()
}
