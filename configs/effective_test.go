package configs

import (
	"slices"
	"testing"
)

// TestEffectiveOfHeaders: the fields of a login are told in their order, however many there are.
func TestEffectiveOfHeaders(t *testing.T) {
	h, err := Parse("x.yaml", []byte(confinedHead+`sites:
  - {name: a, seeds: ["http://a.example/"], login: {headers: {X-B: env:B, X-A: env:A, X-C: env:C}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range h.Effective() {
		if len(o.Key) > 24 && o.Key[:24] == "sites[0].login.headers.X" {
			got = append(got, o.Key[23:]+" "+o.Value)
		}
	}
	if want := []string{"X-A env:A", "X-B env:B", "X-C env:C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
