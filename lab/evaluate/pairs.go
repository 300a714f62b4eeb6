package evaluate

import (
	"fmt"
	"io"
	"os"

	"watershed/lab/collections"
	"watershed/lab/testweb"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/sketch"
)

// The tables call pages near duplicates from this resemblance on, by shingles of so many words.
const (
	nearTruth = 0.8
	nearWidth = 5
	keptNear  = 0.7  // the bound for the sketches that a harvest keeps, between 7/11 and 0.8: see pairs
	keptError = 0.04 // the standard error of a resemblance near 7/11 by the sketches that a harvest keeps
)

// nearPair is a row of neardups.tsv of two pages that are both there.
type nearPair struct {
	a, b  uint32 // in the truth
	sites int    // 0: of one site; 1: of two
	near  bool
}

// nearMethod is a way to tell near duplicates.
type nearMethod struct {
	name string
	near func(p nearPair) (bool, error)
}

// pairs judges near duplicates by the pairs of neardups.tsv, pages of one site and of several
// apart, in two ways.
//
// The sketches that a harvest keeps have shingles of ten words. A change that spoils a part x of
// the shingles of five spoils 2x of these where changes lie apart, so that with 0.8 = (1-x)/(1+x)
// the bound is (1-2x)/(1+2x) = 7/11; where they lie together it is nearer to 0.8, and pairs are
// called alike that are not. By themselves these sketches are asked for 0.7, between the two.
// Between 7/11, less a standard error, and 0.8 they leave open what the table asks, and all shingles
// of both texts decide, as in a harvest.
func (c *Copies) pairs(out io.Writer, truth *collections.Truth, f *catalog.Finding) error {
	list, err := c.nearPairs(truth)
	if err != nil {
		return err
	}
	asked := map[uint32]bool{}
	for _, p := range list {
		asked[p.a], asked[p.b] = true, true
	}
	kept := func(p nearPair) (float64, error) { // the resemblance by a harvest's sketches, -1 for unknown
		a, okA := f.Lookup(truth.Pages[p.a].URL)
		b, okB := f.Lookup(truth.Pages[p.b].URL)
		if !okA || !okB {
			return -1, nil
		}
		return f.Resemblance(a, b)
	}
	const x = (1 - nearTruth) / (1 + nearTruth)
	const least = (1 - 2*x) / (1 + 2*x)
	open := func(r float64) bool { return least-keptError <= r && r < nearTruth }
	read := map[uint32]bool{}
	for _, p := range list {
		r, err := kept(p)
		if err != nil {
			return err
		}
		if open(r) {
			read[p.a], read[p.b] = true, true
		}
	}
	whole, err := c.shingles(truth, read)
	if err != nil {
		return err
	}
	for _, m := range []nearMethod{
		{fmt.Sprintf("shingles of 10 words, resemblance %g", keptNear), func(p nearPair) (bool, error) {
			r, err := kept(p)
			return r >= keptNear, err
		}},
		{fmt.Sprintf("the same, and by the texts where these leave it open, those of %d of %d pages",
			len(read), len(asked)), func(p nearPair) (bool, error) {
			r, err := kept(p)
			if err != nil || !open(r) {
				return r >= nearTruth, err
			}
			e, err := sketch.Resemblance(whole[p.a], whole[p.b])
			return e.Value >= nearTruth, err
		}},
	} {
		if err := m.tell(out, list); err != nil {
			return err
		}
	}
	return nil
}

// tell prints the precision and the recall of a way.
func (m *nearMethod) tell(out io.Writer, list []nearPair) error {
	var tally [2]struct{ right, wrong, missed int }
	for _, p := range list {
		said, err := m.near(p)
		if err != nil {
			return err
		}
		switch t := &tally[p.sites]; {
		case said && p.near:
			t.right++
		case said:
			t.wrong++
		case p.near:
			t.missed++
		}
	}
	for i, name := range []string{"of one site", "of two sites"} {
		t := &tally[i]
		_, err := fmt.Fprintf(out, "near duplicates, %s: precision %.4f, recall %.4f of %d pairs, by %s\n",
			name, part(t.right, t.right+t.wrong), part(t.right, t.right+t.missed), t.right+t.missed, m.name)
		if err != nil {
			return err
		}
	}
	return nil
}

// nearPairs reads neardups.tsv.
func (c *Copies) nearPairs(truth *collections.Truth) (list []nearPair, err error) {
	sites, err := c.sites()
	if err != nil {
		return nil, err
	}
	err = testweb.Rows(os.DirFS(c.Truth), "neardups.tsv", 4, func(r []string) error {
		a, okA := truth.Number(page.URL(r[0]))
		b, okB := truth.Number(page.URL(r[1]))
		if !okA || !okB {
			return nil
		}
		p := nearPair{a: a, b: b, near: r[3] == "identical" || r[3] == "equivalent" || r[3] == "near"}
		if sites[r[0]] != sites[r[1]] {
			p.sites = 1
		}
		list = append(list, p)
		return nil
	})
	return list, err
}

// shingles are all those of some pages, of the table's width; a page without text has none.
func (c *Copies) shingles(truth *collections.Truth, of map[uint32]bool) (map[uint32]*sketch.Sketch, error) {
	b, err := sketch.NewBuilder(sketch.Options{Width: nearWidth, Size: sketch.MaxValues})
	if err != nil {
		return nil, err
	}
	list := make(map[uint32]*sketch.Sketch, len(of))
	empty := b.Sketch()
	for p := range of {
		list[p] = &empty
	}
	asked := func(p uint32) bool { return of[p] }
	return list, truth.Texts(os.DirFS(c.Truth), asked, b.Text, func(p uint32, _ []byte, _ []page.Link) error {
		s := b.Sketch()
		list[p] = &s
		return nil
	})
}
