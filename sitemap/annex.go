package sitemap

import (
	"os"
	"strconv"
)

func envF(name string, d float64) float64 {
	if v, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		return v
	}
	return d
}

var (
	xAnnex   = envF("XANNEX", 0)
	xMin     = envF("XMIN", 4)
	xCoverP  = envF("XCOVERP", 1)
	xCompP   = envF("XCOMPP", 1)
	xInner   = envF("XINNER", 1)
	xSources = envF("XSOURCES", 1)
)

type annexes struct {
	linked map[uint64]int // distinct pages of k linked from a
	living []int
	tried  []int // fetched alive
	inner  []int // pages with links inside
}

func (s *settlement) annexes(h *shares) *annexes {
	b := s.b
	n := len(s.blocks.list)
	x := &annexes{linked: make(map[uint64]int), living: make([]int, n), tried: make([]int, n), inner: make([]int, n)}
	for key := range h.count {
		x.linked[pairKey(blockID(key), s.blocks.of[key>>32])]++
	}
	for p := range b.places {
		k := s.blocks.of[p]
		if k == noBlock || !b.lives(uint32(p)) {
			continue
		}
		x.living[k]++
		if !b.places[p].is(isAnswered) {
			continue
		}
		x.tried[k]++
		for _, v := range s.links(uint32(p)) {
			if s.blocks.of[v] == k && b.lives(v) {
				x.inner[k]++
				break
			}
		}
	}
	return x
}

func (x *annexes) share(h *shares, a, k blockID) float64 {
	if xAnnex == 0 || k == prefixBlock || float64(x.living[k]) < xMin || !h.probed(k) || float64(x.inner[k]) < xInner || x.tried[k] == 0 {
		return 0
	}
	cover := float64(x.linked[pairKey(a, k)]) / float64(x.living[k])
	company, all := 0.0, 0.0
	for key, f := range h.flow {
		if blockID(key>>32) == k {
			to := blockID(key)
			all += float64(f)
			if to == a || h.flow[pairKey(a, to)] > 0 {
				company += float64(f)
			}
		}
	}
	c := 1.0
	if all > 0 {
		c = company / all
	}
	r := xAnnex
	for range int(xCoverP) {
		r *= cover
	}
	for range int(xCompP) {
		r *= c
	}
	return r
}
