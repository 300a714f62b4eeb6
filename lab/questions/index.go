package questions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"watershed/internal/extsort"
	"watershed/page"
	"watershed/replica/catalog"
	"watershed/replica/cluster"
)

// Index finds similar documents by the tables of clusters on disk (docs/formats/clusters.md): it
// reads a few blocks, whatever the number of documents. It is safe for concurrent use. The tables
// must not change meanwhile.
type Index struct {
	docs     *extsort.Table[row]
	prints   *extsort.Table[tuple]
	postings *extsort.Table[tuple]
	common   *extsort.Table[tuple]
}

type (
	tuple [2]uint64
	row   [10]uint64 // of a document
)

func (r *row) number() uint32 { return uint32(r[2]) }

func (r *row) match() Match {
	return Match{Info: cluster.Info{
		Key: cluster.Key{Page: r[1], Sweep: uint32(r[2] >> 32)}, Host: r[3], Time: int64(r[4]),
		Links: uint32(r[5] >> 32), Size: uint32(r[5]), Digest: r[7], Lexical: r[8],
	}}
}

// sample is what is compared of a document.
func (r *row) sample() sample {
	return sample{float64(uint32(r[6])), float64(math.Float32frombits(uint32(r[6] >> 32)))}
}

// OpenIndex opens the tables in a directory, which stays the caller's.
func OpenIndex(dir *extsort.Dir) (_ *Index, err error) {
	text, err := dir.ReadFile("clusters.state")
	if err != nil {
		return nil, err
	}
	var state struct {
		Super  int
		Tables map[string]struct{ File string }
	}
	_, body, _ := bytes.Cut(text, []byte("\n"))
	switch err := json.Unmarshal(body, &state); {
	case err != nil:
		return nil, fmt.Errorf("read clusters.state: %w", err)
	case state.Super > 0:
		return nil, errors.New("similar documents cannot be asked of these clusters: " +
			"they hold super shingles")
	}
	x := &Index{}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	if x.docs, err = extsort.OpenTable[row](dir, state.Tables["docs"].File, "docs"); err != nil {
		return nil, err
	}
	for kind, to := range map[string]**extsort.Table[tuple]{
		"prints": &x.prints, "postings": &x.postings, "common": &x.common,
	} {
		if *to, err = extsort.OpenTable[tuple](dir, state.Tables[kind].File, kind); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Close closes the tables.
func (x *Index) Close() error {
	var errs []error
	if x.docs != nil {
		errs = append(errs, x.docs.Close())
	}
	for _, t := range []*extsort.Table[tuple]{x.prints, x.postings, x.common} {
		if t != nil {
			errs = append(errs, t.Close())
		}
	}
	return errors.Join(errs...)
}

// SimilarOptions say which documents are presented as similar. The zero value means the defaults.
type SimilarOptions struct {
	// Threshold is the least estimate, of resemblance or of either containment, that is presented.
	// Default 0.5.
	Threshold float64
	// Limit is the greatest number of documents presented. Default 100.
	Limit int
}

// Validate tells the first field that has no meaning.
func (o SimilarOptions) Validate() error {
	switch {
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return fmt.Errorf("threshold %g: must be above 0, at most 1", o.Threshold)
	case o.Limit < 0:
		return fmt.Errorf("limit %d: must not be negative", o.Limit)
	}
	return nil
}

func (o SimilarOptions) withDefaults() SimilarOptions {
	o.Threshold, o.Limit = cmp.Or(o.Threshold, .5), cmp.Or(o.Limit, 100)
	return o
}

// candidates is how many of the documents with most shingles in common are looked at.
const candidates = 10_000

// Similar finds the documents that resemble, contain, or are contained in a document, which need
// not be there; those most alike come first, and of more than Limit with one sketch those added
// first. Each shingle costs one block read, each candidate at most another. The error is ErrSketch
// for a document without words and digest, or that of the options. Source: section 6.1.
func (x *Index) Similar(ctx context.Context, asked *cluster.Document, o SimilarOptions) ([]Match, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if asked.Digest == 0 && len(asked.Shingles) == 0 {
		return nil, ErrSketch
	}
	q := query{Document: asked, set: setOf(asked.Shingles)}
	counts, err := x.count(ctx, &q)
	if err != nil {
		return nil, fmt.Errorf("similar documents: %w", err)
	}
	// equal documents are told, be it with no shingle in common
	firsts, err := x.equal(&q)
	if err != nil {
		return nil, fmt.Errorf("similar documents: %w", err)
	}
	rows, err := x.rows(most(counts, firsts))
	if err != nil {
		return nil, fmt.Errorf("similar documents: %w", err)
	}
	var found []Match
	for i := range rows {
		r := &rows[i]
		m := q.match(r, counts[r.number()])
		if m.best() < o.Threshold && !slices.Contains(firsts, r.number()) {
			continue
		}
		found = append(found, m)
		equals, err := x.printed(r[9], printSet, o.Limit)
		if err != nil {
			return nil, fmt.Errorf("documents of one sketch: %w", err)
		}
		same, err := x.rows(equals)
		if err != nil {
			return nil, fmt.Errorf("documents of one sketch: %w", err)
		}
		for i := range same {
			found = append(found, q.match(&same[i], counts[r.number()]))
		}
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(
			cmp.Compare(a.Relation, b.Relation), cmp.Compare(b.Resemblance.Value, a.Resemblance.Value),
			cmp.Compare(b.best(), a.best()), compareKeys(a.Key, b.Key),
		)
	})
	found = slices.CompactFunc(found, func(a, b Match) bool { return a.Key == b.Key })
	return found[:min(len(found), o.Limit)], nil
}

// query is a document that is asked for.
type query struct {
	*cluster.Document
	set  uint64
	kept int // shingles that are not common
}

// match compares with a document that has so many shingles in common.
func (q *query) match(r *row, common int) Match {
	m := r.match()
	m.pair = estimates(common, sample{float64(q.kept), cmp.Or(float64(q.Rate), 1)}, r.sample())
	m.Relation = relation([3]uint64{q.Digest, q.Lexical, q.set}, [3]uint64{r[7], r[8], r[9]})
	return m
}

// count counts for each sketch of the tables the shingles that it has in common with the document.
func (x *Index) count(ctx context.Context, q *query) (map[uint32]int, error) {
	counts := map[uint32]int{}
	for _, f := range q.Shingles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := 0
		c := x.postings.From(tuple{f})
		for c.Next() && c.Record()[0] == f {
			counts[uint32(c.Record()[1])]++
			n++
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			return nil, err
		}
		common := x.common.From(tuple{f})
		if n > 0 || !common.Next() || common.Record()[0] != f {
			q.kept++
		}
		if err := errors.Join(common.Err(), common.Close()); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// printSet is the kind of fingerprints of sketches in the table of prints.
const printSet = 2

// printed are the documents of a fingerprint of that kind, by number, so many at most.
func (x *Index) printed(print uint64, kind, limit int) (list []uint32, err error) {
	if print == 0 {
		return nil, nil
	}
	c := x.prints.From(tuple{print, uint64(kind) << 32})
	for len(list) < limit && c.Next() && c.Record()[0] == print && c.Record()[1]>>32 == uint64(kind) {
		list = append(list, uint32(c.Record()[1]))
	}
	return list, errors.Join(c.Err(), c.Close())
}

// equal are the documents that stand for the sketches of those equal by a fingerprint.
func (x *Index) equal(q *query) (list []uint32, err error) {
	for kind, print := range [...]uint64{q.Digest, q.Lexical, q.set} {
		same, err := x.printed(print, kind, 1)
		if err != nil {
			return nil, err
		}
		rows, err := x.rows(same)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			first, err := x.printed(rows[i][9], printSet, 1)
			if err != nil {
				return nil, err
			}
			list = append(list, append(first, rows[i].number())[0])
		}
	}
	return list, nil
}

// most are the numbers of the greatest counts, and those besides, ascending.
func most(counts map[uint32]int, besides []uint32) []uint32 {
	list := make([]uint32, 0, len(counts))
	for n := range counts {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	list = append(list[:min(len(list), candidates)], besides...)
	slices.Sort(list)
	return slices.Compact(list)
}

// rows reads the documents of those numbers, which ascend. Where they are near each other, blocks
// are read once.
func (x *Index) rows(numbers []uint32) (list []row, err error) {
	const near = 256 // about half a block
	var c *extsort.Cursor[row]
	at := uint32(0)
	for _, n := range numbers {
		if c == nil || n-at > near {
			if c != nil {
				if err := c.Close(); err != nil {
					return nil, err
				}
			}
			c, at = x.docs.From(row{uint64(n)}), n
		}
		for ; at <= n; at++ {
			if !c.Next() {
				return nil, fmt.Errorf("document number %d: %w", n,
					errors.Join(c.Err(), c.Close(), ErrUnknown))
			}
		}
		list = append(list, c.Record())
	}
	if c != nil {
		err = c.Close()
	}
	return list, err
}

// Pages asks the index of a catalog for pages.
type Pages struct {
	catalog *catalog.Catalog
	index   *Index
}

// OpenPages opens the index of a catalog.
func OpenPages(x *catalog.Catalog) (*Pages, error) {
	index, err := OpenIndex(x.Dir)
	if err != nil {
		return nil, err
	}
	return &Pages{x, index}, nil
}

// Close closes the index; the catalog stays the caller's.
func (p *Pages) Close() error { return p.index.Close() }

// Similar is Index.Similar with addresses. Of documents of one page that no sweep saw change, the
// latest is told.
func (p *Pages) Similar(ctx context.Context, asked *cluster.Document, o SimilarOptions) ([]Match, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	sweeps, limit := len(p.catalog.Sweeps()), o.Limit
	o.Limit *= max(sweeps, 1)
	found, err := p.index.Similar(ctx, asked, o)
	if err != nil {
		return nil, err
	}
	type version struct{ page, digest, lexical uint64 }
	latest := map[version]uint32{}
	of := func(m *Match) version { return version{m.Page, m.Digest, m.Lexical} }
	for i := range found {
		latest[of(&found[i])] = max(latest[of(&found[i])], found[i].Sweep)
	}
	found = slices.DeleteFunc(found, func(m Match) bool { return m.Sweep != latest[of(&m)] })
	found = found[:min(len(found), limit)]
	for i := range found {
		for n := range sweeps {
			d, has, err := p.catalog.At(page.Key(found[i].Page), n)
			if err != nil {
				return nil, err
			}
			if has {
				found[i].URL = d.URL
				break
			}
		}
	}
	return found, nil
}

// SimilarTo is Similar for a page of some sweep, as it was last. The error is ErrUnknown, too.
func (p *Pages) SimilarTo(ctx context.Context, u page.URL, o SimilarOptions) ([]Match, error) {
	for n, s := range slices.Backward(p.catalog.Sweeps()) {
		d, has, err := p.catalog.At(u.Key(), n)
		if err != nil {
			return nil, err
		}
		if !has {
			break
		}
		if d.Gone {
			continue
		}
		asked, err := documentOf(&d, s.Number)
		if err != nil {
			return nil, err
		}
		return p.Similar(ctx, &asked.Document, o)
	}
	return nil, fmt.Errorf("%s: %w", u, ErrUnknown)
}
