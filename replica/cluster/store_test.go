package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
		Info:     Info{Key: Key{page, 1}, Host: page, Digest: page + 1000, Lexical: page + 1000},
		Shingles: shingles,
	}
}

// span is the shingles from one to before another.
func span(from, to uint64) (out []uint64) {
	for f := from; f < to; f++ {
		out = append(out, f)
	}
	return out
}

// TestThresholdMonotone: with a higher threshold, clusters are parts of those of a lower one, and
// re-clustering a store gives what a new one would.
func TestThresholdMonotone(t *testing.T) {
	checks(t, 15, func(t *rapid.T) {
		docs := unique(drawDocuments(t, false))
		low, high := rapid.Float64Range(.05, .5).Draw(t, "low"), rapid.Float64Range(.5, 1).Draw(t, "high")
		withStore(t, Options{Threshold: low}, func(s *Store) {
			add(t, s, docs...)
			of := map[Key]int{}
			for i, keys := range clustersOf(t, s) {
				for _, k := range keys {
					of[k] = i + 1
				}
			}
			s.opts.Threshold = high
			if _, err := s.Add(context.Background(), sequence(nil)); err != nil {
				t.Fatal(err)
			}
			finer := clustersOf(t, s)
			for _, keys := range finer {
				for _, k := range keys {
					if of[k] == 0 || of[k] != of[keys[0]] {
						t.Fatalf("%v are one cluster at %.2f, but not at %.2f", keys, high, low)
					}
				}
			}
			if want := oracle(docs, Options{Threshold: high}); !sameClusters(finer, want) {
				t.Fatalf("clusters %v, want %v", finer, want)
			}
		})
	})
}

// checks is rapid.Check with fewer cases than its default: each store costs a dozen writes to disk.
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
		withStore(t, Options{}, func(s *Store) {
			add(t, s, docs...)
			of := map[Key]int{}
			for i, keys := range clustersOf(t, s) {
				for _, k := range keys {
					of[k] = i + 1
				}
			}
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
	})
}

