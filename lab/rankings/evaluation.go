package rankings

import (
	"cmp"
	"fmt"
	"slices"

	"watershed/replica/mirror"
)

// Evaluation compares rankings with the truth (A comparison of techniques, section 4). Pairs that
// cannot be judged are taken out of the rankings; pairs of which nothing is known are mismatches.
type Evaluation struct {
	r     *mirror.Result
	truth *Truth
	// judged are the rankings without what cannot be judged.
	judged [methods][]judgedPair
	// hits has the number of mirrors among the first k pairs at k.
	hits [methods][]int
	// total is the number of pairs of mirrors of which both hosts were looked at.
	total int
}

// methods is the number of rankings.
const methods = mirror.Fused + 1

// Methods are all rankings, in order.
func Methods() []mirror.Method {
	all := make([]mirror.Method, methods)
	for i := range all {
		all[i] = mirror.Method(i)
	}
	return all
}

// ParseMethod is the ranking of that name.
func ParseMethod(name string) (mirror.Method, error) {
	for _, m := range Methods() {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("no ranking is called %q", name)
}

type judgedPair struct {
	pair  [2]mirror.HostID
	level Level
	score float64
}

// Evaluate judges all rankings of a result.
func Evaluate(r *mirror.Result, truth *Truth) *Evaluation {
	e := &Evaluation{r: r, truth: truth}
	known := map[string]bool{}
	for _, name := range r.Hosts {
		known[name] = true
	}
	truth.Judged(func(a, b string, l Level) {
		if l > 0 && known[a] && known[b] {
			e.total++
		}
	})
	for _, m := range Methods() {
		e.hits[m] = []int{0}
		for _, p := range r.Ranking(m) {
			level := truth.level(r.Hosts[p.A], r.Hosts[p.B])
			if level == Unknown {
				continue
			}
			e.judged[m] = append(e.judged[m], judgedPair{
				[2]mirror.HostID{min(p.A, p.B), max(p.A, p.B)},
				level, p.Score,
			})
			n := e.hits[m][len(e.hits[m])-1]
			if level > 0 {
				n++
			}
			e.hits[m] = append(e.hits[m], n)
		}
	}
	return e
}

// Len is the number of judged pairs of a ranking.
func (e *Evaluation) Len(m mirror.Method) int { return len(e.judged[m]) }

// Hits is the number of mirrors among the first k pairs, or among all where there are fewer.
func (e *Evaluation) Hits(m mirror.Method, k int) int { return e.hits[m][min(k, e.Len(m))] }

// precision is the part of the first k pairs that are mirrors: of those there are, where there are
// fewer; 0 for none.
func (e *Evaluation) precision(m mirror.Method, k int) float64 {
	if k = min(k, e.Len(m)); k == 0 {
		return 0
	}
	return float64(e.Hits(m, k)) / float64(k)
}

// Mirrors is the number of pairs of mirrors, found by a ranking or not, among the hosts that were
// looked at: as in the paper (section 2), those of fewer URLs are no part of the question.
func (e *Evaluation) Mirrors() int { return e.total }

// recall is the part of Mirrors that are among the first k pairs.
func (e *Evaluation) recall(m mirror.Method, k int) float64 {
	return float64(e.Hits(m, k)) / float64(max(1, e.total))
}

// At is the first rank whose recall is at least r, and the best precision from there on: "precision
// at recall r". Where the ranking never gets there, both are 0.
func (e *Evaluation) At(m mirror.Method, r float64) (k int, precision float64) {
	for i := 1; i <= e.Len(m); i++ {
		if e.recall(m, i) >= r-1e-12 {
			if k == 0 {
				k = i
			}
			precision = max(precision, e.precision(m, i))
		}
	}
	return k, precision
}

// Average is the mean of the precisions at the ranks of all mirrors, 0 for those not found: the
// area below the curve of precision against recall.
func (e *Evaluation) Average(m mirror.Method) float64 {
	sum := 0.0
	for i, p := range e.judged[m] {
		if p.level > 0 {
			sum += e.precision(m, i+1)
		}
	}
	return sum / float64(max(1, e.total))
}

// mirrors are the mirrors among the first k pairs.
func (e *Evaluation) mirrors(m mirror.Method, k int) [][2]mirror.HostID {
	var list [][2]mirror.HostID
	for _, p := range e.judged[m][:min(k, e.Len(m))] {
		if p.level > 0 {
			list = append(list, p.pair)
		}
	}
	return list
}

// different counts pairs, each once.
func different(list [][2]mirror.HostID) int {
	slices.SortFunc(list, func(a, b [2]mirror.HostID) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	return len(slices.Compact(list))
}

// pool is the number of different mirrors that the paper's nine rankings found up to rank k.
func (e *Evaluation) pool(k int) int {
	var all [][2]mirror.HostID
	for m := range mirror.Method(mirror.Nine) {
		all = append(all, e.mirrors(m, k)...)
	}
	return different(all)
}

// relativeRecall is the part of Pool(k) that a ranking found up to rank k (section 4.2.2). For
// rankings that are not of the nine it may be more than 1.
func (e *Evaluation) relativeRecall(m mirror.Method, k int) float64 {
	return float64(e.Hits(m, k)) / float64(max(1, e.pool(k)))
}

// Table1 has, for each two of the nine methods, the part of Pool(k) that one of them found up to
// rank k. On the diagonal it is the relative recall.
func (e *Evaluation) Table1(k int) (t [mirror.Nine][mirror.Nine]float64) {
	pool := float64(max(1, e.pool(k)))
	for i := range mirror.Method(mirror.Nine) {
		for j := range i + 1 {
			both := append(e.mirrors(i, k), e.mirrors(j, k)...)
			t[i][j] = float64(different(both)) / pool
			t[j][i] = t[i][j]
		}
	}
	return t
}

// sizeStep is a point of the paper's figure 2: hosts and mirrors in clusters of one address of up
// to so many hosts.
type sizeStep struct{ Size, Hosts, Mirrors int }

// bySize counts hosts and mirrors by size of the cluster of one address. As in the paper, three
// hosts of a cluster, chosen by the seed, stand for it: where they are mirrors of each other, all
// are.
func (e *Evaluation) bySize() []sizeStep {
	var steps []sizeStep
	for _, c := range e.r.Addresses {
		n := len(c)
		if len(steps) == 0 || steps[len(steps)-1].Size != n {
			next := sizeStep{Size: n}
			if len(steps) > 0 {
				next.Hosts, next.Mirrors = steps[len(steps)-1].Hosts, steps[len(steps)-1].Mirrors
			}
			steps = append(steps, next)
		}
		last := &steps[len(steps)-1]
		last.Hosts += n
		if e.allMirrors(c) {
			last.Mirrors += n
		}
	}
	return steps
}

// allMirrors judges three hosts of a cluster.
func (e *Evaluation) allMirrors(hosts []mirror.HostID) bool {
	some := slices.Clone(hosts)
	seed := e.r.Options.Seed
	slices.SortFunc(some, func(a, b mirror.HostID) int {
		x, y := draw(seed, 3, uint64(a)), draw(seed, 3, uint64(b))
		if x < y {
			return -1
		}
		return 1
	})
	some = some[:min(3, len(some))]
	for i, a := range some {
		for _, b := range some[:i] {
			if e.truth.level(e.r.Hosts[a], e.r.Hosts[b]) <= 0 {
				return false
			}
		}
	}
	return true
}

// Levels counts the levels among the first k pairs of a ranking: of 1 to 5, mismatch at 0, inferred
// at 6 (Mirror, mirror on the Web, Table 2).
func (e *Evaluation) Levels(m mirror.Method, k int) (count [Inferred + 1]int) {
	for _, p := range e.judged[m][:min(k, e.Len(m))] {
		count[p.level]++
	}
	return count
}

// bin tells how often pairs whose score lies in a tenth are mirrors.
type bin struct {
	Pairs   int
	Mirrors int
	Mean    float64 // mean score
}

// Calibration has ten bins of a fused ranking: a calibrated one says .7 where seven of ten are
// mirrors. Pairs of a score under one in a thousand are left out, as nearly all are.
func (e *Evaluation) Calibration(m mirror.Method) (bins [10]bin) {
	for _, p := range e.judged[m] {
		if p.score < .001 {
			continue
		}
		b := &bins[min(9, int(p.score*10))]
		b.Pairs++
		b.Mean += p.score
		if p.level > 0 {
			b.Mirrors++
		}
	}
	for i := range bins {
		bins[i].Mean /= float64(max(1, bins[i].Pairs))
	}
	return bins
}
