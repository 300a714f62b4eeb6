package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// calls are the calls of a script, "kind:ref" each.
func calls(src string) string {
	var all []string
	for s := (scriptCalls{moduleRefs: moduleRefs{src: src}}); s.next(); {
		all = append(all, callContexts[s.kind][len("script/"):]+":"+s.ref)
	}
	return strings.Join(all, " ")
}

func TestScriptCalls(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{
			"import", `const m = await import("./a.js"); import('/b.js').then(x => x)`,
			"import():./a.js import():/b.js",
		},
		{"import, minified", `f(){return import("./c-1.js")}`, "import():./c-1.js"},
		{"import with options", `import("./d.json", {with: {type: "json"}})`, "import():./d.json"},
		{
			"import with a comment for bundlers", `import(/* webpackChunkName: "e" */ "./e.js")`,
			"import():./e.js",
		},
		{"import of a template without expressions", "import(`./f.js`)", "import():./f.js"},
		{
			"import of another server's", `import("https://cdn.example/g.js")`,
			"import():https://cdn.example/g.js",
		},
		{"import by a name", `import("react"); import("lodash/get")`, ""},
		{
			"import of what is computed",
			"import(`./${x}.js`); import('./a' + x); import(x); import(x ? './a.js' : './b.js')", "",
		},
		{"import of an escape", `import("./\u0061.js")`, ""},
		{"a method called import", `db.import("./a.js"); x?.import("./a.js")`, ""},
		{"behind a spread", `f(...import("./a.js"))`, "import():./a.js"},
		{
			"import declarations are none",
			`import a from "./a.js"; import {b} from "./b.js"; import.meta.url`,
			"",
		},
		{
			"worker", `new Worker("w.js"); new SharedWorker('/s.js', "name"); new window.Worker("x.js")`,
			"Worker:w.js Worker:/s.js Worker:x.js",
		},
		{
			"worker beside the script", `new Worker(new URL("./w.js", import.meta.url), {type: "module"})`,
			"URL:./w.js",
		},
		{"URL beside the script", `new URL('img/a.png', import . meta . url)`, "URL:img/a.png"},
		{
			"URL of another base",
			`new URL("a.png", document.baseURI); new URL("b.png"); URL("c", import.meta.url + "")`, "",
		},
		{
			"importScripts",
			`importScripts("a.js", 'b.js' , "https://c.example/c.js"); self.importScripts("d.js")`,
			"importScripts:a.js importScripts:b.js importScripts:https://c.example/c.js importScripts:d.js",
		},
		{"importScripts of what is computed", `importScripts(base + "a.js")`, ""},
		{"importScripts without any", `importScripts(); f("a.js")`, ""},
		{"comments", "// import('./a.js')\n/* import('./b.js') */ import('./c.js')", "import():./c.js"},
		{"strings", `x = "import('./a.js')"; y = 'new Worker("b.js")'`, ""},
		{"templates", "x = `import('./a.js') ${ import('./b.js') } ${ {a: `${1}`} } import('./c.js')`; " +
			"import('./d.js')", "import():./b.js import():./d.js"},
		{
			"regular expressions", `x = /import("\.\/a.js")/; y = /[/"]/.test(z); import("./b.js")`,
			"import():./b.js",
		},
		{
			"division",
			`x = a / b; import("./c.js"); y = d / e; z = f() / 2; w = g[1] / 3; import("./h.js") / 1`,
			"import():./c.js import():./h.js",
		},
		{"regular expression behind a word", `return /"/.test(x) && import("./a.js")`, "import():./a.js"},
		{"string that does not end", "x = \"abc\nimport('./a.js')", "import():./a.js"},
		{"a quote in a comment", "// don't\nimport('./a.js') // isn't", "import():./a.js"},
		{"template that does not end", "import('./a.js'); x = `import('./b.js')", "import():./a.js"},
		{"numbers and odd bytes", "1.5e3/2;\x00\xff#!import('./a.js')", "import():./a.js"},
	} {
		if got := calls(tt.src); got != tt.want {
			t.Errorf("%s: %s\n got %q\nwant %q", tt.name, tt.src, got, tt.want)
		}
	}
}

