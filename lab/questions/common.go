package questions

import (
	"cmp"
	"slices"

	"watershed/page"
)

// Common is a shingle that says nothing of the documents that have it, and is left out of every
// comparison: one that more documents have than cluster.Options.MaxDocuments. Source: section 5.1.
type Common struct {
	Shingle   uint64
	Documents int      // different texts that have it
	URL       page.URL // of a document that has it
}

// Common lists the shingles that are left out of comparisons, the most common first, at most so
// many, each with a document that has it.
func (c *Collection) Common(limit int) []Common {
	example := map[uint64]page.URL{}
	for _, d := range slices.Backward(c.docs) {
		for _, s := range d.all {
			if c.common[s] > 0 {
				example[s] = d.URL
			}
		}
	}
	var list []Common
	for s, n := range c.common {
		list = append(list, Common{s, n, example[s]})
	}
	slices.SortFunc(list, func(a, b Common) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Shingle, b.Shingle))
	})
	return list[:min(len(list), limit)]
}

// Wide is a text that many hosts have.
type Wide struct {
	Cluster          uint32
	Hosts, Documents int
	URL              page.URL // of its representative
}

// Wide lists the texts that at least so many hosts have now, most hosts first, limit at most; parts
// of pages are no texts. Documents of pages that changed or went since do not count. Source:
// section 6.4.
func (c *Collection) Wide(hosts, limit int) []Wide {
	var list []Wide
	for i, members := range c.clusters {
		w := Wide{Cluster: uint32(i + 1)}
		seen := map[uint64]bool{}
		for _, d := range members {
			if members[0].Part || !c.isCurrent(d) {
				continue
			}
			if w.Documents++; w.Documents == 1 {
				w.URL = d.URL
			}
			seen[d.Host] = true
		}
		if w.Hosts = len(seen); w.Hosts >= max(hosts, 1) {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b Wide) int {
		return cmp.Or(cmp.Compare(b.Hosts, a.Hosts), cmp.Compare(b.Documents, a.Documents),
			cmp.Compare(a.Cluster, b.Cluster))
	})
	return list[:min(len(list), max(limit, 0))]
}
