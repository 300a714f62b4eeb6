package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"watershed/graph"
)

// TestIndexIsAMap compares an index with a map, for keys of which many share a slot.
func TestIndexIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x graph.Index
		want := make(map[uint64]graph.ID)
		// of the index's multiplier, modulo 2⁶⁴: such keys share all high bits of their hash
		const inverse = 0xf1de83e19937733d
		key := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 40), rapid.Custom(func(t *rapid.T) uint64 {
			return inverse * rapid.Uint64Range(0, 200).Draw(t, "hash")
		}))
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			k := key.Draw(t, "key")
			known, ok := want[k]
			if !ok {
				known = graph.None
			}
			if got := x.Find(k); got != known {
				t.Fatalf("Find(%#x) = %d, want %d", k, got, known)
			}
			id, fresh := x.Add(k)
			if fresh == ok || ok && id != known {
				t.Fatalf("Add(%#x) = %d, %v; it was %d", k, id, fresh, known)
			}
			want[k] = id
			if n := rapid.IntRange(0, 600).Draw(t, "room"); n > 500 {
				x.Grow(n - 300)
			}
			if x.Key(id) != k || x.Len() != len(want) || int(id) >= x.Len() {
				t.Fatalf("key %d is %#x, want %#x; %d keys, want %d", id, x.Key(id), k, x.Len(), len(want))
			}
		}
	})
}

// TestIndexGrow adds as many keys as there was made room for: nothing is allocated.
func TestIndexGrow(t *testing.T) {
	var x graph.Index
	const keys = 10_000
	x.Grow(keys)
	if n := testing.AllocsPerRun(1, func() {
		for k := range uint64(keys / 2) {
			x.Add(k*2 + uint64(x.Len()%2))
		}
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestIndexIsEmpty(t *testing.T) {
	var x graph.Index
	if x.Find(0) != graph.None || x.Len() != 0 {
		t.Error("a key is in an empty index")
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want int64
	}{{0, 0}, {1, graph.Unit}, {0.0000005, 1}, {0.0000004, 0}, {-0.0000005, -1}, {2.5, 2_500_000}} {
		if got := graph.Fixed(c.x); got != c.want {
			t.Errorf("Fixed(%v) = %d, want %d", c.x, got, c.want)
		}
	}
}
