package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"watershed/internal/extsort"
)

// engine is what a call of Rank works with.
type engine struct {
	o      Options
	input  Input
	spill  *extsort.Dir
	hosts  *hosts
	report Report
	// vectors are kept for the features of the fused rankings.
	vectors   [methods]vectors
	pairs     [methods][]Pair
	conn      map[uint64]connResult
	address   map[uint64]addressResult
	byAddress []cluster
	below     below
	placed    *extsort.Sorter[placed] // pages by path, until they are compared
	explain   *index                  // made when first needed
}

// reader makes postings of URLs.
type reader struct {
	e       *engine
	paths   *extsort.Sorter[posting]
	prefix  *extsort.Sorter[posting]
	shingle *extsort.Sorter[posting]
	stage   *extsort.Sorter[posting]

	w       *walker
	sampler *stage
	hashes  []uint64 // of the paths of the host being read
	scratch []uint64
	name    []byte
}

func (e *engine) newReader() (r *reader, err error) {
	r = &reader{e: e, w: newWalker(e.o.Terms), sampler: newStage(e.o.Stage, e.o.Seed)}
	make1 := func(share int) *extsort.Sorter[posting] {
		s, err1 := extsort.NewSorter(e.spill, extsort.Options[posting]{MemoryBytes: e.o.Memory / share})
		err = errors.Join(err, err1)
		return s
	}
	r.paths, r.prefix, r.shingle, r.stage = make1(2), make1(8), make1(8), make1(8)
	return r, err
}

