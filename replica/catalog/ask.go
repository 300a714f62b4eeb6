package catalog

import (
	"context"
	"fmt"
	"iter"

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

// Documents gives the documents of a sweep, those of pages that are gone too, in the order in which they were added. A document is valid
// until the next one. A sweep that is not there has none.
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

// Latest is the document of a page in the latest sweep that has it; one that is gone says so. The error is ErrUnknown where none has.
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

// url is the URL of a page by its key.
func (c *Catalog) url(k page.Key) (page.URL, error) {
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

// Similar finds what is like a page that some sweep has: the most alike first, the page itself among them. To a page without text, such as
// an image, those of the same bytes are alike. The error is ErrUnknown, or ErrSketch where neither text nor bytes are known.
func (c *Catalog) Similar(ctx context.Context, u page.URL, o cluster.SimilarOptions) ([]Match, error) {
	d, s, err := c.alive(u)
	if err != nil {
		return nil, err
	}
	var x sketch.Sketch
	doc, err := d.clusterable(&x, s.Number)
	if err != nil {
		return nil, err
	}
	if doc.Digest == 0 && len(doc.Shingles) == 0 {
		return nil, fmt.Errorf("%s: %w", u, ErrSketch)
	}
	return c.similar(ctx, doc, o)
}

// SimilarTo finds what is like a text that need not be in the catalog, or has the same digest. The error is ErrSketch for one without
// words and digest.
func (c *Catalog) SimilarTo(ctx context.Context, x *sketch.Sketch, digest uint64, o cluster.SimilarOptions) ([]Match, error) {
	info := cluster.Info{Digest: digest}
	switch {
	case !x.Empty():
		return c.similar(ctx, cluster.Of(info, x), o)
	case digest != 0:
		return c.similar(ctx, cluster.Document{Info: info}, o)
	}
	return nil, ErrSketch
}

func (c *Catalog) similar(ctx context.Context, d cluster.Document, o cluster.SimilarOptions) ([]Match, error) {
	found, err := c.clusters.Similar(ctx, d, o)
	if err != nil {
		return nil, err
	}
	list := make([]Match, len(found))
	for i := range found {
		list[i].Match = found[i]
		if list[i].URL, err = c.url(page.Key(found[i].Page)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ClusterOf is the cluster of a page as it was last: its number, 0 for a page that is like no other, and its documents of all sweeps, the
// representative first. The error is ErrUnknown where no sweep has the page.
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
		if list[i].URL, err = c.url(page.Key(x.Members[i].Page)); err != nil {
			return 0, nil, err
		}
	}
	return x.Number, list, nil
}

// Found answers where a page is now: the documents of its cluster in the latest sweep that has any, best first. ErrUnknown where no
// sweep has the page. Source: Broder, Glassman, Manasse, Zweig, Syntactic Clustering of the Web, 1997, section 6.2.
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
		if list[i].URL, err = c.url(page.Key(places[i].Page)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Wide lists the texts that at least so many hosts have, most hosts first, limit at most; parts of pages are no texts. Source: section 6.4 there.
func (c *Catalog) Wide(ctx context.Context, hosts, limit int) ([]Wide, error) {
	spread, err := c.clusters.Spread(ctx, hosts, wideSurplus*limit)
	if err != nil {
		return nil, err
	}
	var list []Wide
	for _, s := range spread {
		d, err := c.byKey(page.Key(s.Representative.Page))
		if err != nil {
			return nil, err
		}
		if d.Part {
			continue
		}
		if list = append(list, Wide{s.Cluster, s.Hosts, s.Members, d.URL}); len(list) == limit {
			break
		}
	}
	return list, nil
}

// wideSurplus is how many times as many clusters are looked at as are listed: styles, scripts and buttons are spread most widely.
const wideSurplus = 20

// Change is what became of a page between two sweeps.
type Change struct {
	Kind        cluster.ChangeKind
	From, To    page.URL // "" for a page that was born, or that died
	Resemblance float64  // of the two; 0 where there is one only
}

// Changes reports what became of each page from one sweep to another, parts of pages left out: as cluster.Store.Changes, in its order. A page
// that the later sweep does not have has died or moved as far as that sweep knows. Source: section 6.5 there.
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
