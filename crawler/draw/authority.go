package draw

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"time"
)

// authority is the certificate that the proxy shows to the browser, for each host the same. Its key is in
// memory only; the browser trusts it by its pin, whatever host it stands for, and nobody else does.
type authority struct {
	certificate tls.Certificate
	pin         string // base64 of the SHA-256 of the key's public half, as Chromium asks for it
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for the browser's proxy: %w", err)
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "Watershed, for its own browser"},
		NotBefore:    now.Add(-48 * time.Hour), NotAfter: now.AddDate(10, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err == nil {
		t, err = x509.ParseCertificate(der)
	}
	if err != nil {
		return nil, fmt.Errorf("make a certificate for the browser's proxy: %w", err)
	}
	sum := sha256.Sum256(t.RawSubjectPublicKeyInfo)
	return &authority{
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pin:         base64.StdEncoding.EncodeToString(sum[:]),
	}, nil
}
