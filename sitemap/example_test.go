package sitemap_test

import (
	"fmt"
	"os"
	"strings"

	"watershed/page"
	"watershed/sitemap"
)

// A site on two hosts that link to each other, and a stranger that it cites: the survey asks for
// pages until it knows where the site ends.
func Example() {
	links := map[page.URL][]page.URL{
		"http://www.site.example/": {
			"http://www.site.example/a", "http://docs.site.example/",
			"http://stranger.example/",
		},
		"http://www.site.example/a":  {"http://www.site.example/", "http://docs.site.example/1"},
		"http://docs.site.example/":  {"http://docs.site.example/1", "http://www.site.example/"},
		"http://docs.site.example/1": {"http://docs.site.example/", "http://www.site.example/a"},
		"http://stranger.example/":   {"http://stranger.example/x"},
	}
	s, err := sitemap.NewSurvey([]sitemap.Site{{Name: "site", Seeds: []page.URL{"http://www.site.example/"}}},
		sitemap.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, w := range wants {
			visit := page.Visit{URL: w.URL, Status: 404} // here the page would be fetched
			if to, ok := links[w.URL]; ok {
				visit.Status = 200
				for _, u := range to {
					visit.Links = append(visit.Links, page.Link{URL: u, Kind: page.Navigation})
				}
			}
			s.Learn(&visit)
		}
	}
	m, _ := s.Map("site")
	for _, x := range m.Members.All() {
		fmt.Println(x.URL, x.Why)
	}
	why := m.Explain("http://stranger.example/").String()
	fmt.Println(strings.NewReplacer("; ", ";\n", ". ", ".\n", ", ", ",\n").Replace(why))
	if err := m.WriteSURTs(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// http://docs.site.example/ flow
	// http://docs.site.example/1 flow
	// http://www.site.example/ seed
	// http://www.site.example/a prefix
	// http://stranger.example/ is outside: the boundary leaves it out;
	// one page of the site links to it,
	// http://www.site.example/.
	// Block stranger.example/: not looked at further: it could not share enough with the site,
	// mutual share 0.000,
	// links of weight 1.0 from the site and 0.0 to it
	// http://(example,site,docs,)/
	// http://(example,site,www,)/
}
