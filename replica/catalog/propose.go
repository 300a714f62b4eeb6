package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"watershed/replica"
	"watershed/replica/collection"
)

// Rule defines full evidence: the evidence by which a replica may be left out without a person's
// decision. It does not say which of the replica's pages are left out: a crawl judges each by itself,
// and fetches those that are not so alike. The zero value has the documented defaults.
type Rule struct {
	// Pages is the least number of a replica's pages that are like the page under their path in the
	// stand. Default 10, as in Cho, Shivakumar, Garcia-Molina, Finding replicated web collections,
	// 2000, section 5.1.
	Pages int
	// Resemblance is from where on two pages are alike. Default 0.8. Where fewer than half of the
	// pages compared are, the replica is taken for another edition of the work, which is proposed,
	// and left to the archivist.
	Resemblance float64
}

// Defaults of Rule.
const (
	defaultPages       = 10
	defaultResemblance = 0.8
)

// withDefaults gives the rule with the defaults filled in.
func (r Rule) withDefaults() Rule {
	r.Pages = cmp.Or(r.Pages, defaultPages)
	r.Resemblance = cmp.Or(r.Resemblance, defaultResemblance)
	return r
}

// Validate reports a value outside its range.
func (r Rule) Validate() error {
	if r.Resemblance < 0 || r.Resemblance > 1 {
		return fmt.Errorf("catalog: resemblance is %g, not 0 to 1", r.Resemblance)
	}
	if r.Pages < 0 {
		return fmt.Errorf("catalog: %d pages", r.Pages)
	}
	return nil
}

// method is how the entries of a finding were found.
const method = "collection"

// Proposal is a replica that a finding would leave out.
type Proposal struct {
	Entry      replica.Entry
	Collection int // ID of the collection it comes from
	Replica    int // its number there, from 1, the representative
	// Unlike are the replica's pages whose counterpart is not similar, Alone those without a
	// counterpart. A crawl fetches both whatever is left out.
	Unlike, Alone int
	// Lacks says what is missing for full evidence; "" where it is full.
	Lacks string
}

// Full reports full evidence.
func (p *Proposal) Full() bool { return p.Lacks == "" }

// maxLeaders bounds with how many replicas of its collection a replica is compared.
const maxLeaders = 8

// Propose measures each replica of the finding, page by page, against its collection's
// representative, and, while the evidence is not full, against replicas that are kept themselves,
// for a collection often holds several editions of a work. The replica with which the evidence is
// full would stand for it, else the representative. Where the evidence is full with none, because
// the directory also holds other pages, such as a home page of the host, the largest directories
// within it with full evidence are proposed besides. Most pages in common come first. A replica
// whose pages do not lie under the same paths below some directory of the other is not in the list,
// because no rule by prefix tells which pages stand for its pages. Time: a comparison of sketches
// for each page of a replica and each of at most 8 replicas that are kept.
func (f *Finding) Propose(r Rule, now time.Time) ([]Proposal, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	r = r.withDefaults()
	var list []Proposal
	for i := range f.Result.Collections {
		c := &f.Result.Collections[i]
		leaders := []*collection.Replica{c.Representative()}
		for j := range c.Replicas[1:] {
			x := &c.Replicas[j+1]
			best, err := f.compare(x, leaders, r, now)
			if err != nil {
				return nil, err
			}
			found := []Proposal{}
			if best == nil || !best.Full() {
				if found, err = f.divide(x, leaders, r, now); err != nil {
					return nil, err
				}
				leaders = append(leaders, x)
			}
			if best != nil {
				found = append(found, *best)
			}
			for _, p := range found {
				p.Collection, p.Replica = c.ID, j+2
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(b.Entry.Evidence.Common, a.Entry.Evidence.Common),
			cmp.Compare(a.Entry.From, b.Entry.From))
	})
	return list, nil
}

// compare measures a replica against the first of a collection's leaders with which the evidence is
// full; else the proposal is that of the first leader, nil where there is none.
func (f *Finding) compare(x *collection.Replica, leaders []*collection.Replica, r Rule,
	now time.Time,
) (*Proposal, error) {
	var first *Proposal
	for i, to := range leaders[:min(len(leaders), maxLeaders)] {
		p := &Proposal{Entry: replica.Entry{Method: method, Found: now, Decided: now}}
		var ok bool
		if p.Entry.From, p.Entry.To, ok = f.aligned(x, to, i == 0); !ok || p.Entry.Validate() != nil {
			continue
		}
		p.Entry.Evidence.Purity = f.purity(x, p.Entry.From)
		if err := f.measure(p, r); err != nil {
			return nil, err
		}
		if p.Lacks = r.lacks(p); p.Full() {
			return p, nil
		}
		if i == 0 {
			first = p
		}
	}
	return first, nil
}

