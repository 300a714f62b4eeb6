package sitemap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// TestLeftBelow: whatever below the seed stays out is listed with a line that takes it in when it is
// followed, and so is the host of a tenant whose addresses have no directories.
func TestLeftBelow(t *testing.T) {
	const seed = "http://www.campus.example/"
	groups := campus + seed + "groups.html -> . news.html staff.html map.html rivers/ stars/\n" +
		section(seed+"rivers/", 20, "/") + section(seed+"stars/", 20, "/")
	b := builder{t, testWeb{}}
	tenant, _ := b.tenants(func(k, i int) string {
		return strings.Repeat("abcdefgh"[k:k+1], 1+i/8) + string(rune('0'+i%8))
	})
	for _, c := range []struct {
		name string
		web  testWeb
		seed page.URL
		want []string // places
	}{
		{"groups", parseWeb(t, groups), seed, []string{
			"www.campus.example/rivers/", "www.campus.example/stars/",
		}},
		{"tenants", b.w, tenant, []string{"host.example/"}},
	} {
		site := Site{Name: "site", Seeds: []page.URL{c.seed}}
		_, m := c.web.surveyed(t, site, Options{})
		var got []string
		pages := 0
		for _, x := range m.LeftBelow() {
			got = append(got, x.Name)
			pages += x.Pages
			site.Include = append(site.Include, x.Include)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		_, wide := c.web.surveyed(t, site, Options{})
		if left := wide.LeftBelow(); len(left) > 0 || wide.Members.Len() < m.Members.Len()+pages {
			t.Errorf("%s: %d members, %d pages left out; with the lines %d members, and %v is out", c.name,
				m.Members.Len(), pages, wide.Members.Len(), left)
		}
	}
	_, m := parseWeb(t, groups).surveyed(t, Site{Seeds: []page.URL{seed}}, Options{})
	switch e := m.Explain(seed + "rivers/"); {
	case e.Left == nil:
		t.Error("the explanation of a page left out below the seed has no remedy")
	case e.Left.Line() != `include: ["prefix:www.campus.example/rivers/"]`:
		t.Errorf("the line is %s", e.Left.Line())
	}
}
