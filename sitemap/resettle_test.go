package sitemap

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"watershed/graph"
	"watershed/page"
)

// TestSettlementsLearn lets a survey take in a random web, with pages that fail, redirect, are
// dropped, copies of others, visited before they are asked for, and change later. After every few
// events, the settlement that was brought up to date must tell the same as one computed from
// nothing.
func TestSettlementsLearn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWeb(t), drawOptions(t)
		o.Probes = rapid.SampledFrom([]int{0, 1}).Draw(t, "probes")
		o.Bundle = rapid.SampledFrom([]float64{0, 1, 1.5}).Draw(t, "bundle")
		o.AnchorMass = rapid.SampledFrom([]float64{0, 0.51}).Draw(t, "mass")
		o.Prior = rapid.SampledFrom([]float64{0, -1}).Draw(t, "prior")
		o.StrangerPrior = rapid.SampledFrom([]float64{0, -1}).Draw(t, "stranger prior")
		site := Site{Name: "one", Seeds: []page.URL{drawSeed(t)}}
		if rapid.Bool().Draw(t, "rules") {
			site.Exclude = []page.Rule{mustRule(t, "url:http://h0.example/d0/p1")}
			site.Include = []page.Rule{mustRule(t, "prefix:http://h1.example/d1/")}
		}
		s, err := NewSurvey([]Site{site}, o)
		if err != nil {
			t.Fatal(err)
		}
		b := s.sites[0]
		urls := slices.Sorted(maps.Keys(w))
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			u := rapid.SampledFrom(urls).Draw(t, "url")
			if open := s.Open(); len(open) > 0 && rapid.IntRange(0, 5).Draw(t, "asked") > 0 {
				u = rapid.SampledFrom(open).Draw(t, "open").URL
			}
			switch rapid.IntRange(0, 19).Draw(t, "event") {
			case 0:
				s.Drop(u, "robots")
			case 1:
				s.Learn(&page.Visit{URL: u, Status: page.StatusTimeout})
			case 2:
				v := *w.visit(u)
				v.Links = v.Links[len(v.Links)/2:]
				v.Digest = page.SumDigest([]byte{byte(rapid.IntRange(0, 9).Draw(t, "payload"))})
				s.Learn(&v)
			case 3:
				r := mustRule(t, rapid.SampledFrom([]string{"url:", "prefix:"}).Draw(t, "kind")+string(u))
				if rapid.IntRange(0, 2).Draw(t, "unpin") == 0 && len(b.pins) > 0 {
					err = s.Unpin("one", b.pins[0].rule)
				} else {
					err = s.Pin("one", r, rapid.Bool().Draw(t, "inside"))
				}
				if err != nil {
					t.Fatal(err)
				}
			case 4:
				decide(t, s, u)
			default:
				s.Learn(w.visit(u))
			}
			if rapid.Bool().Draw(t, "settle") {
				compareSettlements(t, b, rapid.Bool().Draw(t, "anchors"))
			}
		}
		compareSettlements(t, b, true)
	})
}

// decide makes one of the archivist's decisions but to pin.
func decide(t *rapid.T, s *Survey, u page.URL) {
	b := s.sites[0]
	r := mustRule(t, rapid.SampledFrom([]string{"url:", "prefix:"}).Draw(t, "kind")+string(u))
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "decision") {
	case 0:
		err = s.PinSoftly("one", r)
	case 1:
		err = s.Rescale("one", rapid.SampledFrom([]float64{0, 0.001, 0.1, 1}).Draw(t, "alpha"))
	case 2:
		if len(b.Site.Exclude) > 0 {
			r = rapid.SampledFrom(b.Site.Exclude).Draw(t, "readmitted")
		}
		err = s.Readmit("one", r)
	default:
		err = s.Exclude("one", r)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range s.Wants() {
		if b.excluded(w.URL) {
			t.Fatalf("%s is wanted and excluded", w.URL)
		}
	}
}

// compareSettlements settles a boundary from what was settled last and from nothing.
func compareSettlements(t *rapid.T, b *boundary, drawAnchors bool) {
	anchors := maps.Clone(b.anchors)
	met, fresh := len(b.news.met), len(b.news.fresh)
	cold := settle(b.book, drawAnchors)
	drawn := maps.Clone(b.anchors)
	b.anchors = anchors
	if met != len(b.news.met) || fresh != len(b.news.fresh) {
		t.Fatal("a settlement from nothing took news away")
	}
	warm := b.resettle(drawAnchors)
	if d := cmp.Diff(drawn, b.anchors, cmpopts.EquateEmpty(), cmp.AllowUnexported(anchor{})); d != "" {
		t.Fatalf("anchors (-cold +warm):\n%s", d)
	}
	if d := cmp.Diff(told(cold), told(warm)); d != "" {
		t.Fatalf("%d places, %d joined (-cold +warm):\n%s", len(b.places), b.joined, d)
	}
	if err := warm.net.Certify(); err != nil {
		t.Fatal(err)
	}
	into := maps.Clone(b.folds.into)
	b.folds.stale = true
	b.folds.draw()
	if d := cmp.Diff(b.folds.into, into, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("copies (-cold +warm):\n%s", d)
	}
	known, members, asked, open, joined := 0, 0, 0, 0, 0
	for p := range b.places {
		pl := &b.places[p]
		asked += b2i(pl.is(isAsked))
		open += b2i(pl.is(isAsked) && !pl.is(isAnswered))
		joined += b2i(pl.is(isAsked) && pl.is(isAnswered))
		known += b2i(b.counts(uint32(p)))
		members += b2i(b.belongs(uint32(p)))
	}
	if known != b.known || members != b.members {
		t.Fatalf("%d places are known and %d belong, counted as %d and %d", known, members,
			b.known, b.members)
	}
	if asked != b.asked || open != b.open || joined != b.joined {
		t.Fatalf("%d places were asked for, %d are open and %d joined, counted as %d, %d, %d", asked, open,
			joined, b.asked, b.open, b.joined)
	}
}

