// Package planted makes webs with replicated collections, to measure and test by.
package planted

import (
	"fmt"
	"math/rand/v2"

	"watershed/page"
)

// Spec states a web with replicated collections. It is made of
//
//   - Collections trees of Size pages: page 0 is the entry, page i links to its children, its
//     parent, and Links others;
//   - Replicas copies of each, on a host of its own with Strangers other pages; copy 0 is whole, of
//     the others each page but the entry is left out with probability Missing, and with probability
//     Changed its text is like no other;
//   - Background pages on Background/50 hosts, which link to each other and into the copies, and
//     are like no other.
//
// The same numbers make the same web.
type Spec struct {
	Collections, Replicas, Size int
	Links, Strangers            int
	Missing, Changed            float64
	Background                  int
	Seed                        uint64
}

// Copy is one that Make put into a web: of each page of the collection its index, or None where it
// is missing.
type Copy struct {
	Collection int
	Prefix     string
	Pages      []uint32
}

// Make makes the web.
func (s Spec) Make() *Web {
	rng := rand.New(rand.NewPCG(s.Seed, 17))
	m := synthesis{Spec: s, rng: rng, Web: &Web{}}
	for c := range s.Collections {
		out := m.shape()
		for r := range s.Replicas {
			m.plant(c, r, out)
		}
	}
	m.background()
	return m.Web
}

// None is the cluster of a page that is like no other, and the number of one that is missing.
const None = ^uint32(0)

// Web is what Make made.
type Web struct {
	Pages    []page.URL
	Clusters []uint32 // of each page: pages that are alike share a number
	Links    [][2]uint32
	Copies   []Copy
}

// EachLink hands every link to add.
func (w *Web) EachLink(add func(from, to uint32) error) error {
	for _, l := range w.Links {
		if err := add(l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}

type synthesis struct {
	Spec
	*Web
	rng *rand.Rand
}

// shape draws the links of a collection: of page i to pages of the same collection.
func (m *synthesis) shape() [][]int {
	const fan = 8
	out := make([][]int, m.Size)
	for i := 1; i < m.Size; i++ {
		parent := (i - 1) / fan
		out[parent] = append(out[parent], i)
		out[i] = append(out[i], parent)
		for range m.Spec.Links {
			out[i] = append(out[i], m.rng.IntN(m.Size))
		}
	}
	return out
}

func (m *synthesis) page(u string, cluster uint32) uint32 {
	m.Pages = append(m.Pages, page.URL(u))
	m.Clusters = append(m.Clusters, cluster)
	return uint32(len(m.Pages) - 1)
}

func (m *synthesis) plant(c, r int, out [][]int) {
	host := fmt.Sprintf("http://c%dr%d.example/", c, r)
	p := Copy{
		Collection: c, Prefix: fmt.Sprintf("%sdir%d/", host, m.rng.IntN(1000)),
		Pages: make([]uint32, m.Size),
	}
	for i := range p.Pages {
		if r > 0 && i > 0 && m.rng.Float64() < m.Missing {
			p.Pages[i] = None
			continue
		}
		cluster := uint32(c*m.Size + i)
		if r > 0 && m.rng.Float64() < m.Changed {
			cluster = None
		}
		p.Pages[i] = m.page(fmt.Sprintf("%s%d/p%d.html", p.Prefix, i/100, i), cluster)
	}
	for i, list := range out {
		for _, j := range list {
			if from, to := p.Pages[i], p.Pages[j]; from != None && to != None {
				m.Web.Links = append(m.Web.Links, [2]uint32{from, to})
			}
		}
	}
	home := p.Pages[0]
	for i := range m.Strangers {
		v := m.page(fmt.Sprintf("%sabout/%d.html", host, i), None)
		m.Web.Links = append(m.Web.Links, [2]uint32{v, home})
	}
	m.Copies = append(m.Copies, p)
}

func (m *synthesis) background() {
	const perHost, degree = 50, 8
	first := uint32(len(m.Pages))
	for i := range m.Background {
		m.page(fmt.Sprintf("http://b%d.example/%d.html", i/perHost, i), None)
	}
	for v := first; v < uint32(len(m.Pages)); v++ {
		for range degree {
			m.Web.Links = append(m.Web.Links, [2]uint32{v, m.rng.Uint32N(uint32(len(m.Pages)))})
		}
	}
}
