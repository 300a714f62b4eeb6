package page

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParseURL(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "http://example.org/a/b?c=d", "http://example.org/a/b?c=d"},
		{"host in capitals", "HTTP://EXAMPLE.org/A", "http://example.org/A"},
		{"default port", "https://example.org:443/", "https://example.org/"},
		{"other port", "http://example.org:8080/x", "http://example.org:8080/x"},
		{"no path", "http://example.org", "http://example.org/"},
		{"no path but a query", "http://example.org?a=b", "http://example.org/?a=b"},
		{"fragment", "http://example.org/a#top", "http://example.org/a"},
		{"dot segments", "http://example.org/a/./b/../c", "http://example.org/a/c"},
		{"percent case", "http://example.org/%c3%a9%7e", "http://example.org/%C3%A9%7E"},
		{"raw UTF-8", "http://example.org/é", "http://example.org/%C3%A9"},
		{"lone percent sign", "http://example.org/%zz?50%off&%", "http://example.org/%zz?50%off&%"},
		{"escaped percent sign", "http://example.org/%25zz", "http://example.org/%25zz"},
		{"escape of another kind", "http://example.org/%u00e9%2f", "http://example.org/%u00e9%2F"},
		{"space", " http://example.org/a b ", "http://example.org/a%20b"},
		{"tab and newline", "http://exam\tple.org/a\nb", "http://example.org/ab"},
		{"user and password", "http://me:secret@example.org/", "http://example.org/"},
		{"international host", "http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"},
		{"IPv4 in one number", "http://2130706433/", "http://127.0.0.1/"},
		{"IPv6", "http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"},
		{"trailing dot", "http://example.org./a", "http://example.org/a"},
		{"empty query kept", "http://example.org/a?", "http://example.org/a?"},
		{"backslash", `http://example.org\a\b`, "http://example.org/a/b"},
		{"www stays", "http://www.example.org/", "http://www.example.org/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseURL(tt.in)
			if err != nil || got != URL(tt.want) {
				t.Fatalf("ParseURL(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
			if again, err := ParseURL(string(got)); err != nil || again != got {
				t.Errorf("not canonical: %q becomes %q, %v", got, again, err)
			}
		})
	}
}

// Cases of the web platform tests (https://github.com/web-platform-tests/wpt,
// url/resources/urltestdata.json), of those that parsers get wrong; "" is a reference that is no
// URL, and the fragment is never part of ours.
func TestWebPlatformCases(t *testing.T) {
	const base = "http://example.org/foo/bar"
	tests := []struct{ ref, base, want string }{
		{"http://example\t.\norg", base, "http://example.org/"},
		{"http:foo.com", base, "http://example.org/foo/foo.com"},
		{"\t   :foo.com   \n", base, "http://example.org/foo/:foo.com"},
		{"http://f:00000000000000/c", base, "http://f:0/c"},
		{"http://f:\n/c", base, "http://f/c"},
		{"http://f:999999/c", base, ""},
		{":#", base, "http://example.org/foo/:"},
		{"http://2001::1]:80", base, ""},
		{"///x/", base, "http://x/"},
		{"http://www.google.com/foo?bar=baz# \u00bb", "", "http://www.google.com/foo?bar=baz"},
		{"http://example.com/foo/%2e%2", "", "http://example.com/foo/%2e%2"},
		{"http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar", "", "http://example.com/%2e.bar"},
		{"http://example.com////../..", "", "http://example.com//"},
		{"http://example.com/foo%2Ehtml", "", "http://example.com/foo%2Ehtml"},
		{"http://example.com/foo%41%7a", "", "http://example.com/foo%41%7a"},
		{"http://example.com/foo%", "", "http://example.com/foo%"},
		{"http://example.com/foo%2\u00c2\u00a9zbar", "", "http://example.com/foo%2%C3%82%C2%A9zbar"},
		{"http://example.com/(%28:%3A%29)", "", "http://example.com/(%28:%3A%29)"},
		{"http://example.com/\u202e/foo/\u202d/bar", "", "http://example.com/%E2%80%AE/foo/%E2%80%AD/bar"},
		{"http://example.org/test?%23\x23", "", "http://example.org/test?%23"},
		{"http://host/?'", "", "http://host/?%27"},
		{"https://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~", "", // of a web socket there
			"https://host/%20!%22$%&'()*+,-./:;%3C=%3E@[/]%5E_%60%7B|%7D~"},
		{"http://\uff27\uff4f.com", base, "http://go.com/"},
		{"http://\uff05\uff14\uff11.com", base, ""},
		{"http://GOO\u00a0\u3000goo.com", base, ""},
		{"http://%ef%b7%90zyx.com", base, ""},
		{"http://%30%78%63%30%2e%30%32%35%30.01", base, "http://192.168.0.1/"},
		{"http://192.168.257.", base, "http://192.168.1.1/"},
		{"http://1.2.3.08", "", ""},
		{"http://foo.0x4", "", ""},
		{"http://ho%20st/", "", ""},
		{"http://[::127.0.0.1.]", base, ""},
		{"http://[::127.0.0.1]", base, "http://[::7f00:1]/"},
		{"http://fa\u00df.ExAmPlE/", "", "http://xn--fa-hia.example/"},
		{"http://a.b.c.XN--pokxncvks", "", "http://a.b.c.xn--pokxncvks/"},
		{"https://xn--/", "", "https://xn--/"},
		{"http://user@/www.example.com", "", ""},
		{"http:\\\\x:hello", base, ""},
	}
	for _, tt := range tests {
		u, s, err := ParseSpelled(tt.ref)
		if tt.base != "" {
			u, s, err = URL(tt.base).ResolveSpelled(tt.ref, "")
		}
		if got := u.As(s); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q in %q is %q, %v; want %q", tt.ref, tt.base, got, err, tt.want)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	for _, in := range []string{
		"", "/a", "ftp://example.org/", "mailto:a@example.org", "javascript:void(0)",
		"http://", "http://h..example/", "data:,x", "http://xn--a.1/",
		"http://xn--%20.example/", "http://xn--a..example/",
	} {
		if u, err := ParseURL(in); err == nil {
			t.Errorf("ParseURL(%q) = %q, want an error", in, u)
		}
	}
}

