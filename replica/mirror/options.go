package mirror

import (
	"cmp"
	"fmt"
	"math"
)

// Options are those of Rank. The zero value means the defaults, which are the papers' values unless
// said otherwise. "2.1" and so on are sections of A comparison of techniques; "II.3.1" of Mirror,
// mirror on the Web.
type Options struct {
	// MinURLs is how many URLs a host must have to be looked at: 100 (2; the other paper once says
	// "more than 100").
	MinURLs int
	// Depth is how many pairs of a ranking are kept: 100,000 (4.2.2), which is also what combined
	// takes of each.
	Depth int
	// Seed makes every random choice.
	Seed uint64
	// Memory is what all sorting together may use, in bytes. Default 512 MiB.
	Memory int

	// Weights are those of the fused rankings; nil means the ones fitted to generated webs
	// (decision 18).
	Weights *Weights

	Address AddressOptions
	Terms   TermOptions
	Conn    ConnOptions
	Graph   GraphOptions
	Stage   StageOptions
}

// AddressOptions are those of IP4 and IP3 (3.1).
type AddressOptions struct {
	PairsIP4  int // most pairs of a cluster of equal addresses: 200
	PairsIP3  int // most pairs of a cluster of a common network: 5
	NetworkV4 int // bits of a network: 24, three octets
	NetworkV6 int // bits of a network: 64; the paper knew no IPv6
}

// TermOptions are those of the term vectors (3.2).
type TermOptions struct {
	Reject   int // terms of so many hosts or more are rejected: 100
	Restrict int // a term of more hosts is kept in so many, chosen at random: 25
	// the terms of largest frequency that are kept of a host of p URLs are CapFactor·log p: 10
	CapFactor float64
	// CapBase is the base of that logarithm: e. Of the paper's 40.8 edges a host, the logarithm to
	// base 10 would allow 27.8.
	CapBase float64
	// NormBase is that of the normaliser: 10, for "1000 URLs" have "scaling 1" (3.2.3).
	NormBase  float64
	NormConst float64 // the normaliser is 1 / (NormConst + NormSlope (log n1 + log n2)): 0.1
	NormSlope float64 // 0.15
	// Linear adds up weights instead of their squares. The paper says "term vector matching"
	// (Salton, Buckley 1988), whose inner product has each weight twice; the other paper adds up
	// weights.
	Linear bool
	// LabelLog1p lets single labels of a host name count: log(1+len) instead of log(len), which is
	// nothing for len 1 (3.2.1).
	LabelLog1p bool
	// KeepCase tells words of shingles apart by case. The paper does not say; by default they are
	// folded.
	KeepCase bool
	// Unplaced leaves positions out of shingles, which the paper tried and rejected (3.2.4).
	Unplaced bool
	// SingleWords makes shingles of single words, which the paper tried and rejected (3.2.4).
	SingleWords bool
}

// ConnOptions are those of conn (3.3).
type ConnOptions struct {
	Common       float64 // f, the part of the united links that must be common: 0.9
	Paths        int     // n, common paths tested for each of the two hosts: 10
	Equivalent   float64 // m, the part of tested paths that must be equivalent: 0.75
	KeepUntested bool    // keep pairs of which no common path has known links on both hosts
}

// GraphOptions are those of hconn1 and hconn2 (3.4).
type GraphOptions struct {
	// Outside counts links to hosts of fewer than MinURLs too. The paper's links are those between
	// its hosts.
	Outside bool
	Full    int // terms of so many hosts count in all: 25, and in so many of up to 5 times as many
	Most    int // beyond, in a fifth, at most so many: 200
	// Norm divides by the normaliser of TermOptions; the paper states none.
	Norm bool
}