// told writes down all that counts of a settlement, by names.
func told(s *settlement) map[string]string {
	all := make(map[string]string)
	pair := func(key uint64) string {
		return s.blockName(blockID(key>>32)) + " to " + s.blockName(blockID(key))
	}
	for key, f := range s.shares.flow {
		all["flow "+pair(key)] = fmt.Sprint(f)
	}
	for key, x := range s.shares.x {
		all["capacity "+pair(key)] = fmt.Sprint(x)
	}
	for k, l := range s.blocks.list {
		if l.known > 0 {
			name := s.blockName(blockID(k))
			all["block "+name] = fmt.Sprint(l.known, l.fetched, s.shares.in[k], s.shares.out[k],
				s.shares.kin[k], s.live[k])
		}
	}
	for p := range s.book.places {
		u, p := string(s.book.web.text(s.book.places[p].id)), uint32(p)
		all["links "+u] = fmt.Sprint(s.links(p))
		if k := s.blocks.of[p]; k != noBlock {
			all["place "+u] = fmt.Sprint(s.blockName(k), s.inside(p), s.vertex[p] != none)
			for k := range s.blocks.list {
				if n := s.shares.count.pages(p, blockID(k)); n > 0 {
					all["pages that link to "+u+" of "+s.blockName(blockID(k))] = fmt.Sprint(n)
				}
			}
		}
	}
	for i, c := range s.candidates() {
		all[fmt.Sprint("candidate ", i)] = fmt.Sprint(c)
	}
	all["value"] = fmt.Sprint(s.net.Value(), s.net.Cut().Value())
	all["sigma"] = fmt.Sprint(s.sample.rms(s.book))
	all["moved anchors"] = fmt.Sprint(s.anchors.moved(s.book))
	return all
}

// TestTallyCounts compares a tally with a map.
func TestTallyCounts(t *testing.T) {
	type key struct {
		place uint32
		block blockID
	}
	rapid.Check(t, func(t *rapid.T) {
		var got tally
		got.grow(3)
		want := make(map[key]uint32)
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			k := key{
				uint32(rapid.IntRange(0, 2).Draw(t, "place")),
				blockID(rapid.IntRange(0, 4).Draw(t, "block")),
			}
			switch n := rapid.IntRange(0, 9).Draw(t, "what"); {
			case n == 0:
				cleared := make(map[key]uint32)
				got.clear(k.place, func(f fromBlock) { cleared[key{k.place, f.block}] = f.pages })
				for x, pages := range want {
					if x.place == k.place {
						if cleared[x] != pages {
							t.Fatalf("cleared %v, want %d of %v", cleared, pages, x)
						}
						delete(want, x)
					}
				}
			case n < 6:
				want[k]++
				if n := got.add(k.place, k.block); n != want[k] {
					t.Fatalf("add gives %d, want %d", n, want[k])
				}
			case want[k] > 0:
				if want[k]--; want[k] == 0 {
					delete(want, k)
				}
				if n := got.remove(k.place, k.block); n != want[k] {
					t.Fatalf("remove gives %d, want %d", n, want[k])
				}
			}
			for place := range uint32(3) {
				for block := range blockID(5) {
					if n := got.pages(place, block); n != want[key{place, block}] {
						t.Fatalf("%d pages of block %d link to %d, want %d", n, block, place,
							want[key{place, block}])
					}
				}
			}
		}
	})
}

func TestCoarseIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(0, 1000*graph.Unit).Draw(t, "capacity")
		c := coarse(x)
		if d := max(c-x, x-c); d*128 > x || coarse(c) != c || x > 0 && c == 0 {
			t.Fatalf("coarse(%d) = %d", x, c)
		}
	})
}

// TestManyCopies answers pages of one payload: to fold them costs bytes in proportion to them.
func TestManyCopies(t *testing.T) {
	const pages = 4000
	links := make([]page.Link, pages)
	for i := range links { // the letters in another case each
		name := []byte("abcdefghijkl")
		for bit := range name {
			name[bit] ^= byte(i >> bit & 1 << 5)
		}
		links[i] = page.Link{URL: page.URL("http://a.example/" + string(name)), Kind: page.Navigation}
	}
	s, err := NewSurvey([]Site{{Name: "a", Seeds: []page.URL{"http://a.example/"}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Learn(&page.Visit{URL: "http://a.example/", Status: 200, MIME: "text/html", Links: links})
	b := s.sites[0]
	for i := range links {
		s.web.learn(&page.Visit{
			URL: links[i].URL, Status: 200, MIME: "text/html", Size: 512,
			Digest: page.Digest{1},
		})
	}
	b.folds.draw()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range links {
		p := b.find(s.web.find(links[i].URL))
		b.places[p].flags |= isAnswered
		b.folds.answered(p)
	}
	b.folds.draw()
	runtime.ReadMemStats(&after)
	// bytes a page, maps and slices that grow among them; a class that is gone through for each of its
	// pages would take 4 bytes a page in it
	const most = 512
	if n := (after.TotalAlloc - before.TotalAlloc) / pages; n > most {
		t.Errorf("%d bytes for each of %d pages, at most %d", n, pages, most)
	}
	if n := len(b.folds.into); n != pages-1 {
		t.Errorf("%d copies, want %d", n, pages-1)
	}
}
