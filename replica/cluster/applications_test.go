package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/replica/sketch"
)

// TestSimilar compares the answers with those of looking at every document.
func TestSimilar(t *testing.T) {
	checks(t, 15, func(t *rapid.T) {
		docs := unique(drawDocuments(t, false))
		asked := Document{Info: Info{Key: Key{9999, 9}, Digest: 5, Lexical: 5}, Shingles: mutate(t, nil)}
		if len(docs) > 0 && rapid.Bool().Draw(t, "like one") {
			asked.Shingles = mutate(t, docs[0].Shingles)
		}
		threshold := rapid.SampledFrom([]float64{.2, .5, .9}).Draw(t, "threshold")
		want := map[Key][3]float64{}
		for _, d := range docs {
			c := 0
			for _, f := range d.Shingles {
				if slices.Contains(asked.Shingles, f) {
					c++
				}
			}
			n, m := float64(len(asked.Shingles)), float64(len(d.Shingles))
			v := [3]float64{float64(c) / (n + m - float64(c)), float64(c) / n, float64(c) / m}
			if c > 0 && max(v[0], v[1], v[2]) >= threshold {
				want[d.Key] = v
			}
		}
		withStore(t, Options{}, func(s *Store) {
			add(t, s, docs...)
			found, err := s.Similar(context.Background(), asked, SimilarOptions{Threshold: threshold})
			if err != nil {
				t.Fatal(err)
			}
			got := map[Key][3]float64{}
			last := 2.0
			for _, m := range found {
				got[m.Key] = [3]float64{m.Resemblance.Value, m.Contained.Value, m.Containing.Value}
				if m.Relation == Similar && m.Resemblance.Value > last {
					t.Fatalf("%v stands behind one that is less alike", m.Key)
				}
				if !m.Resemblance.Exact || m.Resemblance.Low != m.Resemblance.Value {
					t.Fatalf("%v: %+v, but both sets are known whole", m.Key, m.Resemblance)
				}
				last = m.Resemblance.Value
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("asked %v: got %v, want %v", asked.Shingles, got, want)
			}
			if len(found) > 1 {
				first, err := s.Similar(context.Background(), asked,
					SimilarOptions{Threshold: threshold, Limit: 1})
				if err != nil || len(first) != 1 || first[0].Resemblance != found[0].Resemblance {
					t.Fatalf("the first of %v: %v, %v", found, first, err)
				}
			}
		})
	})
}

// TestRates: what MIN_s sketches tell of documents of unequal length is near the truth, and the
// error bars hold it.
func TestRates(t *testing.T) {
	a, b := sketchOf(t, 0, 6000), sketchOf(t, 4000, 16000)
	withStore(t, Options{}, func(s *Store) {
		add(t, s, Of(Info{Key: Key{Page: 1}}, &a))
		found, err := s.Similar(context.Background(), Of(Info{Key: Key{Page: 2}}, &b),
			SimilarOptions{Threshold: .05})
		if err != nil || len(found) != 1 {
			t.Fatalf("found %+v, %v", found, err)
		}
		m := found[0]
		for _, c := range []struct {
			name string
			got  sketch.Estimate
			want float64
		}{
			{"resemblance", m.Resemblance, 2. / 16},
			{"contained", m.Contained, 2. / 12},
			{"containing", m.Containing, 2. / 6},
		} {
			if c.want < c.got.Low || c.want > c.got.High || math.Abs(c.got.Value-c.want) > .05 ||
				c.got.Exact {
				t.Errorf("%s: %+v, want about %.3f", c.name, c.got, c.want)
			}
		}
		direct, err := sketch.Resemblance(&a, &b)
		if err != nil || math.Abs(direct.Value-m.Resemblance.Value) > .02 {
			t.Errorf("resemblance %.3f, of the two sketches %.3f, %v", m.Resemblance.Value, direct.Value, err)
		}
	})
}

// sketchOf is the sketch of the features from one number to before another.
func sketchOf(t *testing.T, from, to uint64) sketch.Sketch {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{Size: 1024})
	if err != nil {
		t.Fatal(err)
	}
	for f := from; f < to; f++ {
		b.Feature(f)
	}
	return b.Sketch()
}

func TestOfEmpty(t *testing.T) {
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := b.Sketch()
	if d := Of(Info{Lexical: 3}, &s); d.Lexical != 3 || len(d.Shingles) != 0 || d.Rate != 1 {
		t.Errorf("%+v", d)
	}
}

