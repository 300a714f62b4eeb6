package mirror

import (
	"bytes"
	"cmp"
)

// HostID numbers the hosts that have enough URLs, in the order in which they came.
type HostID uint32

// host is a host that was looked at.
type host struct {
	Name string
	URLs int // in the input
}

// hosts is who is looked at. All names that were ever seen are kept as hashes, to notice a host
// that comes twice.
type hosts struct {
	list []host
	ids  map[string]HostID
	seen map[uint64]struct{}
}

func newHosts() *hosts {
	return &hosts{ids: make(map[string]HostID), seen: make(map[uint64]struct{})}
}

// begin notes that the URLs of a host begin; false if they did before.
func (h *hosts) begin(name []byte) bool {
	k := hashOf(name)
	if _, known := h.seen[k]; known {
		return false
	}
	h.seen[k] = struct{}{}
	return true
}

func (h *hosts) add(name string, urls int) HostID {
	id := HostID(len(h.list))
	h.list = append(h.list, host{name, urls})
	h.ids[name] = id
	return id
}

func (h *hosts) find(name []byte) (HostID, bool) {
	if id, ok := h.ids[string(name)]; ok {
		return id, true
	}
	id, ok := h.ids[string(bytes.ToLower(name))]
	return id, ok
}

// pairKey is two different hosts in one word, the lesser number first.
func pairKey(a, b HostID) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

func unpair(k uint64) (HostID, HostID) { return HostID(k >> 32), HostID(k) }

// names orders two pairs by the names of their hosts, which does not depend on the order of the
// input.
func (h *hosts) names(p, q Pair) int {
	pa, pb := h.ordered(p)
	qa, qb := h.ordered(q)
	return cmp.Or(cmp.Compare(pa, qa), cmp.Compare(pb, qb))
}

func (h *hosts) ordered(p Pair) (string, string) {
	a, b := h.list[p.A].Name, h.list[p.B].Name
	return min(a, b), max(a, b)
}
