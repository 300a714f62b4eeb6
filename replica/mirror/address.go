package mirror

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
)

// addressResult is the smallest cluster that two hosts share, by address and by network; 0 for
// none.
type addressResult struct{ same, network int }

// cluster is hosts of one address or network, in order of their names.
type cluster struct {
	key   netip.Prefix
	hosts []HostID
}

// addressRankings makes IP4 and IP3 (section 3.1): clusters by increasing size, ties by address; of
// each at most so many pairs, chosen at random where there are more.
func (e *engine) addressRankings() error {
	if e.input.Addresses == nil {
		return nil
	}
	same, network := map[netip.Prefix][]HostID{}, map[netip.Prefix][]HostID{}
	for a, err := range e.input.Addresses {
		if err != nil {
			return fmt.Errorf("read addresses: %w", err)
		}
		id, ok := e.hosts.find([]byte(a.Host))
		if !ok {
			continue
		}
		ip := a.IP.Unmap().WithZone("")
		bits := e.o.Address.NetworkV6
		if ip.Is4() {
			bits = e.o.Address.NetworkV4
		}
		net, err := ip.Prefix(bits)
		if err != nil {
			return fmt.Errorf("address of %s: %w", a.Host, err)
		}
		whole := netip.PrefixFrom(ip, ip.BitLen())
		same[whole] = append(same[whole], id)
		network[net] = append(network[net], id)
	}
	e.address = make(map[uint64]addressResult)
	e.byAddress = e.clusters(same)
	e.pairs[IP4] = e.clusterPairs(e.byAddress, e.o.Address.PairsIP4, func(r *addressResult, size int) {
		r.same = least2(r.same, size)
	})
	e.pairs[IP3] = e.clusterPairs(e.clusters(network), e.o.Address.PairsIP3,
		func(r *addressResult, size int) { r.network = least2(r.network, size) })
	return nil
}

// least2 is the smaller size, 0 being none.
func least2(a, b int) int {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// clusters orders clusters of two or more hosts by size, then key.
func (e *engine) clusters(by map[netip.Prefix][]HostID) []cluster {
	var list []cluster
	for key, ids := range by {
		slices.SortFunc(ids, func(a, b HostID) int {
			return cmp.Compare(e.hosts.list[a].Name, e.hosts.list[b].Name)
		})
		if ids = slices.Compact(ids); len(ids) > 1 {
			list = append(list, cluster{key, ids})
		}
	}
	slices.SortFunc(list, func(a, b cluster) int {
		return cmp.Or(cmp.Compare(len(a.hosts), len(b.hosts)), a.key.Compare(b.key))
	})
	return list
}

func (e *engine) clusterPairs(clusters []cluster, most int, note func(*addressResult, int)) []Pair {
	var pairs []Pair
	have := make(map[uint64]bool)
	for _, c := range clusters {
		for _, p := range e.somePairs(c, most) {
			key := pairKey(p[0], p[1])
			r := e.address[key]
			note(&r, len(c.hosts))
			e.address[key] = r
			if !have[key] && len(pairs) < e.o.Depth {
				have[key] = true
				pairs = append(pairs, Pair{p[0], p[1], 1 / float64(len(c.hosts)-1)})
			}
		}
	}
	return pairs
}

// somePairs gives all pairs of a cluster, or so many at random. The choice depends on seed and key
// alone.
func (e *engine) somePairs(c cluster, most int) [][2]HostID {
	n := len(c.hosts)
	if all := n * (n - 1) / 2; all <= most {
		pairs := make([][2]HostID, 0, all)
		for i, a := range c.hosts {
			for _, b := range c.hosts[i+1:] {
				pairs = append(pairs, [2]HostID{a, b})
			}
		}
		return pairs
	}
	rnd := rand.New(rand.NewPCG(e.o.Seed, hashOf([]byte(c.key.String()))))
	chosen := make(map[[2]int]bool, most)
	pairs := make([][2]HostID, 0, most)
	for len(pairs) < most {
		i, j := rnd.IntN(n), rnd.IntN(n)
		i, j = min(i, j), max(i, j)
		if i != j && !chosen[[2]int{i, j}] {
			chosen[[2]int{i, j}] = true
			pairs = append(pairs, [2]HostID{c.hosts[i], c.hosts[j]})
		}
	}
	return pairs
}
