package sitemap

import (
	"fmt"
	"strings"
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

// A silent page is enough of a block with a stranger's name; of one that shares a telling word with
// the site, and of a stranger's that links back, the whole sample is tried.
func TestStrangersAreTriedByOnePage(t *testing.T) {
	var text strings.Builder
	hosts := []string{"docs.kilada.example", "silent.other.example", "back.third.example"}
	text.WriteString("http://www.kilada.example/ -> p0 p1 p2 p3 p4 p5 p6 p7")
	for i := range 8 {
		fmt.Fprintf(&text, "\nhttp://www.kilada.example/p%d -> /", i)
		for _, host := range hosts {
			fmt.Fprintf(&text, " http://%s/q%d", host, i)
		}
		fmt.Fprintf(&text, "\nhttp://docs.kilada.example/q%d -> q%d", i, (i+1)%8)
		fmt.Fprintf(&text, "\nhttp://silent.other.example/q%d -> q%d", i, (i+1)%8)
		fmt.Fprintf(&text, "\nhttp://back.third.example/q%d -> q%d http://www.kilada.example/p%d",
			i, (i+1)%8, i)
	}
	_, m := parseWeb(t, text.String()).surveyed(t, Site{Seeds: []page.URL{"http://www.kilada.example/"}},
		Options{})
	fetched := make(map[string]int)
	for _, x := range m.Blocks {
		fetched[x.Name] = x.Fetched
	}
	a, s, b := fetched[hosts[0]+"/"], fetched[hosts[1]+"/"], fetched[hosts[2]+"/"]
	if a < 3 || s != 1 || b < 3 {
		t.Errorf("%d pages of a second host were tried, %d of a silent stranger's, %d of one that links "+
			"back; want 3, 1 and 3", a, s, b)
	}
}
