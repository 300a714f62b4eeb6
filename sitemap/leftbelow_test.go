package sitemap

import (
	"errors"
	"fmt"
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
		group(seed+"rivers/", 20) + group(seed+"stars/", 20)
	b := builder{t, testWeb{}}
	tenant, _ := b.tenants(func(k, i int) string {
		return strings.Repeat("abcdefgh"[k:k+1], 1+i/8) + string(rune('0'+i%8))
	})
	q := builder{t, testWeb{}}
	asked, _ := q.tenants(func(k, i int) string {
		return "?site=" + "abcdefgh"[k:k+1] + strings.Repeat("&n=1", i)
	})
	for _, c := range []struct {
		name string
		web  testWeb
		seed page.URL
		rule string   // of include
		want []string // places
	}{
		{"groups", parseWeb(t, groups), seed, "", []string{
			"www.campus.example/rivers/", "www.campus.example/stars/",
		}},
		{
			"groups, a page of one of which a rule names", parseWeb(t, groups), seed,
			"url:" + seed + "rivers/7.html",
			[]string{"www.campus.example/rivers/", "www.campus.example/stars/"},
		},
		{"tenants", b.w, tenant, "", []string{"host.example/"}},
		{"tenants by a query", q.w, asked, "", []string{"host.example/"}},
	} {
		site := Site{Name: "site", Seeds: []page.URL{c.seed}}
		if c.rule != "" {
			site.Include = []page.Rule{mustRule(t, c.rule)}
		}
		_, m := c.web.surveyed(t, site, Options{})
		for _, u := range []page.URL{seed + "rivers/unheard-of", seed + "elsewhere/unheard-of"} {
			out := c.seed == seed && strings.Contains(string(u), "rivers")
			if e := m.Explain(u); e.Left != nil != out || e.Below != "" != (!out && c.seed == seed) {
				t.Errorf("%s: %s lies below %q, left out with %+v", c.name, u, e.Below, e.Left)
			}
		}
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

// TestBeside: hosts that all pages name and that lead back are told, with a line that takes them in when
// it is followed, though a few pages of theirs belong. A host that never leads back is not, nor is
// another that few pages name.
func TestBeside(t *testing.T) {
	const firm = "http://www.firm.example/"
	shops := []string{"http://www.kettle.example/", "http://www.lamp.example/", "http://www.rug.example/"}
	b := builder{t, testWeb{}}
	for i := range 80 {
		u := fmt.Sprintf("%sp%d.html", firm, i)
		b.page(firm, u)
		b.page(page.URL(u), append(shops, firm, "http://www.social.example/firm")...)
	}
	b.page(firm+"p7.html", "http://www.friend.example/")
	for _, home := range append(shops, "http://www.friend.example/") {
		for i := range 45 {
			u := fmt.Sprintf("%sgoods/%d.html", home, i)
			b.page(page.URL(home), u, firm)
			b.page(page.URL(u), append(shops, home, firm)...)
		}
	}
	b.page("http://www.social.example/firm", "http://www.social.example/login")
	site := Site{Name: "site", Seeds: []page.URL{firm}}
	s, m := b.w.surveyed(t, site, Options{})
	var got []string
	for _, x := range m.Beside {
		got = append(got, fmt.Sprintf("%s named by %d", x.Name, x.Named))
		site.Include = append(site.Include, x.Include)
	}
	want := []string{
		"www.kettle.example/ named by 84", "www.lamp.example/ named by 84", "www.rug.example/ named by 84",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err := s.Pin("site", mustRule(t, "host:www.kettle.example"), false)
	pinned, e := s.Map("site")
	if err = errors.Join(err, e); err != nil || len(pinned.Beside) != 2 {
		t.Errorf("a place that was put outside is told: %v, %v", pinned.Beside, err)
	}
	_, m = b.w.surveyed(t, site, Options{})
	if len(m.Beside) > 0 || m.Members.Len() != 81+3*46 {
		t.Errorf("with the lines %d pages belong, and %v is out", m.Members.Len(), m.Beside)
	}
}

// TestLeft: places whose names have a stem in common have one line, which takes in all of them and no
// place that is named otherwise.
func TestLeft(t *testing.T) {
	const seed = "http://www.campus.example/"
	web := campus + seed + "groups.html -> . news.html staff.html map.html"
	dirs := "issue1/ issue2/ issue10/ ~ann/ ~bob/ ~eve/ vol1/ vol2/ a1/ a2/ a3/ about/"
	for _, dir := range strings.Fields(dirs) {
		web = strings.Replace(web, "map.html", "map.html "+dir, 1) + "\n" + group(seed+dir, 20)
	}
	site := Site{Name: "site", Seeds: []page.URL{seed}}
	_, m := parseWeb(t, web).surveyed(t, site, Options{})
	var got []string
	for _, x := range m.Left() {
		got = append(got, fmt.Sprint(strings.TrimPrefix(x.Name, "www.campus.example/"), x.Pages))
		if site.Include = append(site.Include, x.Include); !strings.HasPrefix(x.Include.Value+"*", x.Name) {
			t.Errorf("the rule of %s is %s", x.Name, x.Include)
		}
	}
	want := "a1/21 a2/21 a3/21 about/21 issue*63 vol1/21 vol2/21 ~*63"
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
	_, wide := parseWeb(t, web).surveyed(t, site, Options{})
	if n := wide.Members.Len() - m.Members.Len(); n != 12*21 || len(wide.Left()) > 0 {
		t.Errorf("with the lines %d pages more belong, and %v is out", n, wide.Left())
	}
}

// TestStems: names of hosts that end by numbers, and escapes with digits, have no stem in common.
func TestStems(t *testing.T) {
	m := Map{Boundary: Logical.String()}
	for i := range 3 {
		host := fmt.Sprintf("web%d.example/", i)
		m.Seeds = append(m.Seeds, page.URL("http://"+host))
		m.Blocks = append(m.Blocks, Block{Name: host, Known: 5},
			Block{Name: fmt.Sprintf("web0.example/%%D0%%B%d/", i), Known: 5})
	}
	if left := m.Left(); len(left) != 6 {
		t.Errorf("%v is out", left)
	}
}

// TestExplainPlace: a page of another host is told with the known pages of its place, which the line
// takes in, and not with pages elsewhere; so is one to which only pages of that place lead.
func TestExplainPlace(t *testing.T) {
	b := builder{t, testWeb{}}
	b.woven(40, 1, func(i int) string { return fmt.Sprintf("http://a.example/p%d", i) })
	b.woven(30, 2, func(i int) string { return fmt.Sprintf("http://b.example/p%d", i) })
	b.woven(200, 3, func(i int) string { return fmt.Sprintf("http://c.example/p%d", i) })
	b.page("http://b.example/p0", "http://a.example/p0", "http://c.example/p0", "http://c.example/p7")
	b.page("http://c.example/p0", "http://b.example/p0")
	b.page("http://a.example/p0", "http://b.example/p0", "http://b.example/p5", "http://b.example/p9")
	site := Site{Name: "site", Seeds: []page.URL{"http://a.example/p0"}}
	_, m := b.w.surveyed(t, site, Options{})
	e := m.Explain("http://b.example/p0")
	if e.Inside || e.Block == nil || e.Place == nil {
		t.Fatalf("%+v, want a page outside in a place", e)
	}
	if out := e.Block.Known - e.Block.Inside; e.Place.Name != "b.example/" || e.Place.Pages != out {
		t.Errorf("%+v in %+v", e.Place, e.Block)
	}
	if x := m.Explain("http://b.example/unheard-of"); x.Place == nil || *x.Place != *e.Place {
		t.Errorf("a page there that no page of the site links to is told with %+v", x.Place)
	}
	site.Include = append(site.Include, e.Place.Include)
	if _, m = b.w.surveyed(t, site, Options{}); countBelow(m, "http://b.example/") != 30 {
		t.Errorf("with the line %d pages belong", countBelow(m, "http://b.example/"))
	}
}
