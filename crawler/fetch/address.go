package fetch

import (
	"net/netip"

	"watershed/page"
)

// special are the blocks of addresses that are not of the public Internet: those that the IANA IPv4
// and IPv6 Special-Purpose Address Registries (RFC 6890) call not globally reachable, and
// multicast. Names of clouds' metadata services lie in them: 169.254.169.254 (link local),
// 100.100.100.200 (shared), 192.0.0.192 (IETF), fd00:ec2::254 (unique local).
var special = []struct {
	prefix netip.Prefix
	block  string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private use"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private use"},
	{netip.MustParsePrefix("192.0.0.0/24"), "IETF protocol assignments"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private use"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/96"), "unspecified, loopback or IPv4-compatible"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "IPv4-IPv6 translation"},
	{netip.MustParsePrefix("100::/64"), "discard only"},
	{netip.MustParsePrefix("2001:2::/48"), "benchmarking"},
	{netip.MustParsePrefix("2001:10::/28"), "ORCHID"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing"},
	{netip.MustParsePrefix("fc00::/7"), "unique local"},
	{netip.MustParsePrefix("fe80::/10"), "link local"},
	{netip.MustParsePrefix("fec0::/10"), "site local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

var (
	nat64  = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052: the last four bytes are an IPv4 address
	sixto4 = netip.MustParsePrefix("2002::/16")    // RFC 3056: bytes 2 to 5
	teredo = netip.MustParsePrefix("2001::/32")    // RFC 4380: the last four bytes, inverted
)

// block is the special block that a lies in, "" for a public address. An address that carries an
// IPv4 address in itself is judged by that.
func block(a netip.Addr) string {
	a = a.WithZone("").Unmap()
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.block
		}
	}
	if b, ok := embedded(a); ok {
		return block(b)
	}
	return ""
}

func embedded(a netip.Addr) (netip.Addr, bool) {
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixto4.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case teredo.Contains(a):
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	}
	return netip.Addr{}, false
}

// check refuses an address that is not public and not allowed. The error is a *privateError.
func (f *Fetcher) check(host page.Host, a netip.Addr) error {
	name := block(a)
	if name == "" {
		return nil
	}
	for _, p := range f.opt.AllowPrivate {
		if p.Contains(a.WithZone("")) || p.Contains(a.WithZone("").Unmap()) {
			return nil
		}
	}
	return &privateError{Host: host, Addr: a, Block: name}
}
