package mirror

import (
	"net/netip"
	"strings"
)

// hostTerms calls f for each term of a host name: every run of labels, or the first two, three and
// four octets of an address (section 3.2.1); segments is the number of labels or octets. The port
// is left out.
func hostTerms(name string, f func(term string, segments int)) {
	name = hostname(name)
	if ip, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		if !ip.Is4() {
			f(name, 1)
			return
		}
		octets := strings.Split(name, ".")
		for n := 2; n <= 4; n++ {
			f("="+strings.Join(octets[:n], "."), n)
		}
		return
	}
	labels := strings.Split(name, ".")
	for i := range labels {
		for j := i + 1; j <= len(labels); j++ {
			f(strings.Join(labels[i:j], "."), j-i)
		}
	}
}

// hostname is a host without its port.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i]
	}
	return host
}
