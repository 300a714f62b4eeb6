package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"watershed/internal/extsort"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fataler is what testing.T and rapid.T share.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// withDir runs f on a folder, in which it may leave nothing.
func withDir(t fataler, f func(*extsort.Dir)) {
	t.Helper()
	path, err := os.MkdirTemp("", "cluster")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := extsort.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	f(dir)
	names, err := filepath.Glob(filepath.Join(path, "*[a-z]*")) // not LOCK
	if err := errors.Join(err, dir.Close(), os.RemoveAll(path)); err != nil || len(names) > 0 {
		t.Fatalf("%q are left, %v", names, err)
	}
}

func sequence(docs []Document) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// clustersOf are the clusters of documents as keys, in order.
func clustersOf(t fataler, o Options, docs ...Document) (out [][]Key, stats Stats) {
	t.Helper()
	o.MemoryBytes = minMemory
	withDir(t, func(dir *extsort.Dir) {
		var err error
		stats, err = Find(context.Background(), dir, sequence(docs), o, func(c Cluster) error {
			if out = append(out, c.Members); int(c.Number) != len(out) {
				return fmt.Errorf("cluster number %d stands at place %d", c.Number, len(out))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return out, stats
}

// drawDocuments draws a collection of related documents: sketches with additions and losses, equal
// ones, empty ones, copies. Equal bytes have equal words, equal words an equal sketch.
func drawDocuments(t *rapid.T, rates bool) []Document {
	n := rapid.IntRange(0, 40).Draw(t, "documents")
	var docs []Document
	for i := range n {
		var d Document
		if kind := rapid.IntRange(0, 5).Draw(t, "kind"); len(docs) > 0 && kind > 0 {
			d = docs[rapid.IntRange(0, len(docs)-1).Draw(t, "like")]
			switch kind {
			case 1: // the same bytes
			case 2:
				d.Digest = uint64(1000 + i) // other bytes, same words
			case 3:
				d.Digest, d.Lexical = uint64(1000+i), uint64(1000+i) // other words, same sketch
			default:
				d.Digest, d.Lexical = uint64(1000+i), uint64(1000+i)
				d.Shingles = mutate(t, d.Shingles)
			}
		} else {
			d.Digest, d.Lexical = uint64(1000+i), uint64(1000+i)
			d.Shingles = mutate(t, nil)
			if rates {
				d.Rate = rapid.SampledFrom([]float32{0, 1, .5, .04}).Draw(t, "rate")
			}
		}
		d.Key = Key{uint64(n-i) * 7919 % 101, uint32(rapid.IntRange(0, 2).Draw(t, "sweep"))}
		d.Time = int64(rapid.IntRange(-1, 2).Draw(t, "time"))
		docs = append(docs, d)
	}
	return docs
}

func mutate(t *rapid.T, from []uint64) []uint64 {
	set := map[uint64]bool{}
	for _, f := range from {
		set[f] = rapid.IntRange(0, 5).Draw(t, "lose") > 0
	}
	for range rapid.IntRange(0, 8).Draw(t, "new") {
		set[rapid.Uint64Range(1, 60).Draw(t, "shingle")] = true
	}
	out := []uint64{}
	for f, in := range set {
		if in {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

// oracle clusters by comparing every two documents.
func oracle(docs []Document, o Options) [][]Key {
	o = o.withDefaults()
	// an equal sketch of few sampled shingles tells nothing of itself
	tells := func(d *Document) bool { return rate(d) == 1 || len(d.Shingles) >= o.MinSample }
	common, sketches := map[uint64]bool{}, map[uint64]map[string]bool{}
	for _, d := range docs {
		sketch := fmt.Sprint(d.Shingles, rate(&d))
		if !tells(&d) {
			sketch += fmt.Sprint(d.Lexical)
		}
		for _, f := range d.Shingles {
			if sketches[f] == nil {
				sketches[f] = map[string]bool{}
			}
			sketches[f][sketch] = true
			common[f] = len(sketches[f]) > o.MaxDocuments
		}
	}
	kept := func(d *Document) (out []uint64) {
		for _, f := range d.Shingles {
			if !common[f] {
				out = append(out, f)
			}
		}
		return out
	}
	parent := make([]int, len(docs))
	for i := range parent {
		parent[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			return find(parent[i])
		}
		return i
	}
	for i := range docs {
		for j := range i {
			a, b := &docs[j], &docs[i]
			x, y := kept(a), kept(b)
			c := 0
			for _, f := range x {
				if slices.Contains(y, f) {
					c++
				}
			}
			alike := a.Digest == b.Digest || a.Lexical == b.Lexical
			alike = alike || len(a.Shingles) > 0 && slices.Equal(a.Shingles, b.Shingles) &&
				tells(a) && tells(b)
			alike = alike || c > 0 && o.linked(float64(c), sample{float64(len(x)), rate(a)},
				sample{float64(len(y)), rate(b)})
			if alike {
				parent[find(i)] = find(j)
			}
		}
	}
	groups := map[int][]Document{}
	for i := range docs {
		groups[find(i)] = append(groups[find(i)], docs[i])
	}
	var out [][]Key
	for _, g := range groups {
		if len(g) == 1 {
			continue
		}
		slices.SortFunc(g, func(a, b Document) int {
			return cmp.Or(cmp.Compare(a.Sweep, b.Sweep), cmp.Compare(a.Time, b.Time), byKey(a.Key, b.Key))
		})
		var keys []Key
		for _, d := range g {
			keys = append(keys, d.Key)
		}
		out = append(out, keys)
	}
	slices.SortFunc(out, func(a, b []Key) int {
		return byKey(slices.MinFunc(a, byKey), slices.MinFunc(b, byKey))
	})
	return out
}

func rate(d *Document) float64 {
	if d.Rate == 0 {
		return 1
	}
	return float64(d.Rate)
}

// unique drops documents whose key was drawn before.
func unique(docs []Document) []Document {
	seen := map[Key]bool{}
	return slices.DeleteFunc(docs, func(d Document) bool {
		was := seen[d.Key]
		seen[d.Key] = true
		return was
	})
}

func sameClusters(a, b [][]Key) bool {
	return slices.EqualFunc(a, b, func(x, y []Key) bool { return slices.Equal(x, y) })
}

// TestAgainstOracle draws documents, options and an order; whatever they are, the clusters are those
// of comparing every two documents.
func TestAgainstOracle(t *testing.T) {
	checks(t, 30, func(t *rapid.T) {
		docs := unique(drawDocuments(t, rapid.Bool().Draw(t, "rates")))
		o := Options{
			Threshold:    rapid.SampledFrom([]float64{.1, .5, .9, 1}).Draw(t, "threshold"),
			Containment:  rapid.SampledFrom([]float64{0, -1, .8}).Draw(t, "containment"),
			MaxDocuments: rapid.SampledFrom([]int{2, 3, 5, 1000}).Draw(t, "max"),
		}
		want := oracle(docs, o)
		got, _ := clustersOf(t, o, rapid.Permutation(docs).Draw(t, "order")...)
		if !sameClusters(got, want) {
			t.Fatalf("clusters %v, want %v", got, want)
		}
	})
}

// byKey orders keys by page, then sweep.
func byKey(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Sweep, b.Sweep))
}
