package rankings

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"watershed/replica/mirror"
)

// Level is how a pair of hosts mirror each other: 1 to 5 as in Mirror, mirror on the Web, section
// 2.
type Level int8

// Levels besides 1 to 5.
const (
	Unknown  Level = -1 // cannot be judged, as a host that fails: left out of evaluations
	Mismatch Level = 0
	// Inferred are mirrors of one host, whose own level nobody measured.
	Inferred Level = 6
)

func (l Level) String() string {
	switch l {
	case Unknown:
		return "?"
	case Mismatch:
		return "mismatch"
	case Inferred:
		return "inferred"
	}
	return strconv.Itoa(int(l))
}

// Truth is which hosts are mirrors. Pairs of which nothing is said and nothing follows are
// mismatches.
type Truth struct {
	levels map[[2]string]Level
	pairs  int
}

// NewTruth makes a truth without mirrors.
func NewTruth() *Truth { return &Truth{levels: make(map[[2]string]Level)} }

// Set says what a pair is; a pair set twice keeps the last.
func (t *Truth) Set(a, b string, l Level) {
	key := [2]string{min(a, b), max(a, b)}
	if t.levels[key] > 0 {
		t.pairs--
	}
	t.levels[key] = l
	if l > 0 {
		t.pairs++
	}
}

// level is what a pair is.
func (t *Truth) level(a, b string) Level { return t.levels[[2]string{min(a, b), max(a, b)}] }

// mirrors is the number of pairs that are mirrors.
func (t *Truth) mirrors() int { return t.pairs }

// Close adds what follows: mirrors of one host are mirrors of each other (A comparison of
// techniques, section 4.1.2), unless something else is said of them.
func (t *Truth) Close() {
	groups := make(map[string][]string)
	find := make(map[string]string)
	root := func(h string) string {
		for {
			up, ok := find[h]
			if !ok || up == h {
				return h
			}
			if upper, ok := find[up]; ok {
				find[h] = upper
			}
			h = up
		}
	}
	for key, l := range t.levels {
		if l > 0 {
			if a, b := root(key[0]), root(key[1]); a != b {
				find[max(a, b)] = min(a, b)
			}
		}
	}
	for key, l := range t.levels {
		if l > 0 {
			for _, h := range key {
				groups[root(h)] = append(groups[root(h)], h)
			}
		}
	}
	for _, hosts := range groups {
		slices.Sort(hosts)
		hosts = slices.Compact(hosts)
		for i, a := range hosts {
			for _, b := range hosts[i+1:] {
				if _, said := t.levels[[2]string{a, b}]; !said {
					t.Set(a, b, Inferred)
				}
			}
		}
	}
}

// Judged lists the pairs of which something is said, in order.
func (t *Truth) Judged(f func(a, b string, l Level)) {
	keys := make([][2]string, 0, len(t.levels))
	for key := range t.levels {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, k := range keys {
		f(k[0], k[1], t.levels[k])
	}
}

// ReadTruth reads a table of pairs: two hosts and a level, 0 to 5 or "?", separated by tabs;
// further columns and lines that begin with "#" are passed over. It does not Close the truth. The
// error names the line, or is the reader's.
func ReadTruth(r io.Reader) (*Truth, error) {
	t := NewTruth()
	return t, mirror.ReadRows(r, 3, func(f []string) string {
		if f[2] == "?" {
			t.Set(f[0], f[1], Unknown)
			return ""
		}
		n, err := strconv.Atoi(f[2])
		if err != nil || n < 0 || n > 5 {
			return "level " + strconv.Quote(f[2]) + " is not ? or 0 to 5"
		}
		t.Set(f[0], f[1], Level(n))
		return ""
	})
}
