package cookie

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"watershed/page"
)

const site = "http://www.example.org/"

// redirect has a visit of a URL answered by a redirect that sets cookies.
func redirect(n *Needs, from, to page.URL, set ...string) *page.Visit {
	v := &page.Visit{URL: from, Status: 302, Links: []page.Link{{URL: to, Kind: page.Redirect}}}
	n.Answered(v, 0, http.Header{"Set-Cookie": set}, func() bool { return true })
	return v
}

func sent(n *Needs, u, via page.URL) string { return n.Fields(nil, u, via).Get("Cookie") }

func TestTrail(t *testing.T) {
	n := New()
	redirect(n, site+"a", site+"b", `one="x y"`, "secure=1; Secure", "there=1; Path=/b", "bad name=1", "none")
	if got := sent(n, site+"b", site+"a"); got != `there=1; one="x y"` {
		t.Errorf("asked for with %q", got)
	}
	for _, at := range [][2]page.URL{
		{site + "b", site}, {site + "c", site + "a"}, {"http://www.example.net/b", site + "a"},
	} {
		if got := sent(n, at[0], at[1]); got != "" {
			t.Errorf("%s, found on %s, asked for with %q", at[0], at[1], got)
		}
	}
	browser := http.Header{"Cookie": {"z=2; one=mine"}}
	if got := n.Fields(browser, site+"b", site+"a")["Cookie"]; len(got) != 1 ||
		got[0] != "z=2; one=mine; there=1" {
		t.Errorf("with those of a browser %q", got)
	}
	if len(browser) != 1 || browser.Get("Cookie") != "z=2; one=mine" {
		t.Errorf("the browser's are %v now", browser)
	}
	n.Answered(&page.Visit{URL: site + "b", Status: 200}, 0, nil, nil)
	if got := sent(n, site+"b", site+"a"); got != "" {
		t.Errorf("after its end asked for with %q", got)
	}
}

// TestCircle: cookies are kept where they have turned a redirect into a page.
func TestCircle(t *testing.T) {
	for status, want := range map[int]string{200: "seen=2", 302: "", 404: ""} {
		n := New()
		v := redirect(n, site, site, "seen=1")
		n.Circle(v, site, 0)
		if got := sent(n, site, ""); got != "seen=1" {
			t.Errorf("asked again with %q", got)
		}
		n.Answered(&page.Visit{URL: site, Status: status}, 0, nil, nil)
		n.Answered(&page.Visit{URL: site + "x", Status: 200}, 0,
			http.Header{"Set-Cookie": {"seen=2; Path=/", "more=1"}}, nil)
		if got := sent(n, site+"y", site); got != want {
			t.Errorf("after %d asked for with %q, want %q", status, got, want)
		}
	}
}

func TestSession(t *testing.T) {
	const value = "0123456789AB"
	for _, x := range []struct {
		url, link page.URL
		set       string
		kept      bool
	}{
		{site, site + "p;jsessionid=" + value + "?q", "JSESSIONID=" + value, true},
		{site, site + "(S(" + value + "))/p", "ASP.NET_SessionId=" + value, true},
		{site, "http://shop.example.org/p?sid=" + value, "sid=" + value + "; Domain=example.org", true},
		{site, "http://www.example.net/p?sid=" + value, "sid=" + value, false},
		{site + "?lang=" + value, site + "p?lang=" + value, "lang=" + value, false},
		{site, site + "p?lang=german", "lang=german", false},
		{site, site + "p/" + value, "last=" + value, false},
	} {
		n := New()
		links := []page.Link{{URL: x.link}, {URL: site + "other"}}
		v := &page.Visit{URL: x.url, Status: 200, Links: links}
		again := n.Answered(v, 0, http.Header{"Set-Cookie": {x.set}}, func() bool { return true })
		if got := sent(n, site, ""); again != x.kept || (got != "") != x.kept ||
			(len(v.Links) == 1) != x.kept || v.Links[len(v.Links)-1].URL != site+"other" {
			t.Errorf("%s with a link to %s: again is %t, asked for with %q; %v", x.url, x.link, again, got,
				v.Links)
		}
		next := &page.Visit{URL: x.url, Status: 200, Links: []page.Link{{URL: x.link}}}
		if n.Answered(next, 0, http.Header{"Set-Cookie": {x.set}}, func() bool { return true }) {
			t.Errorf("%s is asked for a third time", x.url)
		}
	}
	v := &page.Visit{URL: site, Status: 200, Links: []page.Link{{URL: site + "?s=" + value}}}
	again := New().Answered(v, 0, http.Header{"Set-Cookie": {"s=" + value}}, func() bool { return false })
	if again || len(v.Links) != 1 {
		t.Errorf("not to be asked for again, but %t, with %v", again, v.Links)
	}
}

