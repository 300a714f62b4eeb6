package sitemap

import (
	"slices"
	"testing"

	"watershed/page"
)

// vouched is a mechanism that proves that each block of a host belongs.
type vouched struct {
	witness
	host page.Host
}

func (v vouched) evidence(s *settlement) []float64 {
	list := make([]float64, len(s.blocks.list))
	for k := range s.blocks.list {
		if d := s.blocks.list[k].dir; d != noDir && s.book.web.dirs.host(d) == v.host {
			list[k] = 1
		}
	}
	return list
}

func (v vouched) explain(s *settlement, k blockID, _ *Block) string {
	if s.shares.proof(v, k) == 1 {
		return "somebody vouches for it"
	}
	return ""
}

// TestANewMechanism: one that is added to the list decides over blocks and explains them, and
// without it all is as before.
func TestANewMechanism(t *testing.T) {
	w := parseWeb(t, twoHosts)
	for _, added := range []bool{false, true} {
		s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://www.site.example/"}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b := s.sites[0]; added {
			b.list = append(b.list, vouched{host: "stranger.example"})
		}
		w.crawl(s)
		m, err := s.Map("site")
		if err != nil {
			t.Fatal(err)
		}
		is := m.Members.Has("http://stranger.example/x")
		says := slices.ContainsFunc(m.Blocks, func(x Block) bool {
			return x.Why == "somebody vouches for it"
		})
		if is != added || says != added {
			t.Errorf("added %v: the page is inside %v, and told %v", added, is, says)
		}
	}
}

// TestOptionsLeaveMechanismsOut counts the list, with one mechanism turned off at a time.
func TestOptionsLeaveMechanismsOut(t *testing.T) {
	count := func(o Options) int {
		s, err := NewSurvey([]Site{{Name: "site", Seeds: []page.URL{"http://a.example/"}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		return len(s.sites[0].list)
	}
	all := count(Options{})
	for _, c := range []struct {
		name string
		o    Options
		less int
	}{
		{"wards", Options{WardSample: -1}, 1},
		{"lean, without which flat hosts are not divided", Options{Lean: -1}, 1},
		{"clusters, of which flat hosts are made", Options{NoClusters: true}, 2},
		{"lists", Options{ListSample: -1}, 1},
		{"documents", Options{Documents: -1}, 1},
		{"kinship", Options{Kinship: -1}, 1},
	} {
		if n := count(c.o); n != all-c.less {
			t.Errorf("without %s: %d mechanisms of %d", c.name, n, all)
		}
	}
}
