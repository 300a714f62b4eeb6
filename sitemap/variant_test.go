package sitemap

import (
	"math/rand/v2"
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
		bare, certain := workAt(c.a).beside(workAt(c.b))
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
			all = append(all, *workAt(dir + name + "/"))
		}
	}
	for i := range all {
		for j := range all {
			k, l := &all[i], &all[j]
			shared := slices.ContainsFunc(k.families(), func(f variety) bool {
				return slices.Contains(l.families(), f)
			})
			if bare, _ := k.beside(l); bare != (shared && k.dir != l.dir) {
				t.Errorf("%s and %s: beside %v, of one family %v", k.dir, l.dir, bare, shared)
			}
		}
	}
}

func workAt(dir string) *work {
	k := newWork(nil, dir, nil)
	return &k
}

// TestVariantSet: a set answers as a comparison with each of its works would.
func TestVariantSet(t *testing.T) {
	names := []string{
		"en", "de", "pt-BR", "1.0", "v2", "13", "15", "latest", "tool-3", "tool-4.1", "section-7",
		"section-8", "blog", "guide-en", "guide-de", "2nd-edition", "Blog",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		all := make([]work, 1) // the core
		for range 40 {
			dir := "h.example/"
			for range 1 + r.IntN(3) {
				dir += names[r.IntN(len(names))] + "/"
			}
			k := newWork(nil, dir, nil)
			for path := range uint64(12) {
				if r.IntN(2) == 0 {
					k.hashes = append(k.hashes, path*0x9e3779b97f4a7c15)
				}
			}
			slices.Sort(k.hashes)
			all = append(all, k)
		}
		set := newVariants(all)
		var ours []*work
		for i := range all[1:] {
			k := &all[i+1]
			want := slices.ContainsFunc(ours, k.alike)
			if got := set.has(k); got != want {
				t.Fatalf("%s is a variant: %v, want %v", k.dir, got, want)
			}
			if r.IntN(2) == 0 {
				set.add(k)
				ours = append(ours, k)
			}
		}
	}
}

// alike compares two works.
func (k *work) alike(l *work) bool {
	if !variants(k.segments, l.segments) {
		return false
	}
	if _, certain := k.beside(l); certain {
		return true
	}
	common := 0
	for _, path := range k.paths() {
		common += b2i(slices.Contains(l.paths(), path))
	}
	return common >= leastAlike && float64(common) >= likeness*float64(min(len(k.paths()), len(l.paths())))
}
