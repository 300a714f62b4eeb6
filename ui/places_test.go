package ui

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"watershed/page"
	"watershed/sitemap"
)

// TestPlacesAt holds the treemap's counts at every scale of maps at random against a count of each
// page.
func TestPlacesAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := scaledMap(rapid.SliceOfN(rapid.IntRange(1, 5), 1, 5).Draw(t, "pages"), 0)
		changeMembers(m, func(_ int, p *sitemap.Member) {
			if p.Scale <= m.Scale {
				p.State = rapid.SampledFrom([]string{"fetched", "known", "redirect"}).Draw(t, "state")
				p.Why = rapid.SampledFrom([]sitemap.Why{sitemap.WhyFlow, sitemap.WhyRule}).Draw(t, "why")
			}
		})
		for _, p := range m.Wider.All() {
			if rapid.Bool().Draw(t, "linked") {
				m.Outside = append(m.Outside, sitemap.Outsider{URL: p.URL, Reason: "outOfBoundary"})
			}
		}
		m.Outside = append(m.Outside, sitemap.Outsider{URL: "http://z.example/", Reason: "rule"})
		x := &siteMap{Map: m, turns: turnsOf(m)}
		for k := range m.Scales {
			want := map[string]int{kindExcluded: 1}
			outside := map[page.URL]bool{}
			for _, o := range m.Outside[:len(m.Outside)-1] {
				outside[o.URL] = true
			}
			for _, list := range []sitemap.Members{m.Members, m.Wider} {
				for _, p := range list.All() {
					switch {
					case p.Scale <= k:
						want[memberKind(&p)]++
					case outside[p.URL]:
						want[kindOutside]++
					}
				}
			}
			got := map[string]int{}
			for _, p := range x.placesAt(k) {
				in, out := p.parts()
				for _, part := range append(in, out...) {
					if part.n != 0 {
						got[part.class] += part.n
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("scale %d: %v, want %v", k, got, want)
			}
		}
	})
}
