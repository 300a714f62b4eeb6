package sitemap

import (
	"fmt"
	"testing"

	"watershed/page"
)

// large is a site whose second host has many pages, each of which links to the first host and to
// its neighbours; lists on the first name all of them. Beside it is a host as large that never
// links back.
func large(t *testing.T, pages int) testWeb {
	w := testWeb{}
	put := func(u string, links ...string) {
		v := &page.Visit{URL: mustURL(t, u), Status: 200}
		for _, l := range links {
			v.Links = append(v.Links, page.Link{URL: mustURL(t, l), Kind: page.Navigation})
		}
		w[v.URL] = v
	}
	const per = 40
	var lists []string
	for i := 0; i < pages; i += per {
		list := fmt.Sprintf("http://www.big.example/list%d", i/per)
		lists = append(lists, list)
		links := []string{"http://www.big.example/"}
		for n := i; n < min(i+per, pages); n++ {
			for _, host := range []string{"data.big.example", "www.cited.example"} {
				links = append(links, fmt.Sprintf("http://%s/p%d", host, n))
			}
			put(fmt.Sprintf("http://data.big.example/p%d", n), "http://www.big.example/", list,
				fmt.Sprintf("http://data.big.example/p%d", (n+1)%pages))
			put(fmt.Sprintf("http://www.cited.example/p%d", n),
				fmt.Sprintf("http://www.cited.example/p%d", (n+1)%pages))
		}
		put(list, links...)
	}
	put("http://www.big.example/", lists...)
	return w
}

// A second host is found however large it is, by a number of probes that grows as the root of its
// size; one that never links back costs the first probes and no more.
func TestLargeSecondHost(t *testing.T) {
	for _, pages := range []int{50, 2000, 30_000} {
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			w := large(t, pages)
			s, m := w.surveyed(t, Site{Seeds: []page.URL{"http://www.big.example/"}}, Options{})
			inside, cited := 0, 0
			for _, x := range m.Members.All() {
				if x.URL.Host() == "data.big.example" {
					inside++
				}
			}
			for u := range w {
				if u.Host() == "www.cited.example" && s.web.visited(s.web.find(u)) {
					cited++
				}
			}
			if inside != pages {
				t.Errorf("%d of %d pages of the second host are inside", inside, pages)
			}
			if cited > 3 {
				t.Errorf("%d pages of a host that never links back were fetched", cited)
			}
		})
	}
}
