package page

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// The answers are those of Internet Archive's surt 0.3 (Python): a line is [address, key], and an
// address for which surt raises an exception is its own key, as cdxj-indexer has it. They were made
// with
//
//	import surt, json, sys
//	for line in sys.stdin: u = json.loads(line); print(json.dumps([u, surt.surt(u)]))
func TestSURTAnswersAsPython(t *testing.T) {
	f, err := os.Open("testdata/surt.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for ; lines.Scan(); n++ {
		var pair [2]string
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			t.Fatal(err)
		}
		if got := SURT(pair[0]); got != pair[1] {
			t.Errorf("SURT(%q) = %q, want %q", pair[0], got, pair[1])
		}
	}
	if err := lines.Err(); err != nil || n < 300 {
		t.Fatalf("%d lines, %v", n, err)
	}
}

// The key of a URL begins with that of its host's root, so that a range of an index is a host.
func TestSURTBeginsWithHost(t *testing.T) {
	text := rapid.StringMatching(
		`https?://(www\.)?[a-z]{1,5}(\.[a-z0-9]{1,3}){0,2}(:[1-9][0-9]{1,3})?` +
			`(/[a-zA-Z.%0-9]{0,4}){0,3}(\?[a-z&=]{0,9})?`)
	rapid.Check(t, func(t *rapid.T) {
		u, err := ParseURL(text.Draw(t, "url"))
		if err != nil {
			t.Skip("no URL")
		}
		root, err := ParseURL(u.Scheme() + "://" + string(u.Host()) + "/")
		if err != nil {
			t.Fatal(err)
		}
		want := root.SURT()
		if got := u.SURT(); len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("%q has the key %q, not under %q", u, got, want)
		}
	})
}

func FuzzSURT(f *testing.F) {
	f.Add("http://www.example.org:80/a/../b?y=2&x=1#z")
	f.Add("http://1.2.3/%%25")
	f.Fuzz(func(t *testing.T, s string) { SURT(s) })
}

func BenchmarkSURT(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		URL("http://www.example.org/docs/3/library/index.html?b=2&a=1").SURT()
	}
}
