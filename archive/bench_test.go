package archive

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"watershed/page"
)

// html makes a page of about n bytes whose words are drawn from a small vocabulary; gzip makes it
// about a third, as it does of real pages.
func html(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 2000)
	for i := range vocabulary {
		for range 2 + r.IntN(8) {
			vocabulary[i] += string(rune('a' + r.IntN(26)))
		}
	}
	var b strings.Builder
	for b.Len() < n {
		if r.IntN(12) == 0 {
			fmt.Fprintf(&b, "</p>\n<p class=\"c%d\"><a href=\"/%s/%d.html\">", r.IntN(9),
				vocabulary[r.IntN(2000)], r.IntN(999))
		}
		b.WriteString(vocabulary[int(float64(2000)*r.Float64()*r.Float64())] + " ")
	}
	return b.String()[:n]
}

// A capture of a page of 20 kB, from the exchange to its members in the file.
func BenchmarkCapture20kB(b *testing.B) {
	x := exchange("http://example.org/page.html", "HTTP/1.1 200 OK\nContent-Type: text/html", html(20_000))
	links := make([]page.Link, 40)
	for i := range links {
		links[i] = page.Link{
			URL:  page.URL(fmt.Sprintf("http://example.org/%d.html", i)),
			Kind: page.Navigation, Context: "a/@href",
		}
	}
	for _, level := range []int{1, 6} {
		b.Run(fmt.Sprintf("gzip=%d", level), func(b *testing.B) {
			w := testWriter(b, Options{Level: level})
			b.SetBytes(20_000)
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					write(b, w, capture(b, x, Meta{Outlinks: links}, page.Origin{})...)
				}
			})
		})
	}
}

// The two sums of a payload of 20 kB.
func BenchmarkSumPayload20kB(b *testing.B) {
	x := exchange("http://example.org/", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked",
		chunks(html(20_000), 4096))
	b.SetBytes(20_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := SumPayload(x); err != nil {
			b.Fatal(err)
		}
	}
}

// Reading 300 captures of 20 kB: all records, and all of the index.
func BenchmarkRead300x20kB(b *testing.B) {
	w := testWriter(b, Options{})
	x := exchange("http://example.org/page.html", "HTTP/1.1 200 OK\nContent-Type: text/html", html(20_000))
	for range 300 {
		write(b, w, capture(b, x, Meta{}, page.Origin{})...)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(w.opt.Dir, w.Files()[0])
	b.Run("records", func(b *testing.B) {
		b.SetBytes(300 * 20_000)
		for b.Loop() {
			if n := len(readAll(b, path)); n != 901 {
				b.Fatal(n)
			}
		}
	})
	b.Run("index", func(b *testing.B) {
		b.SetBytes(300 * 20_000)
		for b.Loop() {
			if err := indexWARC(path, func(Entry) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Sorting 100,000 index lines in 4 MiB of memory.
func BenchmarkSorter100k(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]Entry, 100_000)
	for i := range list {
		u := page.URL(fmt.Sprintf("http://h%d.example/%d", r.IntN(500), r.IntN(1_000_000)))
		list[i] = Entry{
			Key: u.SURT(), Timestamp: "20260304050607", URL: string(u), MIME: "text/html",
			Status: "200", Digest: page.EmptyDigest.String(), Offset: int64(i), Length: 900,
			File: "f.warc.gz",
		}
	}
	for b.Loop() {
		s := NewSorter(b.TempDir(), 4<<20)
		for i := range list {
			if err := s.Add(&list[i]); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.WriteTo(io.Discard); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
