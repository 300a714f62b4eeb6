package sitemap

import "testing"

func TestNamesThatTellVariants(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool // work
		bare bool
	}{
		{"h.example/en/", "h.example/pt-BR/", true, true},
		{"h.example/docs/zh_Hant_TW/", "h.example/docs/ja/", true, true},
		{"h.example/2.1/", "h.example/v3/", true, true},
		{"h.example/latest/", "h.example/2.x/", true, true},
		{"h.example/5.10-beta/", "h.example/5.9rc1/", true, true},
		{"h.example/2018-edition/", "h.example/second-edition/", true, true},
		{"h.example/tool-2.1/", "h.example/tool-3.0rc1/", true, false},
		{"h.example/Tool_2.1.x/", "h.example/tool-latest/", true, false},
		{"h.example/tool-2.1/", "h.example/lens-2.1/", false, false},
		{"h.example/tool-2/", "h.example/tool-3/", false, false}, // teams have numbers, too
		{"h.example/13/", "h.example/15/", false, false},
		{"h.example/st-mary/", "h.example/st-paul/", false, false},
		{"h.example/so-far/", "h.example/el-paso/", false, false},
		{"h.example/es-419/", "h.example/iw/", true, true},
		{"h.example/2013/", "h.example/2015/", true, true},
		{"h.example/kx/", "h.example/vq/", false, false},
		{"h.example/~ada/", "h.example/~bela/", false, false},
		{"h.example/en/kx/", "h.example/de/kx/", false, false},
		{"h.example/docs/en/", "h.example/de/", false, true},
		{"h.example/3dprinting/", "h.example/4players/", false, false},
	} {
		a, b := workOf(c.a), workOf(c.b)
		if same := a.name != "" && a.name == b.name; same != c.same || a.bare != c.bare {
			t.Errorf("%s and %s: %+v, %+v", c.a, c.b, a, b)
		}
	}
	for path, edition := range map[string]bool{
		"h.example/2018-edition/": true, "h.example/v3/": true, "h.example/2018/": true,
		"h.example/20/": false,
		"h.example/cs/": false, "h.example/tool-2.1/": false, "h.example/tool/2.1/": false,
	} {
		if got := workOf(path).edition; got != edition {
			t.Errorf("%s is an edition of its host: %v, want %v", path, got, edition)
		}
	}
}
