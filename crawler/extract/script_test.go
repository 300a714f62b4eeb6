package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Cases from ECMAScript 2025, 16.2.2 (imports) and 16.2.3 (exports), from the import attributes
// proposal and from what esbuild and Rollup write.
func TestModuleRefs(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"for its effects", `import "./a.js"`, "./a.js"},
		{"default", `import a from './a.js';`, "./a.js"},
		{"all", `import * as a from "../a.js"`, "../a.js"},
		{"names", `import { a, b as c, default as d, "e-f" as g } from "/a.js"`, "/a.js"},
		{"default and names", `import a, { b } from "./a.js"`, "./a.js"},
		{
			"minified",
			`import{a as b,c}from"./a-1.js";import d from"./b-2.js";const ` +
				`e=/import"no.js"/;import"./late.js"`, "./a-1.js ./b-2.js",
		},
		{"a variable named from", `import from from "./a.js"`, "./a.js"},
		{
			"attributes",
			`import a from "./a.json" with { type: "json" }; import b from './b.json' assert {type: 'json'}`,
			"./a.json ./b.json",
		},
		{
			"exported", `export * from "./a.js"; export * as b from "./b.js"; export { c } from './c.js'`,
			"./a.js ./b.js ./c.js",
		},
		{"own exports between", `export { a, b }; import "./c.js"`, "./c.js"},
		{"comments", "#!/usr/bin/env node\n/* import \"no.js\" */ // import './no.js'\n\"use " +
			"strict\";\nimport /* x */ a // y\nfrom './a.js'", "./a.js"},
		{"no semicolons", "import './a.js'\nimport './b.js'\n", "./a.js ./b.js"},
		{
			"elsewhere", `import "https://cdn.example/a.js"; import "//cdn.example/b.js"`,
			"https://cdn.example/a.js //cdn.example/b.js",
		},
		{"name of a package", `import a from "react"; import "./a.js"`, "react ./a.js"},
		{"no more after the first statement", `import "./a.js"; f(); import "./b.js"`, "./a.js"},
		{"dynamic", `import("./a.js")`, ""},
		{"meta", `import.meta.url; import "./a.js"`, ""},
		{"declared export", `export const a = "./a.js"; import "./b.js"`, ""},
		{"export of a string", `export "./a.js"`, ""},
		{"a classic script", `(function(){ var s = 'import "./a.js"'; })()`, ""},
		{"a longer word", `imports "./a.js"`, ""},
		{"no end", `import { a`, ""},
		{"no end of a string", "import \"./a.js\n\"", ""},
		{"escaped", `import ".\x2fa.js"; import "./b.js"`, "./b.js"},
		{"byte order mark", "\ufeffimport './a.js'", "./a.js"},
	} {
		var got []string
		for s := (moduleRefs{src: tt.source}); s.next(); {
			got = append(got, s.ref)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// Whatever forms declarations have, and whatever stands between them, each address is found, in
// order.
func TestModuleRefsOfAnyForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var source strings.Builder
		var want []string
		gap := rapid.SampledFrom([]string{
			" ", "\n", "/**/", " /* from \"./no.js\" */ ",
			"\t// ; import './no.js'\n",
		})
		for range rapid.IntRange(0, 8).Draw(t, "declarations") {
			ref := rapid.StringMatching(`(\./|/|https://a\.example/)[a-z]{1,9}\.js`).Draw(t, "ref")
			form := rapid.SampledFrom([]string{
				"import~Q", "import~a~from~Q", "import~*~as~from~from~Q",
				"import~a,~{b~as~from}~from~Q", "export~*~from~Q", "export~{~a,~b~}~from~Q",
			}).Draw(t, "form")
			quote := rapid.SampledFrom([]string{`"`, `'`}).Draw(t, "quote")
			for _, part := range strings.SplitAfter(form, "~") {
				source.WriteString(strings.TrimSuffix(part, "~"))
				if strings.HasSuffix(part, "~") {
					source.WriteString(gap.Draw(t, "gap"))
				}
			}
			text := strings.ReplaceAll(source.String(), "Q", quote+ref+quote) +
				rapid.SampledFrom([]string{";", "\n"}).Draw(t, "end")
			source.Reset()
			source.WriteString(text)
			want = append(want, ref)
		}
		var got []string
		for s := (moduleRefs{src: source.String() + "f(/import './no.js'/)"}); s.next(); {
			got = append(got, s.ref)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", diff, source.String())
		}
	})
}

