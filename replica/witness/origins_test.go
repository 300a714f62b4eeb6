package witness

import (
	"cmp"
	"testing"
	"time"

	"watershed/page"
)

// TestOrigins compares a host with a copy of it that differs in one thing each.
func TestOrigins(t *testing.T) {
	const a, b = "www.site.example", "site.elsewhere.example"
	links := func(kind page.LinkKind, to ...page.URL) (list []page.Link) {
		for _, u := range to {
			list = append(list, page.Link{URL: u, Kind: kind})
		}
		return list
	}
	from := func(to page.URL, hosts ...page.URL) (list []page.Visit) {
		for _, u := range hosts {
			list = append(list, page.Visit{URL: u, Status: 200, Links: links(page.Navigation, to)})
		}
		return list
	}
	three := from("http://"+a+"/x", "http://a.example/", "http://b.example/", "http://c.example/")
	at := func(u page.URL, written string, met int64) page.Visit {
		return page.Visit{URL: u, Status: 200, LastModified: written, Time: time.Unix(met, 0)}
	}
	for _, c := range []struct {
		name          string
		a, b          page.Host
		path, other   string // of a and b
		seeds         []page.URL
		visits        []page.Visit
		want, ordered int
	}{
		{name: "canonical", a: a, b: b, want: -1, visits: []page.Visit{{
			URL: "http://" + b + "/x", Status: 200, Links: links(page.Canonical, "http://"+a+"/x"),
		}}},
		{name: "canonical of another page", a: a, b: b, visits: []page.Visit{{
			URL: "http://" + b + "/x", Status: 200, Links: links(page.Canonical, "http://"+a+"/y"),
		}}},
		{name: "moved", a: a, b: b, want: -1, visits: []page.Visit{{
			URL: "http://" + b + "/x", Status: 301, Links: links(page.Redirect, "http://"+a+"/x"),
		}}},
		{name: "links of three domains", a: a, b: b, want: -1, visits: three},
		{name: "links of one domain", a: a, b: b, visits: three[:1]},
		{name: "links to another directory", a: a, path: "/doc/", b: b, visits: three},
		{
			name: "links of three domains to a directory", a: a, path: "/doc/", b: b, want: -1,
			visits: from("http://"+a+"/doc/x/", "http://a.example/", "http://b.example/",
				"http://c.example/"),
		},
		{
			name: "pages that lead to their original", a: a, b: b, want: -1,
			visits: from("http://"+a+"/x", "http://"+b+"/", "http://"+b+"/y"),
		},
		{
			name: "a page that leads to a mirror", a: a, b: b,
			visits: from("http://"+a+"/x", "http://"+b+"/"),
		},
		{
			name: "links of its own domain", a: a, b: b,
			visits: from("http://"+a+"/x", "http://one.site.example/", "http://two.site.example/",
				"http://three.site.example/"),
		},
		{
			name: "a seed that names another host", a: a, b: b, seeds: []page.URL{"http://" + a + "/"},
			want: -1, ordered: -1, visits: []page.Visit{{
				URL: "http://" + a + "/x", Status: 301, Links: links(page.Redirect, "http://"+b+"/x"),
			}},
		},
		{name: "a seed", a: a, b: b, seeds: []page.URL{"http://" + a + "/"}, want: -1, ordered: -1},
		{
			name: "two seeds", a: a, b: b,
			seeds: []page.URL{"http://" + a + "/", "http://" + b + "/"}, ordered: -1,
		},
		{name: "a mirror", a: a, b: "mirrors.site.example", want: -1},
		{name: "an archive", a: a, path: "/Archive/2019/", b: a, other: "/news/today/", want: 1},
		{name: "a deeper directory", a: a, path: "/2019/news/", b: a, other: "/news/", want: 1},
		{
			name: "an archive, older", a: a, path: "/2019/news/", b: a, other: "/news/", want: 1,
			visits: []page.Visit{
				at("http://"+a+"/2019/news/", "Mon, 02 Jan 2006 15:04:05 GMT", 9),
				at("http://"+a+"/news/", "Tue, 03 Jan 2006 15:04:05 GMT", 9),
			},
		},
		{name: "pages to print", a: a, path: "/print/", b: a, other: "/thread/", want: 1},
		{name: "archives of two hosts", a: a, path: "/archive/", b: b, other: "/list/"},
		{name: "a directory of mirrors", a: a, path: "/pub/Mirrors/elsewhere/", b: b, want: 1},
		{name: "a text on mirrors", a: a, path: "/pub/mirrors-and-lenses/", b: b},
		{name: "a second server", a: a, b: "www2.site.example", want: -1},
		{name: "a file server of a country", a: a, b: "ftp.de.site.example", want: -1},
		{name: "a country", a: a, b: "jp.site.example", want: -1},
		{name: "a country, of a domain", a: "site.example", b: "au.site.example", want: -1},
		{name: "a country behind www", a: a, b: "www.us.site.example", want: -1},
		{name: "a country of a host", a: "docs.site.example", b: "jp.docs.site.example", want: -1},
		{name: "a country of another host", a: "docs.site.example", b: "jp.site.example"},
		{name: "a language that is no country", a: "www.wikipedia.org", b: "en.wikipedia.org"},
		{name: "a language that a country has as well", a: "www.wikipedia.org", b: "de.wikipedia.org"},
		{name: "a language edition behind www", a: a, b: "www.fr.site.example"},
		{name: "a short name of another domain", a: "www.bl.uk", b: "de.wikipedia.org"},
		{name: "a country of another domain", a: "www.bl.uk", b: "jp.site.example"},
		{name: "a department", a: "www.uni.edu", b: "cs.uni.edu"},
		{name: "a department with a language's code", a: "www.uni.edu", b: "it.uni.edu"},
		{name: "departments", a: "cs.uni.edu", b: "math.uni.edu"},
		{name: "a domain of two letters", a: "www.bl.uk", b: "bl.uk"},
		{name: "a domain under a country", a: "co.uk.example", b: "uk.example"},
		{name: "earlier", a: a, b: b, want: -1, visits: []page.Visit{
			at("http://"+a+"/", "Mon, 02 Jan 2006 15:04:05 GMT", 9),
			at("http://"+b+"/", "Tue, 03 Jan 2006 15:04:05 GMT", 5),
		}, ordered: 1},
		{name: "an older directory beside it", a: a, path: "/doc/", b: b, visits: []page.Visit{
			at("http://"+a+"/own/", "Mon, 02 Jan 2006 15:04:05 GMT", 9),
			at("http://"+a+"/doc/", "Wed, 04 Jan 2006 15:04:05 GMT", 9),
			at("http://"+b+"/", "Tue, 03 Jan 2006 15:04:05 GMT", 9),
		}, want: 1},
		{name: "an older edition to which fewer lead", a: a, b: b, want: -1, visits: append([]page.Visit{
			at("http://"+a+"/", "Tue, 03 Jan 2006 15:04:05 GMT", 5),
			at("http://"+b+"/", "Mon, 02 Jan 2006 15:04:05 GMT", 9),
		}, three[:1]...)},
		{name: "without a date", a: a, b: b, visits: []page.Visit{
			at("http://"+a+"/", "", 5), at("http://"+b+"/", "Tue, 03 Jan 2006 15:04:05 GMT", 9),
		}, ordered: -1},
	} {
		o := NewOrigins(c.seeds)
		for _, v := range c.visits {
			lend(v, o.Learn)
		}
		p := page.URL("http://" + string(c.a) + cmp.Or(c.path, "/"))
		q := page.URL("http://" + string(c.b) + cmp.Or(c.other, "/"))
		if got := o.Compare(p, q); got != c.want || o.Compare(q, p) != -got {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if got := o.Order(c.a, c.b); c.ordered != 0 && got != c.ordered {
			t.Errorf("%s: order %d, want %d", c.name, got, c.ordered)
		}
	}
}
