package copies

import (
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

// TestLikeness: a text of which the answer was cut off is like none that is whole, however much of it
// came.
func TestLikeness(t *testing.T) {
	visit := func(text string, cut page.Truncation) *page.Visit {
		b, err := sketch.NewBuilder(sketch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b.Text([]byte(text))
		s := b.Sketch()
		return &page.Visit{MIME: "text/html", Truncated: cut, Sketch: s.AppendEncode(nil)}
	}
	var most, all string
	for i := range 300 {
		if all += " word" + string(rune('a'+i%26)) + string(rune('a'+i/26)); i < 290 {
			most = all
		}
	}
	for _, x := range []struct {
		name string
		a, b *page.Visit
		like bool
	}{
		{"both whole", visit(all, page.Whole), visit(most, page.Whole), true},
		{"both cut", visit(all, page.CutLength), visit(most, page.CutLength), true},
		{"one cut", visit(all, page.Whole), visit(most, page.CutConnected), false},
		{"the other", visit(most, page.CutConnected), visit(all, page.Whole), false},
	} {
		if r, _ := Likeness(x.a, x.b); (r > .8) != x.like {
			t.Errorf("%s: resemblance %.3f", x.name, r)
		}
	}
}
