package archive

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"
)

// signatureVersion is the version of Webrecorder's WACZ Signing and Verification whose anonymous
// signature is written. It leaves open what is signed and how; both are as in ArchiveWeb.page and
// ReplayWeb.page: ECDSA on P-384 over the SHA-256 of the text of the hash, the two numbers of the
// signature one behind the other in 48 bytes each, the key as SubjectPublicKeyInfo.
const signatureVersion = "0.1.0"

// Signature is the member signedData of datapackage-digest.json.
type Signature struct {
	Hash      string `json:"hash"` // of datapackage.json, as the digest has it
	Created   string `json:"created"`
	Software  string `json:"software"`
	Version   string `json:"version"`
	Signature string `json:"signature"`
	PublicKey string `json:"publicKey,omitempty"`
	// of a signature by the key of a domain, which has no PublicKey
	Domain string `json:"domain,omitempty"`
}

// errKey says that a file has no key that can sign packages.
var errKey = errors.New("want an ECDSA key on the curve P-384 in PEM, as made by: " +
	"openssl ecparam -name secp384r1 -genkey -noout")

// ReadKey reads the private key with which packages are signed. The error wraps errKey where the
// file has another one, or none.
func ReadKey(name string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the key for packages: %w", err)
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		key, err := x509.ParseECPrivateKey(block.Bytes)
		if err != nil {
			if any, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
				key, _ = any.(*ecdsa.PrivateKey) // nil for a key of another kind
			}
		}
		if key != nil && key.Curve == elliptic.P384() {
			return key, nil
		}
	}
	return nil, fmt.Errorf("read the key for packages: %s: %w", name, errKey)
}

// sign signs the hash of a datapackage.json.
func sign(key *ecdsa.PrivateKey, hash, software string, at time.Time) (*Signature, error) {
	sum := sha256.Sum256([]byte(hash))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return nil, fmt.Errorf("sign the package: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("sign the package: %w", err)
	}
	size := (key.Curve.Params().BitSize + 7) / 8
	both := make([]byte, 2*size)
	r.FillBytes(both[:size])
	s.FillBytes(both[size:])
	return &Signature{
		Hash: hash, Created: at.UTC().Format(time.RFC3339), Software: software, Version: signatureVersion,
		Signature: base64.StdEncoding.EncodeToString(both),
		PublicKey: base64.StdEncoding.EncodeToString(public),
	}, nil
}

// verify reports a signature that is not of the hash, or not by its own key. Whose key that is
// cannot be told from the package.
func (s *Signature) verify(hash string) error {
	if s.Hash != hash {
		return errors.New("the signature is of another hash")
	}
	if s.PublicKey == "" {
		return nil // by the key of a domain: its certificates are not judged here
	}
	text, err := base64.StdEncoding.DecodeString(s.PublicKey)
	if err != nil {
		return fmt.Errorf("the key of the signature: %w", err)
	}
	any, err := x509.ParsePKIXPublicKey(text)
	if err != nil {
		return fmt.Errorf("the key of the signature: %w", err)
	}
	key, ok := any.(*ecdsa.PublicKey)
	both, err := base64.StdEncoding.DecodeString(s.Signature)
	if err != nil || !ok || len(both)%2 != 0 {
		return errors.New("the signature cannot be read")
	}
	sum := sha256.Sum256([]byte(hash))
	first, second := new(big.Int).SetBytes(both[:len(both)/2]), new(big.Int).SetBytes(both[len(both)/2:])
	if !ecdsa.Verify(key, sum[:], first, second) {
		return errors.New("the signature is not by its key: the package was changed")
	}
	return nil
}
