package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"watershed/page"
	"watershed/replica/sketch"
)

// SingleRule says which pages may be left out one by one because another page stands for them,
// where no rule by directory does.
type SingleRule struct {
	// Resemblance is the least of a page and its stand, 0.5 to 1; 1 asks for the same words in the
	// same order, or the same bytes. Less than the threshold of the clusters finds nothing more.
	Resemblance float64
	// Sweeps is how many of the latest sweeps that have a page must have found it so like its
	// stand. Default 2.
	Sweeps int
	// Held reports a page that is left out by another rule: it stands for no page, and no page
	// stands for it. Nil means that there are no such pages.
	Held func(page.URL) bool
	// Stands are the pages that stood for others until now, and go on standing where they can.
	Stands map[page.URL]bool
	// Fixed are pages that are asked for in any case, so that they are chosen first to stand. Nil
	// means that there are none.
	Fixed map[page.URL]bool
	// Bound are pages that may stand for others by another rule. A page that is like such a page need
	// not be like those others, so it is left out for one of the same text alone. The bound pages are
	// chosen to stand next after the fixed ones. Nil means that there are none.
	Bound map[page.URL]bool
	// Oldest is in seconds since 1970: a page that was fetched last before then must be fetched
	// again. 0 asks for no page again.
	Oldest int64
}

// defaultSweeps is the default of SingleRule.Sweeps.
const defaultSweeps = 2

// Validate reports a value outside its range.
func (r SingleRule) Validate() error {
	if !(r.Resemblance >= 0.5 && r.Resemblance <= 1) {
		return fmt.Errorf("catalog: pages of a resemblance of %g are no copies of each other", r.Resemblance)
	}
	if r.Sweeps < 0 {
		return fmt.Errorf("catalog: %d sweeps", r.Sweeps)
	}
	return nil
}

// Single is a page that may be left out.
type Single struct {
	URL, Stand  page.URL
	Resemblance float64
	Sweeps      int // in which it was found so
}

// maxStands bounds with how many stands of its cluster a page is compared.
const maxStands = 512

// Singles finds the pages that may be left out one by one, in the order of their URLs. No page
// stands that is left out itself. Among similar pages the stand is chosen in this order: a page
// that stood before; a page of the host with most pages that are like no other; the shortest URL,
// which seldom has a query; the first. So the pages of a copy are left out together, and the fullest
// copy stays. Time: for each cluster pages times stands, at most
// 512; memory: a cluster's sketches.
func (f *Finding) Singles(ctx context.Context, r SingleRule) ([]Single, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	r.Sweeps = cmp.Or(r.Sweeps, defaultSweeps)
	s := singles{f: f, rule: r, alone: f.alone()}
	members := f.byCluster()
	for len(members) > 0 {
		n := 1
		for n < len(members) && f.Pages[members[n]].Cluster == f.Pages[members[0]].Cluster {
			n++
		}
		if err := errors.Join(s.cluster(members[:n]), ctx.Err()); err != nil {
			return nil, err
		}
		members = members[n:]
	}
	slices.SortFunc(s.out, func(a, b Single) int { return cmp.Compare(a.URL, b.URL) })
	return s.out, nil
}

// alone counts the pages of each host that are like no other.
func (f *Finding) alone() map[page.Host]int {
	count := map[page.Host]int{}
	for i := range f.Pages {
		if f.Pages[i].Cluster == 0 && f.Pages[i].Text {
			count[f.Pages[i].URL.Host()]++
		}
	}
	return count
}

// singles is one search.
type singles struct {
	f     *Finding
	rule  SingleRule
	alone map[page.Host]int
	out   []Single
}

// member is a page of the cluster at hand.
type member struct {
	page   uint32
	sketch sketch.Sketch
}

