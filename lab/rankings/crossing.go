package rankings

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"watershed/replica/mirror"
)

// crossing is a row of Table 3 of Mirror, mirror on the Web: two top level domains, and how many
// pairs of mirrors of some levels lie in the one and the other.
type crossing struct {
	levels  string // "levels 1-3", "level 4", "level 5"
	domains string // "com-org"
	pairs   int
	part    float64 // of the pairs of those levels that lie in two domains
}

// crossings are how many combinations of domains the paper tells of each kind of mirroring.
const crossings = 10

// crossDomain gives the commonest combinations of top level domains among the mirrors that the
// fused ranking has up to rank k (section 4.2), by the levels of the truth: those of one host's
// mirrors among each other are not known.
func (e *Evaluation) crossDomain(k int, each func(crossing)) {
	kinds := [...]string{"levels 1-3", "level 4", "level 5"}
	var of [len(kinds)]map[string]int
	var all [len(kinds)]int
	for i := range of {
		of[i] = make(map[string]int)
	}
	for _, p := range e.judged[mirror.Fused][:min(k, e.Len(mirror.Fused))] {
		if p.level < 1 || p.level > 5 {
			continue
		}
		x, y := topLevel(e.r.Hosts[p.pair[0]]), topLevel(e.r.Hosts[p.pair[1]])
		if x == "" || y == "" || x == y {
			continue
		}
		kind := max(0, int(p.level)-3)
		of[kind][min(x, y)+"-"+max(x, y)]++
		all[kind]++
	}
	for i, kind := range kinds {
		var rows []crossing
		for domains, n := range of[i] {
			rows = append(rows, crossing{kind, domains, n, float64(n) / float64(all[i])})
		}
		slices.SortFunc(rows, func(a, b crossing) int {
			return cmp.Or(cmp.Compare(b.pairs, a.pairs), cmp.Compare(a.domains, b.domains))
		})
		for _, r := range rows[:min(len(rows), crossings)] {
			each(r)
		}
	}
}

// topLevel is the last label of a host's name, empty for an address.
func topLevel(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, ']') {
		name = name[:i] // without its port
	}
	label := name[strings.LastIndexByte(name, '.')+1:]
	if label == name || strings.Trim(label, "0123456789]") == "" {
		return ""
	}
	return label
}

// crossed prints Table 3.
func (e *Evaluation) crossed(b io.Writer, k int) {
	table(b, fmt.Sprintf("Mirrors in two top level domains, among the first %d pairs of fused", k),
		func(out io.Writer) {
			fmt.Fprintln(out, "levels\tdomains\tpairs\tpart\t")
			e.crossDomain(k, func(c crossing) {
				fmt.Fprintf(out, "%s\t%s\t%d\t%.1f%%\t\n", c.levels, c.domains, c.pairs, 100*c.part)
			})
		})
}
