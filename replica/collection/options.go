package collection

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"watershed/internal/extsort"
)

// Condition is the merge condition of two trivial clusters Ri and Rj, of which s pages of Ri link
// to d pages of Rj.
type Condition uint8

const (
	Extended Condition = iota // |Ri| = s ≥ d = |Rj| (section 4): Rj may be held by fewer sites
	Strict                    // |Ri| = s = d = |Rj| (section 3.1)
)

// LinkTest is a relaxation of Definition 5's "similar links": of the links of a page within its
// replica, at least Least and at least Share of them must have their like in the representative. A
// page that has no such links on either side passes. The zero value asks for nothing.
type LinkTest struct {
	Out   bool    // judge links from the page instead of links to it
	Least int     // the paper: 1; or any k
	Share float64 // the paper's stricter form: 0.8
}

// Options of a search. The zero value means the defaults told at each field.
type Options struct {
	// Threshold is T: two pages are similar if they share more than T distinct chunks. It is
	// required where Input.Chunks is given; the paper takes 15 for chunks of four lines and 25 for
	// those of two.
	Threshold int
	// MaxCommon is the number of pages above which a chunk is too common to tell anything:
	// generators' footers, numbers. Default 1000 (Broder et al., Syntactic clustering of the web,
	// 1997, section 5.1); negative for no bound.
	MaxCommon int

	// Condition of merges. Default Extended.
	Condition Condition
	// Faithful merges every component of the trivial cluster graph as printed (section 3.2, step
	// 5): without a look at the matching of pages, and without a node from which all others can be
	// reached.
	Faithful bool
	// AcrossSites lets a replica's pages lie on several sites. By default each lies on one site, a
	// host, as in the paper's own run (section 5.1).
	AcrossSites bool
	// CoresOnly leaves out the two phases of section 6, so that collections are the cores.
	CoresOnly bool

	// MinPages is the size below which a collection is noise. Default 10 (section 5.1).
	MinPages int
	// MinReplicas is the smallest cardinality. Default 2.
	MinReplicas int

	// JoinShare is the part of the replicas of both cores that a break point must connect for the
	// cores to be joined. Default 0.8.
	JoinShare float64
	// MinSimilar is the number of similar pages at the same relative paths that two directories
	// need to be taken for replicas. Default 3.
	MinSimilar int
	// SimilarShare is the part that those make of all pages at the same relative paths. Default
	// 0.2.
	SimilarShare float64
	// CommonShare is the part of the smaller directory's pages whose relative paths the other
	// directory has, too. Default 0.5.
	CommonShare float64
	// NearbyResemblance is the least Input.Resemblance of pages that are mapped only by their path.
	// Default 0.2; translations and strangers of the same name are far below.
	NearbyResemblance float64
	// NearbyShare is the part of a replica's mapped pages that must be similar for the others to be
	// mapped by their path, where there is no Input.Resemblance: some small number of pages, says
	// section 6. Default 0.8.
	NearbyShare float64
	// FoldShare is the part of a directory's replicated pages from which on a directory within it
	// stands for it. Default 0.5.
	FoldShare float64

	// ChapterResemblance is the mean resemblance from which on parts of two works that are
	// replicated as wholes, each by itself, are replicas of each other; below, they share a
	// chapter. Default 0.8, which other editions of one work seldom reach.
	ChapterResemblance float64

	// Links is asked of each mapped page. By default nothing is asked of similar pages; a page that
	// only its path maps needs one link in common, in either direction.
	Links LinkTest

	// Rank orders candidates for the representative, the best first. Default Fullest.
	Rank Rank

	// Dir takes what sorts of links and chunks cannot hold in Memory bytes each, two at a time;
	// 0 is the default of extsort.Options. Without a Dir, a web that needs more is an error.
	Dir    *extsort.Dir
	Memory int
}

// Validate checks every field.
func (o Options) Validate() error {
	for _, s := range []struct {
		name  string
		value float64
	}{
		{"JoinShare", o.JoinShare},
		{"SimilarShare", o.SimilarShare},
		{"CommonShare", o.CommonShare},
		{"FoldShare", o.FoldShare},
		{"NearbyResemblance", o.NearbyResemblance},
		{"NearbyShare", o.NearbyShare},
		{"ChapterResemblance", o.ChapterResemblance},
		{"Links.Share", o.Links.Share},
	} {
		if math.IsNaN(s.value) || s.value < 0 || s.value > 1 {
			return fmt.Errorf("option %s: not a share between 0 and 1", s.name)
		}
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"Threshold", o.Threshold},
		{"MinPages", o.MinPages},
		{"MinReplicas", o.MinReplicas},
		{"MinSimilar", o.MinSimilar},
		{"Links.Least", o.Links.Least},
	} {
		if n.value < 0 {
			return fmt.Errorf("option %s: negative", n.name)
		}
	}
	switch {
	case o.Condition > Strict:
		return errors.New("option Condition: neither Extended nor Strict")
	case o.MinReplicas == 1:
		return errors.New("option MinReplicas: one replica is no replication")
	}
	return nil
}

func (o Options) withDefaults() Options {
	or := func(p *float64, v float64) { *p = cmp.Or(*p, v) }
	o.MaxCommon, o.MinPages = cmp.Or(o.MaxCommon, 1000), cmp.Or(o.MinPages, 10)
	o.MinReplicas, o.MinSimilar = cmp.Or(o.MinReplicas, 2), cmp.Or(o.MinSimilar, 3)
	or(&o.JoinShare, 0.8)
	or(&o.SimilarShare, 0.2)
	or(&o.CommonShare, 0.5)
	or(&o.FoldShare, 0.5)
	or(&o.NearbyResemblance, 0.2)
	or(&o.NearbyShare, 0.8)
	or(&o.ChapterResemblance, 0.8)
	if o.Rank == nil {
		o.Rank = Fullest
	}
	return o
}
