package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"watershed/internal/extsort"
)

// below is what is known of content, and what is declared: the evidence from below.
type below struct {
	pages       []int // of each host, with known content
	same        map[uint64]sameResult
	collections map[uint64]float64
	declared    map[uint64][kinds]float64
}

// contentRanking makes the ranking from below, after what J. Cho, N. Shivakumar, H. Garcia-Molina
// (Finding replicated web collections, 2000) look for: hosts with many alike pages. Clusters weigh
// as terms do (section 3.2.1 of A comparison of techniques), and the score is that part of the
// smaller host's weight, lowered where few clusters prove it.
func (e *engine) contentRanking(ctx context.Context) (err error) {
	if err := e.readCollections(); err != nil {
		return err
	}
	if e.input.Pages == nil {
		return nil
	}
	s, err := extsort.NewSorter(e.spill, extsort.Options[posting]{MemoryBytes: e.o.Memory / 4})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	e.placed, err = extsort.NewSorter(e.spill, extsort.Options[placed]{MemoryBytes: e.o.Memory / 4})
	if err != nil {
		return err
	}
	e.below.pages = make([]int, len(e.hosts.list))
	for p, err := range e.input.Pages {
		if err != nil {
			return fmt.Errorf("read pages: %w", err)
		}
		host, path, ok := SplitURL(p.URL)
		if !ok {
			continue
		}
		id, ok := e.hosts.find(host)
		if !ok {
			continue
		}
		e.below.pages[id]++
		if err := e.placed.Add(placedPage(hashOf(path), id, &p)); err != nil {
			return err
		}
		if p.Cluster == 0 {
			continue
		}
		if err := s.Add(posting{p.Cluster, uint64(id)}); err != nil {
			return err
		}
	}
	how := e.idf(Content, nil)
	how.weight = func(_ uint64, hosts int) float64 {
		return 1 + math.Log(float64(e.o.Terms.Reject)/float64(hosts))
	}
	full := how.weight(0, 2)
	how.norm = func(a, b HostID) float64 {
		return 1 / (full * float64(min(e.below.pages[a], e.below.pages[b])+fewPages))
	}
	return e.rank(ctx, Content, s, how)
}

// fewPages is how many pages without a likeness are added to each host, so that three alike pages
// of three say less than thirty of thirty.
const fewPages = 5

// readCollections notes, for each two hosts with copies of one collection, the part of both that
// the copies are.
func (e *engine) readCollections() error {
	if e.input.Collections == nil {
		return nil
	}
	places := make(map[string]map[HostID]int)
	for p, err := range e.input.Collections {
		if err != nil {
			return fmt.Errorf("read collections: %w", err)
		}
		id, ok := e.hosts.find([]byte(p.Host))
		if !ok {
			continue
		}
		if places[p.Collection] == nil {
			places[p.Collection] = make(map[HostID]int)
		}
		places[p.Collection][id] += p.Pages
	}
	e.below.collections = make(map[uint64]float64)
	for _, name := range slices.Sorted(maps.Keys(places)) { // in order, so that sums are the same each time
		on := places[name]
		if len(on) >= e.o.Terms.Reject {
			continue
		}
		for a, n := range on {
			for b, m := range on {
				if a < b {
					part := min(1, float64(n)/float64(e.hosts.list[a].URLs),
						float64(m)/float64(e.hosts.list[b].URLs))
					e.below.collections[pairKey(a, b)] += part
				}
			}
		}
	}
	return nil
}

// declaredPrior is how much a declaration of a kind is believed where the declared ranking stands
// alone: our judgement, not the paper's. The fused ranking has weights of its own.
var declaredPrior = [kinds]float64{
	Alias: .95, Redirect: .9, Canonical: .8, Hreflang: .5, Sitemap: .7,
	CNAME: .5, Certificate: .3, Robots: .2,
}

// declaredRanking ranks by the probability that one of the declarations is right, as if they were
// independent.
func (e *engine) declaredRanking() error {
	if e.input.Declared == nil {
		return nil
	}
	e.below.declared = make(map[uint64][kinds]float64)
	type key struct {
		kind Kind
		text string
	}
	groups := make(map[key][]HostID)
	note := func(a, b HostID, k Kind, strength float64) {
		if a != b {
			d := e.below.declared[pairKey(a, b)]
			d[k] = max(d[k], strength)
			e.below.declared[pairKey(a, b)] = d
		}
	}
	for d, err := range e.input.Declared {
		if err != nil {
			return fmt.Errorf("read declarations: %w", err)
		}
		id, ok := e.hosts.find([]byte(d.Host))
		if !ok || d.Kind >= kinds {
			continue
		}
		if d.Kind.keyed() {
			groups[key{d.Kind, d.Target}] = append(groups[key{d.Kind, d.Target}], id)
			continue
		}
		if target, ok := e.hosts.find([]byte(d.Target)); ok {
			strength := 1.0
			if d.Pages > 0 {
				strength = min(1, float64(d.Pages)/float64(e.hosts.list[id].URLs))
			}
			note(id, target, d.Kind, strength)
		}
	}
	for k, ids := range groups {
		slices.Sort(ids)
		ids = slices.Compact(ids)
		if len(ids) >= e.o.Terms.Reject {
			continue
		}
		for i, a := range ids {
			for _, b := range ids[:i] {
				note(a, b, k.kind, 1/float64(len(ids)-1))
			}
		}
	}
	best := newBest(e)
	for key, d := range e.below.declared {
		wrong := 1.0
		for k, strength := range d {
			wrong *= 1 - declaredPrior[k]*strength
		}
		a, b := unpair(key)
		best.add(Pair{a, b, 1 - wrong}, rawSum{})
	}
	e.pairs[Declared], _ = best.finish()
	return nil
}

// combinedOf are the rankings that combined takes (section 4.2.2).
var combinedOf = []Method{IP4, Prefix, HConn2, Paths, Hosts}

// combine sorts the union of five rankings by the number of those that found a pair, ties by its
// best rank in any.
func (e *engine) combine() {
	type entry struct {
		Pair
		finders, rank int
	}
	found := make(map[uint64]*entry)
	for _, m := range combinedOf {
		for rank, p := range e.pairs[m] {
			x := found[p.key()]
			if x == nil {
				x = &entry{Pair: p, rank: rank}
				found[p.key()] = x
			}
			x.finders++
			x.rank = min(x.rank, rank)
		}
	}
	list := slices.SortedFunc(maps.Values(found), func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.finders, a.finders), cmp.Compare(a.rank, b.rank),
			e.hosts.names(a.Pair, b.Pair))
	})
	list = list[:min(len(list), e.o.Depth)]
	pairs := make([]Pair, len(list))
	for i, x := range list {
		pairs[i] = Pair{x.A, x.B, float64(x.finders) + 1/float64(2+x.rank)}
	}
	e.pairs[Combined] = pairs
}
