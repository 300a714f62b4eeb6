package collections

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"watershed/replica/collection"
)

// Evaluation judges a result by a Truth.
//
// A test web holds more replicated collections than the targets of collections.tsv: host mirrors,
// and versions of a work beside each other. They are right answers, too. So a pair of pages is
// right if both are of one work (sites.tsv) and near duplicates by content, or of one work and one
// language and under the same path of the host or of the directory that their copies fill (of a
// tree that is split over hosts: the end of that path). A replica is right if nine tenths of its
// pairs are. A problem collection, which is counted in replicas as in the paper (section 4), is a
// replica that is not right, or a fragment: a piece of a copy of which another, larger collection
// of the same work has another piece.
type Evaluation struct {
	Truth  *Truth
	Result *collection.Result
}

// Score of a result.
type Score struct {
	Targets, TargetsFound int // found: two copies or more are replicas of one collection
	Copies, CopiesFound   int // of targets, the references with them
	// Whole is the mean share of a found copy's pages that are mapped, of those that have a
	// counterpart.
	Whole float64

	Collections, Replicas int
	// right replicas: in copies of targets, of whole hosts, other versions and the like
	OfTargets, OfMirrors, OfElse int
	Wrong, Fragments             int // replicas: the problem collections

	Pairs, PairsRight int // mapped pages, without the representatives' own
	Similar, Moved    [2]int
	Nearby            [2]int // all, right
}

// problems is the share of problem collections among all replicas.
func (s Score) problems() float64 { return ratio(s.Wrong+s.Fragments, s.Replicas) }

// mapping is the share of mapped pages that are mapped rightly.
func (s Score) mapping() float64 { return ratio(s.PairsRight, s.Pairs) }

// verdict on a replica.
type verdict struct {
	collection, replica int
	right               bool
	work                string // of nine tenths of its pages, "" for none
	place               uint32 // of nine tenths of its pages, or none
	copy                int    // the target's copy that it lies in, or -1
	pages               int
}

// Score judges the result. The second result names each problem, for a report.
func (e Evaluation) Score() (Score, []string) {
	s := Score{Copies: len(e.Truth.Copies), Collections: len(e.Result.Collections)}
	var list []verdict
	for i := range e.Result.Collections {
		c := &e.Result.Collections[i]
		for j := range c.Replicas {
			list = append(list, e.judge(&s, c, i, j))
		}
	}
	s.Replicas = len(list)
	fragments := e.fragments(list)
	var problems []string
	for _, v := range list {
		c := &e.Result.Collections[v.collection]
		r := &c.Replicas[v.replica]
		switch {
		case !v.right:
			s.Wrong++
			problems = append(problems, fmt.Sprintf("wrong: %s, %d pages, of %s", r.Prefix, len(r.Pairs),
				c.Representative().Prefix))
		case fragments[[2]int{v.collection, v.replica}]:
			s.Fragments++
			problems = append(problems, fmt.Sprintf("fragment: %s, %d pages, of %s", r.Prefix, len(r.Pairs),
				c.Representative().Prefix))
		case v.copy >= 0:
			s.OfTargets++
		case r.Prefix == string(e.Truth.Pages[r.Pairs[0].Page].URL.Root()):
			s.OfMirrors++
		default:
			s.OfElse++
		}
	}
	problems = append(problems, e.targets(&s, list)...)
	return s, problems
}

// judge counts a replica's pairs.
func (e Evaluation) judge(s *Score, c *collection.Collection, i, j int) verdict {
	t, r := e.Truth, &c.Replicas[j]
	works, places := make(map[string]int), make(map[uint32]int)
	right := 0
	for _, p := range r.Pairs {
		works[t.work[t.place[p.Page]]]++
		places[t.place[p.Page]]++
		ok := p.Page == p.Original || t.counterparts(p.Page, p.Original)
		if ok {
			right++
		}
		if p.Page == p.Original {
			continue
		}
		s.Pairs++
		kind := [...]*[2]int{&s.Similar, &s.Moved, &s.Nearby}[p.Likeness]
		kind[0]++
		if ok {
			s.PairsRight++
			kind[1]++
		}
	}
	n := len(r.Pairs)
	v := verdict{collection: i, replica: j, right: 10*right >= 9*n, copy: -1, place: none, pages: n}
	if j == 0 { // a representative is as right as one of those that it stands for
		v.right = slices.ContainsFunc(c.Replicas[1:], func(r collection.Replica) bool {
			return e.pairsRight(&r)
		})
	}
	for w, k := range works {
		if 10*k >= 9*n {
			v.work = w
		}
	}
	for p, k := range places {
		if 10*k >= 9*n {
			v.place = p
		}
	}
	for k, copied := range t.Copies {
		inside := 0
		for _, p := range r.Pairs {
			if strings.HasPrefix(string(t.Pages[p.Page].URL), copied.Prefix) {
				inside++
			}
		}
		if 10*inside >= 9*n {
			v.copy = k
		}
	}
	return v
}

