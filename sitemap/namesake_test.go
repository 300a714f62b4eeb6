package sitemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

func TestWordsOfAName(t *testing.T) {
	for path, want := range map[string][]string{
		"www.flask.example/":            {"flask"},
		"x.org/~ada/old-site_2/":        {"ada", "old", "site"},
		"127.0.0.1:8080/a/b/":           {"127"},
		"lists.lab.example/rivers/log/": {"lists", "lab", "rivers", "log"},
	} {
		if diff := cmp.Diff(want, words(path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// TestNamesakes: a word of the site's name tells something until too many hosts have it.
func TestNamesakes(t *testing.T) {
	for hosts, want := range map[int][]string{
		3: {"prefix", "docs.rivers.example/", "hub.other/rivers/"},
		namedHosts: {
			"prefix", "docs.rivers.example/", "hub.other/rivers/", "hub3.other/rivers/", "hub4.other/rivers/",
		},
		namedHosts + 1: {"prefix"},
	} {
		text := "http://www.rivers.example/ -> http://docs.rivers.example/ http://stars.example/ " +
			"http://hub.other/rivers/ http://a.example/ http://b.example/"
		for i := 3; i < hosts; i++ {
			text += fmt.Sprintf(" http://hub%d.other/rivers/", i)
		}
		w := parseWeb(t, text)
		site := Site{Name: "site", Seeds: []page.URL{"http://www.rivers.example/"}}
		s, err := NewSurvey([]Site{site}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.crawl(s)
		var akin []string
		x := settle(s.sites[0].book, false)
		for k, is := range x.namesakes() {
			if !is {
				continue
			}
			name := "prefix"
			if d := x.blocks.list[k].dir; d != noDir {
				name = s.web.dirs.path(d)
			}
			akin = append(akin, name)
		}
		slices.Sort(akin[1:])
		if diff := cmp.Diff(want, akin); diff != "" {
			t.Errorf("%d hosts: %s", hosts, diff)
		}
	}
}

// TestHostsOfOneName: of a site whose pages all link to its other hosts two hosts share the less, the
// more there are. They come in by the name that they have in common, and a crowd of them, or as many
// hosts of other names, does not.
func TestHostsOfOneName(t *testing.T) {
	const n = 30
	part := func(i int) string { return fmt.Sprintf("part%d.rivers.example", i) }
	named := func(names string) func(i int) string {
		return func(i int) string { return strings.Fields(names)[i] + ".rivers.example" }
	}
	for _, c := range []struct {
		name  string
		hosts int
		host  func(i int) string
		// star: all but the first link to that alone; deep: their home pages lead to one page, and that on
		how  string
		want int // hosts that are inside
	}{
		{"a domain", 6, part, "", 6},
		{"a larger domain", 10, part, "", 10},
		{"a newspaper and its regions, of which home pages alone are known", 12, part, "deep", 12},
		{
			"a country each", 8, func(i int) string { return fmt.Sprintf("www.rivers.land%d", i) },
			"", 8,
		},
		{
			"a year each", 8, func(i int) string { return fmt.Sprintf("www.rivers%d.example", 2010+i) },
			"", 8,
		},
		{"twenty offices of a domain", 21, part, "", 1},
		{"offices that name their head office alone", 28, part, "star", 1},
		{"brands", 8, func(i int) string { return fmt.Sprintf("www.brand%d.example", i) }, "", 1},
		{"a part of a domain whose home page names all", 6, named("docs www wiki bugs de fr"), "", 1},
		{"the home page itself", 6, named("www docs wiki bugs de fr"), "", 6},
		{"a language of a domain whose home page names all", 6, named("en www wiki bugs de fr"), "", 6},
	} {
		b := builder{t, testWeb{}}
		for i := range c.hosts {
			home := fmt.Sprintf("http://%s/", c.host(i))
			named := c.hosts
			if c.how == "star" && i > 0 {
				named = 1
			}
			name := func(p int) string { return fmt.Sprint(home, "p", p%(n-1)) }
			for p := range n - 1 {
				if c.how != "deep" || i == 0 || p == 0 {
					b.page(page.URL(home), name(p))
				}
				b.page(page.URL(name(p)), home, name(p+1), name(7*p))
				for k := range named {
					b.page(page.URL(name(p)), fmt.Sprintf("http://%s/", c.host(k)))
				}
			}
			for k := range named {
				b.page(page.URL(home), fmt.Sprintf("http://%s/", c.host(k)))
			}
		}
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL("http://" + c.host(0) + "/")}}, Options{})
		got := 0
		for i := range c.hosts {
			switch in := inside(m, c.host(i)+"/"); in {
			case n:
				got++
			case 0:
			default:
				t.Errorf("%s: %d of %d pages of host %d are inside", c.name, in, n, i)
			}
		}
		if got != c.want {
			t.Errorf("%s: %d of %d hosts are inside: want %d", c.name, got, c.hosts, c.want)
		}
	}
}

func TestOwnerName(t *testing.T) {
	for host, want := range map[page.Host]string{
		"docs.rivers.example": "rivers", "www.rivers.fr:8080": "rivers", "rivers2019.example": "rivers",
		"rivers-2019.co.uk": "rivers", "rivers.github.io": "rivers", "2019.example": "",
		"192.0.2.1": "", "[2001:db8::1]": "", "localhost": "",
	} {
		if got := ownerName(host); got != want {
			t.Errorf("%s is named %q: want %q", host, got, want)
		}
	}
}
