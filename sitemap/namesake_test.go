package sitemap

import (
	"fmt"
	"slices"
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