func (s *singles) cluster(pages []uint32) error {
	var list []*member
	for _, p := range pages {
		x := &s.f.Pages[p]
		if !x.Text || x.Part || s.rule.Held != nil && s.rule.Held(x.URL) {
			continue
		}
		m := &member{page: p}
		some, err := s.f.readSketch(p, &m.sketch)
		if err != nil {
			return err
		}
		if some {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, s.before)
	var stands []*member
	for _, m := range list {
		single, err := s.stand(m, stands)
		switch {
		case err != nil:
			return err
		case single != nil:
			s.out = append(s.out, *single)
		case len(stands) < maxStands:
			stands = append(stands, m)
		}
	}
	return nil
}

// before orders the members of a cluster: those first that should stand for others.
func (s *singles) before(a, b *member) int {
	x, y := &s.f.Pages[a.page], &s.f.Pages[b.page]
	return cmp.Or(
		first(s.rule.Fixed[x.URL], s.rule.Fixed[y.URL]),
		first(s.rule.Bound[x.URL], s.rule.Bound[y.URL]),
		first(s.rule.Stands[x.URL], s.rule.Stands[y.URL]),
		cmp.Compare(s.alone[y.URL.Host()], s.alone[x.URL.Host()]),
		cmp.Compare(len(x.URL), len(y.URL)),
		cmp.Compare(x.URL, y.URL),
	)
}

// first orders a page with a property before one without.
func first(a, b bool) int {
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return 0
}

// like is the resemblance of two members; 0 where it is less than asked for.
func (s *singles) like(a, b *member) float64 {
	if s.same(a, b) {
		return 1
	}
	return s.rule.like(&a.sketch, &b.sketch)
}

// same reports that two members have the same bytes, or the same words in the same order.
func (s *singles) same(a, b *member) bool {
	x, y := &s.f.Pages[a.page], &s.f.Pages[b.page]
	return x.Digest != 0 && x.Digest == y.Digest || a.sketch.SameWords(&b.sketch)
}

// like is the resemblance of two sketches; 0 where it is less than asked for, or too little is
// known.
func (r *SingleRule) like(a, b *sketch.Sketch) float64 {
	if a.SameWords(b) {
		return 1
	}
	if r.Resemblance == 1 {
		return 0 // the same shingles in another order, or seen as the same by a sample
	}
	e, err := sketch.Resemblance(a, b)
	if err != nil || !e.Sufficient() || e.Value < r.Resemblance {
		return 0
	}
	return e.Value
}

// stand finds the page that stands for a member, nil for none: the most alike of the stands, the
// earliest of equals.
func (s *singles) stand(m *member, stands []*member) (*Single, error) {
	p := &s.f.Pages[m.page]
	if s.rule.Fixed[p.URL] || p.Time < s.rule.Oldest {
		return nil, nil
	}
	x := Single{URL: p.URL}
	for _, stand := range stands {
		like := s.like(m, stand)
		if like > x.Resemblance && (!s.rule.Bound[p.URL] || s.same(m, stand)) {
			x.Stand, x.Resemblance = s.f.Pages[stand.page].URL, like
		}
	}
	if x.Stand == "" {
		return nil, nil
	}
	var err error
	if x.Sweeps, err = s.sweeps(&x); err != nil || x.Sweeps < s.rule.Sweeps {
		return nil, err
	}
	return &x, nil
}

// sweeps counts in how many of the latest sweeps that have the page it was like its stand of that
// sweep, up to as many sweeps as are asked for.
func (s *singles) sweeps(x *Single) (n int, err error) {
	for i, sweep := range slices.Backward(s.f.catalog.sweeps) {
		d, found, err := sweep.document(x.URL.Key())
		if err != nil {
			return 0, err
		}
		if !found || d.URL != x.URL {
			continue
		}
		stand, found, err := s.f.catalog.At(x.Stand.Key(), i)
		if err != nil || !found || stand.URL != x.Stand || !s.rule.alike(&d, &stand) {
			return n, err
		}
		if n++; n >= s.rule.Sweeps {
			break
		}
	}
	return n, nil
}

// alike compares two documents.
func (r *SingleRule) alike(d, e *Document) bool {
	if d.Gone || e.Gone {
		return false
	}
	if d.Digest != 0 && d.Digest == e.Digest {
		return true
	}
	var a, b sketch.Sketch
	someA, errA := d.sketch(&a)
	someB, errB := e.sketch(&b)
	return errA == nil && errB == nil && someA && someB && r.like(&a, &b) > 0
}

// document is that of a page in the sweep.
func (s *sweep) document(k page.Key) (d Document, found bool, err error) {
	offset, found, err := s.offset(k)
	if err == nil && found {
		err = s.read(offset, &d)
	}
	return d, found, err
}

// At is the document of a page as it was after the i-th sweep, counted from 0.
func (c *Catalog) At(k page.Key, i int) (Document, bool, error) {
	for ; i >= 0; i-- {
		if d, found, err := c.sweeps[i].document(k); found || err != nil {
			return d, found, err
		}
	}
	return Document{}, false, nil
}

// byCluster are the pages that are in clusters, cluster by cluster.
func (f *Finding) byCluster() []uint32 {
	var list []uint32
	for i := range f.Pages {
		if f.Pages[i].Cluster != 0 {
			list = append(list, uint32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b uint32) int {
		return cmp.Compare(f.Pages[a].Cluster, f.Pages[b].Cluster)
	})
	return list
}