// TestSweeps tells the story of a small web over three sweeps: what changed, and where a lost page
// is.
func TestSweeps(t *testing.T) {
	const within, between, edited, died, rewritten, stays, reformatted, born, copied = 1, 2, 3, 4,
		5, 6, 7, 80, 9
	old := func(page uint64) Document { return doc(page, span(page*1000, page*1000+40)...) }
	renamed := func(page, as, host uint64, lose uint64) Document {
		d := doc(page, span(page*1000+lose, page*1000+40)...)
		if lose > 0 {
			d.Digest, d.Lexical = as, as
		}
		d.Page, d.Host = as, host
		return d
	}
	twin := renamed(copied, 10, copied, 0) // a copy that stays while its original moves
	first := []Document{
		old(within), old(between), old(edited), old(died), old(rewritten), old(stays),
		old(reformatted), old(copied), twin,
	}
	again := doc(reformatted, span(7000, 7040)...)
	again.Digest = 77
	change := doc(edited, span(3004, 3044)...)
	change.Digest, change.Lexical = 33, 33
	newWords := doc(rewritten, span(5500, 5540)...)
	newWords.Digest, newWords.Lexical = 55, 55
	second := []Document{
		renamed(within, 100, within, 0), renamed(between, 200, 999, 8), change, newWords, old(stays),
		again, old(born),
		renamed(copied, 90, copied, 0), twin,
	}
	withStore(t, Options{}, func(s *Store) {
		add(t, s, first...)
		for i := range second {
			second[i] = at(2, second[i])
		}
		add(t, s, second...)
		var got []string
		err := s.Changes(context.Background(), 1, 2, func(c Change) error {
			got = append(got, fmt.Sprintf("%d %d %s %.2f", c.From.Page, c.To.Page, c.Kind,
				c.Resemblance.Value))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"3 3 edited 0.82", "5 5 rewritten 0.00", "6 6 unchanged 1.00", "7 7 reformatted 1.00",
			"10 10 unchanged 1.00",
			"1 100 moved within its server 1.00", "2 200 moved between servers 0.80",
			"9 90 moved within its server 1.00",
			"4 0 died 0.00", "0 80 born 0.00",
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("changes\n%q, want\n%q", got, want)
		}
		stop := errors.New("enough")
		if err := s.Changes(context.Background(), 1, 2, func(Change) error { return stop }); !errors.Is(err,
			stop) {
			t.Errorf("stopped report: %v", err)
		}
		for _, c := range []struct {
			name string
			page uint64
			want Key
			rel  Relation
		}{
			{"moved within its server", within, Key{100, 2}, Identical},
			{"moved and changed", between, Key{200, 2}, Similar},
			{"edited in its place", edited, Key{3, 2}, Identical},
			{"died", died, Key{4, 1}, Identical},
			{"rewritten: its latest words are asked for", rewritten, Key{5, 2}, Identical},
		} {
			places, err := s.Found(c.page)
			if err != nil || places[0].Key != c.want || places[0].Relation != c.rel {
				t.Errorf("%s: %+v, %v; want %v", c.name, places, err, c.want)
			}
		}
		if _, err := s.Found(12345); !errors.Is(err, errUnknown) {
			t.Errorf("a page never seen: %v", err)
		}
	})
}

func TestSpread(t *testing.T) {
	withStore(t, Options{Rank: chosen(23)},
		func(s *Store) {
			var docs []Document
			for page := range uint64(10) { // ten pages of five hosts
				d := doc(20+page, span(1, 30+page)...)
				d.Host = page / 2
				docs = append(docs, d)
			}
			for page := range uint64(4) { // four pages of one host
				d := doc(50+page, span(500, 540)...)
				d.Host = 7
				docs = append(docs, d)
			}
			add(t, s, docs...)
			spread, err := s.Spread(context.Background(), 2, 10)
			if err != nil || len(spread) != 1 || spread[0].Hosts != 5 || spread[0].Members != 10 ||
				spread[0].Representative.Page != 23 {
				t.Fatalf("%+v, %v", spread, err)
			}
			c, err := s.Cluster(spread[0].Cluster)
			if err != nil {
				t.Fatal(err)
			}
			if to := c.contacts(); len(to) != 5 || to[0].Page != 23 {
				t.Errorf("contacts %+v", to)
			}
		})
}

// mostLinked puts the document first that most pages link to, latest the one of the latest sweep,
// chosen a page.
func mostLinked(a, b *Info) int { return cmp.Compare(b.Links, a.Links) }
func latest(a, b *Info) int     { return earliest(b, a) }
func chosen(page uint64) Rank {
	return func(a, b *Info) int {
		if (a.Page == page) != (b.Page == page) {
			if a.Page == page {
				return -1
			}
			return 1
		}
		return earliest(a, b)
	}
}

// contacts are the members to write to about the text of a cluster: for each host, the one of
// highest rank.
func (c *Cluster) contacts() []Member {
	seen := map[uint64]bool{}
	var out []Member
	for _, m := range c.Members {
		if !seen[m.Host] {
			seen[m.Host] = true
			out = append(out, m)
		}
	}
	return out
}
