package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Cases from the web-platform-tests,
// html/semantics/embedded-content/the-img-element/srcset/parse-a-srcset-attribute.html, and the
// HTML standard, 4.8.4.
func TestSrcset(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{",", nil},
		{",,,", nil},
		{"  a  ", []string{"a"}},
		{"a,b", []string{"a,b"}},
		{"a, b", []string{"a", "b"}},
		{"a ,b", []string{"a", "b"}},
		{"a,,,", []string{"a"}},
		{"a,,, ,b", []string{"a", "b"}},
		{",a", []string{"a"}},
		{
			"header640.png 640w, header960.png 960w , header1024.png 1024w,",
			[]string{"header640.png", "header960.png", "header1024.png"},
		},
		{"pear-mobile.jpeg, pear-tablet.jpeg 1.5x", []string{"pear-mobile.jpeg", "pear-tablet.jpeg"}},
		{"data:,a", []string{"data:,a"}},
		{"data:,a 1x", []string{"data:,a"}},
		{"data:,a ( , data:,b 1x, ), data:,c", []string{"data:,c"}},
		{"data:,a ((( , data:,b 1x, ), data:,c", []string{"data:,c"}},
		{"data:,a [ , data:,b 1x, ], data:,c", []string{"data:,b", "]", "data:,c"}},
		{"data:,a 1x 1w", nil},
		{"a 1w 1x", nil},
		{"a 1h", nil},
		{"a 1w 1h", []string{"a"}},
		{"a 0w", nil},
		{"a -1w", nil},
		{"a 1.0w", nil},
		{"a +1w", nil},
		{"a 1e0w", nil},
		{"a 0x", []string{"a"}},
		{"a -0x", []string{"a"}},
		{"a -1x", nil},
		{"a 1.5e0x", []string{"a"}},
		{"a +1x", nil},
		{"a 1.x", nil},
		{"a .5x", []string{"a"}},
		{"a 0x1x", nil},
		{"a infx", nil},
		{"a NaNx", nil},
		{"a 1x 2x", nil},
		{"a 100w 200w", nil},
		{"a foo", nil},
		{"a w", nil},
		{"a x, b 2x", []string{"b"}},
	}
	for _, tt := range tests {
		var got []string
		for s := (srcset{rest: tt.in}); s.next(); {
			got = append(got, s.url)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.in, diff)
		}
	}
}

func FuzzSrcset(f *testing.F) {
	for _, s := range []string{"a 1x, b 2x", "a,,, b", "data:,a ( , ) 1x, c 3w 4h", ",a,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		n := 0
		for s := (srcset{rest: in}); s.next(); n++ {
			if s.url == "" || !strings.Contains(in, s.url) || strings.ContainsAny(s.url, " \t\r\n\f") ||
				strings.HasPrefix(s.url, ",") || strings.HasSuffix(s.url, ",") {
				t.Errorf("candidate %q of %q", s.url, in)
			}
		}
		if n > len(in) {
			t.Errorf("%d candidates of %d bytes", n, len(in))
		}
	})
}
