package harvest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"watershed/page"
	"watershed/replica/novelty"
	"watershed/sitemap"
)

// catalogue is a site of 40 things, with a list of them that can be filtered by five properties of four
// values, in any order: it has more than 300,000 addresses, which show the things in other combinations.
func catalogue(out http.ResponseWriter, r *http.Request) {
	var links []string
	words := "of the catalogue"
	switch name, thing := strings.CutPrefix(r.URL.Path, "/things/"); {
	case r.URL.Path == "/":
		links = []string{"/list"}
	case thing:
		words = "thing " + strings.Repeat(name+"thing ", 9)
	case r.URL.Path == "/list":
		chosen := strings.FieldsFunc(r.URL.RawQuery, func(c rune) bool { return c == '&' })
		for i := range 40 {
			if (i+len(r.URL.RawQuery))%max(1, 4*len(chosen)) == 0 {
				links = append(links, fmt.Sprintf("/things/%d", i))
			}
		}
		for i := range 20 {
			key := string(rune('a' + i/4))
			others := slices.DeleteFunc(slices.Clone(chosen), func(c string) bool {
				return strings.HasPrefix(c, key)
			})
			others = append(others, fmt.Sprintf("%s=%d", key, i%4))
			links = append(links, "/list?"+strings.Join(others, "&"))
		}
	default:
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	for i, l := range links {
		links[i] = fmt.Sprintf("<a href='%s'>%s</a>", strings.ReplaceAll(l, "&", "&amp;"), l[1:4])
	}
	_, _ = fmt.Fprintf(out, "<title>%s</title>%s %s", r.URL, words, links) // a client that goes is gone
}

// TestFilteredList: a list with ever other queries does not use up a limit before the pages it lists are
// had.
func TestFilteredList(t *testing.T) {
	if testing.Short() {
		t.Skip("short: hundreds of pages, to see in which order they are had")
	}
	for _, boundary := range []sitemap.Mode{sitemap.Logical, sitemap.Prefix} {
		p := planOn(hostile(t, "", catalogue).Fetch.DialPorts[80], sitemap.Site{
			Name: "S", Seeds: []page.URL{"http://shop.example/"}, Boundary: boundary, MaxPages: 200,
		})
		things, lists := 0, 0
		for u := range captured(t, run(t, Folder(t.TempDir()), p)) {
			things += strings.Count(u, "/things/")
			lists += strings.Count(u, "/list?")
		}
		if things < 40 || lists < 100 || lists > 160 {
			t.Errorf("%s: %d things, and %d pages of the list", boundary, things, lists)
		}
	}
}

// TestDullPagesAreHadAgain: tables of numbers that an index names are had in the first run. In the next
// one they come after a calendar of the same kind of addresses, which has no end; they are had all the same.
func TestDullPagesAreHadAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("short: hundreds of pages, to see which of them are had")
	}
	const tables, firstDay = 60, 100
	calendar := false
	p := planOn(hostile(t, "", func(out http.ResponseWriter, r *http.Request) {
		var links []string
		n, later := 0, 0
		_, noPage := fmt.Sscanf(r.URL.Path, "/page/%d", &n)
		_, notLater := fmt.Sscanf(r.URL.Path, "/later/%d", &later)
		switch {
		case noPage == nil && n >= firstDay:
			links = []string{fmt.Sprintf("/page/%d", 2*n), fmt.Sprintf("/page/%d", 2*n+1)}
		case noPage == nil && n < tables:
		case notLater == nil && later < 10:
			links = []string{fmt.Sprintf("/later/%d", later+1)}
		case r.URL.Path == "/" && calendar:
			links = []string{fmt.Sprintf("/page/%d", firstDay), "/later/1"}
		case r.URL.Path == "/" || notLater == nil:
			for i := range tables {
				links = append(links, fmt.Sprintf("/page/%d", i))
			}
		default:
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(out, "some numbers in a table of them") // a client that goes is gone
		for i, l := range links {
			_, _ = fmt.Fprintf(out, " <a href='%s'>%d</a>", l, i)
		}
	}).Fetch.DialPorts[80], sitemap.Site{
		Name: "S", Seeds: []page.URL{"http://tables.example/"}, Boundary: sitemap.HostOnly,
	})
	p.Novelty = &novelty.Options{Pages: 20}
	folder := Folder(t.TempDir())
	for range 2 {
		had, days := 0, 0
		for u := range captured(t, run(t, folder, p)) {
			n := 0
			if _, err := fmt.Sscanf(u, "http://tables.example/page/%d", &n); err != nil {
				continue
			}
			if n < firstDay {
				had++
			} else {
				days++
			}
		}
		if had != tables || days > tables {
			t.Errorf("calendar %v: %d tables of %d, %d days", calendar, had, tables, days)
		}
		calendar = true
	}
}