// TestBounds: hosts that set as much as an answer can hold, and never end, fill no memory.
func TestBounds(t *testing.T) {
	const visits, most = 400, 40 << 10 // bytes a trail, and a domain
	for name, one := range map[string]string{
		"long": strings.Repeat("v", 2000), "many": "", "attributes": "; Comment=" + strings.Repeat("c", 900),
		"paths": "; Path=/" + strings.Repeat("p", 900),
	} {
		t.Run(name, func(t *testing.T) {
			var head []string
			for i := 0; i < 3000 && i*len(one) < 64<<10; i++ {
				head = append(head, fmt.Sprintf("c%d=%s", i, one))
			}
			n := New()
			before := heap()
			for i := range visits {
				u := page.URL(fmt.Sprintf("%s%d?%s", site, i, strings.Repeat("q", 1500)))
				redirect(n, u, page.URL(fmt.Sprintf("%s%d", site, i+1)), head...)
			}
			trails := heap()
			for i := range visits {
				u := page.URL(fmt.Sprintf("http://h%d.example/", i))
				n.Circle(redirect(n, u, u, head...), u, 0)
				n.Answered(&page.Visit{URL: u, Status: 200}, 0, nil, nil)
			}
			domains := heap()
			if a, b := (trails-before)/visits, (domains-trails)/visits; a > most || b > most {
				t.Errorf("%d bytes a trail, %d a domain", a, b)
			}
			if len(n.trails) == 0 || len(n.kept) != visits {
				t.Errorf("%d trails, %d domains", len(n.trails), len(n.kept))
			}
			for u, trail := range n.trails {
				if got := len(n.Fields(nil, u, trail.from).Get("Cookie")); got > maxField {
					t.Fatalf("%s is asked for with %d bytes", u, got)
				}
			}
		})
	}
	n := New()
	for i := range maxTrails + maxDomains + 100 {
		u := page.URL(fmt.Sprintf("http://h%d.example/", i))
		redirect(n, u, u+"next", "a=1")
		n.Circle(redirect(n, u, u, "a=1"), u, 0)
		n.Answered(&page.Visit{URL: u, Status: 200}, 0, nil, nil)
	}
	if len(n.trails) > maxTrails || len(n.order) > maxTrails || len(n.kept) != maxDomains {
		t.Errorf("%d trails, %d in order, %d domains", len(n.trails), len(n.order), len(n.kept))
	}
}

// TestOffers: pages are asked for with offered cookies twice in a row in vain, and while that is of use.
func TestOffers(t *testing.T) {
	n, h := New(), http.Header{"Set-Cookie": {"sid=1"}}
	row := []page.URL{"http://a.example/p"}
	answered := func(like uint64) {
		n.Answered(&page.Visit{URL: row[0], Status: 200}, like, nil, nil)
	}
	for i := range 200 {
		if !n.Offer("http://a.example/", h, row, 1) {
			t.Fatalf("offer %d is not taken", i)
		}
		answered(uint64(1 + i%2))
	}
	// a host that goes on with the session which the cookie names sets none
	for i, like := range []uint64{2, 1, 1} {
		if !n.Offer("http://a.example/", nil, row, 1) || sent(n, row[0], "") != "sid=1" {
			t.Fatalf("offer %d of what is sent already is not taken", i)
		}
		answered(like)
	}
	if n.Offer("http://a.example/", h, row, 1) || n.Offer("http://a.example/", nil, row, 1) {
		t.Error("offers in vain have no bound")
	}
	if n.Offer("http://b.example/", nil, row, 1) {
		t.Error("no cookie is offered")
	}
	n = New() // a page that waits for its turn is asked for with what is offered last
	n.Offer("http://a.example/", h, []page.URL{row[0], "http://a.example/q"}, 1)
	n.Offer("http://a.example/", http.Header{"Set-Cookie": {"sid=2"}}, row, 1)
	if got := sent(n, "http://a.example/q", ""); got != "sid=2" {
		t.Errorf("asked for with %q", got)
	}
}

// TestTrailsLedTwice: a trail lasts as long as the last one that led to its URL, though older ones are
// forgotten.
func TestTrailsLedTwice(t *testing.T) {
	n := New()
	const to = "http://a.example/twice"
	for i := range maxTrails {
		redirect(n, page.URL(fmt.Sprintf("http://a.example/%d", i)), to, "a=1")
	}
	redirect(n, "http://a.example/last", to, "a=1")
	if n.Fields(nil, to, "http://a.example/last").Get("Cookie") == "" {
		t.Error("the last trail is forgotten")
	}
}

// heap is how many bytes are in use, those that nobody can reach apart.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
