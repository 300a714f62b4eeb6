package acceptance

import (
	"os"
	"slices"

	"watershed/lab/collections"
	"watershed/page"
	"watershed/replica/sketch"
)

// maxCommon is the number of pages above which what they have in common tells nothing: Broder and
// others, Syntactic clustering of the web, 1997, section 5.1.
const maxCommon = 1000

// likeness is a way to tell similar pages.
type likeness struct {
	name  string
	chunk collections.Chunking
	least float64 // resemblance of sketches; 0 for chunks
}

// likenesses are those of Cho, Shivakumar and Garcia-Molina, Finding replicated web collections,
// 2000, section 5.1 with Figure 11, and resemblances of sketches.
var likenesses = []likeness{
	{name: "same text", chunk: collections.WholeDocument},
	{name: "two lines, T = 25", chunk: collections.TwoLines},
	{name: "four lines, T = 15", chunk: collections.FourLines},
	{name: "resemblance .95", least: .95},
	{name: "resemblance .8", least: .8},
	{name: "resemblance .5", least: .5},
}

// texts are the pages of a web as text, by their numbers in the truth.
type texts struct {
	whole    []uint64
	chunks   map[collections.Chunking][][]uint64 // distinct, of each page
	sketches []sketch.Sketch
}

// readTexts reads pages of a truth, one after the other. Memory is some 2 KiB a page.
func readTexts(truth *collections.Truth, dir string, of []bool) (*texts, error) {
	n := len(truth.Pages)
	t := &texts{
		whole: make([]uint64, n), sketches: make([]sketch.Sketch, n),
		chunks: map[collections.Chunking][][]uint64{},
	}
	cutters := map[collections.Chunking]*collections.Chunker{}
	for _, c := range []collections.Chunking{collections.TwoLines, collections.FourLines} {
		cutter, err := collections.NewChunker(collections.ChunkOptions{Chunking: c})
		if err != nil {
			return nil, err
		}
		cutters[c], t.chunks[c] = cutter, make([][]uint64, n)
	}
	builder, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		return nil, err
	}
	take := func(piece []byte) {
		builder.Text(piece)
		for _, c := range cutters {
			c.Text(piece)
		}
	}
	asked := func(p uint32) bool { return of[p] }
	return t, truth.Texts(os.DirFS(dir), asked, take, func(p uint32, _ []byte, _ []page.Link) error {
		t.sketches[p] = builder.Sketch()
		for k, c := range cutters {
			f := c.Page()
			slices.Sort(f.Chunks)
			t.whole[p], t.chunks[k][p] = f.Whole, slices.Compact(f.Chunks)
		}
		return nil
	})
}

// features are what pages are looked up by.
func (t *texts) features(l likeness, p uint32) []uint64 {
	switch {
	case l.least > 0:
		return t.sketches[p].Values
	case l.chunk == collections.WholeDocument:
		return nil
	}
	return t.chunks[l.chunk][p]
}

// similar reports that two pages with so many features in common are similar.
func (t *texts) similar(l likeness, p, q uint32, common int) bool {
	switch {
	case t.same(p, q):
		return true
	case l.least > 0:
		// the resemblance is common/most at most, or it is estimated
		most := max(len(t.sketches[p].Values), len(t.sketches[q].Values))
		return float64(common) >= l.least*float64(most)/2 && t.resemblance(p, q) >= l.least
	}
	return l.chunk != collections.WholeDocument && common > l.chunk.Threshold()
}

func (t *texts) same(p, q uint32) bool { return t.whole[p] != 0 && t.whole[p] == t.whole[q] }

func (t *texts) resemblance(p, q uint32) float64 {
	if t.same(p, q) {
		return 1
	}
	e, err := sketch.Resemblance(&t.sketches[p], &t.sketches[q])
	if err != nil {
		return 0 // made in one way, so that this is a page without text
	}
	return e.Value
}

// held are pages that a run fetched, to be looked up by what they have in common with others.
type held struct {
	*texts
	by       likeness
	postings map[uint64][]uint32
	whole    map[uint64][]uint32
	common   map[uint32]int // of the page that was asked for last
}

func (t *texts) hold(by likeness, pages []uint32) *held {
	h := &held{
		texts: t, by: by, postings: map[uint64][]uint32{}, whole: map[uint64][]uint32{},
		common: map[uint32]int{},
	}
	for _, p := range pages {
		for _, f := range t.features(by, p) {
			h.postings[f] = append(h.postings[f], p)
		}
		if w := t.whole[p]; w != 0 {
			h.whole[w] = append(h.whole[w], p)
		}
	}
	return h
}

// partners are the pages held, other than p, that are similar to it.
func (h *held) partners(p uint32) []uint32 {
	clear(h.common)
	for _, f := range h.features(h.by, p) {
		if list := h.postings[f]; len(list) <= maxCommon {
			for _, q := range list {
				h.common[q]++
			}
		}
	}
	if w := h.texts.whole[p]; w != 0 {
		for _, q := range h.whole[w] {
			h.common[q]++
		}
	}
	var list []uint32
	for q, n := range h.common {
		if q != p && h.similar(h.by, p, q, n) {
			list = append(list, q)
		}
	}
	slices.Sort(list)
	return list
}
