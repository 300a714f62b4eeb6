package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
)

// TestLongIssuer: of who signed a certificate no more is told than a record's header has room for.
func TestLongIssuer(t *testing.T) {
	issuer := func(name string) string {
		told := facts(tls.ConnectionState{PeerCertificates: []*x509.Certificate{
			{Issuer: pkix.Name{CommonName: name}},
		}}, "a.example")
		return told.Issuer
	}
	for name, want := range map[string]string{
		"Test CA":                        "Test CA",
		strings.Repeat("<", maxIssuer):   strings.Repeat("<", maxIssuer),
		"a" + strings.Repeat("ä", 1_000): "a" + strings.Repeat("ä", (maxIssuer-1)/2),
	} {
		if got := issuer(name); got != want {
			t.Errorf("of %d bytes: %q", len(name), got)
		}
	}
}
