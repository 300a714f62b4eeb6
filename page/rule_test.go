package page

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRuleMatch(t *testing.T) {
	tests := []struct {
		rule string
		in   []URL
		out  []URL
	}{
		{
			rule: "url:http://Example.org/a",
			in:   []URL{"http://example.org/a"},
			out: []URL{
				"https://example.org/a", "http://example.org/a/", "http://example.org/a?b",
				"http://www.example.org/a",
			},
		},
		{
			rule: "url:example.org/a",
			in:   []URL{"http://example.org/a", "https://example.org/a"},
			out:  []URL{"http://example.org/ab", "http://x.example/example.org/a"},
		},
		{
			rule: "prefix:https://example.org", // the root: never the beginning of another host's name
			in:   []URL{"https://example.org/", "https://example.org/a/b?c"},
			out:  []URL{"http://example.org/", "https://example.organic/", "https://example.org:8443/"},
		},
		{
			rule: "prefix:example.org/~ann/",
			in:   []URL{"http://example.org/~ann/", "https://example.org/~ann/x"},
			out: []URL{
				"http://example.org/~anne/", "http://example.org/~ann",
				"http://example.com/?u=example.org/~ann/",
			},
		},
		{
			rule: "prefix:archive.example:8080/web/2020/http://example.org/",
			in:   []URL{"https://archive.example:8080/web/2020/http://example.org/a"},
			out:  []URL{"http://example.org/a", "https://archive.example:8080/web/2020/http://example.com/"},
		},
		{
			rule: "url:example.org/?u=http://example.com/",
			in:   []URL{"http://example.org/?u=http://example.com/"},
			out:  []URL{"http://example.com/", "http://example.org/"},
		},
		{
			rule: "prefix:http://example.org:8080/é",
			in:   []URL{"http://example.org:8080/%C3%A9tude"},
			out:  []URL{"http://example.org/%C3%A9tude"},
		},
		{
			rule: "host:www.example.org",
			in:   []URL{"http://www.example.org/", "https://www.example.org:8443/x"},
			out: []URL{
				"http://example.org/", "http://a.www.example.org/",
				"http://www.example.org.evil.example/",
			},
		},
		{
			rule: "host:www.example.org:8080",
			in:   []URL{"http://www.example.org:8080/"},
			out:  []URL{"http://www.example.org/", "http://www.example.org:80801/"},
		},
		{
			rule: "host:*.example.org",
			in:   []URL{"http://www.example.org/", "http://a.b.example.org:8080/"},
			out:  []URL{"http://example.org/", "http://notexample.org/"},
		},
		{
			rule: "host:*.Bücher.example",
			in:   []URL{"http://www.xn--bcher-kva.example/"},
			out:  []URL{"http://xn--bcher-kva.example/"},
		},
		{
			rule: "domain:example.org",
			in:   []URL{"http://example.org/", "https://a.b.example.org:8443/x"},
			out:  []URL{"http://notexample.org/", "http://example.org.evil.example/"},
		},
		{
			rule: "domain:.example.org", // as some tools write it
			in:   []URL{"http://example.org/", "http://www.example.org/"},
		},
		// Heritrix 3, SurtPrefixSet and the "Configuring crawl scope" manual: a comma at the end
		// has the hosts below too, ",)" has not, and https is compared as http.
		{
			rule: "surt:http://(org,example,",
			in:   []URL{"http://example.org/", "https://www.example.org/a", "http://a.b.example.org/"},
			out:  []URL{"http://example.com/", "http://exampleb.org/"},
		},
		{
			rule: "surt:http://(org,example,)",
			in:   []URL{"http://example.org/", "https://example.org/a"},
			out:  []URL{"http://www.example.org/", "http://example.org:8080/"},
		},
		{
			rule: "surt:http://(org,example,www,)/A/",
			in:   []URL{"http://www.example.org/A/b"},
			out:  []URL{"http://www.example.org/a/b", "http://example.org/A/b"},
		},
		{
			rule: "surt:https://(org,example,:8080)/",
			in:   []URL{"http://example.org:8080/"},
			out:  []URL{"http://example.org/"},
		},
		{
			rule: "surt:http://(192.0.2.7)/", // an address is not reversed in this form
			in:   []URL{"http://192.0.2.7/x"},
			out:  []URL{"http://192.0.2.70/x"},
		},
		{
			rule: "surt:(org,example,",
			in:   []URL{"http://www.example.org/"},
		},
		{
			rule: "surt:org,example,", // without a scheme the list of labels is the same
			in:   []URL{"http://example.org/", "https://www.example.org/"},
			out:  []URL{"http://exampleb.org/"},
		},
		// A CDX key: no www, lower case, arguments sorted.
		{
			rule: "surt:org,example)/a",
			in:   []URL{"http://www.example.org/A/b", "https://example.org/a", "http://example.org/ab"},
			out:  []URL{"http://sub.example.org/a", "http://example.org/b"},
		},
		{
			rule: `regex:/print/\d+$`,
			in:   []URL{"http://example.org/print/12"},
			out:  []URL{"http://example.org/print/12/x", "http://example.org/print/"},
		},
		{
			rule: `regex:^https://[^/]+/a:b`, // only the first colon ends the kind
			in:   []URL{"https://example.org/a:b"},
			out:  []URL{"http://example.org/a:b"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			r, err := ParseRule(tt.rule)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range tt.in {
				if !r.Match(u) {
					t.Errorf("%s is not about %s", r, u)
				}
			}
			for _, u := range tt.out {
				if r.Match(u) {
					t.Errorf("%s is about %s", r, u)
				}
			}
		})
	}
	if (Rule{}).Match("http://example.org/") {
		t.Error("the zero rule is about something")
	}
}

