package copies

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/sketch"
)

func visit(t *testing.T, text string, cut page.Truncation) *page.Visit {
	t.Helper()
	b, err := sketch.NewBuilder(sketch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Text([]byte(text))
	s := b.Sketch()
	return &page.Visit{MIME: "text/html", Truncated: cut, Sketch: s.AppendEncode(nil)}
}

// TestLikeness: a text of which the answer was cut off is like none that is whole, however much of it
// came; one had with a login like none without; and a rule asks for more than likeness.
func TestLikeness(t *testing.T) {
	visit := func(text string, cut page.Truncation) *page.Visit { return visit(t, text, cut) }
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
		if r, _ := Likeness(x.a, x.b); (r.Value > .8) != x.like {
			t.Errorf("%s: resemblance %.3f", x.name, r.Value)
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

// TestDoubtfulLikeness: of long texts of which less is alike than is asked, few seem to be more alike; those
// of which clearly more is alike may be left out.
func TestDoubtfulLikeness(t *testing.T) {
	const texts, words = 50, 1200
	out := func(changed int) (n int) {
		for i := range texts {
			var all, most strings.Builder
			for j := range words {
				word := fmt.Sprintf(" w%dx%d", i, j)
				all.WriteString(word)
				if j < changed {
					word += "x"
				}
				most.WriteString(word)
			}
			x := rule{level: .8, name: "m.example"}
			if alike, _ := x.alike(visit(t, all.String(), page.Whole),
				visit(t, most.String(), page.Whole)); alike {
				n++
			}
		}
		return n
	}
	if n := out(words * 12 / 100); n > 1 {
		t.Errorf("%d of %d texts are held for .8 alike, and have a resemblance of .78", n, texts)
	}
	if n := out(words * 3 / 100); n < texts-1 {
		t.Errorf("%d of %d texts are held for .8 alike, and have a resemblance of .94", n, texts)
	}
}

// TestTemplate: where the pages of a directory are alike but for a sentence, likeness tells nothing of that,
// and a page is left out only if little of what is its own differs. Three pages beside its stand tell of
// such a directory; two, or a stand in another one, do not, nor are single pages judged by it.
func TestTemplate(t *testing.T) {
	var menu strings.Builder
	for i := range 400 {
		fmt.Fprintf(&menu, " menu%d", i)
	}
	law := func(u page.URL, words ...string) *page.Visit {
		text := menu.String()
		for i := range 16 {
			text += fmt.Sprintf(" %s%d", words[i*len(words)/16], i)
		}
		v := visit(t, text, page.Whole)
		v.URL = u
		return v
	}
	for _, c := range []struct {
		name   string
		rule   string
		beside int // pages of which the stand's directory is known to consist
		stand  page.URL
		words  []string // of the copy's page; the stand has "a" alone
		alike  bool
	}{
		{"another law", "m.example", 3, "http://a.example/laws/1", []string{"b"}, false},
		{
			"a law of which a few words differ", "m.example", 3, "http://a.example/laws/1",
			[]string{"a", "a", "a", "a", "a", "a", "a", "b"},
			true,
		},
		{"the same law", "m.example", 3, "http://a.example/laws/1", []string{"a"}, true},
		{"no template", "m.example", 2, "http://a.example/laws/1", []string{"b"}, true},
		{"another directory", "m.example", 3, "http://a.example/1", []string{"b"}, true},
		{"a single page", "", 3, "http://a.example/laws/1", []string{"b"}, true},
	} {
		x := rule{level: .8, name: c.rule, kin: map[string][]kin{}}
		for i := range c.beside {
			at := fmt.Sprintf("http://%%s.example/laws/beside%d", i)
			word := fmt.Sprintf("beside%d", i)
			x.alike(law(page.URL(fmt.Sprintf(at, "m")), word+"x"), law(page.URL(fmt.Sprintf(at, "a")), word))
		}
		if alike, r := x.alike(law("http://m.example/1", c.words...), law(c.stand, "a")); alike != c.alike {
			t.Errorf("%s: alike is %v, resemblance %.3f", c.name, alike, r)
		}
	}
}

// TestTemplateRead: texts of a template are read, as their sketches tell too little of what is their own. A
// mirror with a line of its own on each page is a copy still, and another law is not.
func TestTemplateRead(t *testing.T) {
	var menu strings.Builder
	for i := range 400 {
		fmt.Fprintf(&menu, " menu%d", i)
	}
	texts := map[page.URL]string{}
	law := func(u page.URL, banner, word string) *page.Visit {
		texts[u] = banner + menu.String()
		for i := range 16 {
			texts[u] += fmt.Sprintf(" %s%d", word, i)
		}
		v := visit(t, texts[u], page.Whole)
		v.URL = u
		return v
	}
	s := stands{exact: map[[2]uint64]float64{}, opt: Options{
		Whole: func(v *page.Visit) (sketch.Sketch, error) {
			b, err := sketch.NewBuilder(sketch.Options{Size: 10_000})
			if err == nil {
				b.Text([]byte(texts[v.URL]))
			}
			return b.Sketch(), err
		},
	}}
	x := rule{level: .8, name: "m.example", kin: map[string][]kin{}, exact: s.exact}
	for i := range 6 {
		word := fmt.Sprintf("law%d", i)
		u := page.URL(fmt.Sprintf("http://m.example/%d", i))
		mine := law(u, "a mirror of the laws that the university keeps for all ", word)
		stand := law("http://a.example/"+u[len(u)-1:], "", word)
		other := law("http://o.example/"+u[len(u)-1:], "", word+"x")
		for _, v := range []*page.Visit{mine, other} {
			s.read(&x, v, stand)
		}
		mirrors, r := x.alike(mine, stand)
		if others, _ := x.alike(other, stand); i >= fewKin && (!mirrors || others) {
			t.Errorf("page %d: a copy is %v, resemblance %.3f, and another law %v", i, mirrors, r, others)
		}
	}
}
