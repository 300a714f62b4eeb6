package harvest

import (
	"strings"
	"testing"

	"watershed/archive"
	"watershed/page"
	"watershed/sitemap"
)

// TestPagesOfAPackage: a package tells of its pages what they say and the icon that they show, as
// it was asked for; also of a page whose record refers to another one of the same bytes, and no
// icon that is not there. A text is told to the length that the reference states.
func TestPagesOfAPackage(t *testing.T) {
	icon := `<link rel="shortcut icon" href="/%d0%bf.png">`
	w := &web{pages: map[string]string{
		"a.example/":            links("/same", "/%d1%84", "/gone", "/long") + icon + "<p>words",
		"a.example/long":        "<p>" + strings.Repeat("a", maxPageText+1),
		"a.example/same":        icon + "<p>twice there",
		"a.example/%d1%84":      icon + "<p>twice there",
		"a.example/gone":        `<link rel=icon href="/no.png"><p>without`,
		"a.example/%d0%bf.png":  "picture",
		"a.example/favicon.ico": "404",
	}}
	p := w.start(t, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.Domain})
	p.WACZ, p.PageText = true, true
	d := run(t, Folder(t.TempDir()), p)
	z, err := archive.OpenWACZ(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close() //nolint:errcheck // it was only read
	const there = "http://a.example/%d0%bf.png"
	want := map[string][2]string{
		"http://a.example/":       {"to /same to /%d1%84 to /gone to /long \nwords", there},
		"http://a.example/long":   {strings.Repeat("a", 1<<20), ""},
		"http://a.example/same":   {"twice there", there},
		"http://a.example/%d1%84": {"twice there", there},
		"http://a.example/gone":   {"without", ""},
	}
	n := 0
	for x, err := range z.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; want[x.URL] != [2]string{x.Text, x.Icon} {
			t.Errorf("%s: text %q, icon %q", x.URL, x.Text, x.Icon)
		}
	}
	if x := d.Sites[0]; x.Pages != len(want) || x.Requisites != 1 { // one of three pictures was had
		t.Errorf("the report has %d pages and %d requisites", x.Pages, x.Requisites)
	}
	if n != len(want) {
		t.Errorf("%d pages, want %d", n, len(want))
	}
}

// TestFuller: a page's text in the package is the one that has more words, however much white space
// its markup has; no word of the drawing is lost beside a longer banner in the markup.
func TestFuller(t *testing.T) {
	const drawn = "Sales Health all of it"
	for captured, want := range map[string]string{
		"\n\n      SalesHealth\n\n          all of it\n\n      ": drawn,
		"Sales Health all of it and more":                        "Sales Health all of it and more",
		"Sales of cake we do like":                               "Sales of cake we do like Health all it",
		"":                                                       drawn,
	} {
		if got := fuller(drawn, captured); got != want {
			t.Errorf("%q: %q, want %q", captured, got, want)
		}
	}
}