// divide finds the largest directories within a replica for which the evidence is full, against
// that leader with which they have most pages.
func (f *Finding) divide(x *collection.Replica, leaders []*collection.Replica, r Rule,
	now time.Time,
) (best []Proposal, err error) {
	most := 0
	for i, to := range leaders[:min(len(leaders), maxLeaders)] {
		from, stand, ok := f.aligned(x, to, i == 0)
		if !ok {
			continue
		}
		if replica.IsHost(from) {
			from, stand = x.Prefix, to.Prefix
		}
		list, err := f.within(x, from, stand, r, now)
		if err != nil {
			return nil, err
		}
		n := 0
		for i := range list {
			n += list[i].Entry.Evidence.Common
		}
		if n > most {
			best, most = list, n
		}
	}
	return best, nil
}

// within finds those directories below a directory, not that itself.
func (f *Finding) within(x *collection.Replica, from, to string, r Rule, now time.Time) (list []Proposal,
	err error,
) {
	lo, hi := f.Under(from)
	for lo < hi {
		name, _, ok := strings.Cut(string(f.Pages[lo].URL)[len(from):], "/")
		if !ok || strings.Contains(name, "?") {
			lo++
			continue
		}
		p := Proposal{Entry: replica.Entry{
			From: from + name + "/", To: to + name + "/", Method: method,
			Found: now, Decided: now,
		}}
		first, end := f.Under(p.Entry.From)
		if lo = max(end, lo+1); int(end-first) < r.Pages || p.Entry.Validate() != nil {
			continue
		}
		p.Entry.Evidence.Purity = f.purity(x, p.Entry.From)
		if err := f.measure(&p, r); err != nil {
			return nil, err
		}
		if p.Lacks = r.lacks(&p); p.Full() {
			list = append(list, p)
			continue
		}
		more, err := f.within(x, p.Entry.From, p.Entry.To, r, now)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// pairs are the pages of a replica with those of another replica that stand for the same page of
// the representative.
func pairs(x, to *collection.Replica, representative bool) []collection.Pair {
	if representative {
		return x.Pairs
	}
	of := make(map[uint32]uint32, len(to.Pairs))
	for _, p := range to.Pairs {
		of[p.Original] = p.Page
	}
	var list []collection.Pair
	for _, p := range x.Pairs {
		if page, ok := of[p.Original]; ok {
			list = append(list, collection.Pair{Page: p.Page, Original: page, Likeness: p.Likeness})
		}
	}
	return list
}

// aligned are the two directories, or hosts, below which most pages of a replica and of another
// have the same path.
func (f *Finding) aligned(x, to *collection.Replica, representative bool) (string, string, bool) {
	type dirs struct{ from, to string }
	votes := map[dirs]int{}
	for _, p := range pairs(x, to, representative) {
		a, b := string(f.Pages[p.Page].URL), string(f.Pages[p.Original].URL)
		if rest, ok := strings.CutPrefix(a, x.Prefix); ok && to.Prefix+rest == b {
			votes[dirs{x.Prefix, to.Prefix}]++
			continue
		}
		if from, to, ok := commonEnd(a, b); ok {
			votes[dirs{from, to}]++
		}
	}
	order := slices.SortedFunc(maps.Keys(votes), func(a, b dirs) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	if len(order) == 0 {
		return "", "", false
	}
	from, fromHost := hostOf(order[0].from)
	stand, standHost := hostOf(order[0].to)
	if fromHost && standHost {
		return from, stand, true
	}
	return order[0].from, order[0].to, true
}

// commonEnd splits two URLs into directories and a rest that is the same, as long as can be.
func commonEnd(a, b string) (from, to string, ok bool) {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	// The rest begins behind a slash on both sides, and not within the scheme.
	for ; n >= 0; n-- {
		i, j := len(a)-n, len(b)-n
		if i > 0 && j > 0 && a[i-1] == '/' && b[j-1] == '/' && strings.Count(a[:i], "/") >= 3 &&
			strings.Count(b[:j], "/") >= 3 {
			return a[:i], b[:j], true
		}
	}
	return "", "", false
}

// hostOf is the host of a prefix that is the root of a host over HTTP or HTTPS.
func hostOf(prefix string) (string, bool) {
	rest, ok := strings.CutPrefix(prefix, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(prefix, "https://")
	}
	host, ok2 := strings.CutSuffix(rest, "/")
	return host, ok && ok2 && !strings.Contains(host, "/")
}

// covered are the pages that lie in a replica, without their parts: these go where their pages go,
// and their bytes differ with the coding in which a server sends them.
func (f *Finding) covered(e *replica.Entry, visit func(uint32) error) error {
	for _, prefix := range replica.Prefixes(e.From) {
		lo, hi := f.Under(prefix)
		for i := lo; i < hi; i++ {
			if f.Pages[i].Part {
				continue
			}
			if err := visit(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// purity is the part of the known pages below a directory that belongs to the collection.
func (f *Finding) purity(x *collection.Replica, from string) float64 {
	e := replica.Entry{From: from}
	known, mapped := 0, 0
	_ = f.covered(&e, func(uint32) error { known++; return nil }) // which gives no error
	for _, p := range x.Pairs {
		if e.Covers(f.Pages[p.Page].URL) {
			mapped++
		}
	}
	if known == 0 {
		return 0
	}
	return float64(mapped) / float64(known)
}

// measure compares the pages of a replica with the pages that would stand for them.
func (f *Finding) measure(p *Proposal, r Rule) error {
	v := &p.Entry.Evidence
	sum := 0.
	err := f.covered(&p.Entry, func(i uint32) error {
		v.Pages++
		j, ok := f.Lookup(p.Entry.Stand(f.Pages[i].URL))
		if !ok {
			p.Alone++
			return nil
		}
		x, err := f.Resemblance(i, j)
		if err != nil {
			return err
		}
		v.Tested++
		sum += x
		if x >= r.Resemblance {
			v.Agreed++
		} else {
			p.Unlike++
		}
		return nil
	})
	v.Common = v.Tested
	if v.Tested > 0 {
		v.Resemblance = sum / float64(v.Tested)
		v.Containment = float64(v.Agreed) / float64(v.Pages)
	}
	return err
}

// lacks tells in a few words what is missing for full evidence.
func (r Rule) lacks(p *Proposal) string {
	v := &p.Entry.Evidence
	switch {
	case v.Agreed < r.Pages:
		return fmt.Sprintf("%d pages alike, of %d needed", v.Agreed, r.Pages)
	case 2*v.Agreed < v.Tested:
		return fmt.Sprintf("%d of %d pages compared are alike, fewer than half", v.Agreed, v.Tested)
	}
	return ""
}

// Confirm puts proposals with full evidence into force, in a table that has them, unless somebody
// has decided on them, or an entry in force around one says as much. It gives the names of the
// entries that it put into force.
func (f *Finding) Confirm(t *replica.Table, list []Proposal, r Rule, c replica.Change) ([]string, error) {
	r = r.withDefaults()
	var done []string
	for i := range list {
		p := &list[i]
		old, there := t.Get(p.Entry.From)
		if !p.Full() || !there || old.State != replica.Proposed && old.State != replica.Expired ||
			old.To != p.Entry.To {
			continue
		}
		said, err := f.said(t, &p.Entry, r)
		if err != nil {
			return done, err
		}
		if said {
			p.Lacks = "what is left out around it says as much"
			continue
		}
		change := c
		change.Note = fmt.Sprintf("full evidence: %d of %d pages are like their counterpart, mean "+
			"resemblance %.3f",
			p.Entry.Evidence.Agreed, p.Entry.Evidence.Pages, p.Entry.Evidence.Resemblance)
		if err := t.Confirm(p.Entry.From, 0, change); err != nil {
			p.Lacks = "the table does not take it: " + err.Error()
			continue
		}
		done = append(done, p.Entry.From)
	}
	return done, nil
}

// said reports that an entry in force around a replica finds as many similar pages in it as its own
// entry does, so that this would say nothing, or contradict, and be sampled by itself.
func (f *Finding) said(t *replica.Table, e *replica.Entry, r Rule) (bool, error) {
	around, ok := t.Around(e.From)
	if !ok {
		return false, nil
	}
	similar := 0
	err := f.covered(e, func(i uint32) error {
		stand := around.Stand(f.Pages[i].URL)
		if next, _, again := t.Resolve(stand); again {
			stand = next
		}
		j, there := f.Lookup(stand)
		if !there {
			return nil
		}
		x, err := f.Resemblance(i, j)
		if x >= r.Resemblance {
			similar++
		}
		return err
	})
	return similar >= e.Evidence.Agreed, err
}
