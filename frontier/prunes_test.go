package frontier

import (
	"slices"
	"testing"

	"watershed/page"
	"watershed/store"
)

// TestPrunesRefuse asks rules, put in either order: the longest prefix decides, what stands for a
// page is followed to the end, and rules that stand for each other leave nothing out.
func TestPrunesRefuse(t *testing.T) {
	rules := []store.Prune{
		{From: "m.example", To: "o.example", Reason: store.Mirror, Method: "level 1"},
		{From: "http://a.example/doc/", To: "http://o.example/x/", Reason: store.Collection, Method: "paths"},
		{
			From: "http://a.example/doc/v2/", To: "http://o.example/y/", Reason: store.Collection,
			Method: "cores",
		},
		{From: "http://o.example/z/", To: "http://p.example/z/", Reason: store.Collection, Method: "cores"},
		{From: "http://l.example/1/", To: "http://l.example/2/", Reason: store.Collection, Method: "paths"},
		{From: "http://l.example/2/", To: "http://l.example/1/", Reason: store.Collection, Method: "paths"},
	}
	for range 2 {
		slices.Reverse(rules)
		var p prunes
		for i := range rules {
			p.put(&rules[i])
		}
		for u, want := range map[page.URL]refusal{
			"http://a.example/else": {},
			"http://a.example/doc/p": {
				store.Collection, "prune http://a.example/doc/", "paths",
				"http://o.example/x/p",
			},
			"http://a.example/doc/v2/p": {
				store.Collection, "prune http://a.example/doc/v2/", "cores",
				"http://o.example/y/p",
			},
			"http://m.example/p":   {store.Mirror, "prune m.example", "level 1", "http://o.example/p"},
			"http://m.example/z/p": {store.Mirror, "prune m.example", "level 1", "http://p.example/z/p"},
			"http://l.example/1/p": {},
		} {
			if got := p.refuse(u); got != want {
				t.Errorf("%s: %+v, want %+v", u, got, want)
			}
		}
		p.drop("http://a.example/doc/v2/")
		if got := p.refuse("http://a.example/doc/v2/p"); got.rule != "prune http://a.example/doc/" {
			t.Errorf("a rule that was taken back: %+v", got)
		}
	}
}