// TestRelations: the relation to the representative is the closest that holds; empty documents are
// only like their equals.
func TestRelations(t *testing.T) {
	withStore(t, Options{}, func(s *Store) {
		first := doc(1, span(1, 21)...)
		copied, reformatted, sampled, edited := first, first, first, doc(5, span(2, 22)...)
		copied.Page, reformatted.Page, sampled.Page = 2, 3, 4
		reformatted.Digest = 7
		sampled.Digest, sampled.Lexical = 8, 8
		empty, emptyToo, emptyCopy := doc(6), doc(7), doc(6)
		emptyCopy.Page = 8
		stats := add(t, s, edited, sampled, reformatted, copied, first, empty, emptyToo, emptyCopy)
		if stats.Clusters != 2 || stats.Members != 7 || stats.Identical != 1 {
			t.Fatalf("%+v", stats)
		}
		got := map[uint64]Relation{}
		for c, err := range s.All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range c.Members {
				if c.Number == 1 {
					got[m.Page] = m.Relation
				}
			}
		}
		want := map[uint64]Relation{
			1: Identical, 2: Identical, 3: LexicallyEquivalent,
			4: ShingleEquivalent, 5: Similar,
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// TestCommonShingles: a shingle in more than MaxDocuments sketches is ignored, also when
// it becomes so by a later sweep.
func TestCommonShingles(t *testing.T) {
	withStore(t, Options{MaxDocuments: 3, Threshold: .3}, func(s *Store) {
		add(t, s, doc(1, 100, 200), doc(2, 100, 300), doc(3, 100, 400))
		if got := clustersOf(t, s); len(got) != 1 {
			t.Fatalf("by a shingle of three documents: %v", got)
		}
		copied := doc(1, 100, 200)
		copied.Page = 5
		stats := add(t, s, doc(4, 100, 500), copied)
		if got := clustersOf(t, s); len(got) != 1 || len(got[0]) != 2 || stats.Common != 1 ||
			stats.Pairs != 0 {
			t.Fatalf("by a shingle of four documents: %v, %+v", got, stats)
		}
		if stats := add(t, s, doc(6, 100, 600)); stats.Common != 1 || stats.Postings != 5 {
			t.Errorf("after a third sweep: %+v", stats)
		}
	})
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
		withStore(t, Options{Super: need}, func(s *Store) {
			cut := rapid.IntRange(0, len(docs)).Draw(t, "first part")
			add(t, s, docs[:cut]...)
			add(t, s, docs[cut:]...)
			got := clustersOf(t, s)
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
	})
}

// TestFailedAdd: whatever ends an addition, the store is as before, on disk too.
func TestFailedAdd(t *testing.T) {
	withStore(t, Options{}, func(s *Store) {
		add(t, s, doc(1, span(1, 9)...), doc(2, span(1, 9)...))
		want, broken := clustersOf(t, s), errors.New("the source broke")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var many []Document
		for i := range uint64(5000) {
			many = append(many, doc(100+i, span(i, i+20)...))
		}
		for _, c := range []struct {
			name string
			do   func() error
			want error
		}{
			{"page twice in one addition", func() error {
				_, err := s.Add(context.Background(), sequence([]Document{doc(3), doc(3)}))
				return err
			}, errDuplicate},
			{"page twice in one sweep", func() error {
				_, err := s.Add(context.Background(), sequence([]Document{doc(1)}))
				return err
			}, errDuplicate},
			{
				"cancelled", func() error { _, err := s.Add(ctx, sequence(many)); return err },
				context.Canceled,
			},
			{"broken source", func() error {
				_, err := s.Add(context.Background(), func(yield func(Document, error) bool) {
					for _, d := range many {
						if !yield(d, nil) {
							return
						}
					}
					yield(Document{}, broken)
				})
				return err
			}, broken},
		} {
			if err := c.do(); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			if got := clustersOf(t, s); !sameClusters(got, want) {
				t.Errorf("%s: the store has changed", c.name)
			}
		}
		for name, d := range map[string]Document{
			"descending shingles": doc(7, 2, 1), "equal shingles": doc(7, 2, 2), "rate of two": {Rate: 2},
			"negative rate": {Rate: -1},
		} {
			_, err := s.Add(context.Background(), sequence([]Document{d}))
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("document %v: ", d.Key)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		names, err := s.dir.Names()
		if err != nil || len(names) != 8 {
			t.Errorf("%d files, %v: want a state and seven tables", len(names), err)
		}
	})
}

// TestReopened: a store is what it was, in another process too; other settled options are told.
func TestReopened(t *testing.T) {
	path := t.TempDir()
	open := func(o Options) (*Store, *extsort.Dir, error) {
		dir, err := extsort.OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, o)
		if err != nil {
			err = errors.Join(err, dir.Close())
		}
		return s, dir, err
	}
	s, dir, err := open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, doc(1, span(1, 9)...), doc(2, span(1, 10)...))
	want := clustersOf(t, s)
	if err := errors.Join(s.Close(), dir.Close()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(Options{MaxDocuments: 7}); !errors.Is(err, errOptions) {
		t.Errorf("other max documents: %v", err)
	}
	s, dir, err = open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := clustersOf(t, s); len(got) != 1 || !sameClusters(got, want) {
		t.Errorf("reopened: %v, want %v", got, want)
	}
	if err := errors.Join(s.Close(), dir.Close()); err != nil {
		t.Fatal(err)
	}

	state, err := os.ReadFile(filepath.Join(path, stateName))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]string{
		"foreign": "<html>", "empty": "", "cut": string(state[:len(state)-9]),
		"later version": strings.Replace(string(state), " 1 ", " 2 ", 1),
		"changed":       strings.Replace(string(state), "1000", "1001", 1),
	} {
		if err := os.WriteFile(filepath.Join(path, stateName), []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := open(Options{}); !errors.Is(err, errState) {
			t.Errorf("%s state: %v, want ErrState", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(path, stateName), state, 0o644); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(path, fileName(kindPairs, 1))
	for name, c := range map[string]struct {
		bytes string
		want  func(error) bool
	}{
		"foreign table": {strings.Repeat("no table ", 20), func(err error) bool {
			return errors.Is(err, extsort.ErrForeign)
		}},
		"damaged table": {"", func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "is damaged at byte ")
		}},
	} {
		whole, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		b := []byte(c.bytes)
		if c.bytes == "" {
			b = slices.Clone(whole)
			b[len(b)-5] ^= 1
		}
		if err := os.WriteFile(table, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := open(Options{}); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.WriteFile(table, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKilled kills a process while it adds a second sweep; the first is still there, and the second
// can be added.
func TestKilled(t *testing.T) {
	path := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "CLUSTER_TEST_DIR="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "forming\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if err := errors.Join(child.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	before, err := os.ReadDir(path)
	if err != nil || len(before) <= 9 {
		t.Fatalf("%d files, %v: the killed addition left nothing", len(before), err)
	}
	dir, err := extsort.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Documents(); n != 2 {
		t.Errorf("%d documents, want those of the first sweep", n)
	}
	after, err := os.ReadDir(path)
	if err != nil || len(after) != 9 {
		t.Errorf("%d files after opening, %v: want a lock, a state and seven tables", len(after), err)
	}
	add(t, s, doc(3, span(1, 9)...))
	if got := clustersOf(t, s); len(got) != 1 || len(got[0]) != 3 {
		t.Errorf("clusters %v", got)
	}
	if err := errors.Join(s.Close(), dir.Close()); err != nil {
		t.Fatal(err)
	}
}

// addForever is what the child of TestKilled does: one sweep, then a second that stops before its
// last phase ends.
func addForever(path string) {
	die := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	dir, err := extsort.OpenDir(path)
	die(err)
	phases := 0
	s, err := Open(dir, Options{Phase: func(p Phase) {
		if phases++; p == Formation && phases > 6 {
			fmt.Println("forming")
			select {}
		}
	}})
	die(err)
	_, err = s.Add(context.Background(), sequence([]Document{doc(1, span(1, 9)...), doc(2, span(1, 9)...)}))
	die(err)
	_, err = s.Add(context.Background(), sequence([]Document{doc(3, span(1, 9)...)}))
	die(err)
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
		if _, err := Open(nil, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestOfEmpty(t *testing.T) {
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := b.Sketch()
	if d := Of(Info{Lexical: 3}, &s); d.Lexical != 3 || len(d.Shingles) != 0 || d.Rate != 1 {
		t.Errorf("%+v", d)
	}
}
