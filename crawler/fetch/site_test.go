package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"watershed/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// said is what a site answers: parts are written one after the other, so that a reader meets them
// in pieces.
type said struct {
	before string // interim responses
	parts  []string
	close  bool
}

func (r said) final() string { return strings.Join(r.parts, "") }

// site is a server that speaks no HTTP of its own: it answers requests with bytes as they are, and
// remembers what it received and sent, by the path that was asked for. The two records share no
// code with what is tested.
type site struct {
	port   uint16
	answer func(target string) said

	mu    sync.Mutex
	got   map[string]string
	sent  map[string]string
	conns int
	count map[string]int
}

func newSite(t testing.TB, secure bool, answer func(target string) said) *site {
	t.Helper()
	return newSiteOver(t, secure, func(c net.Conn) net.Conn { return c }, answer)
}

// newSiteOver makes a site whose connections are wrapped, below TLS.
func newSiteOver(t testing.TB, secure bool, wrap func(net.Conn) net.Conn,
	answer func(target string) said,
) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{
		port: netip.MustParseAddrPort(l.Addr().String()).Port(), answer: answer,
		got: map[string]string{}, sent: map[string]string{}, count: map[string]int{},
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{certificate(t)}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
			if c = wrap(c); secure {
				c = tls.Server(c, cfg)
			}
			wg.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return s
}

// received is the request for a target.
func (s *site) received(target string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got[target]
}

// times is how often a target was asked for.
func (s *site) times(target string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[target]
}

// connections is how many were made.
func (s *site) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

func (s *site) serve(c net.Conn) {
	defer c.Close()
	br := bufio.NewReader(c)
	for {
		var got strings.Builder
		for !strings.HasSuffix(got.String(), "\r\n\r\n") {
			line, err := br.ReadString('\n')
			if err != nil {
				return
			}
			got.WriteString(line)
		}
		target := strings.Fields(got.String())[1]
		r := s.answer(target)
		s.mu.Lock()
		s.got[target], s.sent[target] = got.String(), r.final()
		s.count[target]++
		s.mu.Unlock()
		for _, p := range append([]string{r.before}, r.parts...) {
			if _, err := io.WriteString(c, p); err != nil {
				return
			}
		}
		if r.close {
			return
		}
	}
}

// certificate is one that no browser trusts, for *.test.
func certificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{"Nobody"}},
		DNSNames:  []string{"*.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// local are options under which every name is on loopback.
func local() Options {
	return Options{
		UserAgent: "watershed-test/1.0", AllowPrivate: loopback, HostsFile: os.DevNull,
		Hosts: map[string]netip.Addr{"*": netip.MustParseAddr("127.0.0.1")},
	}
}

func newFetcher(t testing.TB, o Options) *Fetcher {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}

// at are local options for the sites that answer http and https; nil for none.
func at(o Options, plain, secure *site) Options {
	o.DialPorts = map[uint16]uint16{}
	if plain != nil {
		o.DialPorts[80] = plain.port
	}
	if secure != nil {
		o.DialPorts[443] = secure.port
	}
	return o
}

// get fetches with a new worker and closes the exchange at the end of the test.
func get(t testing.TB, f *Fetcher, u string) *page.Exchange {
	t.Helper()
	return do(t, f.Worker(), Request{URL: page.URL(u)})
}

func do(t testing.TB, w *Worker, q Request) *page.Exchange {
	t.Helper()
	x := w.Fetch(context.Background(), q)
	t.Cleanup(func() {
		if err := errors.Join(x.Close(), x.Close()); err != nil {
			t.Errorf("close exchange: %v", err)
		}
	})
	return x
}

func text(t testing.TB, r *io.SectionReader) string {
	t.Helper()
	if r == nil {
		return ""
	}
	b := make([]byte, r.Size())
	if _, err := r.ReadAt(b, 0); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return string(b)
}

// canned is a connection to a server that has said all it has to say.
type canned struct {
	in     *bytes.Reader
	end    error // after that; nil is io.EOF
	piece  int   // bytes that come at a time; 0 is all
	out    bytes.Buffer
	closed bool
}

func (c *canned) Read(p []byte) (int, error) {
	if c.piece > 0 && len(p) > c.piece {
		p = p[:c.piece]
	}
	n, err := c.in.Read(p)
	if err == io.EOF && c.end != nil {
		err = c.end
	}
	return n, err
}
func (c *canned) Write(p []byte) (int, error) { return c.out.Write(p) }
func (c *canned) Close() error                { c.closed = true; return nil }
func (c *canned) LocalAddr() net.Addr         { return &net.TCPAddr{} }
func (c *canned) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
}
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }

// dialing lets a fetcher reach c whatever it dials.
func dialing(t testing.TB, o Options, dial func() conner) *Fetcher {
	t.Helper()
	f := newFetcher(t, o)
	f.dialer.tcp = func(context.Context, string) (net.Conn, error) { return dial(), nil }
	return f
}

// answered fetches what a canned server answers.
func answered(t testing.TB, o Options, raw string) (*page.Exchange, *canned) {
	t.Helper()
	c := &canned{in: reader(raw)}
	return get(t, dialing(t, o, func() conner { return c }), "http://a.test/"), c
}

type conner = net.Conn

func reader(s string) *bytes.Reader { return bytes.NewReader([]byte(s)) }
