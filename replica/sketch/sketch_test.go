package sketch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func builder(t testing.TB, o Options) *Builder {
	t.Helper()
	b, err := NewBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRose(t *testing.T) {
	// Source: Broder et al., 1997, section 2: three 4-shingles.
	b := builder(t, Options{Width: 4})
	b.Text([]byte("A rose is a rose, is a rose"))
	s := b.Sketch()
	if len(s.Values) != 3 || !s.complete() || s.Tokens != 8 {
		t.Errorf("%d values, %d tokens", len(s.Values), s.Tokens)
	}
	var back Sketch
	if err := back.Decode(s.AppendEncode(nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, back); diff != "" {
		t.Error(diff)
	}
}

// complete says that Values are the whole set, so that comparisons of two such sketches are exact.
func (s *Sketch) complete() bool { return !s.Cut }
