package replaycheck

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"watershed/crawler"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/harvest"
	"watershed/lab/kit/browser"
	"watershed/page"
	"watershed/sitemap"
)

// gif is a picture of one point, as text.
var gif = func() string {
	b, err := base64.StdEncoding.DecodeString("R0lGODdhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs=")
	if err != nil {
		panic("replaycheck: the picture of the test is none")
	}
	return string(b)
}()

// pages are those of a web that shows what pages are made of in all its spellings, by host and
// path; type and body, apart by a line's end.
var pages = map[string]string{
	"www.odd.example/": `text/html; charset=iso-8859-1
<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">` +
		`<html data-theme="dark"><head>
<title>Odd</title><base href="http://www.odd.example/parts/"><link rel="stylesheet" href="a.css">` +
		`<link rel="alternate stylesheet" title=x href="other.css">
<style>@import "i1.css";@import url(i2.css) screen;@media (width >= 9px) {.w{background:url(w\(1\).gif)}` +
		`}</style></head>
<body background="bg.gif">caf` + "\xe9" +
		` <form class=f action=/go><input type=image src=in.gif></form>` +
		`<p style="background:url('p.gif')">one</p><p class=w>two</p>
<img src="a.gif"><img srcset="s1.gif 1x, s2.gif 2x"><picture><source srcset="pic.gif" ` +
		`media="(min-width: 1px)"><img src="no.gif"></picture>
<svg width=20 height=20><image xlink:href="svg.gif" width=9 height=9 /></svg><object data="ob.svg" ` +
		`type="image/svg+xml" width=30 height=30>fallback</object>
<embed src="em.gif" type="image/gif"><iframe src="f.html"></iframe><noscript><img src="ns.gif">` +
		`</noscript><table background=tb.gif><tr><td>x</table>
<img src="wrongtype"><a href="/frames.html">frames</a><a href="/quirks.html">quirks</a>` +
		`<a href="/late.html">late</a><a href="/refresh.html">r</a><a href="/pic.svg">s</a>`,
	"www.odd.example/parts/a.css": `text/css
@charset "utf-8"; @namespace svg url(http://www.w3.org/2000/svg); @import 'i3.css';` +
		` @font-face{font-family:F;src:url(f.woff2)} body{font-family:F}
html[data-theme=dark] body{color:#123} .f{margin:7px;padding:9px} @media (width >= ` +
		`10px){p{background:image-set("is.gif" 1x)}} p::after{content:"»"; background:u\72l(esc.gif)}`,
	"www.odd.example/parts/i1.css": "text/css\n@import " +
		"'//cdn.odd.example/deep.css';h1{background:url(/h1.gif)}",
	"www.odd.example/parts/i2.css":    "text/css\nbody{line-height:1.7}",
	"www.odd.example/parts/i3.css":    "text/css\np{margin:11px}",
	"cdn.odd.example/deep.css":        "text/css\nbody{background-color:#ffe;background-image:url(deep.gif)}",
	"www.odd.example/parts/other.css": "text/css\nb{color:red}",
	"www.odd.example/parts/ob.svg": `image/svg+xml` + "\n" +
		`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30"><rect width="30" height="30"/></svg>`,
	"www.odd.example/parts/f.html": "text/html\n<link rel=stylesheet href=f.css><img src=fi.gif><p>in " +
		"the frame",
	"www.odd.example/parts/f.css": "text/css\nbody{background:url(fb.gif)}",
	"www.odd.example/frames.html": "text/html\n<frameset cols='50%,50%'><frame src='parts/f.html'><frame " +
		"src='late.html'></frameset>",
	"www.odd.example/quirks.html": "text/html\n<title>q</title><table><tr><td><img " +
		"src=parts/a.gif></table><p>quirks <xmp><b>as it is</b></xmp>",
	"www.odd.example/late.html": "text/html\n<!doctype html><title>l</title><style>/* <b */ " +
		"p{font-size:17px}</style><p>" + strings.Repeat("x ", 1500) + "na&iuml;ve",
	"www.odd.example/refresh.html": "text/html\n<!doctype html><meta http-equiv=refresh content='3600; " +
		"url=late.html'><p>later",
	"www.odd.example/pic.svg": "image/svg+xml\n<svg xmlns='http://www.w3.org/2000/svg'><a " +
		"href='http://live.example/'><rect width='9' height='9'/></a></svg>",
}

