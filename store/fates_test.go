package store

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// Fates say of each URL what its record says.
func TestFates(t *testing.T) {
	s := openTest(t, t.TempDir())
	want, waiting := map[page.Key]Reason{}, Waiting{}
	update(t, s, func(tx *Tx) error {
		for i := range 500 {
			u := URL{
				URL:   page.URL(fmt.Sprintf("http://a.example/%d", i)),
				State: Known + State(i%int(States-1)), Reason: Reason(i % int(Reasons)),
				Site: uint32(i), Priority: int64(i) - 200, Status: -i, Visit: uint64(i % 3), Host: 1,
				Place: Place{Rank: uint8(i % 5), Order: uint64(i + 1)}, Via: page.Key(i % 3),
			}
			if err := tx.PutURL(Run(1+i%2), u.Key(), &u, nil); err != nil {
				return err
			}
			if i%2 == 0 && u.State == Pending {
				waiting.add(1, u.Place)
			}
			if i%2 == 0 {
				want[u.Key()] = NoReason
				if u.Visit == 0 && (u.State == Skipped || u.State == Failed) {
					want[u.Key()] = u.Reason
				}
			}
		}
		return nil
	})
	view(t, s, func(tx *Tx) error {
		f, err := tx.Fates(1)
		if err != nil {
			return err
		}
		for i := range 500 {
			key := page.URL(fmt.Sprintf("http://a.example/%d", i)).Key()
			reason, known := want[key]
			if idle := State(i%int(States-1)) == 0; f.Wanted(key) != (known && !idle) {
				t.Errorf("URL %d is wanted: %v", i, f.Wanted(key))
			}
			if got, found := f.Of(key); got != reason || found != known {
				t.Errorf("URL %d: %v, %v, want %v, %v", i, got, found, reason, known)
			}
		}
		if len(waiting) == 0 || !maps.Equal(f.Waiting, waiting) {
			t.Errorf("queues %v, want %v", f.Waiting, waiting)
		}
		for _, key := range []page.Key{0, 1, 1<<64 - 1} {
			if _, found := f.Of(key); found {
				t.Errorf("key %x is known", key)
			}
		}
		return nil
	})
	if _, found := (&Fates{}).Of(7); found {
		t.Error("a key of no URL is known")
	}
}

// TestFatesIsAMap compares fates with a map, for keys of which many have the same first bits.
func TestFatesIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 300), rapid.Uint64Min(1<<64-300),
			rapid.Uint64Range(1<<60, 1<<60+300))
		want := map[page.Key]Reason{}
		for _, k := range rapid.SliceOfN(key, 0, 400).Draw(t, "known") {
			want[page.Key(k)] = Reason(k % uint64(Reasons))
		}
		f := &Fates{}
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if k%2 == 0 {
				want[k] = NoReason
			}
			f.add(k, want[k], k%3 == 0)
		}
		f.divide()
		all := slices.Concat(f.keys, []page.Key{page.Key(key.Draw(t, "key")), 0, 1<<64 - 1})
		accepted := f.Accepted(all)
		for i, k := range all {
			reason, known := want[k]
			if f.Wanted(k) != (known && k%3 > 0) {
				t.Fatalf("key %x is wanted: %v", k, f.Wanted(k))
			}
			if got, found := f.Of(k); got != reason || found != known ||
				accepted[i] != (known && reason == NoReason) {
				t.Fatalf("key %x: %v, %v, accepted %v; want %v, %v", k, got, found, accepted[i],
					reason, known)
			}
		}
	})
}
