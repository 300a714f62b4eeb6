package copies

import (
	"fmt"
	"testing"

	"watershed/page"
)

// TestEnough: of a copy that was found while the run goes on, more pages of a directory must agree the
// more it has, and none may differ, whatever other directories say.
func TestEnough(t *testing.T) {
	const u, other page.URL = "http://m.example/a/1", "http://m.example/b/1"
	for _, c := range []struct {
		grown                bool
		known, alike, unlike int
		want                 bool
	}{
		{false, 100, 3, 0, true},
		{false, 100, 2, 0, false},
		{true, 3, 3, 0, true},
		{true, 10, 5, 0, false},
		{true, 10, 6, 0, true},
		{true, 100, 25, 0, false},
		{true, 100, 26, 0, true},
		{true, 100, 50, 1, false},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s := &stratum{grown: c.grown, unseen: map[string]*unseen{}, agreed: 100}
			*s.in(u) = unseen{known: c.known, alike: c.alike, unlike: c.unlike}
			s.in(other).alike = 90
			if s.covers(3, u) != c.want {
				t.Errorf("want %v", c.want)
			}
		})
	}
}
