package page

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
)

// Digest names bytes by their SHA-256. The zero Digest is that of nothing known; no bytes at all
// have EmptyDigest.
type Digest [sha256.Size]byte

// SumDigest is the digest of b.
func SumDigest(b []byte) Digest { return sha256.Sum256(b) }

// EmptyDigest is the digest of no bytes. An empty payload is never a duplicate of another.
var EmptyDigest = SumDigest(nil)

// IsZero reports a digest that was never computed.
func (d Digest) IsZero() bool { return d == Digest{} }

// Within is the digest under which a payload is looked up that came with a login: what was had with
// a login is no duplicate of what was had without, or with another one. Without one it is d.
func (d Digest) Within(login string) Digest {
	if login == "" || d.IsZero() {
		return d
	}
	return SumDigest(append(d[:], login...))
}

// String is "sha256:" and 64 lower-case hexadecimal digits, the label that WARC and CDXJ use.
func (d Digest) String() string { return "sha256:" + hex.EncodeToString(d[:]) }

// ParseDigest reads what String writes.
func ParseDigest(s string) (d Digest, err error) {
	text, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(text) != 2*len(d) {
		return Digest{}, fmt.Errorf("digest %q: want sha256: and 64 hexadecimal digits", s)
	}
	if _, err := hex.Decode(d[:], []byte(text)); err != nil {
		return Digest{}, fmt.Errorf("digest %q: %w", s, err)
	}
	return d, nil
}

// SHA1Label is the older label "sha1:" and 32 base32 letters of a SHA-1 sum, which most tools
// compare.
func SHA1Label(sum [sha1.Size]byte) string {
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}
