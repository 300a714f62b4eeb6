package sitemap

import (
	"fmt"
	"testing"

	"watershed/page"
)

// TestTeamsOnHostsOfTheirOwn: the teams of an organisation, which one of its pages lists and which name
// its home page on some of theirs, are no part of it. The one link to the home page of a team does not
// make that a part of the directory in which the team's other pages lie.
func TestTeamsOnHostsOfTheirOwn(t *testing.T) {
	const org = "http://www.lab.example/"
	for _, teams := range []int{1, 3} {
		b := builder{t, testWeb{}}
		for i := range 24 {
			u := fmt.Sprintf("%sn%d.html", org, i)
			for k := range 4 {
				b.page(page.URL(u), org, fmt.Sprintf("%sn%d.html", org, k))
			}
			b.page(org, u)
		}
		for k := range teams {
			home := fmt.Sprintf("http://t%d.lab.example/", k)
			of := func(i int) string { return fmt.Sprintf("%spart%d/p%d.html", home, i%24/20, i%24) }
			b.page(org+"n1.html", home)
			for i := range 24 {
				b.page(page.URL(home), of(i), org)
				b.page(page.URL(of(i)), home, of(i+1), of(i+3), of(5*i+2))
				if i%3 == 0 {
					b.page(page.URL(of(i)), org)
				}
			}
		}
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{org}}, Options{})
		if m.Members.Len() != 25 {
			t.Errorf("%d teams: %d pages are inside: want 25", teams, m.Members.Len())
		}
	}
}
