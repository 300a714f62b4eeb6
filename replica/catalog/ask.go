package catalog

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"watershed/page"
	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// Match is a document that is like the one asked for.
type Match struct {
	URL page.URL
	cluster.Match
}

// Member is a document of a cluster.
type Member struct {
	URL page.URL
	cluster.Member
}

// Place is where a lost page may be found.
type Place struct {
	URL page.URL
	cluster.Place
}

// Wide is a text that many hosts have.
type Wide struct {
	Cluster          uint32
	Hosts, Documents int
	URL              page.URL // of its representative
}

// Documents gives the documents of a sweep, those of pages that are gone too, in the order in which
// they were added. A document is valid until the next one. A sweep that is not there has none.
func (c *Catalog) Documents(ctx context.Context, number uint32) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		for _, s := range c.sweeps {
			if s.Number != number {
				continue
			}
			for d, err := range s.all(ctx) {
				if !yield(d.Document, err) || err != nil {
					return
				}
			}
		}
	}
}

// Latest is the document of a page in the latest sweep that has it; one that is gone says so. The
// error is ErrUnknown where none has.
func (c *Catalog) Latest(u page.URL) (Document, SweepInfo, error) {
	for i := len(c.sweeps) - 1; i >= 0; i-- {
		s := c.sweeps[i]
		offset, found, err := s.offset(u.Key())
		if err != nil {
			return Document{}, SweepInfo{}, err
		}
		if !found {
			continue
		}
		var d Document
		if err := s.read(offset, &d); err != nil {
			return d, s.SweepInfo, err
		}
		return d, s.SweepInfo, nil
	}
	return Document{}, SweepInfo{}, fmt.Errorf("%s: %w", u, ErrUnknown)
}

// URL is that of a page by its key. The error is ErrUnknown, wrapped, where no sweep has it.
func (c *Catalog) URL(k page.Key) (page.URL, error) {
	d, err := c.byKey(k)
	return d.URL, err
}

// byKey is a document of a page, that of the first sweep that has it.
func (c *Catalog) byKey(k page.Key) (d Document, err error) {
	for _, s := range c.sweeps {
		offset, found, err := s.offset(k)
		if err == nil && found {
			err = s.read(offset, &d)
		}
		if err != nil || found {
			return d, err
		}
	}
	return d, fmt.Errorf("page %016x: %w", uint64(k), ErrUnknown)
}

// alive is the document of a page in the latest sweep in which it was not gone.
func (c *Catalog) alive(u page.URL) (d Document, s *sweep, err error) {
	for i := len(c.sweeps) - 1; i >= 0; i-- {
		offset, found, err := c.sweeps[i].offset(u.Key())
		if err == nil && found {
			err = c.sweeps[i].read(offset, &d)
		}
		if err != nil || found && !d.Gone {
			return d, c.sweeps[i], err
		}
	}
	return d, nil, fmt.Errorf("%s: %w", u, ErrUnknown)
}

// defaultLimit is the number of documents that are told where none is asked for.
const defaultLimit = 100

// Similar finds the documents that are like a page of some sweep: the most alike first, the page
// itself among them. A page without text, such as an image, is like documents of the same bytes.
// The error is ErrUnknown, or ErrSketch where neither text nor bytes are known.
func (c *Catalog) Similar(ctx context.Context, u page.URL, o cluster.SimilarOptions) ([]Match, error) {
	d, s, err := c.alive(u)
	if err != nil {
		return nil, err
	}
	var x sketch.Sketch
	template, err := s.templateOf(hostKey(u))
	if err != nil {
		return nil, err
	}
	doc, err := d.clusterable(&x, s.Number, template)
	if err != nil {
		return nil, err
	}
	if doc.Digest == 0 && len(doc.Shingles) == 0 {
		return nil, fmt.Errorf("%s: %w", u, ErrSketch)
	}
	return c.similar(ctx, doc, o)
}

// SimilarTo finds the documents that are like a text, which need not be in the catalog, or that
// have its digest. The error is ErrSketch for one without words and digest.
func (c *Catalog) SimilarTo(ctx context.Context, x *sketch.Sketch, digest uint64,
	o cluster.SimilarOptions,
) ([]Match, error) {
	info := cluster.Info{Digest: digest}
	switch {
	case !x.Empty():
		return c.similar(ctx, cluster.Of(info, x), o)
	case digest != 0:
		return c.similar(ctx, cluster.Document{Info: info}, o)
	}
	return nil, ErrSketch
}

