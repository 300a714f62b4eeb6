package robots

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/temoto/robotstxt"
	"pgregory.net/rapid"

	"watershed/page"
)

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name   string // and where the expected verdict is from
		text   string
		agent  string // "" is "b"
		path   string
		want   bool
		line   int // that decided
		source string
	}{
		{
			name: "simple, own group", source: "RFC 9309, 5.1", text: simple, agent: "foobot",
			path: "/example/page.html", want: true,
		},
		{
			name: "simple, own group, allowed", source: "RFC 9309, 5.1", text: simple, agent: "foobot",
			path: "/example/allowed.gif", want: true, line: 8,
		},
		{
			name: "simple, own group, forbidden", source: "RFC 9309, 5.1", text: simple, agent: "foobot",
			path: "/secret", line: 7,
		},
		{
			name: "simple, shared group", source: "RFC 9309, 5.1", text: simple, agent: "BARBOT",
			path: "/example/page.html", line: 12,
		},
		{
			name: "simple, shared group, else", source: "RFC 9309, 5.1", text: simple, agent: "bazbot",
			path: "/else", want: true,
		},
		{
			name: "simple, group without rules", source: "RFC 9309, 5.1", text: simple, agent: "quxbot",
			path: "/x", want: true,
		},
		{
			name: "simple, for all", source: "RFC 9309, 5.1", text: simple, agent: "other",
			path: "/a.gif", line: 2,
		},
		{
			name: "longest match", source: "RFC 9309, 5.2",
			text: "User-Agent: b\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n",
			path: "/example/page/disallowed.gif", line: 3,
		},
		{
			name: "query", source: "RFC 9309, 2.2.2 table", text: rules("/foo/bar?baz=quz"),
			path: "/foo/bar?baz=quz", line: 2,
		},
		{
			name: "reserved escaped", source: "RFC 9309, 2.2.2 table",
			text: rules("/foo/bar?baz=https://foo.bar"), path: "/foo/bar?baz=https%3A%2F%2Ffoo.bar", line: 2,
		},
		{
			name: "reserved escaped in rule", source: "RFC 9309, 2.2.2 table",
			text: rules("/foo/bar?baz=https%3A%2F%2Ffoo.bar"), path: "/foo/bar?baz=https://foo.bar", line: 2,
		},
		{
			name: "UTF-8", source: "RFC 9309, 2.2.2 table", text: rules("/foo/bar/\u30c4"),
			path: "/foo/bar/%E3%83%84", line: 2,
		},
		{
			name: "UTF-8 escaped", source: "RFC 9309, 2.2.2 table", text: rules("/foo/bar/%e3%83%84"),
			path: "/foo/bar/%E3%83%84", line: 2,
		},
		{
			name: "unreserved escaped", source: "RFC 9309, 2.2.2 table", text: rules("/foo/bar/%62%61%7A"),
			path: "/foo/bar/baz", line: 2,
		},
		{name: "# by escape", source: "RFC 9309, 2.2.3", text: rules("/a%23b"), path: "/a%23b", line: 2},
		{
			name: "$ anchors", source: "RFC 9309, 2.2.3", text: rules("/this/path/exactly$"),
			path: "/this/path/exactly/not", want: true,
		},
		{
			name: "$ anchors, met", source: "RFC 9309, 2.2.3", text: rules("/this/path/exactly$"),
			path: "/this/path/exactly", line: 2,
		},
		{
			name: "* inside", source: "RFC 9309, 2.2.3", text: rules("/this/*/exactly"),
			path: "/this/a/b/exactly/x", line: 2,
		},
		{
			name: "literal *", source: "RFC 9309, 2.2.3", text: rules("/path/file-with-a-%2A.html"),
			path: "/path/file-with-a-*.html", line: 2,
		},
		{
			name: "literal * is no wildcard", source: "RFC 9309, 2.2.3",
			text: rules("/path/file-with-a-%2A.html"), path: "/path/file-with-a-x.html", want: true,
		},
		{
			name: "literal $", source: "RFC 9309, 2.2.3", text: rules("/path/foo-%24"),
			path: "/path/foo-$", line: 2,
		},

		{
			name: "several names in a line", source: "crawler-commons, testSpacesInMultipleUserAgentNames",
			text: "User-agent: One, b, Three\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
			path: "/fish", line: 2,
		},
		{
			name: "a name in a User-Agent", source: "crawler-commons, testMatchingUserAgentNamesHttpHeader",
			text: "User-agent: Mozilla/5.0 (compatible; B/1.0; +http://b.example/)\nDisallow: /\n",
			path: "/", line: 2,
		},
		{
			name: "a word that begins with the name", source: "own",
			text: "User-agent: bee, abb\nDisallow: /\n", path: "/", want: true,
		},
		{
			name: "names that end in digits", source: "crawler-commons, testMultiAgentNames",
			text: "User-agent: crawler1 crawler2\nDisallow: /index.html\nAllow: /\n", agent: "crawler2",
			path: "/index.html", line: 2,
		},
		{
			name: "misspelt", source: "crawler-commons, testDirectiveTypos",
			text: "Useg-agent: b\nDesallow: /desallow/\n", path: "/desallow/x", line: 2,
		},
		{
			name: "specific wins", source: "probe", text: "User-agent: *\nDisallow: /\nAllow: /pub/\n",
			path: "/pub/x", want: true, line: 3,
		},
		{
			name: "tie", source: "RFC 9309, 2.2.2", text: "User-agent: *\nDisallow: /page\nAllow: /page\n",
			path: "/page", want: true, line: 3,
		},
		{
			name: "tie of roots", source: "RFC 9309, 2.2.2", text: "User-agent: *\nDisallow: /\nAllow: /\n",
			path: "/x", want: true, line: 3,
		},
		{
			name: "octets, not length of a regexp", source: "probe",
			text: "User-agent: *\nDisallow: /a.b*c\nAllow: /a.bxxc\n", path: "/a.bxxc", want: true, line: 3,
		},
		{
			name: "a wildcard is an octet", source: "RFC 9309, 2.2.2",
			text: "User-agent: *\nAllow: /ab\nDisallow: /a*b\n", path: "/ab", line: 3,
		},
		{
			name: "an end is an octet", source: "RFC 9309, 2.2.2",
			text: "User-agent: *\nAllow: /a.gif\nDisallow: /a.gif$\n", path: "/a.gif", line: 3,
		},
		{
			name: "octets once escapes are decoded", source: "own",
			text: "User-agent: *\nAllow: /abcd\nDisallow: /a%62c\n", path: "/abcd", want: true, line: 2,
		},
		{name: "wildcard and end", source: "probe", text: rules("/*.gif$"), path: "/x/y.gif", line: 2},
		{
			name: "wildcard is anchored at the left", source: "probe", text: rules("/fish*.php"),
			path: "/x/fish1.php", want: true,
		},
		{name: "leading wildcard", source: "probe", text: rules("*.php"), path: "/x/fish1.php", line: 2},
		{name: "$ inside is literal", source: "probe", text: rules("/a$b"), path: "/a$b", line: 2},
		{name: "case of escapes", source: "probe", text: rules("/a%3cd.html"), path: "/a%3Cd.html", line: 2},
		{name: "~", source: "probe", text: rules("/%7Ejoe/"), path: "/~joe/x", line: 2},
		{
			name: "groups merge", source: "RFC 9309, 2.2.1",
			text: "User-agent: b\nDisallow: /x\n\nUser-agent: c\nDisallow: /q\n\nUser-agent: " +
				"b\nDisallow: /y\n", path: "/y", line: 8,
		},
		{
			name: "groups merge, the first", source: "RFC 9309, 2.2.1",
			text: "User-agent: b\nDisallow: /x\n\nUser-agent: c\nDisallow: /q\n\nUser-agent: " +
				"b\nDisallow: /y\n", path: "/x", line: 2,
		},
		{
			name: "token is no prefix", source: "RFC 9309, 2.2.1", text: "User-agent: b\nDisallow: /\n",
			agent: "bigbot", path: "/y", want: true,
		},
		{
			name: "token is no suffix", source: "RFC 9309, 2.2.1", text: "User-agent: bigbot\nDisallow: /\n",
			path: "/y", want: true,
		},
		{
			name: "token with version", source: "google/robotstxt",
			text: "User-agent: B/2.1 (x)\nDisallow: /\n",
			path: "/y", line: 2,
		},
		{
			name: "crawl-delay between agents", source: "RFC 9309, 2.2.4",
			text: "User-agent: b\nCrawl-delay: 2\nUser-agent: c\nDisallow: /y\n", path: "/y", line: 4,
		},
		{
			name: "sitemap between agents", source: "RFC 9309, 2.2.4",
			text: "User-agent: b\nSitemap: http://x/s.xml\nUser-agent: c\nDisallow: /y\n",
			path: "/y", line: 4,
		},
		{
			name: "unknown line between agents", source: "RFC 9309, 2.2.4",
			text: "User-agent: b\nNoindex: /\nUser-agent: c\nDisallow: /y\n", path: "/y", line: 4,
		},
		{
			name: "byte order mark", source: "google/robotstxt", text: "\ufeffUser-agent: *\nDisallow: /y\n",
			path: "/y", line: 2,
		},
		{
			name: "part of a byte order mark", source: "google/robotstxt",
			text: "\xef\xbbUser-agent: *\nDisallow: /y\n", path: "/y", line: 2,
		},
		{
			name: "no byte order mark", source: "google/robotstxt",
			text: "\xef\x11\xbfUser-agent: b\nDisallow: /y\n", path: "/y", want: true,
		},
		{
			name: "wrapped in HTML", source: "Heritrix",
			text: "<HTML>\n<head><title>robots</title></head><BODY>\nUser-agent: *<BR>Disallow: " +
				"/x<BR>\nDisallow: /y<br/></BODY></HTML>", path: "/y", line: 4,
		},
		{
			name: "wrapped in HTML, on one line", source: "Heritrix",
			text: "<pre>User-agent: *<BR>Disallow: /x<BR>Disallow: /y</pre>", path: "/y", line: 1,
		},
		{name: "a tag that is none", source: "own", text: rules("/<y>"), path: "/%3Cy%3E", line: 2},
		{
			name: "comments", source: "RFC 9309, 2.2",
			text: "# hello\nUser-agent: * # all\nDisallow: /y # no\n",
			path: "/y", line: 3,
		},
		{
			name: "empty rule in own group", source: "RFC 9309, 2.2.2",
			text: "User-agent: *\nDisallow: /\nUser-agent: b\nDisallow:\n", path: "/y", want: true,
		},
		{
			name: "own group without rules", source: "RFC 9309, 2.2.1",
			text: "User-agent: *\nDisallow: /\nUser-agent: b\n", path: "/y", want: true,
		},
		{name: "CR", source: "RFC 9309, 2.2", text: "User-agent: *\rDisallow: /y\r", path: "/y", line: 2},
		{
			name: "CR LF", source: "RFC 9309, 2.2", text: "User-agent: *\r\n\r\nDisallow: /y\r\n",
			path: "/y", line: 3,
		},
		{
			name: "no line end", source: "RFC 9309, 2.2", text: "User-agent: *\nDisallow: /y",
			path: "/y", line: 2,
		},
		{
			name: "no colon", source: "google/robotstxt", text: "User-agent *\nDisallow /y\n",
			path: "/y", line: 2,
		},
		{
			name: "three words are no rule", source: "google/robotstxt",
			text: "User-agent: *\nDisallow /y please\n", path: "/y", want: true,
		},
		{
			name: "blanks around", source: "RFC 9309, 2.2",
			text: " \tUSER-AGENT\t:  * \n  disallow  :\t/y \n",
			path: "/y", line: 2,
		},
		{
			name: "misspelt", source: "google/robotstxt", text: "Useragent: *\nDissallow: /y\n",
			path: "/y", line: 2,
		},
		{
			name: "robots.txt itself", source: "RFC 9309, 2.2.2", text: rules("/"),
			path: "/robots.txt", want: true,
		},
		{
			name: "robots.txt of a folder", source: "RFC 9309, 2.2.2", text: rules("/"),
			path: "/a/robots.txt", line: 2,
		},
		{
			name: "rule before any group", source: "RFC 9309, 2.2",
			text: "Disallow: /\nUser-agent: *\nDisallow: /x\n", path: "/y", want: true,
		},
		{
			name: "rule before any group, then the rest", source: "RFC 9309, 2.2",
			text: "Disallow: /\nUser-agent: *\nDisallow: /x\n", path: "/x", line: 3,
		},
		{
			name: "bad crawl-delay", source: "probe", text: "User-agent: *\nCrawl-delay: 1s\nDisallow: /x\n",
			path: "/x", line: 3,
		},
		{name: "order of arguments", source: "probe", text: rules("/s?b=1&a=2"), path: "/s?b=1&a=2", line: 2},
		{
			name: "another order of arguments", source: "probe", text: rules("/s?b=1&a=2"),
			path: "/s?a=2&b=1", want: true,
		},
		{
			name: "blanks that do not break", source: "probe",
			text: "User-agent:\u00a0*\nDisallow:\u00a0/a", path: "/a", line: 2,
		},
		{name: "binary junk", source: "probe", text: "\x00\x01\x02\xff\xfe<html>", path: "/a", want: true},
		{
			name: "HTML", source: "Heritrix",
			text: "<!DOCTYPE html>\n<html>User-agent: *<br>\nDisallow: /\n</html>", path: "/a", line: 3,
		},
		{name: "no slash", source: "temoto/robotstxt", text: rules("private"), path: "/private/x", line: 2},
		{
			name: "case of paths", source: "RFC 9309, 2.2.2", text: rules("/Private"),
			path: "/private", want: true,
		},
		{name: "question mark as text", source: "own", text: rules("/*?"), path: "/what%3F", want: true},
		{name: "any query", source: "own", text: rules("/*?"), path: "/what?x", line: 2},
		{name: "slash as text", source: "RFC 3986, 2.2", text: rules("/a%2fb"), path: "/a/b", want: true},
		{name: "quote", source: "WHATWG URL", text: rules("/s?q='x'"), path: "/s?q=%27x%27", line: 2},
		{name: "percent sign alone", source: "WHATWG URL", text: rules("/100%"), path: "/100%25", line: 2},
		{name: "wildcard fits nothing", source: "RFC 9309, 2.2.3", text: rules("/a*b"), path: "/ab", line: 2},
		{
			name: "wildcards in a row", source: "RFC 9309, 2.2.3", text: rules("/a***b$"),
			path: "/axxb", line: 2,
		},
		{
			name: "parts do not overlap", source: "RFC 9309, 2.2.3", text: rules("/ab*ba$"),
			path: "/aba", want: true,
		},
		{
			name: "end looks behind the last part", source: "RFC 9309, 2.2.3", text: rules("/*ab$"),
			path: "/abcab", line: 2,
		},
		{name: "only $", source: "own", text: rules("$"), path: "/", line: 2},
		{name: "only * and $", source: "own", text: rules("*$"), path: "/x", line: 2},
		{
			name: "star and comment as agent", source: "google/robotstxt",
			text: "User-agent: * baz\nDisallow: /y\n", path: "/y", line: 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.agent == "" {
				tt.agent = "b"
			}
			v := Parse([]byte(tt.text), tt.agent).Check(page.URL("http://example.org" + tt.path))
			if v.Allowed != tt.want || v.Line != tt.line {
				t.Errorf("%v; want %v by line %d (%s)", v, tt.want, tt.line, tt.source)
			}
			if (v.Rule == "") != (tt.line == 0) ||
				tt.line > 0 && !strings.Contains(strings.ReplaceAll(tt.text, "\u00a0", " "), v.Rule) {
				t.Errorf("rule is %q", v.Rule)
			}
		})
	}
}

