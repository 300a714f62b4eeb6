package collectionbench

import (
	"cmp"
	"slices"

	"watershed/internal/disjoint"
	"watershed/lab/sketchbench"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

const (
	// documents of a feature, above which it tells nothing (Broder et al., 1997, section 5.1)
	maxCommon = 1000
	// pages with a feature in common that are compared with each other, in order of their numbers
	reach = 8
)

// cluster joins pages whose sketches resemble each other from a threshold on, transitively.
// Candidates share a feature; of many pages with one feature, neighbours in the order of numbers
// are compared. It is enough to measure by; the crawler's clusters come from elsewhere.
func cluster(sketches []sketch.Sketch, at float64) []uint32 {
	type posting struct {
		feature uint64
		page    uint32
	}
	var list []posting
	sets := disjoint.New[uint32](len(sketches))
	for p := range sketches {
		for _, f := range sketches[p].Values {
			list = append(list, posting{f, uint32(p)})
		}
	}
	slices.SortFunc(list, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.feature, b.feature), cmp.Compare(a.page, b.page))
	})
	unlike := make(map[[2]uint32]bool)
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].feature == list[0].feature {
			n++
		}
		run := list[:n]
		list = list[n:]
		if n > maxCommon {
			continue
		}
		for i, a := range run {
			for _, b := range run[i+1 : min(n, i+1+reach)] {
				pair := [2]uint32{a.page, b.page}
				if unlike[pair] || sets.Find(a.page) == sets.Find(b.page) {
					continue
				}
				e, err := sketchbench.MinResemblance(&sketches[a.page], &sketches[b.page])
				if err != nil || e.Value < at || !e.Sufficient() {
					unlike[pair] = true
					continue
				}
				sets.Union(a.page, b.page)
			}
		}
	}
	clusters := make([]uint32, len(sketches))
	for p := range clusters {
		if clusters[p] = sets.Find(uint32(p)); sketches[p].Empty() {
			clusters[p] = collection.NoCluster
		}
	}
	return clusters
}
