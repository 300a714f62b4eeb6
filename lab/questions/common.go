package questions

import (
	"cmp"
	"slices"

	"watershed/page"
)

// Common is a shingle that says nothing of the documents that have it, and is left out of every
// comparison: one that more documents have than cluster.Options.MaxDocuments, or one of the
// template of a host, by catalog.Options.MainText. Source: section 5.1.
type Common struct {
	Host      page.Host // whose template it is of; "" for one that is common everywhere
	Shingle   uint64
	Documents int      // different texts that have it
	Of        int      // different texts of the host; 0 for one that is common everywhere
	URL       page.URL // of a document that has it
}

// leastTemplate is the number of texts of a host below which nothing is called its template, as the
// catalog has it.
const leastTemplate = 8

// leaveTemplates takes out of the documents of a sweep the shingles that more than a share of their
// host's texts have, and lists them. Copies of one text on a host count once.
func leaveTemplates(docs []*Document, share float64) (list []Common) {
	type text struct{ host, lexical uint64 }
	of := map[page.Host]map[uint64]*Common{}
	texts := map[page.Host]int{}
	seen := map[text]bool{}
	for _, d := range docs {
		if t := (text{d.Host, d.Lexical}); !d.Gone && !d.Part && d.Lexical != 0 && !seen[t] {
			seen[t] = true
			host := d.URL.Host()
			if of[host] == nil {
				of[host] = map[uint64]*Common{}
			}
			texts[host]++
			for _, s := range d.Shingles {
				if of[host][s] == nil {
					of[host][s] = &Common{Host: host, Shingle: s, URL: d.URL}
				}
				of[host][s].Documents++
			}
		}
	}
	for host, shingles := range of {
		for s, x := range shingles {
			x.Of = texts[host]
			if x.Of < leastTemplate || float64(x.Documents) <= max(2, share*float64(x.Of)) {
				delete(shingles, s)
				continue
			}
			list = append(list, *x)
		}
	}
	for _, d := range docs {
		if template := of[d.URL.Host()]; len(template) > 0 {
			d.Shingles = slices.DeleteFunc(slices.Clone(d.Shingles), func(s uint64) bool {
				return template[s] != nil
			})
		}
	}
	return list
}

// Common lists the shingles that are left out of comparisons, the most common first, at most so
// many of all hosts and so many of templates, each with a document that has it.
func (c *Collection) Common(limit int) []Common {
	example := map[uint64]page.URL{}
	for _, d := range slices.Backward(c.docs) {
		for _, s := range d.all {
			if c.common[s] > 0 {
				example[s] = d.URL
			}
		}
	}
	var everywhere []Common
	for s, n := range c.common {
		everywhere = append(everywhere, Common{Shingle: s, Documents: n, URL: example[s]})
	}
	byDocuments := func(a, b Common) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Host, b.Host),
			cmp.Compare(a.Shingle, b.Shingle))
	}
	hosts := slices.Clone(c.hosts)
	slices.SortFunc(everywhere, byDocuments)
	slices.SortFunc(hosts, byDocuments)
	return append(everywhere[:min(len(everywhere), limit)], hosts[:min(len(hosts), limit)]...)
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
