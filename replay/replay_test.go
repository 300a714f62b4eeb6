package replay

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
)

const hostile = `<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0;` +
	`url=http://live.example/"><base href="/dir/">
<link rel="preconnect" href="http://live.example/"><link rel=dns-prefetch href=//live.example>` +
	`<link rel="stylesheet" href="s.css">
<script src="http://live.example/x.js"></script><style>@import "http://www.a.example/i.css";` +
	` body{background:url(b.png)} </style></head>
<body onload="steal()" background="bg.png"><a id=one href="next.html#part" ping="http://live.example/" ` +
	`target=_self>next</a><a href="#here">here</a>
<a href="javascript:alert(1)">js</a><a href="http://live.example/away">away</a>` +
	`<form action="http://live.example/"><input formaction="http://live.example/"></form>
<img src="p.png" srcset="p.png 1x, http://live.example/q.png 2x" onerror="x()"><iframe src="f.html" ` +
	`srcdoc="<script>x</script>"><a href="http://live.example/">in</a></iframe>
<svg><style><a href="http://live.example/svgstyle">x</a></style><a xlink:href="http://live.example/svg">` +
	`<animate attributeName="href" to="http://live.example/"/>t</a>` +
	`<use href="http://live.example/u.svg#a"/><rect fill="url(http://live.example/f.svg#x)"/></svg>
<noscript><img src="n.png"></noscript><object data="http://live.example/o"></object>` +
	`<embed src="http://live.example/e"><math href="http://live.example/m">m</math>
<xmp><a href="http://live.example/xmp">x</a></xmp><noembed><a href="http://live.example/n">x</a>` +
	`</noembed><template><a href="http://live.example/t">x</a></template>
<!--[if IE]><a href="http://live.example/ie">x</a><![endif]-->` +
	`<p style="background:url('http://live.example/p.png')">The text of 1999</p><![CDATA[>` +
	`<a href="http://live.example/cd">]]></body></html>`

