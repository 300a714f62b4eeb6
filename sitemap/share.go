package sitemap

import (
	"math"
	"slices"

	"watershed/graph"
)

// shares measures how closely blocks are linked with each other. With F(A→B) the number of
// links from A to B and T(A) that of all links between A and other blocks,
//
//	σ(A,B) = 2·M / √(T(A)·T(B)),    M = min(√(F(A→B)·F(B→A)), 1.6·min(F(A→B), F(B→A)) + 1.2)
//
// is the mutual share: 1 where two blocks link to each other and nothing else, 0 where one of them
// never links back. A prior is added to T, and of a stranger's block its silent pages; links between
// two blocks of which one never links back count in T for a part (oneSided).
//
// Links to pages that failed do not count.
type shares struct {
	b      *book
	blocks []block
	count  tally
	flow   map[uint64]int64 // F before extrapolation, by pairKey; what is 0 is not in it
	out    []int64          // sums of F by block
	in     []int64
	x      map[uint64]int64 // capacity, by pairKey, both ways round
	was    map[uint64]int64 // x before
	near   [][]blockID      // blocks that a capacity joins
	proofs [][]float64      // the evidence of the mechanisms, by these and by block
	kin    []float64        // the most of it, by block: κ with the prefix, or what is more
	words  [][]string       // by block: the words of its name that the prefix has
	akin   []bool           // by block: one of them tells something
	users  []bool           // by block: it is the home of a user, and has none of them but its host's
	back   []bool           // by block: it links to one that links to it
	rivals []float64        // by block of a house: the most that it shares with a room beside the seed's
	alone  []int64          // by block: the part of out that goes to blocks that never link back
	unmet  []int64          // by block: the part of in that comes from blocks to which it never links
	family []bool           // by block: it is a whole host of the site's name
	bar    []bool           // by block of the family: it is in the navigation that its hosts have in common
}

func newShares(b *book) shares {
	return shares{
		b: b, flow: make(map[uint64]int64), x: make(map[uint64]int64), was: make(map[uint64]int64),
	}
}

func pairKey(a, b blockID) uint64 { return uint64(a)<<32 | uint64(b) }

// weigh adds to F(a→k).
func (h *shares) weigh(a, k blockID, w int64) {
	key := pairKey(a, k)
	if sum := h.flow[key] + w; sum != 0 {
		h.flow[key] = sum
	} else {
		delete(h.flow, key)
	}
}

// hear takes the evidence of the mechanisms.
func (h *shares) hear(s *settlement) {
	h.proofs = h.proofs[:0]
	h.kin = make([]float64, len(h.blocks))
	for _, m := range h.b.list {
		proof := m.evidence(s)
		h.proofs = append(h.proofs, proof)
		for k, x := range proof {
			h.kin[k] = max(h.kin[k], x)
		}
	}
}

// proof is the evidence of a mechanism for a block.
func (h *shares) proof(m mechanism, k blockID) float64 {
	if i := slices.Index(h.b.list, m); i >= 0 && len(h.proofs[i]) > 0 {
		return h.proofs[i][k]
	}
	return 0
}

// joinBlocks gives the links between blocks their capacity, and notes the blocks whose capacities
// changed.
func (s *settlement) joinBlocks() {
	h := &s.shares
	h.blocks = s.blocks.list
	h.x, h.was = h.was, h.x
	clear(h.x)
	for k := range h.near {
		h.near[k] = h.near[k][:0]
	}
	h.near = append(h.near, make([][]blockID, len(h.blocks)-len(h.near))...)
	h.rivals = s.rivals()
	for key := range h.flow {
		a, k := blockID(key>>32), blockID(key)
		back := h.flow[pairKey(k, a)] != 0
		if a < k && (back || a == prefixBlock && h.kin[k] > 0) {
			h.join(a, k)
		}
	}
	for _, near := range h.near {
		slices.Sort(near)
	}
	s.shifted = append(s.shifted[:0], make([]bool, len(h.blocks))...)
	for _, some := range []map[uint64]int64{h.x, h.was} {
		for key := range some {
			s.shifted[key>>32] = s.shifted[key>>32] || h.x[key] != h.was[key]
		}
	}
}

// join gives the links between two blocks their capacity. Kinship with the prefix counts as a
// share.
func (h *shares) join(a, k blockID) {
	if a == prefixBlock && h.blocks[k].stray {
		return
	}
	share := h.share(a, k)
	if a == prefixBlock {
		share = max(share-h.rivals[k], h.kin[k], 0)
	}
	share = math.Pow(share, power)
	if share == 0 {
		return
	}
	c := coarse(graph.Fixed(share / (share + math.Pow(h.b.opts.Midpoint, power))))
	if c == 0 {
		return
	}
	h.x[pairKey(a, k)], h.x[pairKey(k, a)] = c, c
	h.near[a], h.near[k] = append(h.near[a], k), append(h.near[k], a)
}

// power is the steepness of the capacity: X = σ^power / (σ^power + Midpoint^power).
const power = 6

// share is σ.
func (h *shares) share(a, k blockID) float64 {
	there, back := h.links(a, k), h.links(k, a)
	prior := h.prior(a, k)
	if a == prefixBlock && h.users[k] { // which is probed as its host is
		prior = h.b.opts.StrangerPrior * float64(graph.Unit)
	}
	traffic := (h.traffic(a) + prior + h.silence(a, k)) * (h.traffic(k) + prior + h.silence(k, a))
	if there == 0 || back == 0 || traffic == 0 {
		return 0
	}
	return min(1, 2*mutual(there, back)/math.Sqrt(traffic))
}

// names reports that at least a part of the pages of a block link to another, which links back.
func (h *shares) names(a, k blockID, part float64) bool {
	pages := float64(h.blocks[a].fetched) * float64(graph.Unit)
	return h.flow[pairKey(k, a)] > 0 && float64(h.flow[pairKey(a, k)]) >= part*pages
}