// The examples with base http://a/b/c/d;p?q are those of RFC 3986, section 5.4.
func TestResolve(t *testing.T) {
	tests := []struct{ ref, want string }{
		{"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"},
		{"//g", "http://g/"},
		{"?y", "http://a/b/c/d;p?y"},
		{"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q"},
		{"g#s", "http://a/b/c/g"},
		{";x", "http://a/b/c/;x"},
		{"", "http://a/b/c/d;p?q"},
		{".", "http://a/b/c/"},
		{"..", "http://a/b/"},
		{"../g", "http://a/b/g"},
		{"../../g", "http://a/g"},
		{"../../../../g", "http://a/g"},
		{"g/../h", "http://a/b/c/h"},
		{"http://example.org/x", "http://example.org/x"},
	}
	for _, tt := range tests {
		if got, err := URL("http://a/b/c/d;p?q").Resolve(tt.ref); err != nil || got != URL(tt.want) {
			t.Errorf("Resolve(%q) = %q, %v; want %q", tt.ref, got, err, tt.want)
		}
	}
	if u, err := URL("http://a/b").Resolve("mailto:x@example.org"); err == nil {
		t.Errorf("a mail address resolved to %q", u)
	}
}

func TestParts(t *testing.T) {
	u := URL("http://example.org:8080/a/b.html?c=/d/")
	for _, tt := range []struct{ name, got, want string }{
		{"Scheme", u.Scheme(), "http"},
		{"Host", string(u.Host()), "example.org:8080"},
		{"Name", u.Host().Name(), "example.org"},
		{"Port", u.Host().Port(), "8080"},
		{"Path", u.Path(), "/a/b.html"},
		{"Query", u.Query(), "c=/d/"},
		{"Directory", u.Directory(), "http://example.org:8080/a/"},
		{"Root", string(u.Root()), "http://example.org:8080/"},
		{"IPv6 name", Host("[::1]:80").Name(), "::1"},
		{"IPv6 without port", Host("[::1]").Port(), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// The quick way and the parser agree wherever the quick way answers.
func agree(t interface {
	Errorf(string, ...any)
}, base URL, ref string,
) {
	if got, ok := quick(ref); ok {
		if want, _, err := parse(ref, ""); err != nil || got != want {
			t.Errorf("quick(%q) = %q, the parser says %q, %v", ref, got, want, err)
		}
	}
	if got, ok := base.quickResolve(ref); ok {
		if want, _, err := parse(ref, string(base)); err != nil || got != want {
			t.Errorf("quickResolve(%q, %q) = %q, the parser says %q, %v", base, ref, got, want, err)
		}
	}
}

func TestQuickAgreesWithParser(t *testing.T) {
	base := rapid.StringMatching(
		`http://[a-z]{1,3}(\.[a-z0-9-]{1,3}){0,2}(:[0-9]{2,4})?(/[a-z.]{0,3}){0,3}(\?[a-z/]{0,2})?`)
	ref := rapid.StringMatching(
		`(https?:)?(//[a-z0-9.-]{0,6}(:[0-9]{0,3})?)?([./?#a-zA-Z0-9;:=&%~_ -]{0,12})`)
	rapid.Check(t, func(t *rapid.T) {
		b, err := ParseURL(base.Draw(t, "base"))
		if err != nil {
			t.Skip("no base")
		}
		agree(t, b, ref.Draw(t, "ref"))
	})
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{
		"http://example.org/a/../b", "../x?y#z", "//h/p", "http://a.b:80/%7e", "?q",
		"a:b", "http://1.2.3/",
	} {
		f.Add("http://example.org/a/b?c", s)
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		b, err := ParseURL(base)
		if err != nil {
			return
		}
		agree(t, b, ref)
		u, err := b.Resolve(ref)
		if err != nil {
			return
		}
		if again, err := ParseURL(string(u)); err != nil || again != u {
			t.Errorf("Resolve(%q, %q) = %q is not canonical: %q, %v", b, ref, u, again, err)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	base := URL("http://www.example.org/docs/3/library/index.html")
	for _, ref := range []string{
		"functions.html#print", "/docs/2/", "../howto/index.html",
		"https://other.example/path?x=1",
	} {
		b.Run(ref, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := base.Resolve(ref); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestHostAddress(t *testing.T) {
	for host, want := range map[Host]string{
		"192.0.2.1:8080": "192.0.2.1", "[2001:db8::1]": "2001:db8::1", "[::ffff:192.0.2.1]": "192.0.2.1",
		"[::ffff:c000:201]:81": "192.0.2.1",
	} {
		if a, ok := host.Address(); !ok || a.String() != want {
			t.Errorf("%s is %v, %v; want %s", host, a, ok, want)
		}
	}
	if a, ok := Host("a.example").Address(); ok {
		t.Errorf("a name is %v", a)
	}
}
