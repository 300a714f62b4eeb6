package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// department adds a university: six departments of which no page leads to another's, and the pages
// of the university, which name all of them and are named by all. spell names the pages of a
// department.
func (b builder) department(host string, spell func(name string, i int) string) {
	names := []string{"physics", "law", "music", "history", "chemistry", "maths"}
	home := "http://" + host + "/"
	for k, name := range names {
		at := func(i int) string { return home + spell(name, i) }
		b.woven(30, uint64(k), at)
		for i := range 30 {
			b.page(page.URL(at(i)), home)
		}
	}
	for i := range 10 {
		u := home
		if i > 0 {
			u = fmt.Sprintf("%spage%d.html", home, i)
		}
		b.page(page.URL(u), home, fmt.Sprintf("%spage%d.html", home, i%9+1))
		for _, name := range names {
			b.page(page.URL(u), home+spell(name, 0))
		}
	}
}

// TestPlacesAbove: the pages above a seed's directory, or above a second host, that lead to others
// just as well are no part of the site.
func TestPlacesAbove(t *testing.T) {
	deep := func(name string, i int) string {
		if i == 0 {
			return "dept/" + name + "/"
		}
		return fmt.Sprintf("dept/%s/p%d.html", name, i)
	}
	paged := func(name string, i int) string {
		if i == 0 {
			return "dept/" + name + ".html"
		}
		return fmt.Sprintf("dept/%s/p%d.html", name, i)
	}
	for _, c := range []struct {
		name, seed string
		spell      func(string, int) string
		own        []string
	}{
		{
			"a department", "http://www.uni.example/dept/physics/", deep,
			[]string{"http://www.uni.example/dept/physics/"},
		},
		{
			"a department whose home page lies beside it", "http://www.uni.example/dept/physics.html", paged,
			[]string{"http://www.uni.example/dept/physics.html", "http://www.uni.example/dept/physics/"},
		},
		{
			"a site with a part at the university", "http://www.quarks.example/", deep,
			[]string{"http://www.uni.example/dept/physics/", "http://www.quarks.example/"},
		},
	} {
		b := builder{t, testWeb{}}
		b.department("www.uni.example", c.spell)
		b.woven(20, 7, func(i int) string {
			return "http://www.quarks.example/" + strings.TrimPrefix(fmt.Sprintf("q%d.html", i), "q0.html")
		})
		for i := range 30 { // the physicists have a site of their own, too
			b.page(page.URL("http://www.uni.example/"+c.spell("physics", i)), "http://www.quarks.example/")
			if i < 20 {
				b.page(page.URL("http://www.quarks.example/"+strings.TrimPrefix(
					fmt.Sprintf("q%d.html", i), "q0.html")), "http://www.uni.example/"+c.spell("physics", 0))
			}
		}
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL(c.seed)}}, Options{})
		if c.seed != "http://www.quarks.example/" {
			c.own = append(c.own, "http://www.quarks.example/")
		}
		if f1 := b.w.f1(m, belowAny(c.own...)); f1 < .99 {
			t.Errorf("%s: F1 %.3f", c.name, f1)
		}
	}
}
