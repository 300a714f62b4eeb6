package fetch

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"watershed/page"
)

// zone is what a name server of the tests knows.
type zone struct {
	addrs    map[string][]string // name to addresses; an alias is the address "=name"
	code     dnsmessage.RCode    // for names that are not there; 0 is NXDOMAIN
	truncate bool                // UDP answers are cut to nothing
	junk     bool                // before each answer come datagrams that do not answer the question

	mu    sync.Mutex
	asked map[string]int
}

// serve answers over UDP and TCP on one port of loopback.
func (z *zone) serve(t testing.TB) netip.AddrPort {
	t.Helper()
	z.asked = map[string]int{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		_ = u.Close()
		wg.Wait()
	})
	wg.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := u.ReadFrom(buf)
			if err != nil {
				return
			}
			msg := z.answer(t, buf[:n], z.truncate)
			if z.junk {
				other := append([]byte(nil), msg...)
				other[0]++ // another question's number, and another address
				other[len(other)-1] ^= 0xff
				_, _ = u.WriteTo(other, from)
				_, _ = u.WriteTo([]byte("junk"), from)
			}
			_, _ = u.WriteTo(msg, from)
		}
	})
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var size [2]byte
			if _, err := io.ReadFull(c, size[:]); err == nil {
				buf := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(c, buf); err == nil {
					msg := z.answer(t, buf, false)
					_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(msg))), msg...))
				}
			}
			_ = c.Close()
		}
	})
	return netip.MustParseAddrPort(l.Addr().String())
}

func (z *zone) count(name string) int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.asked[name]
}

func (z *zone) answer(t testing.TB, msg []byte, truncate bool) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(msg); err != nil || len(m.Questions) != 1 || !m.RecursionDesired {
		t.Errorf("query %v: %v", m, err)
		return nil
	}
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	z.mu.Lock()
	z.asked[name]++
	z.mu.Unlock()
	out := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, Truncated: truncate},
		Questions: m.Questions,
	}
	all, ok := z.addrs[name]
	if !ok {
		out.RCode = dnsmessage.RCodeNameError
		if z.code != 0 {
			out.RCode = z.code
		}
	}
	owner := q.Name
	for i := 0; i < len(all) && !truncate; i++ {
		h := dnsmessage.ResourceHeader{Name: owner, Class: dnsmessage.ClassINET, TTL: uint32(600 + i)}
		if alias, ok := strings.CutPrefix(all[i], "="); ok {
			owner = dnsmessage.MustNewName(alias + ".")
			out.Answers = append(out.Answers, dnsmessage.Resource{
				Header: h,
				Body:   &dnsmessage.CNAMEResource{CNAME: owner},
			})
			continue
		}
		a := netip.MustParseAddr(all[i])
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			out.Answers = append(out.Answers, dnsmessage.Resource{
				Header: h,
				Body:   &dnsmessage.AResource{A: a.As4()},
			})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			out.Answers = append(out.Answers, dnsmessage.Resource{
				Header: h,
				Body:   &dnsmessage.AAAAResource{AAAA: a.As16()},
			})
		}
	}
	b, err := out.Pack()
	if err != nil {
		t.Error(err)
	}
	return b
}

