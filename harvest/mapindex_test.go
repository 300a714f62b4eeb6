package harvest

import (
	"fmt"
	"slices"
	"testing"

	"watershed/page"
	"watershed/sitemap"
)

// TestMapIndex: of many maps the index gives those that say anything of a URL, as asking each would.
func TestMapIndex(t *testing.T) {
	w := &web{pages: map[string]string{"all.example/": links("/x"), "all.example/x": "x"}}
	var sites []sitemap.Site
	var urls []page.URL
	for i := range fewMaps + 4 {
		host, next := fmt.Sprintf("s%d.example", i), fmt.Sprintf("s%d.example", i/2)
		w.pages[host+"/"] = links("/a", "/gone", "/out/b", "http://all.example/", "http://"+next+"/a") +
			`<img src="http://all.example/i.gif">`
		w.pages[host+"/a"] = prose(i)
		w.pages[host+"/out/b"] = prose(i)
		for _, path := range []string{"/", "/a", "/gone", "/out/b", "/never"} {
			urls = append(urls, page.URL("http://"+host+path))
		}
		sites = append(sites, sitemap.Site{
			Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")}, Boundary: sitemap.HostOnly,
			Exclude: []page.Rule{rule(t, "prefix:http://"+host+"/out/")},
		})
	}
	urls = append(urls, "http://all.example/", "http://all.example/x", "http://all.example/i.gif")
	d := run(t, Folder(t.TempDir()), w.start(t, sites...))
	index, found := newMapIndex(d.Maps), 0
	if len(index.rows) == 0 {
		t.Fatal("no index")
	}
	for _, u := range urls {
		says := func(m *sitemap.Map) bool {
			return m.Has(u) || m.Excludes(u) || m.NotHad(u) || m.Waits(u) || m.Vain(u) != sitemap.VainNothing ||
				m.MadeUp(u)
		}
		var want, got []string
		for _, m := range d.Maps {
			if says(m) {
				want = append(want, m.Site)
			}
		}
		for _, m := range index.of(u) {
			if says(m) {
				got = append(got, m.Site)
			}
		}
		if found += len(got); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", u, got, want)
		}
	}
	if found < 3*len(sites) {
		t.Errorf("the maps say something in %d cases only", found)
	}
}
