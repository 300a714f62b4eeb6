package extract_test

import (
	"fmt"
	"net/textproto"

	"watershed/crawler/extract"
)

func Example() {
	e, err := extract.New(extract.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := e.Extract(extract.Input{
		URL:    "http://example.org/books/",
		Status: 200,
		Header: textproto.MIMEHeader{"Content-Type": {"text/html"}, "Link": {`<print.css>; rel=stylesheet`}},
		Body: []byte(
			`<title>Books</title><a href="one.html">The first</a> <a href="/ads" rel=nofollow>ad</a> ` +
				`<img src=cover.jpg alt=Cover>`),
	})
	fmt.Println(r.Title, r.Format, r.Charset)
	for _, l := range r.Links {
		fmt.Printf("%s %s %s %v %q\n", l.Kind, l.URL, l.Context, l.NoFollow, l.Text)
	}
	// Output:
	// Books html windows-1252
	// embed http://example.org/books/print.css header/Link false ""
	// navigation http://example.org/books/one.html a/@href false "The first"
	// navigation http://example.org/ads a/@href true "ad"
	// embed http://example.org/books/cover.jpg img/@src false "Cover"
}

func ExampleInput_text() {
	e, err := extract.New(extract.Options{Driver: extract.Scan})
	if err != nil {
		fmt.Println(err)
		return
	}
	e.Extract(extract.Input{
		URL:    "http://example.org/",
		Header: textproto.MIMEHeader{"Content-Type": {"text/html"}},
		Body: []byte(
			`<title>not shown</title><h1>Fish &amp; <i>chi</i>ps</h1><script>not.shown()</script>`),
		Text: func(piece []byte) { fmt.Printf("%q ", piece) },
	})
	// Output: "Fish & " "chi" "ps" "\n"
}