func records() []archivetest.Capture {
	return []archivetest.Capture{
		{
			URL: "http://www.a.example/",
			Head: "200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\nSet-Cookie: a=b\r\nLink: " +
				"<http://live.example/>; rel=preload\r\nRefresh: 0;url=http://live.example/",
			Body: hostile + "caf\xe9",
		},
		{
			URL: "http://www.a.example/", Head: "200 OK\r\nContent-Type: text/html",
			Body: "<p>a day later", Day: 1,
		},
		{
			URL: "http://www.a.example/same", Head: "200 OK\r\nContent-Type: text/html",
			Body: "<p>what was the same",
		},
		{
			URL: "http://www.a.example/same", Head: "200 OK\r\nContent-Type: text/html", Day: 1,
			Revisits: "http://www.a.example/same",
		},
		{
			URL: "http://www.a.example/lost", Head: "200 OK\r\nContent-Type: text/html", Day: 1,
			Revisits: "http://www.a.example/nowhere",
		},
		{URL: "http://www.a.example/moved", Head: "301 Moved\r\nLocation: /same"},
		{URL: "http://www.a.example/old", Head: "301 Moved\r\nLocation: /gone", Body: "Moved"},
		{
			URL: "http://www.a.example/older", Head: "301 Moved\r\nLocation: /same", Body: "Moved",
			Revisits: "http://www.a.example/old",
		},
		{URL: "http://www.a.example/gone", Head: "404 Not Found\r\nContent-Type: text/html", Body: "<p>gone"},
		{
			URL: "http://www.a.example/p.svg", Head: "200 OK\r\nContent-Type: image/svg+xml",
			Body: `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		},
		{
			URL: "http://www.a.example/wrong.gif", Head: "200 OK\r\nContent-Type: text/plain",
			Body: "GIF89a\x01\x00\x01\x00",
		},
		{
			URL: "http://www.a.example/on", Head: "200 OK\r\nContent-Type: text/html",
			Body: `<base href="/d/"><meta http-equiv=Refresh content="5; URL='next'">`,
		},
		{
			URL: "http://www.a.example/late", Head: "200 OK\r\nContent-Type: text/html",
			Body: strings.Repeat("x ", 2000) + "na\u00efve",
		},
		{
			URL: "http://www.a.example/russian", Head: "200 OK\r\nContent-Type: text/html",
			Body: "<p>\xcf\xf0\xe0\xe2\xe8\xeb\xe0 \xe1\xe8\xe1\xeb" +
				"\xe8\xee\xf2\xe5\xea\xe8 \xe4\xeb\xff \xf7\xe8\xf2\xe0\xf2\xe5\xeb\xe5\xe9",
		},
		{URL: "http://www.a.example/x.js", Head: "200 OK\r\nContent-Type: text/javascript", Body: "alert(1)"},
		{URL: "http://www.a.example/x.zip", Head: "200 OK\r\nContent-Type: application/zip", Body: "PK"},
		{
			URL: "http://www.a.example/s.css", Head: "200 OK\r\nContent-Type: text/css",
			Body: `@import url(more.css); a{background:URL( "http://live.example/x.png" )} </style><script>`,
		},
	}
}

// fixture is a harvest of one run with those captures, and a rule for what was left out.
func fixture(t *testing.T) harvest.Folder {
	t.Helper()
	folder := harvest.Folder(filepath.Join(t.TempDir(), "a"))
	run := folder.Run(1)
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	archivetest.Write(t, run.Archive(), run.Index(), records())
	const rule = `{"version":1,"rules":[{"from":"m.example","to":"www.a.example","urls":1,"decision":""}]}`
	if err := os.WriteFile(run.Mirrors(), []byte(rule), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

func serve(t *testing.T) func(target string, header ...string) *http.Response {
	folder := fixture(t)
	s := &Server{
		Key:     "key",
		Folder:  func(name string) (harvest.Folder, bool) { return folder, name == "h" },
		Sheet:   []byte("a{}"),
		Allowed: func(r *http.Request) bool { return r.Host == "127.0.0.1:99" },
		Text:    func(s string) string { return s },
	}
	return server(s)
}

// server gives what asks a server.
func server(s *Server) func(target string, header ...string) *http.Response {
	return func(target string, header ...string) *http.Response { return answer(s, "GET", target, header...) }
}

func answer(s *Server, method, target string, header ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "127.0.0.1:99"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func textOf(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func at(what, u string, day int) string {
	return "/key/h/" + Address(what, page.URL(u), archivetest.First().AddDate(0, 0, day))
}

func TestReplay(t *testing.T) {
	get := serve(t)
	for _, c := range []struct {
		name, target string
		status       int
		mime         string
		want         []string
	}{
		{
			"first day", at("page", "http://www.a.example/", 0), 200, "text/html; charset=utf-8",
			[]string{"The text of 1999", "café"},
		},
		{
			"second day", at("page", "http://www.a.example/", 1), 200, "text/html; charset=utf-8",
			[]string{"a day later"},
		},
		{
			"last", "/key/h/page?u=http://www.a.example/", 200, "text/html; charset=utf-8",
			[]string{"a day later"},
		},
		{
			"by https", "/key/h/page?u=https://a.example/", 200, "text/html; charset=utf-8",
			[]string{"a day later"},
		},
		{
			"revisit", at("page", "http://www.a.example/same", 1), 200, "text/html; charset=utf-8",
			[]string{"what was the same"},
		},
		{
			"revisit, banner", at("view", "http://www.a.example/same", 1), 200, "text/html; charset=utf-8",
			[]string{"at the capture of 2026-11-20 08:00:00", "<iframe"},
		},
		{
			"revisit of nothing", at("view", "http://www.a.example/lost", 1), 404, "text/html; charset=utf-8",
			[]string{"not in this archive"},
		},
		{
			"replica", at("view", "http://m.example/same", 0), 200, "text/html; charset=utf-8",
			[]string{"www.a.example stands for m.example", "What is shown is"},
		},
		{
			"replica, page", at("page", "http://m.example/same", 0), 200, "text/html; charset=utf-8",
			[]string{"what was the same"},
		},
		{
			"not held", at("view", "http://other.example/", 0), 404, "text/html; charset=utf-8",
			[]string{"not in this archive"},
		},
		{
			"gone", at("page", "http://www.a.example/gone", 0), 404, "text/html; charset=utf-8",
			[]string{"gone"},
		},
		{
			"picture by itself", at("page", "http://www.a.example/p.svg", 0), 200, "text/html; charset=utf-8",
			[]string{
				`<img alt="" src="page?t=20261120080000&amp;u=http%3A%2F%2Fwww.a.example%2Fp.svg&amp;` +
					`k=part">`,
			},
		},
		{
			"picture in a page", at("page", "http://www.a.example/p.svg", 0) + "&k=part", 200,
			"image/svg+xml",
			[]string{"<svg"},
		},
		{
			"page in place of a picture", at("page", "http://www.a.example/same", 0) + "&k=part", 200,
			"text/plain; charset=utf-8",
			[]string{"<p>"},
		},
		{
			"picture of the wrong type", at("page", "http://www.a.example/wrong.gif", 0) + "&k=part", 200,
			"image/gif",
			[]string{"GIF89a"},
		},
		{
			"page that leads on", at("view", "http://www.a.example/on", 0), 200, "text/html; charset=utf-8",
			[]string{
				`leads on to <a href="view?t=20261120080000&amp;u=http%3A%2F%2Fwww.a.example%2Fd%2Fnext">`,
			},
		},
		{
			"no charset, late", at("page", "http://www.a.example/late", 0), 200, "text/html; charset=utf-8",
			[]string{"naïve"},
		},
		{
			"no charset, Russian", at("page", "http://www.a.example/russian", 0), 200,
			"text/html; charset=utf-8",
			[]string{"Правила"},
		},
		{
			"script", at("page", "http://www.a.example/x.js", 0), 200, "text/plain; charset=utf-8",
			[]string{"alert"},
		},
		{
			"download", at("page", "http://www.a.example/x.zip", 0), 200, "application/octet-stream",
			[]string{"PK"},
		},
		{
			"style", at("page", "http://www.a.example/s.css", 0) + "&k=css", 200, "text/css; charset=utf-8",
			[]string{
				`@import url("page?t=20261120080000&u=http%3A%2F%2Fwww.a.example%2Fmore.css&k=css")`,
				`</style><script>`,
				`url("page?t=20261120080000&u=http%3A%2F%2Flive.example%2Fx.png&k=part")`,
			},
		},
		{"no key", "/other/h/page?u=http://www.a.example/", 403, "text/plain; charset=utf-8", nil},
		{"no harvest", "/key/g/page?u=http://www.a.example/", 404, "text/plain; charset=utf-8", nil},
		{"no view", "/key/h/x?u=http://www.a.example/", 404, "text/plain; charset=utf-8", nil},
		{"key alone", "/key", 404, "text/plain; charset=utf-8", nil},
		{"nothing", "/", 403, "text/plain; charset=utf-8", nil},
		{"file", "/key/h/page?u=file:///etc/passwd", 400, "text/plain; charset=utf-8", nil},
		{"no time", "/key/h/page?u=http://www.a.example/&t=x", 400, "text/plain; charset=utf-8", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := get(c.target)
			text := textOf(t, r)
			if r.StatusCode != c.status || r.Header.Get("Content-Type") != c.mime {
				t.Errorf("status %d, %s", r.StatusCode, r.Header.Get("Content-Type"))
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in %s", w, text)
				}
			}
			policy := r.Header.Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") ||
				strings.Contains(policy, "allow-same-origin") ||
				!strings.Contains(c.target, "/view") && !strings.HasPrefix(policy, "sandbox") {
				t.Errorf("policy %q", policy)
			}
			for _, name := range []string{"Set-Cookie", "Link", "Refresh"} {
				if r.Header.Get(name) != "" {
					t.Errorf("%s was passed on", name)
				}
			}
		})
	}
	if r := get(at("page", "http://www.a.example/", 0), "Host", "evil.example"); r.StatusCode !=
		http.StatusMisdirectedRequest {
		t.Errorf("a rebound name gets %d", r.StatusCode)
	}
	if r := get(at("page", "http://www.a.example/p.svg", 0)+"&k=part", "Sec-Fetch-Dest",
		"document"); r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("a picture that could be clicked is %s", r.Header.Get("Content-Type"))
	}
	for _, from := range []string{"moved", "older"} { // which is a revisit of a redirect to another place
		r := get(at("page", "http://www.a.example/"+from, 0))
		if to, err := url.QueryUnescape(r.Header.Get("Location")); err != nil || r.StatusCode != 302 ||
			!strings.HasPrefix(to, "page?") || !strings.Contains(to, "u=http://www.a.example/same") {
			t.Errorf("%s leads to %s, %d", from, to, r.StatusCode)
		}
	}
}

