package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"watershed/page"
)

func TestBlock(t *testing.T) {
	for _, tt := range []struct{ addr, block string }{
		{"0.0.0.0", "this network"},
		{"10.1.2.3", "private use"},
		{"100.64.0.1", "shared address space"},
		{"100.100.100.200", "shared address space"}, // a cloud's metadata
		{"127.0.0.1", "loopback"},
		{"169.254.169.254", "link local"}, // clouds' metadata
		{"172.16.0.1", "private use"},
		{"172.32.0.1", ""},
		{"192.0.0.192", "IETF protocol assignments"}, // a cloud's metadata
		{"192.168.255.255", "private use"},
		{"198.19.255.255", "benchmarking"},
		{"224.0.0.1", "multicast"},
		{"255.255.255.255", "reserved"},
		{"8.8.8.8", ""},
		{"93.184.215.14", ""},
		{"::", "unspecified, loopback or IPv4-compatible"},
		{"::1", "unspecified, loopback or IPv4-compatible"},
		{"::127.0.0.1", "unspecified, loopback or IPv4-compatible"},
		{"::ffff:127.0.0.1", "loopback"},
		{"::ffff:8.8.8.8", ""},
		{"64:ff9b::7f00:1", "loopback"},
		{"64:ff9b::808:808", ""},
		{"2002:7f00:1::", "loopback"},
		{"2002:a9fe:a9fe::1", "link local"},
		{"2001:0:1:2:3:4:5601:5601", "link local"}, // inverted 169.254.169.254
		{"fd00:ec2::254", "unique local"},          // a cloud's metadata
		{"fe80::1%eth0", "link local"},
		{"ff02::1", "multicast"},
		{"2001:db8::1", "documentation"},
		{"2606:4700::1111", ""},
		{"2a00:1450:4001::1", ""},
	} {
		if got := block(netip.MustParseAddr(tt.addr)); got != tt.block {
			t.Errorf("%s lies in %q, want %q", tt.addr, got, tt.block)
		}
	}
}

// A host that is private is refused however it is come by, and nothing is sent.
func TestPrivateIsRefused(t *testing.T) {
	s := newSite(t, false, func(string) said { return whole(length("", "secret")) })
	o := at(local(), s, nil)
	o.AllowPrivate = nil
	o.Hosts = map[string]netip.Addr{
		"inside.test": netip.MustParseAddr("127.0.0.1"),
		"mapped.test": netip.MustParseAddr("::ffff:127.0.0.1"),
	}
	f := newFetcher(t, o)
	f.dialer.tcp = func(_ context.Context, to string) (net.Conn, error) {
		t.Errorf("%s is dialled", to)
		return nil, errors.New("not in this test")
	}
	for _, q := range []Request{
		{URL: "http://inside.test/"},
		{URL: "http://mapped.test/"},
		{URL: "http://127.0.0.1/"},
		{URL: "http://[::1]/"},
		{URL: "http://169.254.169.254/latest/meta-data/"},
		{URL: "http://public.test/", Address: netip.MustParseAddr("10.0.0.1")},
	} {
		x := do(t, f.Worker(), q)
		var private *privateError
		if !errors.Is(x.Err, errPrivate) || !errors.As(x.Err, &private) || private.Block == "" ||
			StatusOf(x.Err) != page.StatusPrivate || x.Request != nil {
			t.Errorf("%s: %v", q.URL, x.Err)
		}
	}
	if _, err := f.Resolve(context.Background(), "inside.test"); !errors.Is(err, errPrivate) ||
		!strings.Contains(err.Error(), "inside.test is at 127.0.0.1 (loopback)") {
		t.Errorf("Resolve: %v", err)
	}
	if s.connections() > 0 {
		t.Errorf("%d connections were made", s.connections())
	}
}

// Whatever address the dialer is handed, the socket refuses to connect to a private one.
func TestSocketIsChecked(t *testing.T) {
	s := newSite(t, false, func(string) said { return said{} })
	f := newFetcher(t, Options{UserAgent: "x"})
	c, err := f.dialer.tcp(context.Background(),
		netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), s.port).String())
	if err == nil {
		c.Close()
	}
	if !errors.Is(err, errPrivate) || s.connections() > 0 {
		t.Errorf("connected: %v", err)
	}
}

// Of several addresses, those that may be reached are used, and those that answer.
func TestSeveralAddresses(t *testing.T) {
	f := newFetcher(t, local())
	f.resolver.rules = nil
	f.resolver.hosts = map[string][]netip.Addr{"a.test": {
		netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("2606:4700::1"),
		netip.MustParseAddr("127.0.0.2"),
		netip.MustParseAddr("127.0.0.3"), netip.MustParseAddr("127.0.0.2"),
	}}
	found, err := f.Resolve(context.Background(), "a.test:8080")
	if want := []string{"127.0.0.2", "127.0.0.3", "2606:4700::1"}; err != nil || !equal(found.Addrs, want) {
		t.Errorf("Resolve: %v, %v; want %v", found.Addrs, err, want)
	}
	var dialled []string
	f.dialer.tcp = func(_ context.Context, to string) (net.Conn, error) {
		dialled = append(dialled, to)
		if to != "127.0.0.3:8080" {
			return nil, errors.New("connection refused")
		}
		return &canned{in: reader(length("", "body"))}, nil
	}
	if x := get(t, f, "http://a.test:8080/"); x.Err != nil ||
		strings.Join(dialled, " ") != "127.0.0.2:8080 127.0.0.3:8080" {
		t.Errorf("%v, dialled %v", x.Err, dialled)
	}
	dialled = nil
	x := do(t, f.Worker(), Request{URL: "http://a.test:8080/", Address: netip.MustParseAddr("127.0.0.2")})
	if !errors.Is(x.Err, errConnect) || StatusOf(x.Err) != page.StatusConnect ||
		strings.Join(dialled, " ") != "127.0.0.2:8080" {
		t.Errorf("%v, dialled %v", x.Err, dialled)
	}
}

func equal(got []netip.Addr, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i].String() != want[i] {
			return false
		}
	}
	return true
}
