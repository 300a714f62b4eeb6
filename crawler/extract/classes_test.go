package extract

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"watershed/page"
)

// TestClasses: links by the class of what names them. Of each address in want one link is found, and
// no other of that page; none of them was found before these classes were read, but where the case
// says so.
func TestClasses(t *testing.T) {
	const base = "http://a.example/d/"
	for name, tt := range map[string]struct{ html, want string }{
		"lazy, full": {`<img data-full-src=f.jpg>`, "f.jpg"},
		"lazy, small": {
			`<img data-src-small=s.jpg data-src-medium=m.jpg data-src-large="l.jpg">`,
			"l.jpg m.jpg s.jpg",
		},
		"lazy, known":         {`<img data-src=k.jpg>`, "k.jpg"},
		"lazy, list":          {`<img data-src="a.jpg, b.jpg 2x">`, "a.jpg b.jpg"},
		"lazy, tight list":    {`<img data-src="a.jpg,b.jpg">`, "a.jpg b.jpg"},
		"lazy, comma":         {`<img data-src="/w_200,h_100/a.jpg">`, "/w_200,h_100/a.jpg"},
		"lazy, set":           {`<img data-full-srcset="c.jpg 1x, d.jpg 2x">`, "c.jpg d.jpg"},
		"lazy, placeholder":   {`<img data-src="data:image/gif;base64,AAAA">`, ""},
		"onclick":             {`<button onclick="window.open('o.html','_blank')">x</button>`, "o.html"},
		"onclick, location":   {`<div onclick="location.href='p.html'">x</div>`, "p.html"},
		"onclick, window":     {`<div onclick="window.location = &quot;q.html&quot;;">x</div>`, "q.html"},
		"onclick, assign":     {`<div onclick="document.location.assign('r.html')">x</div>`, "r.html"},
		"onclick, made":       {`<div onclick="window.open('s.html?' + id)">x</div>`, ""},
		"onclick, mylocation": {`<div onclick="mylocation='s.html'">x</div>`, ""},
		"javascript": {
			`<a href="javascript:window.open('w.html', 'x')">x</a>` +
				`<area href=" JavaScript:location='v.html'">` +
				`<a href="javascript:location.href=%22y.html%22">y</a><a href="javascript:void(0)">z</a>`,
			"v.html w.html y.html",
		},
		"javascript, own function": {
			`<a href="javascript:show('f.html', 300)">f</a>` +
				`<a href="javascript: void show( &quot;/g&quot; )">g</a>` +
				`<a href="javascript:__doPostBack('ctl00$a','')">x</a>` +
				`<a href="javascript:my.show('x.html')">x</a>` +
				`<a href="javascript:show('a word')">x</a><a href="javascript:show('x.html?' + id)">x</a>` +
				`<a href="javascript:show('v1.2')">x</a>`,
			"/g f.html",
		},
		"menu": {
			`<form action=/go><select name=s onchange="location=this.value"><option value="">x` +
				`<option value="m1.html">1<option value="/m2/?a=1">2<option value="http://b.example/m3">3` +
				`<option value=de>4<option value="1.5">5<option value="a b.html">6</select></form>`,
			"/go /m2/?a=1 http://b.example/m3 m1.html",
		},
		"onclick, own function": {
			`<a href="#" onclick="MM_openBrWindow('f.html','w','width=3');return false">f</a>` +
				`<b onclick="MM_goToURL('parent','g.php?a=1')">g</b><i onclick='big("h.jpg", 3)'>h</i>` +
				`<b onclick="show('x.html?' + id); show('d' + 'x.html'); a.push('x.pdf')">x</b>` +
				`<b onclick="ga('send', 'event', 'x.pdf'); vote('/x'); say('x.')">x</b>`,
			"f.html g.php?a=1 h.jpg",
		},
		"rollovers": {
			`<script>if (document.images) { a = new Image(); a.src = "s1.gif"; b.src='s2.png?a' }` +
				`c.src = "x" + n + ".gif"; d.src = "x.js"</script>` +
				`<div onload="MM_preloadImages('p1.gif', 'p2.gif')"></div>` +
				`<a onmouseover="document.i.src='o1.gif'" onmouseout="MM_swapImage('i','','o2.gif',1)">` +
				`<b onmouseover="swap('x' + n + '.gif'); say('x')">`,
			"o1.gif o2.gif p1.gif p2.gif s1.gif s2.png?a",
		},
		"written": {
			`<script>document.write('<a href="a.html">a<\/a>'); ` +
				`document.writeln("<img src=\"b.gif\">" +` + "\n" +
				`'<scr' + 'ipt src=c.js></scr' + 'ipt>', "<p>"); ` +
				`document.write("<img src=x.gif?" + n + ">"); ` +
				`document.write('<i>' + n + '<img src=x.gif>'); x = '<img src=x.gif>'</script>`,
			"a.html b.gif c.js",
		},
		"script": {`<script>if (a) window.open("t.html");</script>`, "t.html"},
		"script, location": {
			`<script>location.href = "u.html"; if (a) { window.location.replace('u2.html') }` +
				`location.replace(to); location.href = "u3.html" + id; location = "U"; my.location="A, F"` +
				`</script><script>top.location="u4.html"</script>`, "u.html u2.html u4.html",
		},
		"conditional": {`<!--[if lt IE 9]><script src=ie.js></script><![endif]-->`, "ie.js"},
		"conditional, style": {
			`<!--[if IE]><link rel=stylesheet href=ie.css><![endif]--><p>`, "ie.css",
		},
		"comment":  {`<!-- <img src=no.png> -->`, ""},
		"revealed": {`<!--[if !IE]><!--><img src=yes.png><!--<![endif]-->`, "yes.png"},
		"linked data": {
			`<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Article",
			"url": "http://a.example/d/x", "image": {"@type": "ImageObject", ` +
				`"url": "http://a.example/d/i.png"},
			"sameAs": ["http://b.example/"], "name": "http is a word"}</script>`, "http://b.example/ i.png x",
		},
		"linked data, relative": {
			`<script type="application/ld+json">{"@type": "/type", "mainEntityOfPage": {"@id": "/k"},
			"contentUrl": "/v.mp4", "thumbnailUrl": ["/t.png"], "logo": {"url": "/l.png"}, "name": "/no",
			"url": "/ and or", "itemListElement": [{"url": "//b.example/i"}, {"url": "/i"}]}</script>`,
			"/i /k /l.png /t.png /v.mp4 http://b.example/i",
		},
		"linked data, broken": {`<script type="application/ld+json">{"url": ` +
			`"http://a.example/d/x"</script>`, ""},
		"og":               {`<meta property="og:url" content="http://a.example/d/og">`, "og"},
		"og, picture":      {`<meta property="og:image" content="og.png">`, "og.png"},
		"twitter":          {`<meta name="twitter:player" content="http://a.example/d/play">`, "play"},
		"twitter, picture": {`<meta name="twitter:image" content="tw.png">`, "tw.png"},
	} {
		for _, driver := range []Driver{Scan, Tree} {
			x, err := New(Options{Driver: driver, Lazy: true})
			if err != nil {
				t.Fatal(err)
			}
			u, err := page.ParseURL(base)
			if err != nil {
				t.Fatal(err)
			}
			r := x.Extract(Input{
				URL: u, Status: 200, Header: textproto.MIMEHeader{"Content-Type": {"text/html"}},
				Body: []byte("<!doctype html><title>t</title><body>" + tt.html),
			})
			var got []string
			for _, l := range r.Links {
				text := strings.TrimPrefix(string(l.URL), base)
				got = append(got, strings.TrimPrefix(text, "http://a.example"))
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s, %v: %q, want %q", name, driver, got, tt.want)
			}
		}
	}
}