func TestParseRuleRefuses(t *testing.T) {
	tests := []struct{ in, say string }{
		{"", "begins with none"},
		{"example.org", "begins with none"},
		{"http://example.org/", "begins with none"},
		{"Host:example.org", "begins with none"},
		{"host:", "nothing follows"},
		{"url:   ", "nothing follows"},
		{"url:ftp://example.org/", "not http or https"},
		{"prefix:/a/b", "no host"},
		{"host:*é.example", "ASCII"},
		{"host:http://example.org/", "without scheme and path"},
		{"host:example.org:0", "port"},
		{"host:example.org:x", "port"},
		{"domain:*.example.org", `"*"`},
		{"domain:example.org:80", "port"},
		{"surt:http://example.org/", `no "("`},
		{"surt:ftp://(org,example,", "not http or https"},
		{"surt:(example.org)/", "not reversed"},
		{"surt:()/", "no host"},
		{"surt:(org,example,)a", "must follow"},
		{"surt:(org, example", "without spaces"},
		{"surt:(org,bücher,)", "xn--"},
		{"url:a.example/\xff", "UTF-8"},
		{"regex:(", "missing closing )"},
		{"regex:a{2000}", "repeat"},
		{"regex:" + strings.Repeat("a", maxRule), "longer"},
	}
	for _, tt := range tests {
		r, err := ParseRule(tt.in)
		var re *RuleError
		if !errors.As(err, &re) || !strings.Contains(re.Reason, tt.say) {
			t.Errorf("ParseRule(%.40q) = %v, %v; want an error with %q", tt.in, r, err, tt.say)
		}
	}
}

func TestHostPattern(t *testing.T) {
	tests := []struct {
		pattern HostPattern
		host    Host
		want    bool
	}{
		{"*", "example.org:8080", true},
		{"example.org", "example.org", true},
		{"example.org:80", "example.org", true}, // the port of its scheme
		{"example.org:443", "example.org", true},
		{"example.org:8080", "example.org", false},
		{"*:8080", "example.org:8080", true},
		{"*:8080", "example.org", false},
		{"www*.example.org", "www3.example.org", true},
		{"*.a.*.example", "x.a.b.a.c.example", true},
		{"*.a.*.example", "a.b.example", false},
		{"192.0.2.*", "192.0.2.7", true},
		{"[2001:db8::1]", "[2001:db8::1]:8080", true},
		{"[2001:db8::1]:8080", "[2001:db8::1]:8080", true},
		{"[2001:db8::1]:8080", "[2001:db8::2]:8080", false},
	}
	for _, tt := range tests {
		if again, err := ParseHostPattern(string(tt.pattern)); err != nil || again != tt.pattern {
			t.Errorf("ParseHostPattern(%q) = %q, %v", tt.pattern, again, err)
		}
		if got := tt.pattern.Match(tt.host); got != tt.want {
			t.Errorf("%q.Match(%q) = %v", tt.pattern, tt.host, got)
		}
	}
	if p, err := ParseHostPattern("2001:DB8::1"); err != nil || p != "[2001:db8::1]" {
		t.Errorf("an address without brackets: %q, %v", p, err)
	}
}