// read goes through the URLs and makes postings of hosts that have enough.
func (r *reader) read(ctx context.Context) error {
	n := 0
	for url, err := range r.e.input.URLs {
		if err != nil {
			return fmt.Errorf("read URLs: %w", err)
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		host, path, ok := SplitURL(url)
		if !ok {
			continue
		}
		if !bytes.Equal(host, r.name) {
			if err := r.end(); err != nil {
				return err
			}
			if err := r.begin(host); err != nil {
				return err
			}
		}
		if hash, fresh := r.w.read(path); fresh {
			r.hashes = append(r.hashes, hash)
			r.sampler.offer(path, hash)
		}
	}
	return r.end()
}

func (r *reader) begin(host []byte) error {
	if !r.e.hosts.begin(host) {
		return fmt.Errorf("%w: %s came before", errGrouped, host)
	}
	r.name = append(r.name[:0], host...)
	r.hashes = r.hashes[:0]
	r.w.begin()
	r.sampler.begin()
	return nil
}

// end makes the postings of the host that was read.
func (r *reader) end() error {
	if len(r.name) == 0 {
		return nil
	}
	p := r.w.paths
	r.e.report.Hosts++
	r.e.report.URLs += uint64(p)
	if p < r.e.o.MinURLs {
		return nil
	}
	name := strings.ToLower(string(r.name))
	id := uint64(r.e.hosts.add(name, p))
	r.e.report.KeptHosts++
	r.e.report.KeptURLs += uint64(p)
	for _, h := range r.hashes {
		if err := r.paths.Add(posting{h, id}); err != nil {
			return err
		}
	}
	r.scratch = r.w.prefixes(r.scratch[:0])
	if err := addAll(r.prefix, r.scratch, id); err != nil {
		return err
	}
	r.scratch = r.w.bigrams(r.scratch[:0])
	if err := addAll(r.shingle, r.scratch, id); err != nil {
		return err
	}
	for _, f := range r.sampler.features(name, p) {
		if err := r.stage.Add(posting{f, id}); err != nil {
			return err
		}
	}
	return nil
}

func addAll(s *extsort.Sorter[posting], terms []uint64, id uint64) error {
	for _, t := range terms {
		if err := s.Add(posting{t, id}); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) close() error {
	var errs []error
	for _, s := range []*extsort.Sorter[posting]{r.paths, r.prefix, r.shingle, r.stage} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// urlRankings makes the rankings of URLs alone: hosts, paths, prefix, shingles, stage I.
func (e *engine) urlRankings(ctx context.Context) (err error) {
	r, err := e.newReader()
	defer func() { err = errors.Join(err, r.close()) }()
	if err != nil {
		return err
	}
	if err := r.read(ctx); err != nil {
		return err
	}
	for _, v := range []struct {
		method Method
		sorter *extsort.Sorter[posting]
		scheme scheme
	}{
		{Paths, r.paths, e.idf(Paths, nil)},
		{Prefix, r.prefix, e.idf(Prefix, e.normal)},
		{Shingles, r.shingle, e.idf(Shingles, e.normal)},
		{Stage1, r.stage, e.stageScheme()},
	} {
		if err := e.rank(ctx, v.method, v.sorter, v.scheme); err != nil {
			return err
		}
	}
	return e.hostRanking(ctx)
}

func (e *engine) rank(ctx context.Context, m Method, s *extsort.Sorter[posting], how scheme) error {
	c, err := s.Sort(ctx)
	if err != nil {
		return fmt.Errorf("rank by %s: %w", m, err)
	}
	v, err := matchAll(ctx, e, c, how)
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("rank by %s: %w", m, err)
	}
	e.vectors[m], e.pairs[m], e.report.Terms[m] = v, v.pairs, v.terms
	return nil
}

// normal is the normaliser by the number of URLs (section 3.2.3).
func (e *engine) normal(a, b HostID) float64 {
	return e.o.Terms.norm(e.hosts.list[a].URLs, e.hosts.list[b].URLs)
}

// square is a weight as it counts for a pair.
func (o TermOptions) square(w float64) float64 {
	if o.Linear {
		return w
	}
	return w * w
}

// keep is in how many hosts a term of so many counts (section 3.2.1).
func (o TermOptions) keep(hosts int) int {
	if hosts >= o.Reject {
		return 0
	}
	return min(hosts, o.Restrict)
}

// idf weighs a term by 1 + log(maxdf/df) (section 3.2.2).
func (e *engine) idf(m Method, norm func(a, b HostID) float64) scheme {
	o := e.o.Terms
	return scheme{
		seed: draw(e.o.Seed, uint64(m)),
		keep: o.keep,
		weight: func(_ uint64, hosts int) float64 {
			return o.square(1 + math.Log(float64(o.Reject)/float64(hosts)))
		},
		norm: norm,
	}
}

// stageScheme weighs a feature by S/N, and wants two, of which one of the paths (Mirror, mirror on
// the Web, section 3.1).
func (e *engine) stageScheme() scheme {
	o := e.o.Stage
	const pathFeature = 1 << 32
	return scheme{
		seed: draw(e.o.Seed, uint64(Stage1)),
		keep: func(hosts int) int {
			if hosts > o.MaxHosts {
				return 0
			}
			return hosts
		},
		weight: func(term uint64, hosts int) float64 {
			if term&1 == 1 {
				return o.HostScore / float64(hosts)
			}
			return o.PathScore / float64(hosts)
		},
		count: func(term uint64) uint64 {
			if term&1 == 1 {
				return 1
			}
			return pathFeature
		},
		norm: func(a, b HostID) float64 {
			n1, n2 := float64(e.hosts.list[a].URLs), float64(e.hosts.list[b].URLs)
			return 1 / (1 + o.NormSlope*(math.Log(n1)+math.Log(n2))/math.Log(e.o.Terms.NormBase))
		},
		accept: func(s sum) bool {
			paths, names := s[2]/pathFeature, s[2]%pathFeature
			return o.Unfilter || paths > 0 && paths+names > 1
		},
	}
}

// hostRanking compares host names (section 3.2.1). A term's last six bits are the number of its
// segments.
func (e *engine) hostRanking(ctx context.Context) (err error) {
	s, err := extsort.NewSorter(e.spill, extsort.Options[posting]{MemoryBytes: e.o.Memory / 8})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for id, h := range e.hosts.list {
		hostTerms(h.Name, func(term string, segments int) {
			if segments > 1 || e.o.Terms.LabelLog1p {
				err = errors.Join(err,
					s.Add(posting{hashOf([]byte(term))&^63 | uint64(min(segments, 63)), uint64(id)}))
			}
		})
		if err != nil {
			return err
		}
	}
	how := e.idf(Hosts, nil)
	how.weight = func(term uint64, hosts int) float64 {
		segments := float64(term & 63)
		if e.o.Terms.LabelLog1p {
			segments++
		}
		return e.o.Terms.square(math.Log(segments) / (1 + math.Log(float64(hosts))))
	}
	return e.rank(ctx, Hosts, s, how)
}
