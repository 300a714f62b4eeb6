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

// Algorithm is the digest that a Writer puts into its records.
type Algorithm uint8

const (
	SHA256 Algorithm = iota // "sha256:" and lower-case hexadecimal
	SHA1                    // "sha1:" and upper-case base32, as Heritrix writes it
	algorithms
)

func (a Algorithm) String() string {
	switch a {
	case SHA256:
		return "sha256"
	case SHA1:
		return "sha1"
	}
	return fmt.Sprintf("Algorithm(%d)", uint8(a))
}

// label hashes the block with a and gives the digest as a record has it.
func (a Algorithm) label(r io.Reader) (string, error) {
	h := sha256.New()
	if a == SHA1 {
		h = sha1.New()
	}
	if err := copyPooled(h, r); err != nil {
		return "", err
	}
	if a == SHA1 {
		return page.SHA1Label([sha1.Size]byte(h.Sum(nil))), nil
	}
	return page.Digest(h.Sum(nil)).String(), nil
}

// Payload has the sums of a payload: the entity-body with its transfer coding removed and its
// content coding kept (WARC 1.1, 5.9 and 6.3.2), as much of it as came.
type Payload struct {
	SHA256 page.Digest
	SHA1   [sha1.Size]byte
	Size   int64
}

// Label is the digest as a record of that algorithm has it.
func (p Payload) Label(a Algorithm) string {
	if a == SHA1 {
		return page.SHA1Label(p.SHA1)
	}
	return p.SHA256.String()
}

// label is Label, "" for a sum that was never computed.
func (p *Payload) label(a Algorithm) string {
	if a == SHA1 && p.SHA1 == [sha1.Size]byte{} || a == SHA256 && p.SHA256.IsZero() {
		return ""
	}
	return p.Label(a)
}

// SumPayload reads the body of the exchange's response once and gives the sums of its payload:
// SHA-256, and SHA-1 too for records that have it. Cost: one or two hashes a byte. An exchange
// without a response has the sums of nothing.
func SumPayload(x *page.Exchange, a Algorithm) (Payload, error) {
	var body io.Reader = strings.NewReader("")
	if x.Response != nil {
		body = io.NewSectionReader(x.Response, x.Head, x.Response.Size()-x.Head)
		if chunked(x.Header.Values("Transfer-Encoding")) {
			body = dechunkExchange(x)
		}
	}
	s := sumPool.Get().(*sums)
	defer sumPool.Put(s)
	p, err := s.sum(body, a)
	if err != nil {
		return Payload{}, fmt.Errorf("sum payload of %s: %w", x.URL, err)
	}
	return p, nil
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

type sums struct {
	sha256, sha1 hash.Hash
	buf          [32 << 10]byte
}

var sumPool = sync.Pool{New: func() any { return &sums{sha256: sha256.New(), sha1: sha1.New()} }}

func (s *sums) sum(r io.Reader, a Algorithm) (p Payload, err error) {
	s.sha256.Reset()
	s.sha1.Reset()
	for {
		n, err := r.Read(s.buf[:])
		p.Size += int64(n)
		s.sha256.Write(s.buf[:n])
		if a == SHA1 {
			s.sha1.Write(s.buf[:n])
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return p, err
		}
	}
	s.sha256.Sum(p.SHA256[:0])
	if a == SHA1 {
		s.sha1.Sum(p.SHA1[:0])
	}
	return p, nil
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