// The geometric mean of the links in the two directions is bounded by so many times the fewer and a
// little: a link to an entry page that a template repeats on every page proves little where hardly
// anything leads back. The bound acts where one direction has more than 2.56 times the links of the
// other; the little delays it between blocks of which a few links are known. Without the bound home
// pages lose most, without the little sites of several hosts (docs/boundary-measured.md).
const lopsided, lopsidedFree = 1.6, 1.2

// mutual is the mean of the links in the two directions.
func mutual(there, back float64) float64 {
	return min(math.Sqrt(there*back), lopsided*min(there, back)+lopsidedFree*float64(graph.Unit))
}

// silentLinks is how many links to others a page of a stranger's block counts for that has no link
// to the site. Without it two large sites that cite each other now and then, and hardly anyone
// else, are one. It acts between blocks of which one has a stranger's name. No site of the suite
// needs it by now.
const silentLinks = 2

// silence is the traffic that the pages of a which do not link to k stand for, where either has a
// stranger's name. A page has one link at least if it has any, so the estimate is from below.
func (h *shares) silence(a, k blockID) float64 {
	if a == prefixBlock || !h.stranger(a, k) {
		return 0
	}
	silent := float64(h.blocks[a].fetched)*float64(graph.Unit) - float64(h.flow[pairKey(a, k)])
	return silentLinks * max(0, silent) * h.extrapolation(a)
}

// stranger reports whether one of two blocks has no telling word of the prefix in its name.
func (h *shares) stranger(a, k blockID) bool { return !h.akin[a] || !h.akin[k] }

// prior is the traffic with others that is taken for granted of both: a block of which a link or
// two are known proves little, the less if its name is a stranger's.
func (h *shares) prior(a, k blockID) float64 {
	if h.stranger(a, k) {
		return h.b.opts.StrangerPrior * float64(graph.Unit)
	}
	return h.b.opts.Prior * float64(graph.Unit)
}

// extrapolation is φ: the number of pages for which a fetched page of a block speaks, so that all
// pages are covered.
func (h *shares) extrapolation(a blockID) float64 {
	k := &h.blocks[a]
	return max(1, float64(k.known)/float64(max(1, k.fetched)))
}

// links is F(a→k), extrapolated.
func (h *shares) links(a, k blockID) float64 {
	return float64(h.flow[pairKey(a, k)]) * h.extrapolation(a)
}

// oneSided is the part of a link that counts in T where no link leads back, between blocks that were
// probed. A manual that cites a library on each page, and is never cited by it, shares no less with
// its own second host for that. Where such links count for a tenth, sites with directories have more,
// and those with site maps less (docs/boundary-measured.md).
const oneSided = 0.4

// traffic is T(a), all but the prior and the silent pages: the links that a block sends, extrapolated, and
// the links that are known to come in.
func (h *shares) traffic(a blockID) float64 {
	out, in := (1-oneSided)*float64(h.alone[a]), (1-oneSided)*float64(h.unmet[a])
	return h.allTraffic(a) - out*h.extrapolation(a) - in
}

// allTraffic is T(a) where each link counts in full.
func (h *shares) allTraffic(a blockID) float64 {
	return float64(h.out[a])*h.extrapolation(a) + float64(h.in[a])
}

// capacity of a link between two blocks.
func (h *shares) capacity(a, k blockID) int64 { return h.x[pairKey(a, k)] }

// sampled reports whether Probes pages of a block were tried, or all.
func (h *shares) sampled(k blockID) bool {
	return h.blocks[k].fetched >= min(h.b.opts.Probes, h.blocks[k].known)
}

// probed reports whether enough pages of a block were tried: of one with a stranger's name a page
// that does not link back is enough. Where the name is akin, as those of nearly all second hosts are,
// the other pages are tried, too.
func (h *shares) probed(k blockID) bool {
	return h.sampled(k) || h.blocks[k].heard > 0 && !h.akin[k] && !h.back[k]
}

// wanting is how many more pages of a block that was not probed are to be tried: of a stranger's,
// one first.
func (h *shares) wanting(k blockID) int {
	if h.akin[k] || h.back[k] {
		return h.b.opts.Probes - h.blocks[k].fetched
	}
	return 1
}

// listen counts the links of each block, those that count in part too, to blocks that never link back,
// and finds the blocks that do.
func (h *shares) listen() {
	n := len(h.blocks)
	h.out, h.in = make([]int64, n), make([]int64, n)
	h.back, h.alone, h.unmet = make([]bool, n), make([]int64, n), make([]int64, n)
	for key, links := range h.flow {
		a, k := blockID(key>>32), blockID(key)
		h.out[a] += links
		h.in[k] += links
		h.back[a] = h.back[a] || h.flow[pairKey(k, a)] != 0
	}
	for key, links := range h.flow {
		a, k := blockID(key>>32), blockID(key)
		if h.flow[pairKey(k, a)] == 0 && h.probed(k) {
			h.alone[a] += links
			h.unmet[k] += links
		}
	}
}

// hope is the share, as a part of Options.Midpoint, from which on a block is probed.
const hope = 0.5

// hopeful reports whether k would share enough with a if it linked back as much as it is linked to.
func (h *shares) hopeful(a, k blockID) bool {
	there := h.links(a, k)
	back := max(float64(h.flow[pairKey(k, a)]), there)
	prior := h.prior(a, k)
	mine := h.allTraffic(a) + back + prior
	theirs := float64(h.in[k]) + max(float64(h.out[k]), back) + prior
	return 2*mutual(there, back)/math.Sqrt(mine*theirs) >= h.b.opts.Midpoint*hope
}
