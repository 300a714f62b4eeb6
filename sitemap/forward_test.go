package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// TestSeedThatOnlyLeadsOn: the site of a seed that takes its visitors elsewhere is there.
func TestSeedThatOnlyLeadsOn(t *testing.T) {
	const seed, home, far = "http://www.rivers.example/", "http://homes.example/~rivers/",
		"http://other.example/"
	site := section(home, 12)
	to := func(kind page.LinkKind, context string, u page.URL) page.Link {
		return page.Link{URL: u, Kind: kind, Context: context}
	}
	for _, c := range []struct {
		name  string
		links []page.Link
		want  int // pages
	}{
		{"a refresh", []page.Link{to(page.Refresh, "meta/@content", home)}, 14},
		{
			"a refresh, and a link for those whom it does not take",
			[]page.Link{to(page.Refresh, "meta/@content", home), to(page.Navigation, "a/@href", home)},
			14,
		},
		{"a frameset of one frame", []page.Link{
			to(page.Frame, "frame/@src", home),
			to(page.Navigation, "a/@href", far),
		}, 14},
		{"a frameset of two", []page.Link{
			to(page.Frame, "frame/@src", home+"1.html"),
			to(page.Frame, "frame/@src", home),
		}, 14},
		{"a page that reloads itself and has links", []page.Link{
			to(page.Refresh, "meta/@content", seed),
			to(page.Navigation, "a/@href", home),
		}, 1},
		{"a refresh that some may not want to wait for", []page.Link{
			to(page.Refresh, "meta/@content", home),
			to(page.Navigation, "a/@href", far),
		}, 1},
		{"a frame in a page", []page.Link{to(page.Frame, "iframe/@src", home)}, 1},
		{"links", []page.Link{to(page.Navigation, "a/@href", home)}, 1},
	} {
		w := parseWeb(t, site+far+" -> .\n")
		w[seed] = &page.Visit{URL: seed, Status: 200, Links: c.links}
		_, m := w.surveyed(t, Site{Seeds: []page.URL{seed}}, Options{})
		if m.Members.Len() != c.want || !m.Converged {
			t.Errorf("%s: %d pages, want %d: %v", c.name, m.Members.Len(), c.want, members(m))
		}
	}
}

// TestLanguagesBesideEachOther: that pages name each other's translations makes the languages one
// site, whichever the seed is of; a neighbour that is cited stays outside.
func TestLanguagesBesideEachOther(t *testing.T) {
	const docs = "http://www.rivers.example/docs/"
	var text strings.Builder
	languages := []string{"en", "de", "ja"}
	var want []string
	for _, l := range languages {
		for p := range 9 {
			u := fmt.Sprintf("%s%s/%d.html", docs, l, p)
			want = append(want, schemeless(page.URL(u)))
			fmt.Fprintf(&text, "%s -> %d.html %d.html ../other/", u, (p+1)%9, (p+4)%9)
			for _, m := range languages {
				fmt.Fprintf(&text, " h=../%s/%d.html", m, p)
			}
			text.WriteString("\n")
		}
	}
	w := parseWeb(t, text.String()+section(docs+"other/", 9))
	for _, l := range languages {
		_, m := w.surveyed(t, Site{Seeds: []page.URL{page.URL(docs + l + "/0.html")}}, Options{})
		if diff := cmp.Diff(len(want), m.Members.Len()); diff != "" {
			t.Errorf("%s: %s\n%v", l, diff, members(m))
		}
		if e := m.Explain(docs + "other/"); e.Inside {
			t.Errorf("%s: %v", l, e)
		}
	}
}
