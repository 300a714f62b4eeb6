package crawler

import (
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
	if told := toldOf(d); len(told.Links) != 2 || told.Cut == "" {
		t.Errorf("%d links, cut: %q", len(told.Links), told.Cut)
	}
	d.Links = d.Links[:2]
	if told := toldOf(d); len(told.Links) != 2 || told.Cut != "" {
		t.Errorf("%d links, cut: %q", len(told.Links), told.Cut)
	}
}

// TestToldRefusals: what a page was refused is told beside what it had from the same address.
func TestToldRefusals(t *testing.T) {
	const at = page.URL("http://a.example/item")
	d := &draw.Drawing{Asked: []draw.Asked{
		{Method: http.MethodGet, URL: at, Status: 200},
		{Method: http.MethodPut, URL: at, Cause: "a crawler sends no PUT"},
	}}
	if told := toldOf(d); len(told.Asked) != 2 || told.Asked[string(at)].Status != 200 {
		t.Errorf("%+v", told.Asked)
	}
}
