package rankings

import (
	"strings"

	"watershed/replica/mirror"
)

// Sample is a pair whose truth is known, to fit weights to. It stands for Weight pairs.
type Sample struct {
	Features mirror.Features
	Mirrors  bool
	Weight   float64
}

// Of the mismatches of which no feature exceeds faint, one of every thinned is a sample, and stands
// for all of them.
const (
	faint   = 0.3
	thinned = 64
)

// Samples gives the candidates of which truth knows whether they are mirrors; of those that nobody
// would take for mirrors, some.
func Samples(r *mirror.Result, truth *Truth) []Sample {
	var list []Sample
	for p, f := range r.Compared {
		level := truth.level(r.Hosts[p.A], r.Hosts[p.B])
		if level == Unknown {
			continue
		}
		s := Sample{f, level > 0, 1}
		if !s.Mirrors && strongest(&f) < faint {
			if mix(uint64(p.A)<<32|uint64(p.B))%thinned != 0 {
				continue
			}
			s.Weight = thinned
		}
		list = append(list, s)
	}
	return list
}

// strongest is the greatest of the features but the bias and those that say what is not known.
func strongest(f *mirror.Features) (most float64) {
	for i, x := range f {
		if name := mirror.FeatureName(i); name != "bias" && !strings.HasPrefix(name, "no.") {
			most = max(most, x)
		}
	}
	return most
}

// mix is a bijection of 64-bit numbers: the finaliser of splitmix64 (Steele, Lea, Flood, Fast
// splittable pseudorandom number generators, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw is a number that depends on all given.
func draw(seed uint64, of ...uint64) uint64 {
	for _, x := range of {
		seed = mix(seed+0x9e3779b97f4a7c15) ^ x
	}
	return mix(seed + 0x9e3779b97f4a7c15)
}
