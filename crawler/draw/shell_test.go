package draw

import (
	"fmt"
	"strings"
	"testing"

	"watershed/page"
)

// TestUnjudged: a page that scripts draw is not called whole; one whose text is there is, whatever
// scripts it has beside.
func TestUnjudged(t *testing.T) {
	many := strings.Repeat("word ", 300)
	for _, c := range []struct {
		name, body, text, want string // want "" for a page that can be judged
	}{
		{"no scripts", "<p>one two", "one two", ""},
		{"much text beside scripts", "<script src=a.js></script><div id=app><p>" + many, many, ""},
		{"data is no script", `<script type="application/ld+json">{}</script><p>one two`, "one two", ""},
		{"few words", "<script src=a.js></script><p>one two", "one two", "only 2 words"},
		{"no word (Redoc)", `<redoc spec-url=a.json></redoc><script src=redoc.js></script>`, "", "<redoc>"},
		{"no text", `<script src=a.js></script><canvas></canvas>`, "", "no text"},
		{
			"Loading (docsify)", `<div id="docs">Loading ...</div><script src=docsify.js></script>`,
			"Loading ...",
			`"loading ..."`,
		},
		{
			"an empty root below a menu and a footer",
			"<nav>" + many + `</nav><div class=x id="root"><div></div></div><script type=module ` +
				`src=a.js></script>`,
			many, `<div id="root">`,
		},
		{
			"a root with a noscript and a spinner",
			`<p>` + many + `<div id=app><noscript>You need to enable it to run this page of ours</noscript>
			<style>a{b:c}</style><i>Wait</i></div><script src=a.js></script>`, many, `<div id="app">`,
		},
		{
			"asks for JavaScript", "<script src=a.js></script>", "This page requires JavaScript. " +
				many[:200],
			"requires javascript",
		},
		{
			"drawn by the server, and anew (VitePress)",
			`<script>window.__VP_HASH_MAP__=1</script><div id="app"><p>` + many + "</div>", many, "VitePress",
		},
		{
			"drawn by the server, and anew, by a framework that leaves no mark",
			`<script type=module src=/assets/app.js></script><div id="app"><p>` + many + "</div>", many,
			`<div id="app">`,
		},
		{
			"a module beside no root", `<script type=module src=menu.js></script><div id="page"><p>` + many,
			many, "",
		},
		{
			"a root that is never closed", `<script></script><div id="app"><div><div>`, many,
			`<div id="app">`,
		},
		{
			"a short page of a manual", `<meta name="generator" content="Doxygen 1.9.4"/>
			<script src=menu.js></script><p>List of members`, "List of members", "",
		},
		{
			"loads something into a short page", "<script></script>", many[:400] + " Loading comments …",
			`"loading comments`,
		},
		{"speaks of loading in few words", "<script></script>", many[:400] + " loading and running", ""},
		{"speaks of loading in a long text", "<script></script>", many + " loading docks", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge([]byte(c.body), c.text).Shell
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q in it", got, c.want)
			}
		})
	}
}

// TestDoubt: a page that has its words is doubted where its markup leaves elements to scripts, or asks
// for data, and a manual with a menu is not.
func TestDoubt(t *testing.T) {
	many := strings.Repeat("word ", 300)
	for _, c := range []struct{ name, body, want string }{
		{"an element of its own", `<x-card n=1>one</x-card><script src=a.js></script>`, "<x-card>"},
		{"data", `<script>fetch("/api/prices.json").then(show)</script>`, `"fetch("`},
		{"htmx", `<div hx-get="/more"></div><script src=htmx.js></script>`, `"hx-get"`},
		{"Stimulus", `<div data-controller=chart></div><script src=a.js></script>`, `"data-controller"`},
		{"a module", `<script type=module src=a.js></script>`, "module"},
		{"a module in the markup", `<script type=module>import {go} from "app"; go()</script>`, "imports"},
		{"no scripts", `<x-card n=1>one</x-card>`, ""},
		{"data for scripts", `<script type="application/json">{"a":"fetch("}</script><script src=a.js>`, ""},
		{
			"a manual", `<script src=jquery.js></script><script>$(function(){initMenu('',true)})</script>
			<svg><font-face></font-face></svg><p controller=x>words`, "",
		},
		{
			"rustdoc", `<meta name="generator" content="rustdoc"><rustdoc-topbar></rustdoc-topbar>
			<script src=main.js></script>`, "",
		},
		{"an element in noscript", `<noscript><x-y></x-y></noscript><script src=a.js></script>`, ""},
		{"words of a page", `<script src=a.js></script><pre>fetch(url)</pre>`, ""},
	} {
		got := Judge([]byte(c.body), many).Doubt
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.want)
		}
	}
}

