package replay

import (
	"strings"
	"testing"

	"watershed/page"
)

// The first base element that has an address counts for all links of the page, those before it as
// well, and for the files behind it.
func TestBase(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"none", `<a href=x>x</a>`, "http://a.example/d/x"},
		{"before", `<base href=/b/><a href=x>x</a>`, "http://a.example/b/x"},
		{"behind", `<a href=x>x</a><BASE target=_top><base href=/b/><base href=/c/>`, "http://a.example/b/x"},
		{
			"behind files", `<p style="background:url(1)"><img src=2 srcset=3><style>p{background:url(4)}` +
				`</style><link rel=stylesheet href=5><iframe src=6></iframe><object data=7.png></object>` +
				`<table background=8></table><base href=/b/><img src=9>`,
			"http://a.example/d/1 http://a.example/d/2 http://a.example/d/3 http://a.example/d/4 " +
				"http://a.example/d/5 http://a.example/d/6 http://a.example/b/7.png http://a.example/b/8 " +
				"http://a.example/b/9",
		},
		{
			"in a comment, a script, a word",
			`<!-- <base href=/b/> --><script>"<base href=/b/>"</script><basefont href=/b/><a href=x>x</a>`,
			"http://a.example/d/x",
		},
		{"in noscript", `<a href=x>x</a><noscript><base href=/b/></noscript>`, "http://a.example/d/x"},
		{
			"in pictures, formulas and templates",
			`<svg><g><base href=/b/></g></svg><math><base href=/b/></math><template><base href=/b/>` +
				`</template><base href=/c/><a href=x>x</a>`, "http://a.example/c/x",
		},
		{
			"of HTML in a picture", `<svg><foreignObject><svg><base href=/b/></svg><base href=/c/>` +
				`<a href=x>x</a></foreignObject></svg>`, "http://a.example/c/x",
		},
		{"behind a picture that is empty", `<svg/><base href=/c/><a href=x>x</a>`, "http://a.example/c/x"},
		{"of another scheme", `<base href="data:,x"><base href=/b/><a href=x>x</a>`, "http://a.example/d/x"},
		{"cut", `<a href=x>x</a><base href=/b/`, "http://a.example/d/x"},
	} {
		var got []string
		rewriteMarkup([]byte(tt.html), "http://a.example/d/page", func(u page.URL, _ kind) string {
			got = append(got, string(u))
			return "/"
		})
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %s", tt.name, got, tt.want)
		}
	}
}
