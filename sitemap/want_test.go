package sitemap

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// TestBeyond: steps are counted from the last page in the prefix where the boundary is computed, else
// from the seed.
func TestBeyond(t *testing.T) {
	const seed = "http://a.example/site/"
	var text strings.Builder
	for i := range 30 {
		at := fmt.Sprint(i)
		if i == 0 {
			at = ""
		}
		fmt.Fprintf(&text, "%s%s -> %s%d\n", seed, at, seed, i+1)
	}
	text.WriteString(seed + "30 -> http://b.example/1 http://c.example/in/1\n" +
		"http://b.example/1 -> http://b.example/2\nhttp://b.example/2 ->\n" +
		"http://c.example/in/1 -> http://c.example/out\nhttp://c.example/out ->\n")
	rule, err := page.ParseRule("prefix:c.example/in/")
	if err != nil {
		t.Fatal(err)
	}
	w := parseWeb(t, text.String())
	for mode, want := range map[Mode]map[page.URL]int{
		Logical: {
			seed + "30": 0, "http://b.example/1": 1, "http://b.example/2": 2,
			"http://c.example/in/1": 0, "http://c.example/out": 1,
		},
		Prefix: {
			seed + "30": 30, "http://b.example/1": 31, "http://b.example/2": 32,
			"http://c.example/in/1": 31, "http://c.example/out": 32,
		},
	} {
		s, err := NewSurvey([]Site{{
			Name: "site", Seeds: []page.URL{seed}, Boundary: mode, Include: []page.Rule{rule}, ExtraHops: 2,
		}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[page.URL]int)
		for {
			wants := s.Wants()
			for _, x := range wants {
				got[x.URL] = x.Beyond
				s.Learn(w.visit(x.URL))
			}
			if len(wants) == 0 {
				break
			}
		}
		maps.DeleteFunc(got, func(u page.URL, _ int) bool { _, asked := want[u]; return !asked })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: %s", mode, diff)
		}
	}
}