func TestNameServers(t *testing.T) {
	known := map[string][]string{
		"a.test":      {"192.0.2.9", "192.0.2.1", "2001:db8::1"},
		"six.test":    {"2001:db8::6"},
		"alias.test":  {"=real.example", "192.0.2.7"},
		"private":     {"10.0.0.1"},
		"mixed.test":  {"10.0.0.1", "192.0.2.2"},
		"nothing.net": {},
	}
	for _, tt := range []struct {
		name string
		zone *zone
	}{
		{"udp", &zone{addrs: known}},
		{"tcp", &zone{addrs: known, truncate: true}},
		{"junk", &zone{addrs: known, junk: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			z := tt.zone
			o := Options{UserAgent: "x", HostsFile: os.DevNull, Resolvers: []netip.AddrPort{z.serve(t)}}
			o.AllowPrivate = []netip.Prefix{
				netip.MustParsePrefix("192.0.2.0/24"),
				netip.MustParsePrefix("2001:db8::/32"),
			}
			f := newFetcher(t, o)
			for _, q := range []struct {
				host  page.Host
				addrs []string
				err   error
				text  string
			}{
				{
					host: "a.test", addrs: []string{"192.0.2.9", "192.0.2.1", "2001:db8::1"},
					text: "a.test.\t600\tIN\tA\t192.0.2.9\na.test.\t601\tIN\tA\t192.0.2.1\n" +
						"a.test.\t602\tIN\tAAAA\t2001:db8::1\n",
				},
				{host: "a.test:8080", addrs: []string{"192.0.2.9", "192.0.2.1", "2001:db8::1"}},
				{host: "six.test", addrs: []string{"2001:db8::6"}},
				{
					host: "alias.test", addrs: []string{"192.0.2.7"},
					text: "alias.test.\t600\tIN\tCNAME\treal.example.\n" +
						"real.example.\t601\tIN\tA\t192.0.2.7\n",
				},
				{host: "private", err: errPrivate, text: "private.\t600\tIN\tA\t10.0.0.1\n"},
				{host: "mixed.test", addrs: []string{"192.0.2.2"}},
				{host: "nothing.net", err: errDNS},
				{host: "missing.test", err: errDNS},
				{host: "192.0.2.55", addrs: []string{"192.0.2.55"}},
				{host: "[2001:db8::55]:81", addrs: []string{"2001:db8::55"}},
			} {
				for range 2 { // the second time from memory
					got, err := f.Resolve(context.Background(), q.host)
					if !equal(got.Addrs, q.addrs) || !errors.Is(err, q.err) ||
						(err != nil) != (q.err != nil) || got.Host != q.host {
						t.Errorf("%s: %v, %v; want %v, %v", q.host, got, err, q.addrs, q.err)
					}
					if q.text != "" && got.Text != got.When.UTC().Format("20060102150405")+"\n"+q.text {
						t.Errorf("%s: answer is %q, want %q", q.host, got.Text, q.text)
					}
				}
			}
			var e *DNSError
			if _, err := f.Resolve(context.Background(), "missing.test"); !errors.As(err, &e) || !e.NotFound {
				t.Errorf("missing name: %v", err)
			}
			z.mu.Lock()
			defer z.mu.Unlock()
			for name, n := range z.asked {
				if most := map[bool]int{false: 2, true: 4}[z.truncate]; n > most {
					t.Errorf("asked %d times for %s", n, name)
				}
			}
		})
	}
}

