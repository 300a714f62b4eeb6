package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watershed/lab/kit/ports"
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

// TestCertified: a node says of its own certificate at once that others would refuse it, and why.
func TestCertified(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	sign := func(c, by *x509.Certificate) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	root := sign(authority, authority)
	pool := x509.NewCertPool()
	pool.AddCert(root)
	own := Node{Name: "a", Clients: "127.0.0.1:4222", Peers: "127.0.0.1:6222"}
	here, elsewhere := []net.IP{net.IPv4(127, 0, 0, 1)}, []net.IP{net.IPv4(127, 0, 0, 2)}
	server, client := x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth
	for _, c := range []struct {
		name   string
		hosts  []net.IP
		uses   []x509.ExtKeyUsage
		itself bool
		good   bool
	}{
		{name: "for its address", hosts: here, good: true},
		{name: "for servers and clients", hosts: here, uses: []x509.ExtKeyUsage{server, client}, good: true},
		{name: "for servers alone", hosts: here, uses: []x509.ExtKeyUsage{server}},
		{name: "for clients alone", hosts: here, uses: []x509.ExtKeyUsage{client}},
		{name: "for another address", hosts: elsewhere},
		{name: "for none"},
		{name: "by itself", hosts: here, itself: true},
	} {
		machine := &x509.Certificate{
			SerialNumber: big.NewInt(2), IPAddresses: c.hosts, ExtKeyUsage: c.uses,
			NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		}
		by := root
		if c.itself {
			by = machine
		}
		leaf := sign(machine, by)
		b := Broker{TLS: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{
			{Certificate: [][]byte{leaf.Raw}, Leaf: leaf},
		}}}
		err := b.certified(own)
		named := err != nil && strings.Contains(err.Error(), "for 127.0.0.1 (subjectAltName)")
		if c.good != (err == nil) || !c.good && !named {
			t.Errorf("a certificate %s: %v", c.name, err)
		}
	}
}

// teller hands on what a node tells.
type teller struct {
	slog.Handler
	tell func(message string) // with the keys of what is empty
}

func (t teller) Enabled(context.Context, slog.Level) bool { return true }

func (t teller) WithAttrs([]slog.Attr) slog.Handler { return t }

func (t teller) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.String() == "" {
			text += ", " + a.Key
		}
		return true
	})
	t.tell(text)
	return nil
}

// TestReady: a node whose disk was replaced is ready when it has all that the others have, and not before:
// whoever then stops the next one would have the broker lose what only that one has. A node that replaces
// another under a new name says that both are counted, and that it is ready.
func TestReady(t *testing.T) {
	names := []string{"a", "b", "c"}
	nodes := make([]Node, len(names))
	b := Broker{Name: "trial", Key: "0123456789abcdef", Copies: len(names), Own: true}
	b.Patient = true
	free := ports.Free(t, 2*len(names))
	for i, name := range names {
		nodes[i].Clients, nodes[i].Peers = free[2*i], free[2*i+1]
		nodes[i].Name = name
		b.Servers = append(b.Servers, "nats://"+nodes[i].Clients)
	}
	dir := t.TempDir()
	begin := func(name string) (ready chan struct{}, stop func()) {
		ready = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		var once sync.Once
		var surplus atomic.Bool
		var all sync.WaitGroup
		all.Go(func() {
			log := slog.New(teller{slog.NewTextHandler(io.Discard, nil), func(said string) {
				if strings.HasPrefix(said, "the broker counts more nodes") {
					surplus.Store(true)
				}
				if said == "the broker is ready" {
					if name == "d" && !surplus.Load() {
						t.Error("it counts a node that is gone, and says nothing of it")
					}
					once.Do(func() { close(ready) })
				}
				if strings.Contains(said, ", not reached") {
					t.Errorf("%s: nobody", said)
				}
			}})
			if err := RunNode(ctx, b, name, filepath.Join(dir, name), nodes, log); err != nil {
				t.Error(err)
			}
		})
		return ready, func() { cancel(); all.Wait() }
	}
	stops := map[string]func(){}
	for _, name := range names {
		_, stops[name] = begin(name)
		defer func() { stops[name]() }()
	}
	content := bytes.Repeat([]byte("captured "), 1<<20)
	quiet := slog.New(slog.DiscardHandler)
	err := With(t.Context(), b, "one", quiet, func(ctx context.Context, m *Member) error {
		return m.Office.Send(ctx, "h/1", bytes.NewReader(content))
	})
	if err != nil {
		t.Fatal(err)
	}
	stops["c"]()
	if err := os.RemoveAll(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	ready, stop := begin("c")
	stops["c"] = stop
	<-ready
	stop() // what it has is on its disk, and no more comes
	var has int64
	err = filepath.WalkDir(filepath.Join(dir, "c"), func(_ string, e os.DirEntry, err error) error {
		if info, statErr := e.Info(); err == nil && statErr == nil && !e.IsDir() {
			has += info.Size()
		}
		return err
	})
	if err != nil || has < int64(len(content)) {
		t.Errorf("it is ready with %d bytes of %d: %v", has, len(content), err)
	}
	nodes = slices.Clone(nodes)
	nodes[2].Name = "d" // in place of c
	ready, stop = begin("d")
	<-ready
	stop()
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
	l.Errorf("10.0.0.1:38600 - cid:371 - TLS handshake error: EOF") // by a machine that stood still
	l.Errorf("10.0.0.1:38600 - cid:372 - TLS handshake error: remote error: tls: bad certificate")
	l.Errorf("something else")
	said := text.String()
	for want, times := range map[string]int{
		"passwords": 0, "key in the cluster's YAML": 1, "no way": 1, "something else": 1,
		"bad certificate": 1, "handshake error: EOF": 1,
	} {
		if n := strings.Count(said, want); n != times {
			t.Errorf("%q is told %d times, want %d:\n%s", want, n, times, said)
		}
	}
}