// Where a call counts from, and in which elements.
func TestCallsOfPages(t *testing.T) {
	for _, tt := range []struct{ name, mime, body, want string }{
		{
			"in a page", "text/html", `<base href=/b/><script>import("./a.js"); new Worker("w.js")</script>`,
			"embed - script/import() http://example.org/b/a.js\nembed - script/Worker " +
				"http://example.org/b/w.js\n",
		},
		{
			"in a module", "text/html", `<script type=module>import "./s.js"; f(); import("./a.js")</script>`,
			"embed - script/import http://example.org/dir/s.js\nembed - script/import() " +
				"http://example.org/dir/a.js\n",
		},
		{
			"in what is no script", "text/html",
			`<script type="text/template">import("./a.js")</script>` +
				`<script type=application/json>"import(\"./b.js\")"</script>` +
				`<script language=VBScript>import("./c.js")</script>`, "",
		},
		{
			"in the script of another language's attribute", "text/html",
			`<script language=JavaScript1.2>import("./a.js")</script>`,
			"embed - script/import() http://example.org/dir/a.js\n",
		},
		{"in a template element", "text/html", `<template><script>import("./a.js")</script></template>`, ""},
		{
			"in a script of its own", "text/javascript",
			`import("./a.js"); importScripts("b.js"); new Worker("w.js"); new Worker("/x.js"); new ` +
				`URL("y.png", import.meta.url)`,
			"embed - script/import() http://example.org/dir/a.js\nembed - script/importScripts " +
				"http://example.org/dir/b.js\n" +
				"embed - script/Worker http://example.org/x.js\nembed - script/URL " +
				"http://example.org/dir/y.png\n",
		},
		{
			"far into a script", "text/javascript", strings.Repeat("f();\n", maxHead) + `import("./a.js")`,
			"embed - script/import() http://example.org/dir/a.js\n",
		},
		{
			"import map", "text/html",
			`<script type=importmap>{"imports": {"vue": "/v.js", "lit/": "/lit/", "x": null, "y": "z"}, ` +
				`"scopes": {"/s/": {"vue": "./old/v.js"}}}</script>`,
			"embed - script/importmap http://example.org/v.js\nembed - script/importmap " +
				"http://example.org/dir/old/v.js\n",
		},
		{
			"folder of an import map", "text/html",
			`<script type=importmap>{"imports": {"x/": "./x/", "x/y/": "/y/", "z/": "z/"}}</script>` +
				`<script type=module>import "x/a.js"; import {b} from "x/y/b/c.js"; import "x"; ` +
				`import "z/a.js"</script>`,
			"embed - script/import http://example.org/dir/x/a.js\nembed - script/import " +
				"http://example.org/y/b/c.js\n",
		},
		{
			"import map that is none", "text/html",
			`<script type=importmap>[1]</script><script type=importmap>{"imports": 3}</script>` +
				`<script type=importmap>{</script>`, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachDriver(t, func(t *testing.T, d Driver) {
				in := Input{Header: textproto.MIMEHeader{"Content-Type": {tt.mime}}, Body: []byte(tt.body)}
				if diff := cmp.Diff(tt.want, lines(extract(t, Options{Driver: d}, in).Links)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// No script costs more than time linear in its length. By its square the test would not end within
// the time that tests have.
func TestCallsAreLinear(t *testing.T) {
	const n = 1 << 19
	for _, unit := range []string{
		`"\"`, "/[", "import(", "import(\"", "import(`", "`${", "URL(/*",
		"Worker('", "x/", "}/", "`}", "/*", "import(`${`", "((", "\\", "importScripts(\"a\",",
	} {
		calls(strings.Repeat(unit, n/len(unit)))
	}
}

func FuzzScriptCalls(f *testing.F) {
	for _, s := range []string{
		`import("./a")`, "`${import('./a')}`",
		`new Worker(new URL("a", import.meta.url))`, `importScripts("a","b")`, "/[/]/ // \n/*",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		last := -1
		for s := (scriptCalls{moduleRefs: moduleRefs{src: src}}); s.next(); {
			if s.pos <= last || s.pos > len(src) || s.ref == "" || !strings.Contains(src, s.ref) {
				t.Fatalf("%q at %d behind %d of %d", s.ref, s.pos, last, len(src))
			}
			last = s.pos
		}
	})
}