// simple is the example of RFC 9309, 5.1, with numbers that the table above counts on.
const simple = `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/secret
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
`

func rules(path string) string { return "User-agent: *\nDisallow: " + path + "\n" }

func TestVerdictInWords(t *testing.T) {
	r := Parse([]byte("# x\nUser-agent: *\nDisallow : /y # no\n"), "b")
	for path, want := range map[string]string{
		"/y":          "disallowed by line 3 of robots.txt for *: Disallow : /y",
		"/x":          "allowed: no rule of robots.txt concerns it",
		"/robots.txt": "allowed: robots.txt itself",
	} {
		if got := r.Check(page.URL("http://example.org" + path)).String(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestExtensions(t *testing.T) {
	for _, tt := range []struct {
		text  string
		delay time.Duration
	}{
		{"User-agent: *\nCrawl-delay: 10\n", 10 * time.Second},
		{"User-agent: *\nCrawl-delay: 0.5\n", 500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 1,5\n", 1500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 2s\n", 2 * time.Second},
		{"User-agent: *\nCrawl-delay: 10 seconds # please\n", 10 * time.Second},
		{"User-agent: *\ncrawldelay 3\n", 3 * time.Second},
		{"User-agent: *\nCrawl-delay: .5\n", 500 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: -1\n", 0},
		{"User-agent: *\nCrawl-delay: soon\n", 0},
		{"User-agent: *\nCrawl-delay: inf\n", 0},
		{"User-agent: *\nCrawl-delay: .\n", 0},
		{"User-agent: *\nCrawl-delay:\n", 0},
		{"User-agent: *\nCrawl-delay: 99999999999999999999\n", maxDelay},
		{"User-agent: *\nCrawl-delay: 1e3\n", time.Second},
		{"User-agent: *\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x\nCrawl-delay: 7\n", 7 * time.Second},
		{"User-agent: b\nCrawl-delay: 6\n\nUser-agent: fast\nCrawl-delay: 0.2\n\nUser-agent: " +
			"*\nDisallow: /x\n", 6 * time.Second},
		{
			"User-agent: fast\nCrawl-delay: 0.2\nUser-agent: b\nCrawl-delay: 6\nDisallow: /x\n",
			6 * time.Second,
		},
		{
			"User-agent: b\nUser-agent: c\nDisallow: /x\nCrawl-delay: 3\nUser-agent: c\nCrawl-delay: 9\n",
			3 * time.Second,
		},
		{"User-agent: b\nCrawl-delay: 0.2\nUser-agent: slow\nCrawl-delay: 60\n", 200 * time.Millisecond},
		{
			"User-agent: b\nCrawl-delay: 6\nDisallow: /x\n\nUser-agent: B\nCrawl-delay: 2\n" +
				"Crawl-delay: soon\n",
			6 * time.Second,
		},
		{"User-agent: *\nCrawl-delay: 1\n\nUser-agent: b\nDisallow: /x\n", 0},
		{"User-agent: slurp\nCrawl-delay: 20\n\nUser-agent: *\nDisallow: /x\n", 0},
		{"User-agent: c\nDisallow:\nCrawl-delay: 20\n", 0},
		{"Crawl-delay: 20\n", 0},
	} {
		if got := Parse([]byte(tt.text), "b").CrawlDelay(); got != tt.delay {
			t.Errorf("%q: delay %v, want %v", tt.text, got, tt.delay)
		}
	}
	r := Parse([]byte("Sitemap: https://example.org/map.xml\nUser-agent: c\nDisallow: /\nsite-map : "+
		"/relative.xml # here\nSitemap:\nSitemap: http://x/a b.xml\nCrawl-delay: x\nSitemap: "+
		"https://example.org/map.xml?a=1:2\n"), "b")
	want := []string{
		"https://example.org/map.xml", "/relative.xml", "http://x/a%20b.xml",
		"https://example.org/map.xml?a=1:2",
	}
	if fmt.Sprint(r.Sitemaps()) != fmt.Sprint(want) {
		t.Errorf("sitemaps are %q, want %q", r.Sitemaps(), want)
	}
}

// Lines beyond the limit are not obeyed, nor is the line that the limit cuts.
func TestLimit(t *testing.T) {
	comment := "#" + strings.Repeat("x", MaxBytes-len("User-agent: *\n")-len("\nDisallow: /pri")-1) + "\n"
	text := "User-agent: *\n" + comment + "Disallow: /private\nDisallow: /after\n"
	if text[MaxBytes-len("\nDisallow: /pri"):MaxBytes] != "\nDisallow: /pri" {
		t.Fatalf("the limit is not where this test wants it: %q", text[MaxBytes-20:MaxBytes])
	}
	r := Parse([]byte(text), "b")
	for _, path := range []string{"/pri", "/private", "/after"} {
		if v := r.Check(page.URL("http://example.org" + path)); !v.Allowed {
			t.Errorf("%s: %v", path, v)
		}
	}
	exact :=
		"User-agent: *\n" + "#" + strings.Repeat("x", MaxBytes-len("User-agent: *\n")-len("Disallow: /y")-
			2) + "\n" + "Disallow: /y"
	if v := Parse([]byte(exact), "b").Check("http://example.org/y"); len(exact) != MaxBytes || v.Allowed {
		t.Errorf("%d bytes: %v", len(exact), v)
	}
}

// hostile is what makes matchers that go back on their steps take for ever.
func hostile() ([]byte, page.URL) {
	line := "Disallow: /" + strings.Repeat("*a", 200) + "$\n"
	return []byte("User-agent: *\n" + strings.Repeat(line, 200)),
		page.URL("http://example.org/" + strings.Repeat("a", 2000) + "b")
}

func TestHostilePatterns(t *testing.T) {
	text, u := hostile()
	r := Parse(text, "b")
	for range 20 {
		if v := r.Check(u); !v.Allowed {
			t.Fatal(v)
		}
	}
	if v := r.Check(u[:len(u)-1]); v.Allowed || v.Line != 2 {
		t.Error(v)
	}
}

// An oracle that shares nothing with fits: the pattern as a regular expression.
func TestPatternsFitAsRegularExpressions(t *testing.T) {
	patterns := rapid.StringMatching(`[/*][ab/*$?]{0,7}\$?`)
	paths := rapid.StringMatching(`/[ab/]{0,6}(\?[ab/?]{0,3})?\$?`)
	rapid.Check(t, func(t *rapid.T) {
		value, path := patterns.Draw(t, "pattern"), paths.Draw(t, "path")
		text, end := strings.CutSuffix(value, "$")
		expr := "^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `.*`)
		if end {
			expr += "$"
		}
		want := regexp.MustCompile(expr).MatchString(path)
		p := newPattern(value)
		if got := p.fits(normalise(path)); got != want {
			t.Fatalf("%q fits %q: %v, want %v", value, path, got, want)
		}
	})
}

func TestUTF16(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, text := range []string{
			"User-agent: *\nDisallow: /y\n",
			"\ufeffUser-agent: *\nDisallow: /y\n",
		} {
			var b []byte
			for _, unit := range utf16.Encode([]rune(text)) {
				b = order.AppendUint16(b, unit)
			}
			if v := Parse(b, "b").Check("http://example.org/y"); v.Allowed || v.Line != 2 {
				t.Errorf("%v, %q: %v", order, text, v)
			}
		}
	}
}

// TestPacked: a text in UTF-32 is read, and so is one that is packed by gzip or zlib, whole or cut, and as
// much of it as of any other.
func TestPacked(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	const text = "User-agent: *\nDisallow: /y\n"
	whole := pack(text + "# " + strings.Repeat("the end ", 50))
	var zipped bytes.Buffer
	z := zlib.NewWriter(&zipped)
	if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	packed := map[string][]byte{"gzip": whole, "cut gzip": whole[:len(whole)-12], "zlib": zipped.Bytes()}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, mark := range []string{"", "\ufeff"} {
			var b []byte
			for _, r := range mark + text {
				b = order.AppendUint32(b, uint32(r))
			}
			packed[fmt.Sprint(order, " ", len(mark))] = b
		}
	}
	for name, b := range packed {
		if v := Parse(b, "b").Check("http://example.org/y"); v.Allowed || v.Line != 2 {
			t.Errorf("%s: %v", name, v)
		}
	}
	late := pack("User-agent: *\n" + strings.Repeat("\n", MaxBytes) + "Disallow: /y\n")
	if v := Parse(late, "b").Check("http://example.org/y"); !v.Allowed {
		t.Errorf("behind MaxBytes stands %v", v)
	}
}

// Where temoto/robotstxt and the standard agree, so must we: no wildcards or escapes, no two rules
// of one length.
func TestAgreesWithTemoto(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents := []string{"*", "bb", "cc"} // one letter weighs no more than "*" with temoto
		seen := map[string]bool{}
		var text strings.Builder
		for range rapid.IntRange(1, 3).Draw(t, "groups") {
			agent := rapid.SampledFrom(agents).Draw(t, "agent")
			text.WriteString(rapid.SampledFrom([]string{"User-agent: ", "user-agent:", "USER-AGENT:\t"}).Draw(
				t, "field") + agent + "\n")
			own := 0
			for range rapid.IntRange(1, 4).Draw(t, "rules") {
				path := rapid.StringMatching(`/[ab/.]{0,5}`).Draw(t, "rule")
				if key := agent + fmt.Sprint(len(path)); !seen[key] {
					seen[key] = true
					text.WriteString(rapid.SampledFrom([]string{"Disallow: ", "Allow: "}).Draw(t,
						"kind") + path + "\n")
					own++
				}
			}
			if own == 0 { // an empty group is nothing to temoto
				text.WriteString("Disallow: /" + strings.Repeat("x", 10+len(seen)) + "\n")
				seen[agent+"x"] = true
			}
			if rapid.Bool().Draw(t, "delayed") && !seen[agent+" delay"] { // of several temoto takes the last
				seen[agent+" delay"] = true
				fmt.Fprintf(&text, "Crawl-delay: %d\n", rapid.IntRange(0, 99).Draw(t, "delay"))
			}
			if rapid.Bool().Draw(t, "mapped") {
				text.WriteString("Sitemap: http://example.org/map.xml # here\n\n")
			}
		}
		data, err := robotstxt.FromString(text.String())
		if err != nil {
			t.Fatal(err)
		}
		r := Parse([]byte(text.String()), "bb")
		path := rapid.StringMatching(`/[ab/.]{0,6}`).Draw(t, "path")
		if got, want := r.Check(page.URL("http://example.org"+path)).Allowed, data.TestAgent(path,
			"bb"); got != want {
			t.Fatalf("%q under\n%s\n%v, temoto says %v", path, text.String(), got, want)
		}
		if got, want := r.CrawlDelay(), data.FindGroup("bb").CrawlDelay; got != want {
			t.Fatalf("delay %v under\n%s\ntemoto says %v", got, text.String(), want)
		}
		if got := r.Sitemaps(); fmt.Sprint(got) != fmt.Sprint(data.Sitemaps) {
			t.Fatalf("sitemaps %q, temoto says %q", got, data.Sitemaps)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a*a*a*a$\n"), "b", "/aaaaaaab")
	f.Add([]byte(simple), "foobot", "/example/allowed.gif?x")
	f.Add([]byte("\ufeffuser-agent b\rdisallow %\r\nsitemap: \x00\nCrawl-delay: 1e9\n"), "b", "/%zz")
	f.Fuzz(func(t *testing.T, text []byte, product, path string) {
		r := Parse(text, product)
		u, err := page.URL("http://example.org/").Resolve(path)
		if err != nil {
			return
		}
		v := r.Check(u)
		if v.Line > 0 && (v.Line > 1+bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r")) ||
			!bytes.Contains(text, []byte(v.Rule))) {
			t.Errorf("line %d, %q", v.Line, v.Rule)
		}
		if !v.Allowed && v.Rule == "" {
			t.Errorf("forbidden by nothing: %v", v)
		}
		if again := normalise(normalise(u.PathQuery())); again != normalise(u.PathQuery()) {
			t.Errorf("normalise(%q) is not settled: %q", u.PathQuery(), again)
		}
		if d := r.CrawlDelay(); d < 0 || d > maxDelay {
			t.Errorf("delay %v", d)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	evil, long := hostile()
	plain := []byte("User-agent: *\n" + strings.Repeat("Disallow: /abcdefgh/ijklmnop\n", MaxBytes/29))
	for _, bb := range []struct {
		name string
		text []byte
		u    page.URL
	}{
		{"hostile,80KiB", evil, long},
		{"plain,500KiB", plain, "http://example.org/abcdefgh/zzz"},
		{"usual", []byte(simple), "http://example.org/example/page.html"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			r := Parse(bb.text, "b")
			for b.Loop() {
				r.Check(bb.u)
			}
		})
		b.Run(bb.name+",parse", func(b *testing.B) {
			for b.Loop() {
				Parse(bb.text, "b")
			}
		})
	}
}
