package crawler

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"watershed/crawler/draw"
	"watershed/page"
)

// TestToldLinksAreBounded: the record that tells the links of a drawn page can be read again.
func TestToldLinksAreBounded(t *testing.T) {
	long := page.URL("http://a.example/" + strings.Repeat("x", mostDrawnLinks/2))
	d := &draw.Drawing{Links: []page.Link{{URL: "http://a.example/1"}, {URL: long}, {URL: long + "y"}}}
	if told := toldOf(d, "L"); len(told.Links) != 2 || told.Cut == "" {
		t.Errorf("%d links, cut: %q", len(told.Links), told.Cut)
	}
	d.Links = d.Links[:2]
	if told := toldOf(d, "L"); len(told.Links) != 2 || told.Cut != "" {
		t.Errorf("%d links, cut: %q", len(told.Links), told.Cut)
	}
}

// TestToldRefusals: what a page was refused is told beside what it had from the same address, and is no
// requisite, as what it was still waiting for is.
func TestToldRefusals(t *testing.T) {
	const at = page.URL("http://a.example/item")
	d := &draw.Drawing{Asked: []draw.Asked{
		{Method: http.MethodGet, URL: at, Status: 200},
		{Method: http.MethodPut, URL: at, Cause: "a crawler sends no PUT"},
		{Method: http.MethodGet, URL: "http://a.example/film", Cause: draw.Unawaited},
	}}
	told, v := toldOf(d, "L"), page.Visit{URL: "http://a.example/"}
	if len(told.Asked) != 3 || told.Asked[string(at)].Status != 200 {
		t.Errorf("%+v", told.Asked)
	}
	if LearnDrawing(&v, told); len(v.Links) != 2 || v.Links[0].URL != "http://a.example/film" {
		t.Errorf("requisites %+v", v.Links)
	}
}

// TestToldGoings: a page whose scripts go to ever more addresses leads to few of them, the page at the end
// of such a chain to none, and its links stay.
func TestToldGoings(t *testing.T) {
	var links []page.Link
	for i := range 9 {
		links = append(links, page.Link{
			URL: page.URL(fmt.Sprintf("http://a.example/?%d", i)), Kind: draw.KindOf("drawn/location"),
			Context: "drawn/location",
		})
	}
	links = append(links, page.Link{URL: "http://a.example/next", Kind: page.Navigation})
	for _, c := range []struct {
		hops       string
		goes, told int
	}{
		{"", 9, 4},
		{"LL", 9, 4},
		{"LR", 9, 2},
		{"L" + strings.Repeat("R", 20), 9, 1},
		{"", 3, 4},
		{"LRR", 1, 2},
	} {
		d := &draw.Drawing{Links: links[9-c.goes:]}
		told := toldOf(d, c.hops)
		if len(told.Links) != c.told || (told.Cut != "") != (c.told <= c.goes) ||
			told.Links[c.told-1].URL != "http://a.example/next" {
			t.Errorf("hops %q, %d goings: %d links, cut %q", c.hops, c.goes, len(told.Links), told.Cut)
		}
	}
}
