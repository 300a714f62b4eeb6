package collection

import (
	"fmt"
	"math/rand/v2"

	"watershed/page"
)

// Synthetic states a web with replicated collections, to measure and test by. It is made of
//
//   - Collections trees of Size pages: page 0 is the entry, page i links to its children, its parent, and Links others;
//   - Replicas copies of each, on a host of its own with Strangers other pages; copy 0 is whole, of the others each page but
//     the entry is left out with probability Missing, and with probability Changed its text is like no other;
//   - Background pages on Background/50 hosts, which link to each other and into the copies, and are like no other.
//
// The same numbers make the same web.
type Synthetic struct {
	Collections, Replicas, Size int
	Links, Strangers            int
	Missing, Changed            float64
	Background                  int
	Seed                        uint64
}

// Planted is a copy that Make put into a web: of each page of the collection its index, or NoCluster where it is missing.
type Planted struct {
	Collection int
	Prefix     string
	Pages      []uint32
}

// Make makes the web. Pages that are alike share a cluster number.
func (s Synthetic) Make() (Input, []Planted) {
	rng := rand.New(rand.NewPCG(s.Seed, 17))
	m := synthesis{Synthetic: s, rng: rng}
	for c := range s.Collections {
		out := m.shape()
		for r := range s.Replicas {
			m.plant(c, r, out)
		}
	}
	m.background()
	in := Input{Pages: m.pages, Clusters: m.clusters, Links: func(add func(from, to uint32) error) error {
		for _, l := range m.links {
			if err := add(l[0], l[1]); err != nil {
				return err
			}
		}
		return nil
	}}
	return in, m.planted
}

type synthesis struct {
	Synthetic
	rng      *rand.Rand
	pages    []Page
	clusters []uint32
	links    [][2]uint32
	planted  []Planted
}

// shape draws the links of a collection: of page i to pages of the same collection.
func (m *synthesis) shape() [][]int {
	const fan = 8
	out := make([][]int, m.Size)
	for i := 1; i < m.Size; i++ {
		parent := (i - 1) / fan
		out[parent] = append(out[parent], i)
		out[i] = append(out[i], parent)
		for range m.Links {
			out[i] = append(out[i], m.rng.IntN(m.Size))
		}
	}
	return out
}

func (m *synthesis) page(u string, cluster uint32) uint32 {
	m.pages = append(m.pages, Page{URL: page.URL(u)})
	m.clusters = append(m.clusters, cluster)
	return uint32(len(m.pages) - 1)
}

func (m *synthesis) plant(c, r int, out [][]int) {
	host := fmt.Sprintf("http://c%dr%d.example/", c, r)
	p := Planted{Collection: c, Prefix: fmt.Sprintf("%sdir%d/", host, m.rng.IntN(1000)), Pages: make([]uint32, m.Size)}
	for i := range p.Pages {
		if r > 0 && i > 0 && m.rng.Float64() < m.Missing {
			p.Pages[i] = NoCluster
			continue
		}
		cluster := uint32(c*m.Size + i)
		if r > 0 && m.rng.Float64() < m.Changed {
			cluster = NoCluster
		}
		p.Pages[i] = m.page(fmt.Sprintf("%s%d/p%d.html", p.Prefix, i/100, i), cluster)
	}
	for i, list := range out {
		for _, j := range list {
			if from, to := p.Pages[i], p.Pages[j]; from != NoCluster && to != NoCluster {
				m.links = append(m.links, [2]uint32{from, to})
			}
		}
	}
	home := p.Pages[0]
	for i := range m.Strangers {
		v := m.page(fmt.Sprintf("%sabout/%d.html", host, i), NoCluster)
		m.links = append(m.links, [2]uint32{v, home})
	}
	m.planted = append(m.planted, p)
}

func (m *synthesis) background() {
	const perHost, degree = 50, 8
	first := uint32(len(m.pages))
	for i := range m.Background {
		m.page(fmt.Sprintf("http://b%d.example/%d.html", i/perHost, i), NoCluster)
	}
	for v := first; v < uint32(len(m.pages)); v++ {
		for range degree {
			m.links = append(m.links, [2]uint32{v, m.rng.Uint32N(uint32(len(m.pages)))})
		}
	}
}