// TestFile: a file that no frame can show, as browsers save nothing out of one that is held to nothing, is
// offered by the view itself.
func TestFile(t *testing.T) {
	get := serve(t)
	view := func(u string) string {
		r := get(at("view", u, 0))
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("the view of %s: %d, %v", u, r.StatusCode, err)
		}
		return string(text)
	}
	text := view("http://www.a.example/x.zip")
	if strings.Contains(text, "<iframe") || !strings.Contains(text, `download="x.zip"`) {
		t.Errorf("the view of a file is\n%s", text)
	}
	for _, u := range []string{"x.js", "p.svg", "same", "moved", "wrong.gif"} {
		if text := view("http://www.a.example/" + u); !strings.Contains(text, "<iframe") ||
			strings.Contains(text, "download=") {
			t.Errorf("the view of %s is\n%s", u, text)
		}
	}
	for u, want := range map[page.URL]string{
		"http://a.example/d/Jahr%20esbericht.pdf?x": "Jahr esbericht.pdf", "http://a.example/": "file",
		"http://a.example/a%2Fb.pdf": "a%2Fb.pdf", "http://a.example/a%ff": "a\xff",
	} {
		if got := fileName(u); got != want {
			t.Errorf("the file of %s is called %q", u, got)
		}
	}
}