// StageOptions are those of stage I (II.3.1).
type StageOptions struct {
	Modulus int // m, paths whose hash is 0 modulo m are sampled: 5
	First   int // sampled paths after which m doubles for the first time: 20
	// and again after each so many: 10; the paper says "at certain thresholds", with 20.8 a host as
	// the mean
	Every int
	// sample by smallest hash instead, as many as the doubling expects to take: without the bias of
	// the order
	BottomK   bool
	MinOnHost int     // paths of a host that must have a feature: 2
	MaxHosts  int     // features of more hosts are skipped: 20
	HostScore float64 // S of a feature of the host name: 4
	PathScore float64 // S of a feature of the paths: 1
	// the score is divided by 1 + NormSlope (log N1 + log N2), base TermOptions.NormBase: 0.1
	NormSlope float64
	// keep pairs of one common feature and pairs without a common path feature, an optional step
	Unfilter  bool
	StarDigit bool // digits become "*" as in the other paper, instead of separating words
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	o.MinURLs = cmp.Or(o.MinURLs, 100)
	o.Depth = cmp.Or(o.Depth, 100_000)
	o.Memory = cmp.Or(o.Memory, 512<<20)
	o.Address.PairsIP4 = cmp.Or(o.Address.PairsIP4, 200)
	o.Address.PairsIP3 = cmp.Or(o.Address.PairsIP3, 5)
	o.Address.NetworkV4 = cmp.Or(o.Address.NetworkV4, 24)
	o.Address.NetworkV6 = cmp.Or(o.Address.NetworkV6, 64)
	o.Terms.Reject = cmp.Or(o.Terms.Reject, 100)
	o.Terms.Restrict = cmp.Or(o.Terms.Restrict, 25)
	o.Terms.CapFactor = cmp.Or(o.Terms.CapFactor, 10)
	o.Terms.CapBase = cmp.Or(o.Terms.CapBase, math.E)
	o.Terms.NormBase = cmp.Or(o.Terms.NormBase, 10)
	o.Terms.NormConst = cmp.Or(o.Terms.NormConst, 0.1)
	o.Terms.NormSlope = cmp.Or(o.Terms.NormSlope, 0.15)
	o.Conn.Common = cmp.Or(o.Conn.Common, 0.9)
	o.Conn.Paths = cmp.Or(o.Conn.Paths, 10)
	o.Conn.Equivalent = cmp.Or(o.Conn.Equivalent, 0.75)
	o.Graph.Full = cmp.Or(o.Graph.Full, 25)
	o.Graph.Most = cmp.Or(o.Graph.Most, 200)
	o.Stage.Modulus = cmp.Or(o.Stage.Modulus, 5)
	o.Stage.First = cmp.Or(o.Stage.First, 20)
	o.Stage.Every = cmp.Or(o.Stage.Every, 10)
	o.Stage.MinOnHost = cmp.Or(o.Stage.MinOnHost, 2)
	o.Stage.MaxHosts = cmp.Or(o.Stage.MaxHosts, 20)
	o.Stage.HostScore = cmp.Or(o.Stage.HostScore, 4)
	o.Stage.PathScore = cmp.Or(o.Stage.PathScore, 1)
	o.Stage.NormSlope = cmp.Or(o.Stage.NormSlope, 0.1)
	return o
}

// Validate tells what no ranking can work with, as an errOptions.
func (o Options) Validate() error {
	o = o.withDefaults()
	positive := map[string]float64{
		"MinURLs": float64(o.MinURLs), "Depth": float64(o.Depth),
		"Address.PairsIP4": float64(o.Address.PairsIP4), "Address.PairsIP3": float64(o.Address.PairsIP3),
		"Terms.Reject": float64(o.Terms.Reject), "Terms.Restrict": float64(o.Terms.Restrict),
		"Terms.CapFactor": o.Terms.CapFactor,
		"Terms.NormConst": o.Terms.NormConst, "Terms.NormSlope": o.Terms.NormSlope,
		"Conn.Paths": float64(o.Conn.Paths), "Graph.Full": float64(o.Graph.Full),
		"Graph.Most":    float64(o.Graph.Most),
		"Stage.Modulus": float64(o.Stage.Modulus), "Stage.First": float64(o.Stage.First),
		"Stage.Every":     float64(o.Stage.Every),
		"Stage.MinOnHost": float64(o.Stage.MinOnHost), "Stage.MaxHosts": float64(o.Stage.MaxHosts),
		"Stage.HostScore": o.Stage.HostScore, "Stage.PathScore": o.Stage.PathScore,
		"Stage.NormSlope": o.Stage.NormSlope,
	}
	for name, v := range positive {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: %s is %v, which is not positive", errOptions, name, v)
		}
	}
	switch {
	case o.Memory < 8<<20:
		return fmt.Errorf("%w: %d bytes of memory are less than 8 MiB", errOptions, o.Memory)
	case !(o.Terms.CapBase > 1) || !(o.Terms.NormBase > 1):
		return fmt.Errorf("%w: the base of a logarithm must be greater than 1", errOptions)
	case !(o.Conn.Common > 0 && o.Conn.Common <= 1) || !(o.Conn.Equivalent > 0 && o.Conn.Equivalent <= 1):
		return fmt.Errorf("%w: Conn.Common and Conn.Equivalent are parts of 1", errOptions)
	case o.Address.NetworkV4 < 1 || o.Address.NetworkV4 > 32 || o.Address.NetworkV6 < 1 ||
		o.Address.NetworkV6 > 128:
		return fmt.Errorf("%w: a network has 1 to 32 bits, 128 of IPv6", errOptions)
	case o.Depth > 1<<24:
		return fmt.Errorf("%w: a depth of %d is more than memory holds", errOptions, o.Depth)
	}
	return nil
}

// cap is how many terms are kept of a host of p URLs: CapFactor·log p, rounded down, at least 1.
func (o TermOptions) cap(p int) int {
	return max(1, int(o.CapFactor*math.Log(float64(p))/math.Log(o.CapBase)))
}

// norm is the normaliser of two hosts of n1 and n2 URLs.
func (o TermOptions) norm(n1, n2 int) float64 {
	return 1 / (o.NormConst + o.NormSlope*(math.Log(float64(n1))+math.Log(float64(n2)))/math.Log(o.NormBase))
}