// Each rule that can be made from a URL is about that URL, and writing a rule and reading it gives
// the same one.
func TestRuleOfURL(t *testing.T) {
	text := rapid.StringMatching(
		`https?://([a-z0-9-]{1,4}\.){0,3}[a-z]{2,4}(:[0-9]{2,4})?` +
			`(/[a-zA-Z0-9.~%_é-]{0,4}){0,3}(\?[a-z=&]{0,6})?`)
	rapid.Check(t, func(t *rapid.T) {
		u, err := ParseURL(text.Draw(t, "url"))
		if err != nil || u.Host().Port() == "0" || u.Host().Port() == "80" {
			t.Skip("no URL, or one at a port that says something else without the scheme")
		}
		name := u.Host().Name()
		for _, s := range []string{
			"url:" + string(u), "prefix:" + string(u), "prefix:" + u.Directory(),
			"prefix:" + string(u.Root()),
			"url:" + u.afterScheme(), "host:" + string(u.Host()), "host:" + name, "domain:" + name,
			"host:*" + name[len(name)/2:], "surt:" + u.Scheme() + "://" + u.surtForm(), "surt:" + u.SURT(),
		} {
			r, err := ParseRule(s)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			if !r.Match(u) {
				t.Errorf("%s is not about %s", r, u)
			}
			if again, err := ParseRule(r.String()); err != nil || again.String() != r.String() {
				t.Errorf("%s becomes %s, %v", r, again, err)
			}
		}
	})
}

// TestRuleCovers: a rule covers another one only if it is about all that the other is about.
func TestRuleCovers(t *testing.T) {
	text := rapid.SampledFrom([]string{
		"url:http://a.example/x/y", "url:a.example/x/y", "url:https://a.example/", "prefix:http://a.example/",
		"prefix:a.example/x/", "prefix:https://a.example/x", "prefix:http://b.a.example/?x", "host:a.example",
		"host:*.a.example", "host:a.example:8080", "host:*", "domain:a.example", "domain:example",
		"domain:b.a.example", "surt:http://(example,a,", "surt:example,a)/x", "regex:x/y$", "regex:a",
	})
	address := rapid.StringMatching(`https?://(b\.|c\.)?a\.example(:8080)?/(x/?)?y?(\?x)?`)
	covers, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r, err := ParseRule(text.Draw(t, "rule"))
		other, err2 := ParseRule(text.Draw(t, "other"))
		u, err3 := ParseURL(address.Draw(t, "url"))
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		is := r.Covers(other)
		if is && other.Match(u) && !r.Match(u) {
			t.Errorf("%s covers %s, and is not about %s", r, other, u)
		}
		all++
		if is {
			covers++
		}
	})
	if covers == 0 || covers == all {
		t.Errorf("%d of %d pairs are covered", covers, all)
	}
	for _, tt := range []struct {
		rule, other string
		covers      bool
	}{
		{"prefix:http://a.example/x/", "url:http://a.example/x/y", true},
		{"prefix:http://a.example/x/", "url:a.example/x/y", false}, // by https, too
		{"prefix:http://a.example/x/", "prefix:http://a.example/x/y/", true},
		{"prefix:http://a.example/x/y/", "prefix:http://a.example/x/", false},
		{"host:a.example", "prefix:a.example/x/", true},
		{"domain:example", "host:*.a.example", true},
		{"host:*.example", "host:a.example", true},
		{"host:a.example:8080", "host:a.example", false},
		{"domain:a.example", "domain:example", false},
		{"regex:[.]pdf$", "url:http://a.example/x.pdf", true},
		{"regex:[.]pdf$", "prefix:http://a.example/x.pdf", false},
	} {
		r, _ := ParseRule(tt.rule)
		other, _ := ParseRule(tt.other)
		if is := r.Covers(other); is != tt.covers {
			t.Errorf("%s covers %s: %v", r, other, is)
		}
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{
		"url:http://a/", "prefix:a.b/c", "host:*.a:80", "domain:.a",
		"surt:http://(a,b,)/c", "surt:a,b)/", "regex:^a|b$", "surt:(a", "host:[::1]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again.Kind != r.Kind || again.Value != r.Value {
			t.Errorf("%q is read as %q, that as %q, %v", text, r, again, err)
		}
		r.Match("http://www.example.org:8080/a/b?c=d")
	})
}

func ExampleParseRule() {
	r, err := ParseRule("prefix:example.org/~ann/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Match("https://example.org/~ann/papers.html"), r.Match("https://example.org/~bob/"))
	_, err = ParseRule("surt:(example.org)/")
	fmt.Println(err)
	// Output:
	// true false
	// rule "surt:(example.org)/": the host is not reversed: example.org is org,example
}

func BenchmarkRuleMatch(b *testing.B) {
	u := URL("https://www.example.org/docs/3/library/index.html?lang=en")
	for _, s := range []string{
		"url:example.org/", "prefix:example.org/docs/", "host:*.example.org",
		"domain:example.org", "surt:(org,example,", "surt:org,example)/", `regex:/print/\d+$`,
	} {
		r, err := ParseRule(s)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Match(u)
			}
		})
	}
}
