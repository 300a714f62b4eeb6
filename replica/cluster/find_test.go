package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/internal/extsort"
	"watershed/replica/sketch"
)

// doc is a document of the first sweep with the given shingles; its bytes and words are its own.
func doc(page uint64, shingles ...uint64) Document {
	return Document{
		Key: Key{page, 1}, Digest: page + 1000, Lexical: page + 1000, Shingles: shingles,
	}
}

// span is the shingles from one to before another.
func span(from, to uint64) (out []uint64) {
	for f := from; f < to; f++ {
		out = append(out, f)
	}
	return out
}

// TestThresholdMonotone: with a higher threshold, clusters are parts of those of a lower one.
func TestThresholdMonotone(t *testing.T) {
	checks(t, 15, func(t *rapid.T) {
		docs := unique(drawDocuments(t, false))
		low, high := rapid.Float64Range(.05, .5).Draw(t, "low"), rapid.Float64Range(.5, 1).Draw(t, "high")
		coarse, _ := clustersOf(t, Options{Threshold: low}, docs...)
		of := placesOf(coarse)
		finer, _ := clustersOf(t, Options{Threshold: high}, docs...)
		for _, keys := range finer {
			for _, k := range keys {
				if of[k] == 0 || of[k] != of[keys[0]] {
					t.Fatalf("%v are one cluster at %.2f, but not at %.2f", keys, high, low)
				}
			}
		}
	})
}

// placesOf is the place of each document's cluster, from 1.
func placesOf(clusters [][]Key) map[Key]int {
	of := map[Key]int{}
	for i, keys := range clusters {
		for _, k := range keys {
			of[k] = i + 1
		}
	}
	return of
}

// checks is rapid.Check with fewer cases than its default: each search makes a folder.
func checks(t *testing.T, n int, f func(*rapid.T)) {
	t.Helper()
	left := n
	rapid.Check(t, func(r *rapid.T) {
		if left--; left >= 0 {
			f(r)
		}
	})
}

// TestInclusionChain: identical documents are lexically equivalent, those shingle-equivalent, and
// those in one cluster.
func TestInclusionChain(t *testing.T) {
	checks(t, 15, func(t *rapid.T) {
		docs := unique(drawDocuments(t, false))
		clusters, _ := clustersOf(t, Options{}, docs...)
		of := placesOf(clusters)
		same := func(key func(*Document) string) map[[2]int]bool {
			out := map[[2]int]bool{}
			for i := range docs {
				for j := range i {
					if a := key(&docs[i]); a != "" && a == key(&docs[j]) {
						out[[2]int{j, i}] = true
					}
				}
			}
			return out
		}
		identical := same(func(d *Document) string { return fmt.Sprint(d.Digest) })
		lexical := same(func(d *Document) string { return fmt.Sprint(d.Lexical) })
		sets := same(func(d *Document) string { return strings.Trim(fmt.Sprint(d.Shingles), "[]") })
		for p := range identical {
			if !lexical[p] {
				t.Fatalf("%v are identical, but their words differ: the drawing is at fault", p)
			}
		}
		for p := range lexical {
			if !sets[p] && len(docs[p[0]].Shingles) > 0 {
				t.Fatalf("%v have the same words, but other sketches: the drawing is at fault", p)
			}
		}
		for _, equal := range []map[[2]int]bool{identical, lexical, sets} {
			for p := range equal {
				if a, b := of[docs[p[0]].Key], of[docs[p[1]].Key]; a == 0 || a != b {
					t.Fatalf("%v and %v are equal, but in clusters %d and %d", docs[p[0]].Key,
						docs[p[1]].Key, a, b)
				}
			}
		}
	})
}

// TestEmpty: documents without shingles are only like their equals.
func TestEmpty(t *testing.T) {
	copied := doc(6)
	copied.Page = 8
	got, stats := clustersOf(t, Options{}, doc(6), doc(7), copied)
	if stats.Clusters != 1 || stats.Members != 2 || !sameClusters(got, [][]Key{{{6, 1}, {8, 1}}}) {
		t.Errorf("%v, %+v", got, stats)
	}
}

// TestCommonShingles: a shingle in more than MaxDocuments sketches is ignored.
func TestCommonShingles(t *testing.T) {
	o := Options{MaxDocuments: 3, Threshold: .3}
	docs := []Document{doc(1, 100, 200), doc(2, 100, 300), doc(3, 100, 400)}
	if got, _ := clustersOf(t, o, docs...); len(got) != 1 {
		t.Fatalf("by a shingle of three documents: %v", got)
	}
	copied := doc(1, 100, 200)
	copied.Page = 5
	docs = append(docs, doc(4, 100, 500), copied)
	got, stats := clustersOf(t, o, docs...)
	if len(got) != 1 || len(got[0]) != 2 || stats.Common != 1 || stats.Pairs != 0 || stats.Postings != 4 {
		t.Fatalf("by a shingle of four documents: %v, %+v", got, stats)
	}
}

