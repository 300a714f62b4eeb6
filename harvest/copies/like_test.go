package copies

import (
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

// TestLikeness: a text of which the answer was cut off is like none that is whole, however much of it
// came; one had with a login like none without; and a rule asks for more than likeness.
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
	of := func(v *page.Visit, change func(*page.Visit)) *page.Visit {
		change(v)
		return v
	}
	for _, x := range []struct {
		name string
		a, b *page.Visit
		like bool
	}{
		{"one with a login", visit(all, page.Whole), of(visit(all, page.Whole), func(v *page.Visit) {
			v.Login = "reader"
		}), false},
		{"a picture", visit(all, page.Whole), of(visit(all, page.Whole), func(v *page.Visit) {
			v.MIME = "image/png"
		}), false},
		{"both whole", visit(all, page.Whole), visit(most, page.Whole), true},
		{"both cut", visit(all, page.CutLength), visit(most, page.CutLength), true},
		{"one cut", visit(all, page.Whole), visit(most, page.CutConnected), false},
		{"the other", visit(most, page.CutConnected), visit(all, page.Whole), false},
	} {
		if r, _ := Likeness(x.a, x.b); (r > .8) != x.like {
			t.Errorf("%s: resemblance %.3f", x.name, r)
		}
	}
	for _, x := range []struct {
		rule        rule
		mine, stand *page.Visit
		alike       bool
	}{
		{rule{level: .8}, visit(most, page.Whole), visit(all, page.Whole), true},
		{rule{level: 1}, visit(most, page.Whole), visit(all, page.Whole), false},
		{rule{level: 1}, visit(all, page.Whole), visit(all, page.Whole), true},
		{rule{level: .8}, of(visit(all, page.Whole), func(v *page.Visit) {
			v.MIME = "text/plain"
		}), visit(most, page.Whole), false},
		{rule{level: .8, name: "m.example"}, of(visit(all, page.Whole), func(v *page.Visit) {
			v.MIME = "text/plain"
		}), visit(most, page.Whole), true},
		{rule{level: .8}, of(visit(all, page.Whole), func(v *page.Visit) {
			v.Inlay = page.InlayVersion + "abcd"
		}), of(visit(most, page.Whole), func(v *page.Visit) { v.Inlay = page.InlayVersion }), false},
	} {
		if alike, r := x.rule.alike(x.mine, x.stand); alike != x.alike {
			t.Errorf("%+v, %s and %s: resemblance %.3f", x.rule, x.mine.MIME, x.stand.MIME, r)
		}
	}
}
