package sitemap

import (
	"fmt"
	"slices"
	"testing"

	"watershed/page"
)

// TestClaims: a second host that the portal of its domain names on its pages comes in where its home page
// alone leads back, but not where it never does, where the portal names many, where the seed's host is no
// portal, where users have their pages there, and where it has another owner.
func TestClaims(t *testing.T) {
	const n, more = 20, 40
	for _, c := range []struct {
		name, seed string
		hosts      int
		dir, other string
		mute       bool
		owner      string // names the hosts, which name it on their pages
		known      bool   // the owner and the portal name each other, too
		quiet      bool   // the owner names the hosts on one page alone
		want       int    // hosts that are inside
	}{
		{name: "an archive", seed: "www.paper.example", hosts: 1, want: 1},
		{name: "four hosts", seed: "paper.example", hosts: 4, want: 4},
		{name: "a university", seed: "www.paper.example", hosts: 8},
		{name: "mute", seed: "www.paper.example", hosts: 1, mute: true},
		{name: "no portal", seed: "local.paper.example", hosts: 1},
		{name: "users", seed: "www.paper.example", hosts: 1, dir: "~ann/"},
		{name: "plain users", seed: "www.paper.example", hosts: 1, dir: "ann/", other: "bob/"},
		{name: "a partner's", seed: "www.paper.example", hosts: 1, owner: "http://www.press.example/"},
		{
			name: "a workshop of both", seed: "www.paper.example", hosts: 1, owner: "http://hub.example/",
			known: true, want: 1,
		},
		{
			name: "a vendor that lists it", seed: "www.paper.example", hosts: 1,
			owner: "http://www.vendor.example/", quiet: true, want: 1,
		},
	} {
		b := builder{t, testWeb{}}
		b.site("http://"+c.seed+"/", n)
		for k := range c.hosts {
			home := fmt.Sprintf("http://part%d.paper.example/", k)
			b.site(home+c.dir, more)
			b.page(page.URL(home), c.dir+"p0")
			if c.other != "" {
				b.site(home+c.other, more)
				b.page(page.URL(home), c.other)
			}
			if c.owner != "" {
				b.site(c.owner, n)
				b.page(page.URL(c.owner), home)
				if c.known {
					b.page(page.URL(c.owner), "http://"+c.seed+"/")
					b.page(page.URL("http://"+c.seed+"/"), c.owner)
				}
				for i := range n {
					if !c.quiet {
						b.page(page.URL(fmt.Sprintf("%sp%d", c.owner, i)), home)
					}
				}
				for i := range more {
					b.page(page.URL(fmt.Sprintf("%sp%d", home, i)), c.owner)
				}
			}
			if !c.mute {
				b.page(page.URL(home), "http://"+c.seed+"/")
			}
			for i := range n {
				b.page(page.URL(fmt.Sprintf("http://%s/p%d", c.seed, i)), home)
			}
		}
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL("http://" + c.seed + "/")}}, Options{})
		got := 0
		for k := range c.hosts {
			got += b2i(inside(m, fmt.Sprintf("part%d.paper.example/", k)) > more)
		}
		if got != c.want {
			t.Errorf("%s: %d hosts are inside: want %d", c.name, got, c.want)
		}
		if c.want == 1 && !c.known && !slices.ContainsFunc(m.Blocks, func(x Block) bool {
			return x.Why == "of the site's name, in its navigation, and leads back"
		}) {
			t.Errorf("%s: no block says why: %+v", c.name, m.Blocks)
		}
	}
}

// TestServiceAsSeed: who gives a service of a portal, or a part of a host, does not mean the whole that
// names it on its pages, nor another part that is named so.
func TestServiceAsSeed(t *testing.T) {
	const n = 20
	for _, c := range []struct{ name, seed, whole, other string }{
		{name: "a help desk", seed: "help.bank.example/", whole: "www.bank.example/"},
		{name: "a bare domain", seed: "help.bank.example/", whole: "bank.example/"},
		{name: "a ministry", seed: "www.health.gov.land.example/", whole: "gov.land.example/"},
		{name: "a parish", seed: "www.diocese.example/mary/", whole: "www.diocese.example/"},
		{"two sections", "paper.example/art/", "paper.example/", "paper.example/sport/"},
	} {
		b := builder{t, testWeb{}}
		places := []string{c.seed, c.whole, c.other}
		places = slices.DeleteFunc(places, func(s string) bool { return s == "" })
		for _, from := range places {
			b.site("http://"+from, n)
			for _, to := range places {
				b.page(page.URL("http://"+from), "http://"+to)
				for i := range n {
					b.page(page.URL(fmt.Sprintf("http://%sp%d", from, i)), "http://"+to)
				}
			}
		}
		_, m := b.w.surveyed(t, Site{Seeds: []page.URL{page.URL("http://" + c.seed)}}, Options{})
		if got := inside(m, c.seed); got < n || got < m.Members.Len() {
			t.Errorf("%s: %d pages of it are inside, and %d in all", c.name, got, m.Members.Len())
		}
		if !slices.ContainsFunc(m.Blocks, func(x Block) bool {
			return x.Why == "the whole of which the seed is a part, or another part or version of it"
		}) {
			t.Errorf("%s: no block says why: %+v", c.name, m.Blocks)
		}
	}
}