// oddWeb serves the pages, and the same picture under every name of one.
func oddWeb(w http.ResponseWriter, r *http.Request) {
	kind, body, found := strings.Cut(pages[r.Host+r.URL.Path], "\n")
	switch {
	case found:
	case strings.HasSuffix(r.URL.Path, ".gif"):
		kind, body = "image/gif", gif
	case strings.HasSuffix(r.URL.Path, "/wrongtype"):
		kind, body = "application/octet-stream", gif
	case strings.HasSuffix(r.URL.Path, ".woff2"):
		kind, body = "font/woff2", "no font, and asked for all the same"
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = fmt.Fprint(w, body) // who asked is gone if this fails
}

// TestReplayLooksAsTheLiveWeb harvests a small web and compares each of its pages, live and in the
// replay, in headless Chromium.
func TestReplayLooksAsTheLiveWeb(t *testing.T) {
	launch := browser.Launch(t)
	server := httptest.NewServer(http.HandlerFunc(oddWeb))
	defer server.Close()
	folder := harvest.Folder(filepath.Join(t.TempDir(), "odd"))
	gather(t, folder, server.Listener.Addr().(*net.TCPAddr).Port)
	c := check{
		Folder: folder, Browser: launch, Resolve: "MAP * " + server.Listener.Addr().String(),
		Pages: 20,
	}
	verdicts, err := c.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	requisites := 0
	for _, v := range verdicts {
		requisites += v.requisites
		if !v.good() {
			var b strings.Builder
			v.print(&b)
			t.Error(b.String())
		}
	}
	if len(verdicts) != 6 || requisites < 25 {
		t.Errorf("%d pages with %d requisites were compared", len(verdicts), requisites)
	}
}

// gather harvests the web at a port into a folder.
func gather(t *testing.T, folder harvest.Folder, port int) {
	t.Helper()
	site := sitemap.Site{
		Name: "odd", Seeds: []page.URL{"http://www.odd.example/"},
		Boundary: sitemap.HostOnly,
	}
	h, err := harvest.Open(folder, harvest.Plan{
		Name: "odd", Sites: []sitemap.Site{site},
		Fetch: fetch.Options{
			UserAgent: "watershed-test", Hosts: map[string]netip.Addr{"*": netip.MustParseAddr("127.0.0.1")},
			DialPorts:    map[uint16]uint16{80: uint16(port)},
			AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		},
		Frontier: frontier.Options{
			Politeness: frontier.Politeness{Factor: -1, Min: time.Millisecond}, SharedAddresses: true,
			Tries: 1, HostTries: 2,
			RetryBase: time.Millisecond, RetryMax: time.Millisecond,
			Sites: []frontier.Site{{Name: site.Name}},
		},
		Robots: robots.Options{Product: "watershed-test"}, Extract: extract.Options{Agent: "watershed-test"},
		Crawl: crawler.Options{Workers: 4, Agent: "watershed-test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Crawl(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Deliver(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestJudge checks that what is wrong is told: a requisite that did not come, a request elsewhere,
// another look.
func TestJudge(t *testing.T) {
	const origin = "http://127.0.0.1:9"
	held := func(u string, status int) request {
		return request{URL: origin + "/key/h/page?u=" + u, Status: status, Kind: "image"}
	}
	live := side{Look: &look{Text: "a b", Height: 9}, Asked: []request{
		{URL: "http://a.example/", Status: 200, Kind: "document"},
		{URL: "http://a.example/p.png", Status: 200, Kind: "image"},
		{URL: "http://a.example/x.js", Status: 200, Kind: "script"},
		{URL: "http://a.example/gone.png", Status: 404, Kind: "image"},
	}}
	for name, c := range map[string]struct {
		replay side
		wrong  string
	}{
		"as it was": {
			side{Look: live.Look, Asked: []request{held("http://a.example/p.png", 200)}},
			"0 0 0",
		},
		"not held": {
			side{Look: live.Look, Asked: []request{held("http://a.example/p.png", 404)}},
			"1 0 0",
		},
		"elsewhere": {side{
			Look:  live.Look,
			Asked: []request{held("http://a.example/p.png", 200), {URL: "http://b.example/"}},
		}, "0 1 0"},
		"another text": {side{
			Look:  &look{Text: "a c", Height: 9},
			Asked: []request{held("http://a.example/p.png", 200)},
		}, "0 0 1"},
		"no page shown": {
			side{Error: "no frame", Asked: []request{held("http://a.example/p.png", 200)}},
			"0 0 1",
		},
	} {
		v := judge(&result{URL: "http://a.example/", Live: live, Replay: c.replay}, origin)
		if got := strings.Join([]string{
			strconv.Itoa(len(v.missing)), strconv.Itoa(len(v.leaks)),
			strconv.Itoa(len(v.differs)),
		}, " "); got != c.wrong {
			t.Errorf("%s: %s, want %s", name, got, c.wrong)
		}
	}
}
