package sitemap

import (
	"slices"
	"strings"
	"testing"
)

func TestVariants(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"h.example/en", "h.example/de", true},
		{"h.example/docs/2.10/en", "h.example/docs/2.10/pt-BR", true},
		{"h.example/docs/zh_Hant_TW", "h.example/docs/ast", true},
		{"h.example/docs/13", "h.example/docs/15", true},
		{"h.example/docs/v3.2.x/api", "h.example/docs/stable/api", true},
		{"h.example/docs/5.10-beta", "h.example/docs/5.9rc1", true},
		{"h.example/tool-2.1", "h.example/tool-3.0rc1", true},
		{"h.example/Tool_2.1.x/api", "h.example/tool-latest/api", true},
		{"h.example/tool-2.1", "h.example/tool", true},
		{"h.example/tool-2.1", "h.example/lens-2.1", false},
		{"h.example/tool-2.1", "h.example/2.1", false},
		{"h.example/2018-edition", "h.example/second-edition", true},
		{"h.example/book/2nd-edition", "h.example/book", true},
		{"h.example/tool-en", "h.example/tool-fr", true},
		{"h.example/tool-en", "h.example/lens-en", false},
		{"h.example/docs/de", "h.example/docs", true},
		{"h.example/de/docs", "h.example/docs", true},
		{"h.example/rivers", "h.example", false},
		{"h.example/~ada", "h.example/~bela", false},
		{"h.example/ada", "h.example/bela", false},
		{"h.example/2.10/en", "h.example/2.8/de", false}, // two segments
		{"h.example/en", "h.example/13", false},          // one of each
		{"h.example/en", "h.example/docs/en", false},
		{"h.example/en", "h.example/docs/de", false},
		{"h.example/en", "h.example/en", false}, // one and the same
		{"h.example/3dprinting", "h.example/4players", false},
	} {
		a, b := strings.Split(c.a, "/"), strings.Split(c.b, "/")
		if variants(a, b) != c.want || variants(b, a) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
	}
}

func TestNamesThatAreCertainToTellVariants(t *testing.T) {
	for _, c := range []struct {
		a, b          string
		bare, certain bool
	}{
		{"h.example/en/", "h.example/pt-BR/", true, true},
		{"h.example/2.1/", "h.example/v3/", true, true},
		{"h.example/latest/", "h.example/2.x/", true, true},
		{"h.example/tool-2.1/", "h.example/tool-3.0rc1/", false, true},
		{"h.example/tool-2/", "h.example/tool-3/", false, false}, // teams have numbers, too
		{"h.example/13/", "h.example/15/", false, false},
		{"h.example/kx/", "h.example/vq/", false, false},
		{"h.example/ada/", "h.example/bob/", false, false},
		{"h.example/en/x/", "h.example/de/y/", false, false},
		{"h.example/en/", "h.example/en/", false, false},
	} {
		bare, certain := work{dir: c.a}.beside(work{dir: c.b})
		if bare != c.bare || certain != c.certain {
			t.Errorf("%s and %s: bare %v, certain %v", c.a, c.b, bare, certain)
		}
	}
}

// TestFamilies: two works are beside each other, bare, just where they share a family.
func TestFamilies(t *testing.T) {
	names := []string{
		"en", "de", "1.0", "v2", "latest", "tool-3", "section-7", "blog", "2nd-edition",
		"pt-br",
	}
	var all []work
	for _, dir := range []string{"a.example/", "a.example/docs/", "b.example/"} {
		for _, name := range names {
			all = append(all, work{dir: dir + name + "/"})
		}
	}
	for _, k := range all {
		for _, l := range all {
			shared := slices.ContainsFunc(k.families(), func(f variety) bool {
				return slices.Contains(l.families(), f)
			})
			if bare, _ := k.beside(l); bare != (shared && k.dir != l.dir) {
				t.Errorf("%s and %s: beside %v, of one family %v", k.dir, l.dir, bare, shared)
			}
		}
	}
}
