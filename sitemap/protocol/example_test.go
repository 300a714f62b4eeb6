package protocol_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
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
			fmt.Println(k, loc)
			return nil
		})
	fmt.Println(format, err)
	// Output:
	// page http://example.org/?a=1&b=2
	// page http://example.org/about
	// urlset <nil>
}

func ExampleWriter() {
	var file bytes.Buffer
	w := protocol.NewWriter(func(name string) (io.WriteCloser, error) {
		fmt.Println(name)
		return nopCloser{&file}, nil
	})
	err := w.Add("http://example.org/")
	fmt.Println(err, w.Close())
	_, err = file.WriteTo(os.Stdout)
	fmt.Println(err)
	// Output:
	// sitemap.xml
	// <nil> <nil>
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	// <url><loc>http://example.org/</loc></url>
	// </urlset>
	// <nil>
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
