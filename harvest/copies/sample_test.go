package copies

import (
	"fmt"
	"testing"

	"watershed/page"
)

// TestEnough: more pages of a directory that no run captured must agree the more it has, and none may
// differ, whatever other directories say.
func TestEnough(t *testing.T) {
	const u, other page.URL = "http://m.example/a/1", "http://m.example/b/1"
	for _, c := range []struct {
		known, alike, unlike int
		want                 bool
	}{
		{3, 3, 0, true},
		{10, 5, 0, false},
		{10, 6, 0, true},
		{100, 25, 0, false},
		{100, 26, 0, true},
		{100, 50, 1, false},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s := &stratum{unseen: map[string]*unseen{}, agreed: 100}
			*s.in(u) = unseen{known: c.known, alike: c.alike, unlike: c.unlike}
			s.in(other).alike = 90
			if s.covers(3, u) != c.want {
				t.Errorf("want %v", c.want)
			}
		})
	}
}

// TestReopened: two pages that speak against a copy have it fetched again, in whatever way they do so.
func TestReopened(t *testing.T) {
	for _, c := range []struct {
		s    stratum
		want bool
	}{
		{stratum{agreed: 9, alone: 1}, false},
		{stratum{agreed: 9, alone: 1, strays: 1}, true},
		{stratum{agreed: 9, strays: 1, differ: map[string]int{"/a/": 1}}, true},
		{stratum{agreed: 9, unlike: 4, differ: map[string]int{"/a/": 1}}, false},
	} {
		if got := c.s.reopened(); got != c.want {
			t.Errorf("%+v: %v", c.s, got)
		}
	}
}