// TestThin: a page that is a shell for its few words alone is thin; no page of a manual is a shell for
// them, however it names the program that wrote it.
func TestThin(t *testing.T) {
	const files = `<script src=a.js></script>`
	for _, c := range []struct {
		body, text  string
		shell, thin bool
	}{
		{files + `<p>one`, "one", true, true},
		{files, "", true, false},
		{files + `<p>Loading...`, "Loading...", true, false},
		{files + `<div id=app></div>one`, "one", true, false},
		{files + `<x-card></x-card>one`, "one", true, false},
		{files + `<script>start()</script><p>one`, "one", true, false},
		{`<script src="../_static/doctools.js"></script><p>one`, "one", false, false},
		{`<script src="haddock-bundle.min.js"></script><p>one`, "one", false, false},
		{`<!-- Book generated using mdBook --><script>fetch("toc.html")</script>one`, "one", false, false},
		{`<!-- Generated by javadoc (17) -->` + files + "one", "one", false, false},
		{
			`Activate JavaScript.<script src="_static/doctools.js"></script>`, "Activate JavaScript.", false,
			false,
		},
		{`<p>_static/doctools.js</p>` + files, "_static/doctools.js", true, true},
	} {
		if v := Judge([]byte(c.body), c.text); (v.Shell != "") != c.shell || v.Thin != c.thin {
			t.Errorf("%s: %+v, want a shell %t, thin %t", c.body, v, c.shell, c.thin)
		}
	}
	asking := `<script src="_static/doctools.js"></script><script>fetch("x")</script>`
	if v := Judge([]byte(asking), "one"); v.Doubt == "" {
		t.Error("a page of a manual that asks for data is not doubted")
	}
}

// TestAsks: a script in a file of its own may bring something if it says so, and a library does not.
func TestAsks(t *testing.T) {
	for _, c := range []struct {
		url, body string
		want      bool
	}{
		{"http://h.example/js/feed.js?v=2", `fetch("/feed")`, true},
		{"http://h.example/js/lazy.js", `new IntersectionObserver(f)`, true},
		{"http://h.example/embed.js", `f.src='/player/'+id`, true},
		{"http://h.example/menu.js", `document.title = "fetched"`, false},
		{"http://h.example/lib/jquery-3.7.min.js", `new XMLHttpRequest`, false},
	} {
		if got := Asks(page.URL(c.url), []byte(c.body)); got != c.want {
			t.Errorf("%s: %t, want %t", c.url, got, c.want)
		}
	}
	for body, want := range map[string]bool{
		`<script src=a.js></script><p>words`: true,
		`<script>let a</script><p>words`:     false, `<p>words`: false,
		`<meta name="generator" content="Doxygen 1"><script src=a.js></script>`: false,
	} {
		if v := Judge([]byte(body), "words"); v.Doubt != "" || v.Files != want {
			t.Errorf("%s: %q, scripts in files %t, want %t", body, v.Doubt, v.Files, want)
		}
	}
}

// TestFallback: an error that a framework fills is a page to be drawn, and one that says so by itself
// is none.
func TestFallback(t *testing.T) {
	for _, c := range []struct {
		name       string
		status     int
		body, text string
		want       bool
	}{
		{"an application's shell", 404, `<div id=app></div><script src=a.js></script>`, "", true},
		{"as S3 says it", 403, `<p>One</p><div id=root></div><script src=a.js></script>`, "One", true},
		{"scripts that go to the place", 404, `<script>location = '/?' + location</script>`, " ", true},
		{"a test for robots", 403, `<script src=challenge.js></script>`, "", false},
		{"few words and scripts", 404, `<h1>No page</h1><script src=menu.js></script>`, "No page", false},
		{
			"drawn by the server", 404,
			`<script>self.__next_f=1</script><div id=__next><p>There is no such page here</div>`,
			"There is no such page here", false,
		},
		{"no scripts", 404, `<div id=app></div>`, "", false},
	} {
		if got := Fallback(c.status, []byte(c.body), c.text); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// A hostile page costs time linear in its length: no tag is looked at twice.
func TestUnjudgedNests(t *testing.T) {
	body := strings.Repeat(`<div id=app>`, 200_000)
	if got := Judge([]byte("<script></script>"+body), "").Shell; got == "" {
		t.Error("it is judged")
	}
}

func FuzzUnjudged(f *testing.F) {
	for i, s := range []string{"", "<script><div id=app>", "<div id=root></div></div>", "\x00<"} {
		f.Add([]byte(s), fmt.Sprint("loading ", i))
	}
	f.Fuzz(func(t *testing.T, body []byte, text string) {
		if Judge(body, text) != (Verdict{}) && look(body).scripts == 0 {
			t.Error("not judged without a script")
		}
	})
}
