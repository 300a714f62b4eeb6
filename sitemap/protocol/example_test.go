package protocol_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"watershed/sitemap/protocol"
)

func ExampleRead() {
	const file = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>http://example.org/?a=1&amp;b=2</loc><lastmod>2024-05-01</lastmod></url>
  <url><loc>http://example.org/about</loc></url>
</urlset>`
	format, err := protocol.Read(strings.NewReader(file), protocol.MaxBytes,
		func(k protocol.Kind, loc string) error {
			fmt.Println(k == protocol.Page, loc)
			return nil
		})
	fmt.Println(format == protocol.Urlset, err)
	// Output:
	// true http://example.org/?a=1&b=2
	// true http://example.org/about
	// true <nil>
}

func ExampleWrite() {
	var file bytes.Buffer
	pages := slices.Values([]string{"http://example.org/"})
	err := protocol.Write(pages, func(name string) (io.WriteCloser, error) {
		fmt.Println(name)
		return nopCloser{&file}, nil
	})
	fmt.Println(err)
	_, err = file.WriteTo(os.Stdout)
	fmt.Println(err)
	// Output:
	// sitemap.xml
	// <nil>
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	// <url><loc>http://example.org/</loc></url>
	// </urlset>
	// <nil>
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