func (e Evaluation) pairsRight(r *collection.Replica) bool {
	right := 0
	for _, p := range r.Pairs {
		if e.Truth.counterparts(p.Page, p.Original) {
			right++
		}
	}
	return 10*right >= 9*len(r.Pairs)
}

// counterparts reports whether a page is rightly mapped to another one.
func (t *Truth) counterparts(p, q uint32) bool {
	i, j := t.place[p], t.place[q]
	switch {
	case t.work[i] != t.work[j]:
		return false
	case t.twins[p] != collection.NoCluster && t.twins[p] == t.twins[q]:
		return true
	case t.tongue[i] != "" && t.tongue[j] != "" && t.tongue[i] != t.tongue[j]:
		return false
	}
	a, b := t.relative(p), t.relative(q)
	return a == b || t.Pages[p].URL.PathQuery() == t.Pages[q].URL.PathQuery() ||
		t.split[i] && below(b, a) || t.split[j] && below(a, b)
}

// below reports whether a path ends with another one: of a tree that is split over hosts only a
// directory is on each.
func below(long, short string) bool {
	rest, ok := strings.CutSuffix(long, short)
	return ok && short != long && strings.HasSuffix(rest, "/")
}

// fragments finds replicas of a place of which a larger replica, in another collection of the same
// work, has other pages.
func (e Evaluation) fragments(list []verdict) map[[2]int]bool {
	largest := make(map[uint32]verdict)
	for _, v := range list {
		if v.place != none && (largest[v.place].pages < v.pages) {
			largest[v.place] = v
		}
	}
	found := make(map[[2]int]bool)
	for _, v := range list {
		if v.place == none {
			continue
		}
		l := largest[v.place]
		if l.collection == v.collection {
			continue
		}
		big := make(map[uint32]bool)
		for _, p := range e.Result.Collections[l.collection].Replicas[l.replica].Pairs {
			big[p.Page] = true
		}
		apart := 0
		for _, p := range e.Result.Collections[v.collection].Replicas[v.replica].Pairs {
			if !big[p.Page] {
				apart++
			}
		}
		if 2*apart > v.pages {
			found[[2]int{v.collection, v.replica}] = true
		}
	}
	return found
}

// targets looks for the targets' copies among the right replicas.
func (e Evaluation) targets(s *Score, list []verdict) (missing []string) {
	t := e.Truth
	found := make([]int, len(t.Copies)) // pages mapped
	together := make(map[[2]int]map[int]bool)
	number := make(map[string]int)
	for _, c := range t.Copies {
		if _, ok := number[c.Target]; !ok {
			number[c.Target] = len(number)
		}
	}
	for _, v := range list {
		if v.copy < 0 || !v.right {
			continue
		}
		found[v.copy] = max(found[v.copy], v.pages)
		key := [2]int{number[t.Copies[v.copy].Target], v.collection}
		if together[key] == nil {
			together[key] = make(map[int]bool)
		}
		together[key][v.copy] = true
	}
	hit := make([]bool, len(number))
	for key, copies := range together {
		hit[key[0]] = hit[key[0]] || len(copies) > 1
	}
	s.Targets = len(number)
	for name, k := range number {
		if hit[k] {
			s.TargetsFound++
		} else {
			missing = append(missing, "target not found: "+name)
		}
	}
	whole := 0.0
	for k, c := range t.Copies {
		if found[k] == 0 {
			missing = append(missing, fmt.Sprintf("copy not found: %s, %d pages, %s", c.Prefix,
				c.Pages, c.Note))
			continue
		}
		s.CopiesFound++
		whole += min(1, ratio(found[k], c.Pages))
	}
	if s.CopiesFound > 0 {
		s.Whole = whole / float64(s.CopiesFound)
	}
	slices.Sort(missing)
	return missing
}

// WriteText writes the score as a table.
func (s Score) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, row := range []struct {
		name  string
		value string
	}{
		{"targets found", fmt.Sprintf("%d of %d", s.TargetsFound, s.Targets)},
		{"copies found", fmt.Sprintf("%d of %d, %.1f%% of their pages mapped", s.CopiesFound, s.Copies,
			100*s.Whole)},
		{"collections", fmt.Sprint(s.Collections)},
		{"replicas", fmt.Sprintf("%d: %d of targets, %d of hosts, %d other", s.Replicas, s.OfTargets,
			s.OfMirrors, s.OfElse)},
		{"problem collections", fmt.Sprintf("%d wrong, %d fragments: %.2f%%", s.Wrong, s.Fragments,
			100*s.problems())},
		{"pages mapped rightly", fmt.Sprintf("%d of %d: %.2f%%", s.PairsRight, s.Pairs, 100*s.mapping())},
		{"  similar, same path", fmt.Sprintf("%d of %d", s.Similar[1], s.Similar[0])},
		{"  similar, moved", fmt.Sprintf("%d of %d", s.Moved[1], s.Moved[0])},
		{"  nearby", fmt.Sprintf("%d of %d", s.Nearby[1], s.Nearby[0])},
	} {
		if _, err := fmt.Fprintf(tw, "%s\t%s\n", row.name, row.value); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// none is no place.
const none = ^uint32(0)

// ratio is a part; 0 of nothing.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
