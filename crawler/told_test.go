package crawler

import (
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
