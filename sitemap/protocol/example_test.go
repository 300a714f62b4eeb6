package protocol_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"watershed/sitemap/protocol"
)

func ExampleRead() {
	const file = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>http://example.org/?a=1&amp;b=2</loc><lastmod>2024-05-01</lastmod></url>
  <url><loc>http://example.org/about</loc><lastmod>last year</lastmod></url>
</urlset>`
	sum, err := protocol.Read(strings.NewReader(file), protocol.Options{}, func(e protocol.Entry) error {
		fmt.Println(e.Kind, e.Loc)
		return nil
	})
	fmt.Println(sum.Format, sum.Entries, err)
	for _, p := range sum.Problems {
		fmt.Printf("line %d: %s\n", p.Line, p.Text)
	}
	// Output:
	// page http://example.org/?a=1&b=2
	// page http://example.org/about
	// urlset 2 <nil>
	// line 4: lastmod "last year"
}

func ExampleWriter() {
	var file bytes.Buffer
	w, err := protocol.NewWriter(func(string) (io.WriteCloser, error) { return nopCloser{&file}, nil },
		protocol.WriterOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = w.Add(protocol.Entry{
		Kind: protocol.Page, Loc: "http://example.org/",
		LastMod: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC),
	})
	fmt.Println(err, w.Close(), w.Names())
	_, err = file.WriteTo(os.Stdout)
	fmt.Println(err)
	// Output:
	// <nil> <nil> [sitemap.xml]
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	// <url><loc>http://example.org/</loc><lastmod>2024-05-01T00:00:00Z</lastmod></url>
	// </urlset>
	// <nil>
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
