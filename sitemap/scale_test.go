package sitemap

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/flow"
	"watershed/graph"
	"watershed/page"
)

// drawSurvey crawls a random web for one site, perhaps not to the end.
func drawSurvey(t *rapid.T) *Survey {
	site := Site{
		Name: "site", Seeds: []page.URL{drawnSeed},
		MaxPages: rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "most"),
	}
	if rapid.Bool().Draw(t, "rules") {
		site.Include = []page.Rule{must(page.ParseRule("prefix:http://h1.example/d0/p1"))}
		site.Exclude = []page.Rule{must(page.ParseRule("url:http://h0.example/d0/p2"))}
	}
	s, err := NewSurvey([]Site{site}, drawOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	drawWeb(t).crawl(s)
	return s
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestScalesAreTheCutsAtEveryAlpha solves the frozen network anew at both ends of every scale and
// in between.
func TestScalesAreTheCutsAtEveryAlpha(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSurvey(t).sites[0]
		settled := settle(s.book, false)
		f := settled.family()
		own := s.opts.Toll()
		for i, x := range f.plateaus {
			if i > 0 && x.Most != f.plateaus[i-1].Least-1 || x.Least > x.Most ||
				(x.Least <= own && own <= x.Most) != (i == f.own) {
				t.Fatalf("scale %d of %+v, own %d of toll %d", i, f.plateaus, f.own, own)
			}
			for _, toll := range []int64{x.Least, (x.Least + x.Most) / 2, x.Most} {
				side := settled.cutAt(toll)
				for p := range s.places {
					want := settled.vertex[p] != none && side[settled.vertex[p]]
					if got := f.ranks[p] <= uint32(i); got != want {
						t.Fatalf("toll %d: %s inside %v, at scale %d of the family %v", toll,
							s.web.text(s.places[p].id), want, i, got)
					}
				}
			}
		}
		if f.plateaus[0].Most < graph.Fixed(mostAlpha*foreignFactor) ||
			f.plateaus[len(f.plateaus)-1].Least > graph.Fixed(leastAlpha*foreignFactor) {
			t.Fatalf("range %+v", f.plateaus)
		}
	})
}

// cutAt is the smallest source side at one toll, from the definition: nothing is shared with family
// but the arcs.
func (s *settlement) cutAt(toll int64) []bool {
	b, o := s.book, s.book.opts
	n := flow.New()
	n.AddVertices(s.net.Len())
	for v, p := range s.pages {
		pl, u := b.places[p], graph.ID(v)
		pays := toll
		source := int64(0)
		if pl.is(inPrefix) {
			source, pays = graph.Fixed(o.Soft), 0
		}
		if pl.is(inCluster) && !o.NoClusters {
			source += graph.Fixed(o.ClusterSource)
		}
		n.SetSink(u, pays)
		n.SetSource(u, source)
		if pl.is(isSeed) {
			n.SetSource(u, flow.Infinite)
		}
	}
	for id := range s.net.Arcs() {
		from, a := s.net.Arc(flow.ArcID(id))
		n.AddArc(from, a)
	}
	n.Solve()
	side := make([]bool, n.Len())
	for _, u := range n.Side() {
		side[u] = true
	}
	return side
}

// TestMapAtAnotherScale checks nestedness, the counts of Scales, requisites against a search of
// their own, and that a map that was written and read gives the same.
func TestMapAtAnotherScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSurvey(t)
		m, _ := s.Map("site")
		var b bytes.Buffer
		if err := m.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		read := must(ReadMap(&b))
		var before []string
		for i, sc := range m.Scales {
			at := must(m.At(math.Sqrt(sc.Least * min(sc.Most, 2*sc.Least))))
			if i == m.Scale && at != m {
				t.Fatal("the map's own scale is another map")
			}
			in := members(at)
			pages, known := 0, 0
			for _, x := range at.Members.All() {
				pages++
				known += b2i(x.State == "known")
			}
			if pages != sc.Pages || known != sc.Known {
				t.Fatalf("%d pages, %d known, in scale %+v", pages, known, sc)
			}
			for _, u := range before {
				if _, ok := slices.BinarySearch(in, u); !ok {
					t.Fatalf("scale %d leaves out %s", i, u)
				}
			}
			before = in
			checkRequisites(t, s, at)
			again := must(read.At(sc.Least))
			if d := cmp.Diff(at, again, cmpopts.IgnoreUnexported(Map{}), cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(Map{}, "Certificate")); d != "" {
				t.Fatalf("a map that was written: %s", d)
			}
			for j, block := range at.Blocks {
				n := 0
				for _, x := range at.Members.All() {
					n += b2i(x.Block == j && x.State != "redirect")
				}
				if n != block.Inside {
					t.Fatalf("block %s has %d pages inside, says %d", block.Name, n, block.Inside)
				}
			}
		}
	})
}

// TestScalesKeepThePrefix: a narrower boundary has the pages of the prefix that a harvest has which is told
// its α.
func TestScalesKeepThePrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSurvey(t)
		m := must(s.Map("site"))
		for i := range m.Scale {
			alpha := math.Sqrt(m.Scales[i].Least * m.Scales[i].Most)
			if err := s.Rescale("site", alpha); err != nil {
				t.Fatal(err)
			}
			told, drawn := ofPrefix(must(m.At(alpha))), ofPrefix(must(s.Map("site")))
			if d := cmp.Diff(drawn, told); d != "" {
				t.Fatalf("at α = %g, scale %d of %+v (-drawn +told): %s", alpha, i, m.Scales, d)
			}
		}
	})
}

// ofPrefix are the pages that belong by where they lie.
func ofPrefix(m *Map) (list []page.URL) {
	for _, x := range m.Members.All() {
		if x.Why == WhyPrefix {
			list = append(list, x.URL)
		}
	}
	return list
}

// checkRequisites follows the parts of the members.
func checkRequisites(t *rapid.T, s *Survey, m *Map) {
	b := s.sites[0]
	in := map[page.URL]bool{}
	var queue []graph.ID
	for _, x := range m.Members.All() {
		in[x.URL] = true
		queue = append(queue, s.web.links.parts(s.web.find(x.URL))...)
	}
	seen := map[graph.ID]bool{}
	var want, got []page.URL
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		if p := b.find(id); p != none && b.places[p].is(isRequisite) && !b.places[p].is(isExcluded) &&
			!in[s.web.text(id)] {
			want = append(want, s.web.text(id))
		}
		queue = append(queue, s.web.links.parts(id)...)
		if s.web.state[id] == moved {
			queue = append(queue, s.web.links.pages(id)...)
		}
	}
	for _, x := range m.Requisites {
		got = append(got, x.URL)
	}
	slices.Sort(want)
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("requisites at scale %d: %s", m.Scale, d)
	}
}
