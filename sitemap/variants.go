package sitemap

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// variantSet is a set of works that is asked whether another work is a variant of one of them: their
// directories are variants, and either lie beside each other under names that are certain to tell it,
// or have enough paths in common. To be compared pair by pair, ten thousand directories with numbers
// for names would take an hour; so works are found by keys that variants have in common, and by their
// paths below these. It costs time linear in the pages.
type variantSet struct {
	shared  map[uint64]int     // how many of all works have a key
	certain map[uint64][]*work // by keys of directories beside each other, works of two of these at most
	first   map[uint64]int32   // by key and path: 1 + place in links of the work that was added last
	links   []variantLink
	common  map[*work]int // of the work that is asked about, by key
}

// variantLink is a work that has a path, and the one that has it, too, and was added before.
type variantLink struct {
	work *work
	next int32
	rank int32 // how many there are in all
}

// mostNamesakes is of how many works a path under a key is kept. Where it has more of them, such as
// index.html, it is the name of a template's page rather than of a work's, and the works that are
// variants mostly have others in common.
const mostNamesakes = 64

// newVariants is an empty set, for works of which all are among these.
func newVariants(all []work) *variantSet {
	v := &variantSet{
		shared: map[uint64]int{}, certain: map[uint64][]*work{}, first: map[uint64]int32{},
		common: map[*work]int{},
	}
	for i := range all {
		for _, key := range all[i].keys() {
			v.shared[key]++
		}
	}
	return v
}

// add puts a work into the set.
func (v *variantSet) add(k *work) {
	for _, key := range k.besides() {
		if list := v.certain[key]; len(list) == 0 || len(list) == 1 && list[0].dir != k.dir {
			v.certain[key] = append(list, k)
		}
	}
	for _, key := range k.keys() {
		if v.shared[key] < 2 {
			continue
		}
		for _, path := range k.paths() {
			at := path ^ bits.RotateLeft64(key, 32)
			link := variantLink{work: k, next: v.first[at], rank: 1}
			if link.next > 0 {
				link.rank += v.links[link.next-1].rank
			}
			if link.rank <= mostNamesakes {
				v.links = append(v.links, link)
				v.first[at] = int32(len(v.links))
			}
		}
	}
}

// has reports whether a work is a variant of one of the set.
func (v *variantSet) has(k *work) bool {
	for _, key := range k.besides() {
		for _, l := range v.certain[key] {
			if _, certain := k.beside(l); certain {
				return true
			}
		}
	}
	for _, key := range k.keys() {
		if v.shared[key] < 2 {
			continue
		}
		clear(v.common)
		for _, path := range k.paths() {
			at := v.first[path^bits.RotateLeft64(key, 32)]
			for ; at > 0; at = v.links[at-1].next {
				l := v.links[at-1].work
				if v.common[l]++; k.shares(l, v.common[l]) {
					return true
				}
			}
		}
	}
	return false
}

// shares reports whether so many paths in common make two works variants.
func (k *work) shares(l *work, common int) bool {
	return common >= leastAlike && float64(common) >= likeness*float64(min(len(k.paths()), len(l.paths()))) &&
		variants(k.segments, l.segments)
}

// besides are keys that two works have in common that lie certainly beside each other.
func (k *work) besides() (keys []uint64) {
	last := len(k.segments) - 1
	name := k.segments[last]
	around := xxh3.HashString(strings.Join(k.segments[:last], "/"))
	if isTongue(name) {
		keys = append(keys, xxh3.HashStringSeed("tongue", around))
	}
	if isDated(name) {
		keys = append(keys, xxh3.HashStringSeed("dated "+undated(name), around))
	}
	return keys
}

// keys are such that two directories that are variants have one in common: for each segment one for
// each thing that its variants have in common, with what stands before and behind it; and one for
// each place where a segment may be more.
func (k *work) keys() []uint64 {
	if k.shared != nil || len(k.segments) == 0 {
		return k.shared
	}
	n := len(k.segments)
	behind := make([]uint64, n+1)
	for i := n - 1; i >= 0; i-- {
		behind[i] = xxh3.HashStringSeed(k.segments[i], behind[i+1]+1)
	}
	before := uint64(0)
	key := func(what string, behind uint64) {
		k.shared = append(k.shared, xxh3.HashStringSeed(what, before^bits.RotateLeft64(behind, 32)))
	}
	for i, segment := range k.segments {
		name := undated(segment)
		key("more", behind[i])
		key("name "+name, behind[i+1])
		if isLanguage(segment) {
			key("language", behind[i+1])
		}
		if isLanguage(segment) || name == "" {
			key("more", behind[i+1])
		}
		if j := strings.LastIndexAny(segment, "-_."); j > 0 && isLanguage(segment[j+1:]) {
			key("ends in a language "+segment[:j], behind[i+1])
		}
		before = xxh3.HashStringSeed(segment, before+1)
	}
	key("more", behind[n])
	slices.Sort(k.shared)
	k.shared = slices.Compact(k.shared)
	return k.shared
}
