package mirror

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"watershed/internal/extsort"
)

// Report counts what Rank saw and did.
type Report struct {
	Hosts, KeptHosts int    // hosts, and those with enough URLs
	URLs, KeptURLs   uint64 // their URLs
	Terms            [methods]Terms
}

// Result is all rankings, with the evidence for each pair. Its fields must not be changed.
type Result struct {
	e      *engine
	Report Report

	Options   Options    // in force
	Hosts     []string   // with enough URLs to be looked at: their names, by HostID
	Addresses [][]HostID // the hosts of each address that several have, the smallest clusters first

	// Compared gives the pairs that some ranking found, each once and in order, with all features.
	Compared iter.Seq2[Pair, Features]
}

// Rank makes all rankings that the input allows. Runs of sorts go to spill, which stays the
// caller's. Errors: errOptions, errGrouped, those of the input's sequences, of the spill and of
// ctx. The cost is that of sorting the terms of all URLs.
func Rank(ctx context.Context, in Input, spill *extsort.Dir, o Options) (_ *Result, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if in.URLs == nil || spill == nil {
		return nil, fmt.Errorf("%w: neither URLs nor spill may be nil", errOptions)
	}
	e := &engine{o: o.withDefaults(), input: in, spill: spill, hosts: newHosts()}
	defer func() { err = errors.Join(err, e.closePlaced()) }()
	for _, step := range []func() error{
		func() error { return e.urlRankings(ctx) },
		func() error { return e.linkRankings(ctx) },
		e.addressRankings,
		func() error { return e.contentRanking(ctx) },
		e.declaredRanking,
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("rank hosts: %w", err)
		}
	}
	e.combine()
	if err := e.compareSame(ctx); err != nil {
		return nil, fmt.Errorf("rank hosts: %w", err)
	}
	e.fuse()
	e.input, e.spill, e.hosts.seen = Input{}, nil, nil
	r := &Result{e: e, Report: e.report, Options: e.o, Compared: e.compared}
	for i := range e.hosts.list {
		r.Hosts = append(r.Hosts, e.hosts.list[i].Name)
	}
	for _, c := range e.byAddress {
		r.Addresses = append(r.Addresses, c.hosts)
	}
	return r, nil
}

// Ranking gives the pairs of a method, the likeliest first, at most Options.Depth; nil where the
// input does not allow it. The caller must not change them.
func (r *Result) Ranking(m Method) []Pair {
	if m >= methods {
		return nil
	}
	return r.e.pairs[m]
}