// similar asks the clusters. Of documents of one page that no sweep saw change, the latest is told.
func (c *Catalog) similar(ctx context.Context, d cluster.Document, o cluster.SimilarOptions) ([]Match,
	error,
) {
	limit := cmp.Or(o.Limit, defaultLimit)
	o.Limit = limit * max(len(c.sweeps), 1)
	found, err := c.clusters.Similar(ctx, d, o)
	if err != nil {
		return nil, err
	}
	type version struct{ page, digest, lexical uint64 }
	latest := map[version]uint32{}
	of := func(m *cluster.Match) version { return version{m.Page, m.Digest, m.Lexical} }
	for i := range found {
		latest[of(&found[i])] = max(latest[of(&found[i])], found[i].Sweep)
	}
	found = slices.DeleteFunc(found, func(m cluster.Match) bool { return m.Sweep != latest[of(&m)] })
	found = found[:min(len(found), limit)]
	list := make([]Match, len(found))
	for i := range found {
		list[i].Match = found[i]
		if list[i].URL, err = c.URL(page.Key(found[i].Page)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ClusterOf is the cluster of a page as it was last: its number, 0 for a page that is like no
// other, and its documents of all sweeps, the representative first. The error is ErrUnknown where
// no sweep has the page.
func (c *Catalog) ClusterOf(u page.URL) (uint32, []Member, error) {
	if _, _, err := c.alive(u); err != nil {
		return 0, nil, err
	}
	x, err := c.clusters.ClusterOf(uint64(u.Key()))
	if err != nil {
		return 0, nil, err
	}
	list := make([]Member, len(x.Members))
	for i := range x.Members {
		list[i].Member = x.Members[i]
		if list[i].URL, err = c.URL(page.Key(x.Members[i].Page)); err != nil {
			return 0, nil, err
		}
	}
	return x.Number, list, nil
}

// Found answers where a page is now: the documents of its cluster in the latest sweep that has any,
// best first. ErrUnknown where no sweep has the page. Source: Broder, Glassman, Manasse, Zweig,
// Syntactic Clustering of the Web, 1997, section 6.2.
func (c *Catalog) Found(u page.URL) ([]Place, error) {
	if _, _, err := c.alive(u); err != nil {
		return nil, err
	}
	places, err := c.clusters.Found(uint64(u.Key()))
	if err != nil {
		return nil, err
	}
	list := make([]Place, len(places))
	for i := range places {
		list[i].Place = places[i]
		if list[i].URL, err = c.URL(page.Key(places[i].Page)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Wide lists the texts that at least so many hosts have now, most hosts first, limit at most; parts
// of pages are no texts. Documents of pages that changed or went since do not count. Source:
// section 6.4 there.
func (c *Catalog) Wide(ctx context.Context, hosts, limit int) ([]Wide, error) {
	spread, err := c.clusters.Spread(ctx, hosts, wideSurplus*limit)
	if err != nil {
		return nil, err
	}
	byHosts := func(a, b Wide) int {
		return cmp.Or(cmp.Compare(b.Hosts, a.Hosts), cmp.Compare(b.Documents, a.Documents),
			cmp.Compare(a.Cluster, b.Cluster))
	}
	var list []Wide
	for _, s := range spread {
		// a cluster has no more hosts now than it ever had
		if len(list) >= limit && list[limit-1].Hosts >= s.Hosts {
			break
		}
		w, err := c.wide(&s)
		if err != nil {
			return nil, err
		}
		if w.Hosts < max(hosts, 1) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, w, byHosts)
		list = slices.Insert(list, at, w)
	}
	return list[:min(len(list), max(limit, 0))], nil
}

// wide counts the current documents of a cluster; none where it is one of parts.
func (c *Catalog) wide(s *cluster.Spread) (Wide, error) {
	d, err := c.byKey(page.Key(s.Representative.Page))
	if err != nil || d.Part {
		return Wide{}, err
	}
	if len(c.sweeps) == 1 {
		return Wide{s.Cluster, s.Hosts, s.Members, d.URL}, nil
	}
	whole, err := c.clusters.Cluster(s.Cluster)
	if err != nil {
		return Wide{}, err
	}
	w := Wide{Cluster: s.Cluster}
	hosts := map[uint64]bool{}
	for i := range whole.Members {
		m := &whole.Members[i]
		current, err := c.isCurrent(m.Key)
		if err != nil {
			return Wide{}, err
		}
		if !current {
			continue
		}
		if w.Documents++; w.Documents == 1 {
			if w.URL, err = c.URL(page.Key(m.Page)); err != nil {
				return Wide{}, err
			}
		}
		hosts[m.Host] = true
	}
	w.Hosts = len(hosts)
	return w, nil
}

// isCurrent reports a document of whose page no later sweep tells.
func (c *Catalog) isCurrent(k cluster.Key) (bool, error) {
	for _, s := range slices.Backward(c.sweeps) {
		if s.Number <= k.Sweep {
			break
		}
		if _, found, err := s.offset(page.Key(k.Page)); err != nil || found {
			return false, err
		}
	}
	return true, nil
}

// wideSurplus is how many times as many clusters are looked at as are listed: styles, scripts and
// buttons are spread most widely.
const wideSurplus = 20

// Change is the change of a page between two sweeps.
type Change struct {
	Kind        cluster.ChangeKind
	From, To    page.URL // "" for a page that was born, or that died
	Resemblance float64  // of the two; 0 where there is one only
}

// Changes reports the change of each page from one sweep to another, parts of pages left out: as
// cluster.Store.Changes, in its order. A page that the later sweep does not have has died or moved
// as far as that sweep knows. Source: section 6.5 there.
func (c *Catalog) Changes(ctx context.Context, from, to uint32, report func(Change) error) error {
	return c.clusters.Changes(ctx, from, to, func(x cluster.Change) error {
		change := Change{Kind: x.Kind, Resemblance: x.Resemblance.Value}
		for _, side := range []struct {
			info *cluster.Info
			url  *page.URL
		}{{&x.From, &change.From}, {&x.To, &change.To}} {
			if side.info.Sweep == 0 {
				continue
			}
			d, err := c.byKey(page.Key(side.info.Page))
			if err != nil || d.Part {
				return err
			}
			*side.url = d.URL
		}
		return report(change)
	})
}

// Clusters gives all clusters, of the documents of all sweeps. The catalog must not change
// meanwhile.
func (c *Catalog) Clusters(ctx context.Context) iter.Seq2[cluster.Cluster, error] {
	return c.clusters.All(ctx)
}