// TestNamesThatNobodyCanHave: a name that DNS cannot write down does not exist, and asking for it again
// is of no use.
func TestNamesThatNobodyCanHave(t *testing.T) {
	z := &zone{}
	f := newFetcher(t, Options{
		UserAgent: "x", HostsFile: os.DevNull, Resolvers: []netip.AddrPort{z.serve(t)},
	})
	for _, name := range []string{
		strings.Repeat("a", 64) + ".test", strings.Repeat("a.", 125) + "test",
	} {
		var e *DNSError
		if _, err := f.Resolve(context.Background(), page.Host(name)); !errors.As(err, &e) || !e.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(z.asked) > 0 {
		t.Errorf("asked for %v", z.asked)
	}
}

// A name server that cannot tell is no proof that there is no such name; the next one is asked.
func TestNameServersFail(t *testing.T) {
	bad := &zone{code: dnsmessage.RCodeServerFailure}
	good := &zone{addrs: map[string][]string{"a.test": {"8.8.8.8"}}}
	o := Options{
		UserAgent: "x", HostsFile: os.DevNull,
		Resolvers: []netip.AddrPort{bad.serve(t), good.serve(t)},
	}
	f := newFetcher(t, o)
	if got, err := f.Resolve(context.Background(), "a.test"); err != nil ||
		!equal(got.Addrs, []string{"8.8.8.8"}) {
		t.Errorf("%v, %v", got, err)
	}
	o.Resolvers = o.Resolvers[:1]
	f = newFetcher(t, o)
	var e *DNSError
	if _, err := f.Resolve(context.Background(), "a.test"); !errors.As(err, &e) || e.NotFound ||
		!strings.HasSuffix(err.Error(), "A: ServerFailure; AAAA: ServerFailure") {
		t.Errorf("%v", err)
	}
	x := get(t, f, "http://a.test/")
	if !errors.Is(x.Err, errDNS) || StatusOf(x.Err) != page.StatusDNS {
		t.Errorf("%v", x.Err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Resolve(ctx, "b.test"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Answers are kept as long as they are good, within bounds.
func TestAgeOfAddresses(t *testing.T) {
	z := &zone{addrs: map[string][]string{"a.test": {"8.8.8.8"}}}
	o := Options{
		UserAgent: "x", HostsFile: os.DevNull, Resolvers: []netip.AddrPort{z.serve(t)},
		DNSMaxAge: 5 * time.Minute,
	}
	f := newFetcher(t, o)
	got, err := f.Resolve(context.Background(), "a.test")
	if err != nil || got.Until.Sub(got.When) != 5*time.Minute {
		t.Errorf("good for %v, %v", got.Until.Sub(got.When), err)
	}
	f.resolver.mu.Lock()
	known := f.resolver.cache["a.test"]
	known.until = time.Now().Add(-time.Second)
	f.resolver.cache["a.test"] = known
	f.resolver.mu.Unlock()
	if _, err := f.Resolve(context.Background(), "a.test"); err != nil || z.count("a.test") != 4 {
		t.Errorf("asked %d times, %v", z.count("a.test"), err)
	}
}

func TestHosts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hosts")
	const text = "# test web\n8.8.1.1 one.test ONE-alias.test # two " +
		"names\n8.8.1.2\ttwo.test\n::ffff:8.8.1.3 one.test\nnonsense one.test\n8.8.1.4\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, Options{
		UserAgent: "x", HostsFile: file,
		Resolvers: []netip.AddrPort{(&zone{}).serve(t)}, Hosts: map[string]netip.Addr{
			"Exact.test": netip.MustParseAddr("8.8.2.1"), "*.test": netip.MustParseAddr("8.8.2.2"),
			"*.deep.test": netip.MustParseAddr("8.8.2.3"), "two.test": netip.MustParseAddr("8.8.2.4"),
		},
	})
	for host, want := range map[page.Host]string{
		"exact.test": "8.8.2.1", "exact.test:81": "8.8.2.1", "one.test": "8.8.2.2", "a.deep.test": "8.8.2.3",
		"a.b.deep.test": "8.8.2.3", "deep.test": "8.8.2.2", "two.test": "8.8.2.4", "test": "",
	} {
		got, err := f.Resolve(context.Background(), host)
		if (want == "") != (err != nil) || want != "" && !equal(got.Addrs, []string{want}) {
			t.Errorf("%s: %v, %v; want %s", host, got.Addrs, err, want)
		}
	}
	f.resolver.rules = nil
	if got, err := f.Resolve(context.Background(), "one.test"); err != nil ||
		!equal(got.Addrs, []string{"8.8.1.1", "8.8.1.3"}) {
		t.Errorf("hosts file: %v, %v", got.Addrs, err)
	}
	if got, err := f.Resolve(context.Background(), "one-alias.test"); err != nil ||
		!equal(got.Addrs, []string{"8.8.1.1"}) {
		t.Errorf("hosts file: %v, %v", got.Addrs, err)
	}
	if _, err := New(Options{UserAgent: "x", HostsFile: file + ".none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing hosts file: %v", err)
	}
}

func TestParseResolvConf(t *testing.T) {
	got := parseResolvConf("# none\nsearch example.org\nnameserver 192.0.2.53\nnameserver  fe80::1%eth0 \n " +
		"nameserver ::1\nnameserver nonsense\nnameserver\n")
	want := []string{"192.0.2.53:53", "[fe80::1%eth0]:53", "[::1]:53"}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range got {
		if got[i].String() != want[i] {
			t.Errorf("%v, want %v", got[i], want[i])
		}
	}
}

func FuzzNameServer(f *testing.F) {
	z := &zone{addrs: map[string][]string{"a.test": {"=b.test", "8.8.8.8"}}, asked: map[string]int{}}
	_, q, err := query(dnsmessage.MustNewName("a.test."), dnsmessage.TypeA)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(z.answer(f, q, false))
	f.Fuzz(func(t *testing.T, msg []byte) {
		r := asReply(msg)
		var a answer
		if a.add(r) == nil && strings.Count(a.lines, "\n") < len(a.addrs)/2 {
			t.Errorf("%d addresses in %q", len(a.addrs), a.lines)
		}
	})
}

// asReply is a message as if it answered what was asked.
func asReply(msg []byte) reply {
	r := reply{kind: dnsmessage.TypeA, msg: msg}
	var p dnsmessage.Parser
	if h, err := p.Start(msg); err == nil {
		r.header = h
	}
	return r
}
