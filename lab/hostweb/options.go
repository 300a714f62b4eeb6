package hostweb

import (
	"errors"
	"fmt"
)

// errOptions says that options are out of range.
var errOptions = errors.New("hostweb: bad options")

// Options are the parameters of a web. The zero value means the defaults. "A" is A comparison of
// techniques to find mirrored hosts, "B" is Mirror, mirror on the Web.
type Options struct {
	Seed  uint64
	Hosts int // 2000

	MirrorShare  float64 // part of the hosts that have a mirror: 0.10 (A §1; B §4: 9.4 %)
	ClusterPower float64 // a cluster has k hosts with probability ∝ k^−ClusterPower: 2.5 (assumed)
	ClusterMost  int     // 30 (assumed)
	// parts of mirrors by level: .57 .04 .02 .36 .01 (B Table 2: 9619, 700, 406, 6011, 189)
	Levels [5]float64

	MinURLs int // known URLs of a host, at least: 100 (A §2)
	// MeanURLs is the mean of Pareto's law before MostURLs cuts it: 603 (A §2: 140.6 million on
	// 233,035). With the other defaults 492 remain; 950 gives the paper's.
	MeanURLs int
	MostURLs int // at most: 200,000 (A: 12 million on the largest)
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
	Found    float64
	Families float64 // part of the hosts that belong to an organisation with others: 0.30 (assumed)
	Misspelt float64 // misspelt host names, in parts of the hosts: 0.003 (B §4 tells that there are)

	// part of the mirrors on the address of their original: 0.45 (A §4.2: IP4 finds 53.9 %)
	SharedAddress float64
	SharedNetwork float64 // on its network: 0.20 (assumed)
	Virtual       float64 // part of the other hosts on an address with strangers: 0.20 (A Fig. 2)
	VirtualMost   int     // most hosts of an address: 2000 (A §3.1: 18,000 on one)
	RelatedName   float64 // part of the mirrors whose name tells their original: 0.45 (assumed)
	LinkDrift     float64 // part of a mirror's links that differ from its original's, at most: 0.25 (assumed)
	Outward       float64 // part of the links that lead to other hosts: a third (assumed)
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
	or(&o.ClusterPower, 2.5)
	or(&o.ClusterMost, 30)
	if o.Levels == [5]float64{} {
		o.Levels = [5]float64{.57, .04, .02, .36, .01}
	}
	or(&o.MinURLs, 100)
	or(&o.MeanURLs, 603)
	or(&o.MostURLs, 200_000)
	or(&o.Known, .35)
	or(&o.Read, .5)
	or(&o.Lookalike, .15)
	or(&o.Programs, o.Hosts/40+3)
	or(&o.Dated, .5)
	or(&o.Rings, .5)
	or(&o.Guests, .10)
	or(&o.Found, .7)
	or(&o.Families, .30)
	or(&o.Misspelt, .003)
	or(&o.SharedAddress, .45)
	or(&o.SharedNetwork, .20)
	or(&o.Virtual, .20)
	or(&o.VirtualMost, 2000)
	or(&o.RelatedName, .45)
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
		"Guests": o.Guests, "Rings": o.Rings, "Dated": o.Dated,
		"Families": o.Families, "Found": o.Found, "Misspelt": o.Misspelt,
		"SharedAddress + SharedNetwork": o.SharedAddress + o.SharedNetwork,
		"Virtual":                       o.Virtual, "RelatedName": o.RelatedName, "LinkDrift": o.LinkDrift,
		"ContentDrift": o.ContentDrift, "Outward": o.Outward, "sum of Levels": sum,
	} {
		if !(v >= 0 && v <= 1.000001) {
			return fmt.Errorf("%w: %s is %v, not a part of 1", errOptions, name, v)
		}
	}
	if o.Hosts < 10 || o.ClusterMost < 2 || o.MinURLs < 10 || o.MeanURLs <= o.MinURLs ||
		o.MostURLs < o.MeanURLs || o.VirtualMost < 2 ||
		o.ClusterPower <= 1 || o.Programs < 1 || o.Known == 0 {
		return fmt.Errorf("%w: a size is too small", errOptions)
	}
	return nil
}