// TestSuper clusters by super shingles, by the paper's one in common and by two, against comparing
// every two documents.
func TestSuper(t *testing.T) {
	checks(t, 15, func(t *rapid.T) {
		need := rapid.IntRange(1, 2).Draw(t, "in common")
		var docs []Document
		for i := range rapid.IntRange(0, 30).Draw(t, "documents") {
			d := doc(uint64(i), uint64(i)+1)
			for range 3 {
				d.Super = append(d.Super, rapid.Uint64Range(1, 40).Draw(t, "super shingle"))
			}
			docs = append(docs, d)
		}
		parent := make([]int, len(docs))
		find := func(i int) int {
			for parent[i] != i {
				i = parent[i]
			}
			return i
		}
		for i := range docs {
			parent[i] = i
			for j := range i {
				common := map[uint64]bool{}
				for _, f := range docs[i].Super {
					if slices.Contains(docs[j].Super, f) {
						common[f] = true
					}
				}
				if len(common) >= need {
					parent[find(i)] = find(j)
				}
			}
		}
		roots := map[int]int{}
		for i := range docs {
			roots[find(i)]++
		}
		want := 0
		for _, n := range roots {
			if n > 1 {
				want++
			}
		}
		got, _ := clustersOf(t, Options{Super: need}, docs...)
		for _, keys := range got {
			for _, k := range keys {
				if find(int(k.Page)) != find(int(keys[0].Page)) {
					t.Fatalf("%v are one cluster", keys)
				}
			}
		}
		if len(got) != want {
			t.Fatalf("%d clusters, want %d", len(got), want)
		}
	})
}

// TestFailed: whatever ends a search is its error, and nothing is left in the folder.
func TestFailed(t *testing.T) {
	broken := errors.New("the source broke")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var many []Document
	for i := range uint64(5000) {
		many = append(many, doc(100+i, span(i, i+20)...))
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		docs iter.Seq2[Document, error]
		want string
	}{
		{"cancelled", ctx, sequence(many), context.Canceled.Error()},
		{"broken source", t.Context(), func(yield func(Document, error) bool) {
			for _, d := range many {
				if !yield(d, nil) {
					return
				}
			}
			yield(Document{}, broken)
		}, broken.Error()},
		{"stopped", t.Context(), sequence(many), "enough"},
		{"descending shingles", t.Context(), sequence([]Document{doc(7, 2, 1)}), "0007@1: "},
		{"equal shingles", t.Context(), sequence([]Document{doc(7, 2, 2)}), "0007@1: "},
		{"rate of two", t.Context(), sequence([]Document{{Rate: 2}}), "0000@0: "},
		{"negative rate", t.Context(), sequence([]Document{{Rate: -1}}), "0000@0: "},
	} {
		withDir(t, func(dir *extsort.Dir) {
			_, err := Find(c.ctx, dir, c.docs, Options{MemoryBytes: minMemory},
				func(Cluster) error { return errors.New("enough") })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Threshold: -1},
		{Threshold: 1.1},
		{Containment: 2},
		{MaxDocuments: -1},
		{MaxDocuments: 1},
		{MinSample: -1},
		{Super: -1},
		{MemoryBytes: 1},
	} {
		if _, err := Find(t.Context(), nil, sequence(nil), o, nil); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestTakeEmpty: a sketch without words tells nothing of words.
func TestTakeEmpty(t *testing.T) {
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := b.Sketch()
	d := Document{Lexical: 3}
	if d.Take(&s); d.Lexical != 3 || len(d.Shingles) != 0 || d.Rate != 1 {
		t.Errorf("%+v", d)
	}
}

// TestEqualSketchesOfTwoRates: a document of no more shingles than a sketch holds may have the sketch of
// one that has more, and is like others than that.
func TestEqualSketchesOfTwoRates(t *testing.T) {
	long, short, part := doc(1, span(0, 20)...), doc(2, span(0, 20)...), doc(3, span(0, 8)...)
	long.Rate, part.Rate = .5, .5
	for _, docs := range [][]Document{{long, short, part}, {short, long, part}} {
		got, _ := clustersOf(t, Options{MinSample: 1}, docs...)
		if want := oracle(docs, Options{MinSample: 1}); !sameClusters(got, want) {
			t.Errorf("clusters %v, want %v", got, want)
		}
	}
}
