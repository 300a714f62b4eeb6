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
	"net"
	"sync"
	"time"
)

// authority makes the certificates that the proxy shows to the browser. Its key is in memory only;
// the browser trusts it by its pin, and nobody else does. It is safe for concurrent use.
type authority struct {
	key *ecdsa.PrivateKey
	pin string // base64 of the SHA-256 of the key's public half, as Chromium asks for it

	mu    sync.Mutex // guards what follows
	known map[string]*tls.Certificate
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for the browser's proxy: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("make a key for the browser's proxy: %w", err)
	}
	sum := sha256.Sum256(public)
	return &authority{
		key: key, pin: base64.StdEncoding.EncodeToString(sum[:]), known: map[string]*tls.Certificate{},
	}, nil
}

// mostCertificates bounds the certificates that are kept, a kilobyte each.
const mostCertificates = 1 << 12

// certificate is one for a host. All have the one key.
func (a *authority) certificate(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.known[host]; c != nil {
		return c, nil
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Watershed, for its own browser"},
		NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(30 * 24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		t.IPAddresses = []net.IP{ip}
	} else {
		t.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate for %.200s: %w", host, err)
	}
	if len(a.known) >= mostCertificates {
		clear(a.known)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.known[host] = c
	return c, nil
}
