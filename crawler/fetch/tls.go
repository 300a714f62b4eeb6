package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"unicode/utf8"

	"watershed/page"
)

// tlsConfig is the client's. Any certificate is accepted, as other crawlers of archives do, and old
// protocols and suites are spoken too: an archive is also for sites that nobody has touched for ten years.
func tlsConfig() *tls.Config {
	c := &tls.Config{
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(256),
		MinVersion:         tls.VersionTLS10, InsecureSkipVerify: true,
	}
	for _, s := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		c.CipherSuites = append(c.CipherSuites, s.ID)
	}
	return c
}

// maxNames bounds the names of a certificate that are told; shared ones list hundreds.
const maxNames = 100

// maxIssuer bounds the name of who signed a certificate, in bytes; X.509 has 64 characters (RFC 5280,
// appendix A.1, ub-common-name), which servers do not keep to.
const maxIssuer = 256

// cut is the beginning of a text, of whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// facts are the facts of a connection that the archive records. Its certificate is judged here, and not in
// the handshake.
func facts(s tls.ConnectionState, host string) *page.TLS {
	t := &page.TLS{
		Version:     strings.ToLower(strings.ReplaceAll(tls.VersionName(s.Version), " ", "/")),
		CipherSuite: tls.CipherSuiteName(s.CipherSuite),
	}
	if len(s.PeerCertificates) == 0 {
		t.Untrusted = "no certificate"
		return t
	}
	leaf := s.PeerCertificates[0]
	t.Issuer = leaf.Issuer.CommonName
	if t.Issuer == "" && len(leaf.Issuer.Organization) > 0 {
		t.Issuer = leaf.Issuer.Organization[0]
	}
	t.Issuer = cut(t.Issuer, maxIssuer)
	t.Names = leaf.DNSNames[:min(len(leaf.DNSNames), maxNames)]
	t.Untrusted = distrust(s.PeerCertificates, host)
	return t
}

// distrust says why a chain is not to be trusted for a host, "" when it is.
func distrust(chain []*x509.Certificate, host string) string {
	o := x509.VerifyOptions{DNSName: host, Intermediates: x509.NewCertPool()}
	for _, c := range chain[1:] {
		o.Intermediates.AddCert(c)
	}
	if _, err := chain[0].Verify(o); err != nil {
		return strings.TrimPrefix(err.Error(), "x509: ")
	}
	return ""
}
