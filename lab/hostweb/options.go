package hostweb

import (
	"errors"
	"fmt"
)

// errOptions says that options are out of range.
var errOptions = errors.New("hostweb: bad options")

// The parts that are the same in all webs. "A" is A comparison of techniques to find mirrored hosts, "B" is
// Mirror, mirror on the Web.
const (
	clusterPower = 2.5     // a cluster has k hosts with probability ∝ k^−clusterPower (assumed)
	clusterMost  = 30      // (assumed)
	mostURLs     = 200_000 // known URLs of a host, at most (A: 12 million on the largest)
	families     = .30     // part of the hosts that belong to an organisation with others (assumed)
	misspelt     = .003    // misspelt host names, in parts of the hosts (B §4 tells that there are)

	// part of the mirrors on the address of their original (A §4.2: IP4 finds 53.9 %)
	sharedAddress = .45
	sharedNetwork = .20  // on its network (assumed)
	virtual       = .20  // part of the other hosts on an address with strangers (A Fig. 2)
	virtualMost   = 2000 // most hosts of an address (A §3.1: 18,000 on one)
	relatedName   = .45  // part of the mirrors whose name tells their original (assumed)
)

// Options are the parameters of a web. The zero value means the defaults.
type Options struct {
	Seed  uint64
	Hosts int // 2000

	MirrorShare float64 // part of the hosts that have a mirror: 0.10 (A §1; B §4: 9.4 %)
	// parts of mirrors by level: .57 .04 .02 .36 .01 (B Table 2: 9619, 700, 406, 6011, 189)
	Levels [5]float64

	MinURLs int // known URLs of a host, at least: 100 (A §2)
	// MeanURLs is the mean of Pareto's law before mostURLs cuts it: 603 (A §2: 140.6 million on
	// 233,035). With the other defaults 492 remain; 950 gives the paper's.
	MeanURLs int
	// least part of a host's URLs that a crawler knows, the greatest being 1: 0.35 (assumed)
	Known float64
	// part of the known URLs that it has read: 0.5 (assumed; A §2 says only that not all were)
	Read      float64
	Lookalike float64 // part of the sites made by a program that others use too: 0.15 (assumed)
	Programs  int     // programs, in all: Hosts/40 + 3 (assumed)
	Dated     float64 // part of the programs that name pages by date and number, as blogs do: 0.5 (assumed)
	// part of the programs whose sites link to the same hosts, as blogs that know each other do:
	// 0.5 (assumed)
	Rings  float64
	Guests float64 // part of the sites with a document set of others: 0.10 (assumed)
	// part of the sites that a search for replicated collections finds with their mirrors: 0.7
	// (assumed)
	Found     float64
	LinkDrift float64 // part of a mirror's links that differ from its original's, at most: 0.25 (assumed)
	Outward   float64 // part of the links that lead to other hosts: a third (assumed)
	// part of a mirror's pages that are no longer alike, at most: 0.35 (assumed; updates lag)
	ContentDrift float64
}

func or[T int | float64](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}

func (o Options) withDefaults() Options {
	or(&o.Hosts, 2000)
	or(&o.MirrorShare, .10)
	if o.Levels == [5]float64{} {
		o.Levels = [5]float64{.57, .04, .02, .36, .01}
	}
	or(&o.MinURLs, 100)
	or(&o.MeanURLs, 603)
	or(&o.Known, .35)
	or(&o.Read, .5)
	or(&o.Lookalike, .15)
	or(&o.Programs, o.Hosts/40+3)
	or(&o.Dated, .5)
	or(&o.Rings, .5)
	or(&o.Guests, .10)
	or(&o.Found, .7)
	or(&o.LinkDrift, .25)
	or(&o.Outward, 1./3)
	or(&o.ContentDrift, .35)
	return o
}

// Validate tells what no web can be made of, as an errOptions.
func (o Options) Validate() error {
	o = o.withDefaults()
	sum := 0.0
	for _, l := range o.Levels {
		sum += l
		if l < 0 {
			return fmt.Errorf("%w: a level's part is negative", errOptions)
		}
	}
	for name, v := range map[string]float64{
		"MirrorShare": o.MirrorShare, "Known": o.Known, "Read": o.Read, "Lookalike": o.Lookalike,
		"Dated": o.Dated, "Rings": o.Rings, "Guests": o.Guests, "Found": o.Found, "LinkDrift": o.LinkDrift,
		"ContentDrift": o.ContentDrift, "Outward": o.Outward, "sum of Levels": sum,
	} {
		if !(v >= 0 && v <= 1.000001) {
			return fmt.Errorf("%w: %s is %v, not a part of 1", errOptions, name, v)
		}
	}
	if o.Hosts < 10 || o.MinURLs < 10 || o.MeanURLs <= o.MinURLs || o.MeanURLs > mostURLs ||
		o.Programs < 1 || o.Known == 0 {
		return fmt.Errorf("%w: a size is too small", errOptions)
	}
	return nil
}
