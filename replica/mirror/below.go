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
	content     map[uint64]contentResult
	collections map[uint64]float64
	declared    map[uint64][kinds]float64
}

// contentResult is what two hosts have in common.
type contentResult struct {
	alike  int // clusters of alike pages that both have
	placed int // of them, those under the same path
}

// member is a page of a cluster: cluster, host, path.
type member [3]uint64

// contentRanking makes the ranking from below, after what J. Cho, N. Shivakumar, H. Garcia-Molina (Finding replicated web
// collections, 2000) look for: hosts with many alike pages. Clusters weigh as terms do (section 3.2.1 of A comparison of
// techniques), and the score is that part of the smaller host's weight, lowered where few clusters prove it.
func (e *engine) contentRanking(ctx context.Context) (err error) {
	if err := e.readCollections(); err != nil {
		return err
	}
	if e.input.Pages == nil {
		return nil
	}
	s, err := extsort.NewSorter(e.spill, extsort.Options[member]{MemoryBytes: e.o.Memory / 4})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
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
		e.report.Pages++
		e.below.pages[id]++
		if p.Cluster == 0 {
			continue
		}
		if err := s.Add(member{p.Cluster, uint64(id), hashOf(path)}); err != nil {
			return err
		}
	}
	return e.matchClusters(ctx, s)
}

// matchClusters adds up, for each pair, the clusters that it shares; the count's upper half is those with a common path.
func (e *engine) matchClusters(ctx context.Context, s *extsort.Sorter[member]) (err error) {
	sums, err := extsort.NewSorter(e.spill, extsort.Options[sum]{MemoryBytes: e.o.Memory / 4, Key: 1, Combine: addSums})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sums.Close()) }()
	c, err := s.Sort(ctx)
	if err != nil {
		return err
	}
	how := e.idf(Content, nil)
	t := &e.report.Terms[Content]
	var group []hostLinks // paths instead of links
	var id uint64
	end := func() error {
		t.Postings += uint64(len(group))
		ids := make([]HostID, len(group))
		paths := make(map[HostID][]uint64, len(group))
		for i, g := range group {
			ids[i], paths[g.host] = g.host, g.links
		}
		weight := 1 + math.Log(float64(e.o.Terms.Reject)/float64(len(ids)))
		kept := how.restrict(t, id, ids)
		for i, a := range kept {
			for _, b := range kept[:i] {
				n := uint64(1)
				if commonLinks(paths[a], paths[b]) > 0 {
					n |= 1 << 32
				}
				if err := sums.Add(sum{pairKey(a, b), uint64(math.Round(weight * weightUnit)), n}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = c.Each(ctx, func(m member) error {
		if m[0] != id {
			if err := end(); err != nil {
				return err
			}
			id, group = m[0], group[:0]
		}
		if n := len(group); n == 0 || group[n-1].host != HostID(m[1]) {
			group = append(group, hostLinks{host: HostID(m[1])})
		}
		last := &group[len(group)-1]
		last.links = append(last.links, m[2])
		return nil
	})
	if err == nil {
		err = end()
	}
	if err != nil {
		return fmt.Errorf("rank by content: %w", err)
	}
	full := 1 + math.Log(float64(e.o.Terms.Reject)/2)
	how.norm = func(a, b HostID) float64 {
		return 1 / (full * float64(min(e.below.pages[a], e.below.pages[b])+fewPages))
	}
	var v vectors
	v.terms = *t
	if err := v.collect(ctx, e, sums, how); err != nil {
		return fmt.Errorf("rank by content: %w", err)
	}
	e.pairs[Content], *t = v.pairs, v.terms
	e.below.content = make(map[uint64]contentResult, len(v.pairs))
	for i, p := range v.pairs {
		e.below.content[p.key()] = contentResult{int(v.raw[i].count & math.MaxUint32), int(v.raw[i].count >> 32)}
	}
	return nil
}

// fewPages is how many pages without a likeness are added to each host, so that three alike pages of three say less than
// thirty of thirty.
const fewPages = 5

// readCollections notes, for each two hosts with copies of one collection, the part of both that the copies are.
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
					part := min(1, float64(n)/float64(e.hosts.list[a].URLs), float64(m)/float64(e.hosts.list[b].URLs))
					e.below.collections[pairKey(a, b)] += part
				}
			}
		}
	}
	return nil
}

// declaredPrior is how much a declaration of a kind is believed where the declared ranking stands alone: our judgement, not
// the paper's. The fused ranking has weights of its own.
var declaredPrior = [kinds]float64{Alias: .95, Redirect: .9, Canonical: .8, Hreflang: .5, CNAME: .5, Certificate: .3, Robots: .2}

// declaredRanking ranks by the probability that one of the declarations is right, as if they were independent.
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
		e.report.Declarations++
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

// combine sorts the union of five rankings by the number of those that found a pair, ties by its best rank in any.
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
	list := make([]*entry, 0, len(found))
	for _, x := range found {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.finders, a.finders), cmp.Compare(a.rank, b.rank), e.hosts.names(a.Pair, b.Pair))
	})
	list = list[:min(len(list), e.o.Depth)]
	pairs := make([]Pair, len(list))
	for i, x := range list {
		pairs[i] = Pair{x.A, x.B, float64(x.finders) + 1/float64(2+x.rank)}
	}
	e.pairs[Combined] = pairs
}
