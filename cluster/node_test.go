package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestCertificate: a certificate that has ended is refused by its name, and one that ends soon is told of.
func TestCertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("machine.key", "PRIVATE KEY", private)
	for life, want := range map[time.Duration]int{ // how often that is told in a day
		-time.Hour: 0, time.Hour: 2, warnTime + time.Hour: 1, warnTime + 25*time.Hour: 0,
	} {
		c := &x509.Certificate{
			SerialNumber: big.NewInt(1),
			NotBefore:    time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(life),
		}
		der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		at := write("machine.pem", "CERTIFICATE", der)
		config, err := TLS(at, filepath.Join(dir, "machine.key"), at)
		if ended := err != nil && strings.Contains(err.Error(), at); ended != (life < 0) {
			t.Errorf("a life of %s: %v", life, err)
		}
		if err != nil {
			continue
		}
		synctest.Test(t, func(t *testing.T) { // whose clock is not that of the certificates
			var said bytes.Buffer
			config.Certificates[0].Leaf.NotAfter = time.Now().Add(life)
			ctx, stop := context.WithTimeout(t.Context(), 25*time.Hour)
			defer stop()
			if err := warn(ctx, config, "a", slog.New(slog.NewTextHandler(&said, nil))); err != nil {
				t.Error(err)
			}
			if n := strings.Count(said.String(), "ends soon"); n != want {
				t.Errorf("a life of %s is told of %d times, want %d", life, n, want)
			}
		})
	}
}

// TestLogger: another key is told with its place in the YAML, once, whatever the ports; a warning that
// is no trouble is not told.
func TestLogger(t *testing.T) {
	var text bytes.Buffer
	l := &logger{Logger: slog.New(slog.NewTextHandler(&text, nil)), told: map[string]time.Time{}}
	l.Warnf("Plaintext passwords detected, use nkeys or bcrypt")
	for rid := range 20 {
		l.Errorf("127.0.0.1:%d - rid:%d - Route Error 'Authorization Violation'", 40000+rid, rid)
		l.Errorf("127.0.0.1:%d - rid:%d - authentication error - User %q", 40000+rid, rid, "watershed")
		l.Errorf("Error trying to connect to route (attempt %d): no way", rid)
	}
	l.Errorf("something else")
	said := text.String()
	for want, times := range map[string]int{
		"passwords": 0, "key in the cluster's YAML": 1, "no way": 1, "something else": 1,
	} {
		if n := strings.Count(said, want); n != times {
			t.Errorf("%q is told %d times, want %d:\n%s", want, n, times, said)
		}
	}
}