// harmless checks rewritten markup as a parser that is not the rewriter's sees it.
func harmless(t interface {
	Helper()
	Errorf(string, ...any)
}, text []byte,
) {
	t.Helper()
	root, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return // nested too deeply: a browser cuts it
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if dropped[n.Data] {
			t.Errorf("element %s in %q", n.Data, text)
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch a.Key {
			case "href", "src", "poster", "background":
				if !strings.HasPrefix(value, "page?") && !strings.HasPrefix(value, "view?") &&
					!strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "data:image/") &&
					!strings.HasPrefix(value, "data:font/") &&
					!strings.HasPrefix(value, "data:application/") && value != "" {
					t.Errorf("%s leads to %s in %q", n.Data, a.Val, text)
				}
			case "target":
				if value != "_top" {
					t.Errorf("target %s in %q", a.Val, text)
				}
			case "srcdoc", "action", "formaction", "data", "ping", "to", "http-equiv":
				t.Errorf("%s has %s in %q", n.Data, a.Key, text)
			}
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s has %s in %q", n.Data, a.Key, text)
			}
		}
	}
}

func testLink(u page.URL, k kind) string {
	return fmt.Sprintf("page?k=%d&u=%s", k, url.QueryEscape(string(u)))
}

func TestNothingLeadsOut(t *testing.T) {
	out := rewriteMarkup([]byte(hostile), "http://www.a.example/", testLink)
	harmless(t, out)
	for _, left := range []string{
		`(http`, `('http`, `("http`, "live.example/x.js", "live.example/o",
		"live.example/ie",
	} {
		if strings.Contains(string(out), left) {
			t.Errorf("%s is left in %s", left, out)
		}
	}
	for _, want := range []string{
		`href="page?k=0&amp;u=http%3A%2F%2Fwww.a.example%2Fdir%2Fnext.html#part" target="_top"`,
		`<a href="#here">`, `src="page?k=3&amp;u=http%3A%2F%2Fwww.a.example%2Fdir%2Fp.png"`, `2x"`,
		`src="page?k=1&amp;u=http%3A%2F%2Fwww.a.example%2Fdir%2Ff.html"`,
		`@import "page?k=2&u=http%3A%2F%2Fwww.a.example%2Fi.css"`,
		`background:url("page?k=3&u=http%3A%2F%2Fwww.a.example%2Fdir%2Fb.png")`, "n.png", "The text of 1999",
		"svg\" target=\"_top\">t</a>",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// TestLooksTheSame checks what decides on how a page looks: its document type, attributes that
// styles ask for, objects that are pictures, references in styles in all their spellings.
func TestLooksTheSame(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{
			`<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" ` +
				`"http://www.w3.org/TR/html4/strict.dtd"><p>`,
			`<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" ` +
				`"http://www.w3.org/TR/html4/strict.dtd"><p>`,
		},
		{`<!doctype html "&gt;<script>a`, `<!DOCTYPE html "script>a`},
		{
			`<div data-theme=dark aria-hidden=true data-"x=1 onclick=x()>`,
			`<div data-theme="dark" aria-hidden="true">`,
		},
		{
			`<form class=f action=http://l/ method=post><input required></form>`,
			`<form class="f"><input required=""></form>`,
		},
		{
			`<object data=a.svg width=9><img src=no.png><object></object></object>b`,
			`<img src="page?k=3&amp;u=http%3A%2F%2Fwww.a.example%2Fa.svg" width="9"/>b`,
		},
		{`<object data=a.swf>fallback</object>b`, `fallbackb`},
		{`<embed type=image/png src=x>`, `<img src="page?k=3&amp;u=http%3A%2F%2Fwww.a.example%2Fx"/>`},
		{
			`<style>@media (width <= 9px) and (a <9px){a{b:url(a\(1\).png)}}</style>`,
			`<style>@media (width <= 9px) and (a ` +
				`<9px){a{b:url("page?k=3&u=http%3A%2F%2Fwww.a.example%2Fa%281%29.png")}}</style>`,
		},
		{
			`<style>@namespace svg url(http://www.w3.org/2000/svg);a{b:image-set("a.png" 1x)}</style>`,
			`<style>@namespace svg url(http://www.w3.org/2000/svg);` +
				`a{b:image-set("page?k=3&u=http%3A%2F%2Fwww.a.example%2Fa.png" 1x)}</style>`,
		},
		{
			`<style>@import URL( 'a.css' ) screen;b{c:u\72l(d)}</style>`,
			`<style>@import url("page?k=2&u=http%3A%2F%2Fwww.a.example%2Fa.css") screen;` +
				`b{c:url("page?k=3&u=http%3A%2F%2Fwww.a.example%2Fd")}</style>`,
		},
	} {
		if out := string(rewriteMarkup([]byte(c.in), "http://www.a.example/",
			testLink)); !strings.HasPrefix(out, c.want) {
			t.Errorf("%s\nbecame %s\nwant   %s", c.in, out, c.want)
		}
	}
}

// TestBounded checks that pages made to multiply do not: long bases, many attributes.
func TestBounded(t *testing.T) {
	long := "<base href='/" + strings.Repeat("b/", 500) + "'>" + strings.Repeat("<a href=x>", 200_000)
	if n := len(rewriteMarkup([]byte(long), "http://www.a.example/", testLink)); n > maxWritten+10_000 {
		t.Errorf("%d bytes became %d", len(long), n)
	}
	many := "<link rel=stylesheet" + strings.Repeat(" href=x", 300_000) + ">"
	if out := string(rewriteMarkup([]byte(many), "http://www.a.example/", testLink)); strings.Count(out,
		"href") != 1 {
		t.Errorf("%d addresses", strings.Count(out, "href"))
	}
}

// The seeds are small, so that what fuzzing finds is soon shortened; TestNothingLeadsOut has all of
// hostile.
func FuzzMarkup(f *testing.F) {
	for tags := range slices.Chunk(strings.SplitAfter(hostile, ">"), 2) {
		f.Add([]byte(strings.Join(tags, "")))
	}
	for _, s := range []string{
		"<svg><title><a href=http://l/>", "<math><style><a href=http://l/>",
		"<a\x00href=http://l/", "<p/<a href='//l'>", "<table><style><![CDATA[</style><a href=//l>]]>",
		"<plaintext><a href=//l>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		out := rewriteMarkup(body, "http://www.a.example/", testLink)
		if len(out) > 200*len(body)+1000 {
			t.Errorf("%d bytes became %d", len(body), len(out))
		}
		harmless(t, out)
	})
}

func FuzzStyle(f *testing.F) {
	for _, s := range []string{
		"@import 'a'; b{c:url(d)}", "url(", "/*", "'\\",
		"@import url('x') screen; <!--",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := rewriteStyle(text, "http://www.a.example/", testLink)
		for _, after := range strings.Split(out, "<")[1:] {
			// what markup does not begin with
			if after == "" || strings.IndexByte(" =0123456789.\t\n", after[0]) < 0 {
				t.Errorf("%q became %q", text, out)
			}
		}
		if len(out) > 200*len(text)+100 {
			t.Errorf("%d bytes became %d", len(text), len(out))
		}
	})
}