// TestPDFLinks: the addresses of annotations, and those in the text, whether or not the text is asked
// for.
func TestPDFLinks(t *testing.T) {
	const content = "BT /F 12 Tf (See http://a.example/text, \\(or https://b.example/x\\(1\\)\\).) Tj ET"
	body := fmt.Sprintf("%%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n"+
		"2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"+
		"3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Annots[6 0 R "+
		"<</Subtype/Link/A<</S/GoTo/D(x)>>>> 7 0 R]>> endobj\n"+
		"4 0 obj <</Length %d>> stream\n%s\nendstream endobj\n"+
		"5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n"+
		"6 0 obj <</Subtype/Link/A 8 0 R>> endobj\n"+
		"7 0 obj <</Subtype/Link/A<</S/URI/URI(other.pdf)>>>> endobj\n"+
		"8 0 obj <</S/URI/URI(http://a.example/annotated)>> endobj\ntrailer <</Root 1 0 R>>\n",
		len(content), content)
	x, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := page.ParseURL("http://a.example/d/file.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []func([]byte){nil, func([]byte) {}} {
		r := x.Extract(Input{
			URL: u, Status: 200, Header: textproto.MIMEHeader{"Content-Type": {"application/pdf"}},
			Body: []byte(body), Text: text,
		})
		var got []string
		for _, l := range r.Links {
			got = append(got, string(l.URL))
		}
		slices.Sort(got)
		want := "http://a.example/annotated http://a.example/d/other.pdf http://a.example/text " +
			"https://b.example/x(1)"
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