func FuzzModuleRefs(f *testing.F) {
	f.Add(`import{a as b}from"./a.js";export*from'./b.js'`)
	f.Add("import /* \n")
	f.Fuzz(func(t *testing.T, source string) {
		last := 0
		for s := (moduleRefs{src: source}); s.next(); {
			if s.pos <= last || s.pos > len(source) || !strings.Contains(source, s.ref) {
				t.Fatalf("%q at %d of %d, after %d", s.ref, s.pos, len(source), last)
			}
			last = s.pos
		}
	})
}

// Files that modules and XML documents name are requisites, whichever way the page is read.
func TestScriptsAndProlog(t *testing.T) {
	for _, tt := range []struct{ name, mime, body, want string }{
		{
			"module in a page", "text/html",
			`<script type="module">import "./a.js"</script><script>import "./no.js"</script>`,
			"embed - script/import http://example.org/dir/a.js\n",
		},
		{
			"module of a page with a base", "text/html",
			`<base href=/b/><script type=Module>import a from "./a.js"</script>`,
			"embed - script/import http://example.org/b/a.js\n",
		},
		{
			"script", "text/javascript; charset=utf-8", `import{a}from"../x/a.js";f()`,
			"embed - script/import http://example.org/x/a.js\n",
		},
		{"plain text", "text/plain", `import{a}from"../x/a.js";f()`, ""},
		{
			"picture", "image/svg+xml",
			`<?xml version="1.0"?><!-- <?xml-stylesheet href="no.css"?> --><?xml-stylesheet ` +
				`type="text/css" href="a.css?x&amp;y"?><svg xmlns="http://www.w3.org/2000/svg"/>`,
			"embed - xml-stylesheet/@href http://example.org/dir/a.css?x&y\n",
		},
		{
			"data", "application/xml",
			"<?xml-stylesheet href='/a.xsl' type='text/xsl'?><data/><?xml-stylesheet href='/no.xsl'?>",
			"embed - xml-stylesheet/@href http://example.org/a.xsl\n",
		},
		{
			"XHTML", "application/xhtml+xml",
			"<?xml-stylesheet href = \"/a.css\"?><html xmlns='http://www.w3.org/1999/xhtml'><body/></html>",
			"embed - xml-stylesheet/@href http://example.org/a.css\n",
		},
		{
			"site map", "text/xml",
			"<?xml-stylesheet href='/map.xsl' type='text/xsl'?><urlset><url><loc>http://a.example/</loc>" +
				"</url></urlset>",
			"embed - xml-stylesheet/@href http://example.org/map.xsl\nsitemap - url/loc http://a.example/\n",
		},
		{
			"transformation", "text/xsl",
			`<xsl:stylesheet><xsl:import href="a.xsl"/><xsl:include href="/b.xsl"/><xsl:template><head>` +
				`<style>p{background:url(c.png)}</style><link rel="stylesheet" href="d.css"/></head>` +
				`<img src="{@no}"/><img src="/e.png"/><a href="/no.html"/></xsl:template></xsl:stylesheet>`,
			"embed - xsl/@href http://example.org/dir/a.xsl\nembed - xsl/@href http://example.org/b.xsl\n" +
				"embed - style/url http://example.org/dir/c.png\n" +
				"embed - link/@href http://example.org/dir/d.css\n" +
				"embed - img/@src http://example.org/e.png\n",
		},
		{"HTML, where it is a comment", "text/html", "<?xml-stylesheet href='/a.css'?><p>x", ""},
		{"within the document alone", "text/xml", "<?xml-stylesheet href='#style'?><a/>", ""},
		{"broken", "text/xml", "<?xml-stylesheet href='/a.css", ""},
		{"broken otherwise", "text/xml", "<?xml-stylesheet href=/a.css?><", ""},
	} {
		for _, driver := range []Driver{Tree, Scan} {
			h := textproto.MIMEHeader{"Content-Type": {tt.mime}}
			r := extract(t, Options{Driver: driver}, Input{Header: h, Body: []byte(tt.body)})
			if diff := cmp.Diff(tt.want, lines(r.Links)); diff != "" {
				t.Errorf("%s, driver %v: %s", tt.name, driver, diff)
			}
		}
	}
}
