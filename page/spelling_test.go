package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever a page writes: the spelling differs from the URL in the case of escapes alone, and leads
// back to it.
func TestSpelling(t *testing.T) {
	text := rapid.StringMatching(
		`http://a\.example/([a-z/]|%[0-9a-fA-F]{2}|%|%u0431|%zz|п){0,8}(\?([a-z]|%[cC]3|%){0,4})?`)
	rapid.Check(t, func(t *rapid.T) {
		written := text.Draw(t, "text")
		u, s, err := ParseSpelled(written)
		if err != nil {
			t.Fatal(err)
		}
		as := u.As(s)
		if again, spelled, err := ParseSpelled(as); err != nil || again != u || spelled != s {
			t.Errorf("%q is %q, spelled %q, which is %q, spelled %q, %v", written, u, s, again, spelled, err)
		}
		if back, spelled := Spelling(as).URL(); back != u || spelled != s {
			t.Errorf("%q spells %q (%q), not %q (%q)", as, back, spelled, u, s)
		}
		if !strings.EqualFold(as, string(u)) || u.Spelling(as) != s {
			t.Errorf("%q is no spelling of %q", as, u)
		}
		if s != "" && !u.Spellable() {
			t.Errorf("%q can be spelled %q", u, s)
		}
	})
}

func TestSpellingOfOthers(t *testing.T) {
	for _, tt := range []struct{ url, text string }{
		{"http://a.example/A", "http://a.example/a"},
		{"http://a.example/%C3", "http://a.example/%c4"},
		{"http://a.example/%C3", "../%c3"},
		{"http://a.example/%C3", "http://A.example/%c3"},
		{"http://a.example/%C3", "http://a.example/%C3"},
	} {
		if s := URL(tt.url).Spelling(tt.text); s != "" {
			t.Errorf("%q spells %q as %q", tt.text, tt.url, s)
		}
	}
	if s := URL("http://a.example/%C3").Spelling("http://a.example/%c3"); s != "http://a.example/%c3" {
		t.Errorf("spelled %q", s)
	}
}
