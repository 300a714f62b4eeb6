package extract

import (
	"fmt"
	"math/rand/v2"
	"net/textproto"
	"strings"
	"testing"
)

// manual is a page as manuals have them: of about 20 kB with 50 links, and markup on every other
// word.
func manual() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the page links harvest archive boundary of a site and its mirror while every " +
		"record stays where it was written by one author in another time")
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>A " +
		"manual</title>\n<link rel=\"stylesheet\" href=\"../style.css\" type=\"text/css\"></head><body>\n")
	for i := 0; b.Len() < 20_000; i++ {
		fmt.Fprintf(&b, "<div class=\"section\" id=\"s%d\"><h2>Part %d<a class=\"headerlink\" "+
			"href=\"#s%d\" title=\"Permalink\">¶</a></h2>\n<p>", i, i, i)
		for range 40 {
			switch w := words[r.IntN(len(words))]; r.IntN(12) {
			case 0:
				fmt.Fprintf(&b, "<code class=\"docutils literal\"><span class=\"pre\">%s</span></code> ", w)
			case 1:
				fmt.Fprintf(&b, "<a class=\"reference internal\" href=\"part%d.html#%s\"><em>%s</em></a> ",
					r.IntN(40), w, w)
			default:
				b.WriteString(w + " ")
			}
		}
		b.WriteString("</p></div>\n")
	}
	b.WriteString("</body></html>\n")
	return []byte(b.String())
}

func BenchmarkExtract(b *testing.B) {
	body := manual()
	in := Input{
		URL: base, Header: textproto.MIMEHeader{"Content-Type": {"text/html; charset=utf-8"}},
		Body: body,
	}
	for d := range drivers {
		for _, text := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/text=%v", d, text), func(b *testing.B) {
				e, err := New(Options{Driver: d})
				if err != nil {
					b.Fatal(err)
				}
				in := in
				if text {
					in.Text = func([]byte) {}
				}
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if r := e.Extract(in); len(r.Links) < 30 {
						b.Fatalf("%d links", len(r.Links))
					}
				}
			})
		}
	}
}

func BenchmarkStylesheet(b *testing.B) {
	css := []byte(strings.Repeat(".a > .b:hover { color: #123456; background: url(\"img/x.png\") "+
		"no-repeat; margin: 0 auto }\n/* c */\n", 500))
	e, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	in := Input{URL: base, Header: textproto.MIMEHeader{"Content-Type": {"text/css"}}, Body: css}
	b.SetBytes(int64(len(css)))
	b.ReportAllocs()
	for b.Loop() {
		e.Extract(in)
	}
}
