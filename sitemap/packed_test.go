package sitemap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
)

// TestPacked holds a packed list against a sorted slice.
func TestPacked(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat("a", rapid.IntRange(0, 300).Draw(t, "shared")) +
			rapid.StringMatching(`[a-c/]{0,9}`).Draw(t, "rest")
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(text, 0, 100).Draw(t, "texts")
		slices.Sort(list)
		var l packed
		for i, x := range list {
			if ok := l.add([]byte(x)); ok != (i == 0 || list[i-1] != x) {
				t.Fatalf("%q was added: %v", x, ok)
			}
		}
		list = slices.Compact(list)
		var got []string
		for r := l.from(0); r.next(); {
			got = append(got, string(r.text))
		}
		if !slices.Equal(got, list) || l.n != len(list) {
			t.Fatalf("%d texts %q, want %q", l.n, got, list)
		}
		for i := range list {
			if string(l.get(i)) != list[i] {
				t.Fatalf("text %d is %q, want %q", i, l.get(i), list[i])
			}
		}
		for _, x := range append(list, rapid.SliceOf(text).Draw(t, "others")...) {
			want, is := slices.BinarySearch(list, x)
			if i, ok := l.search(x); i != want || ok != is {
				t.Fatalf("%q is at %d, %v: want %d, %v", x, i, ok, want, is)
			}
		}
	})
}

// TestPackedChunks: a list of several chunks is as one of one.
func TestPackedChunks(t *testing.T) {
	var l packed
	var text []byte
	name := func(i int) []byte {
		text = append(text[:0], "http://h.example/"...)
		for k := 8; k >= 0; k-- {
			text = append(text, byte('a'+i>>(2*k)&3))
		}
		return text
	}
	const n = 2*packedChunkLen + 5
	for i := range n {
		if !l.add(name(i)) {
			t.Fatalf("%d was not added", i)
		}
	}
	for i := range n {
		if x := string(name(i)); string(l.get(i)) != x {
			t.Fatalf("text %d is %s", i, l.get(i))
		} else if k, ok := l.search(x); k != i || !ok {
			t.Fatalf("text %d is found at %d, %v", i, k, ok)
		}
	}
	if i, ok := l.search("i"); i != n || ok {
		t.Errorf("what is greater than all is at %d, %v", i, ok)
	}
}

// TestMembers: what a list is made of is what it gives, by index, by URL, in order, and when it is
// read.
func TestMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Member
		for range rapid.IntRange(0, 60).Draw(t, "members") {
			x := Member{URL: page.URL(rapid.StringMatching(`http://a\.example/[a-d]{0,3}`).Draw(t, "URL"))}
			x.Why, x.Block, x.Scale = Why(rapid.IntRange(1, int(whys)-1).Draw(t, "why")),
				rapid.IntRange(-1, 9).Draw(t, "block"), rapid.IntRange(0, 9).Draw(t, "scale")
			x.State = rapid.SampledFrom([]string{
				"fetched", "known", "redirect", "skipped", "failed", "",
				"odd",
			}).Draw(t, "state")
			x.Note = rapid.SampledFrom([]string{"", "", "note"}).Draw(t, "note")
			list = append(list, x)
		}
		slices.SortFunc(list, func(a, b Member) int { return cmp.Compare(a.URL, b.URL) })
		list = slices.CompactFunc(list, func(a, b Member) bool { return a.URL == b.URL })
		m := MembersOf(list...)
		for _, list := range [][]Member{list, rapid.Permutation(list).Draw(t, "order")} {
			var again Members
			text, err := json.Marshal(list)
			err = errors.Join(err, again.read(newMapReader(bytes.NewReader(text))))
			if err != nil || !again.Equal(m) || m.Len() != len(list) {
				t.Fatalf("%v: %s", err, text)
			}
		}
		fetched := 0
		for i, x := range m.All() {
			if k, ok := m.Find(x.URL); x != list[i] || m.At(i) != x || !ok || k != i {
				t.Fatalf("%d: %+v, %+v, want %+v", i, x, m.At(i), list[i])
			}
			fetched += b2i(x.State == "fetched")
		}
		least := rapid.StringMatching(`http://a\.example/[a-d]{0,3}`).Draw(t, "least")
		next, _ := m.Find(page.URL(least))
		for i, x := range m.From(least) {
			if i != next || x != list[i] {
				t.Fatalf("from %s: %d: %+v, want %d", least, i, x, next)
			}
			next++
		}
		if next != len(list) {
			t.Fatalf("from %s: it ends before %d of %d", least, next, len(list))
		}
		if m.Fetched() != fetched {
			t.Fatalf("%d are fetched, want %d", m.Fetched(), fetched)
		}
		if len(list) > 0 && MembersOf(list[1:]...).Equal(m) {
			t.Fatal("a list equals one that is shorter")
		}
	})
}
