package protocol

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// folder keeps files in memory.
type folder map[string]*bytes.Buffer

func (f folder) create(name string) (io.WriteCloser, error) {
	if f[name] != nil {
		return nil, errors.New("exists")
	}
	f[name] = &bytes.Buffer{}
	return nopCloser{f[name]}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// write writes pages in files of at most so many entries and bytes; 0 is as many as there may be. It
// gives the names of the files, in their order.
func write(t testing.TB, entries, size int, pages []string) (f folder, names []string) {
	t.Helper()
	f = folder{}
	create := func(name string) (io.WriteCloser, error) {
		names = append(names, name)
		return f.create(name)
	}
	w := writer{create: create, maxEntries: cmp.Or(entries, maxEntries), maxBytes: cmp.Or(size, MaxBytes)}
	if err := w.write(slices.Values(pages)); err != nil {
		t.Fatal(err)
	}
	return f, names
}

func pages(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("http://example.org/%d", i))
	}
	return list
}

func TestWriteBytes(t *testing.T) {
	f, names := write(t, 0, 0, []string{
		"http://www.example.com/", "http://www.example.com/ümlat.php&q=<'\">\x01",
	})
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://www.example.com/</loc></url>
<url><loc>http://www.example.com/ümlat.php&amp;q=&lt;&apos;&quot;&gt;` + "\uFFFD" + `</loc></url>
</urlset>
`
	if diff := gocmp.Diff(want, f["sitemap.xml"].String()); diff != "" || len(f) != 1 {
		t.Error(diff, names)
	}
	f, _ = write(t, 0, 0, nil)
	if got := f["sitemap.xml"].String(); got != urlsetHead+urlsetFoot {
		t.Errorf("without entries: %q", got)
	}
}

func TestWriteSplits(t *testing.T) {
	for _, tt := range []struct {
		name    string
		entries int
		bytes   int
		n       int
		want    []string
	}{
		{"just one", 10, 0, 10, []string{"sitemap.xml"}},
		{"one more", 10, 0, 11, []string{"sitemap.xml", "sitemap-2.xml", "sitemap-index.xml"}},
		{"by bytes", 0, 190, 3, []string{
			"sitemap.xml", "sitemap-2.xml", "sitemap-3.xml",
			"sitemap-index.xml",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, names := write(t, tt.entries, tt.bytes, pages(tt.n))
			if diff := gocmp.Diff(tt.want, names); diff != "" {
				t.Fatal(diff)
			}
			var got []string
			for _, name := range names {
				_, err := Read(f[name], MaxBytes, func(_ Kind, loc string) error {
					got = append(got, loc)
					return nil
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			want := pages(tt.n)
			if len(tt.want) > 1 {
				want = append(want, tt.want[:len(tt.want)-1]...)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteLeavesOut(t *testing.T) {
	list := append([]string{
		"", "/a", "ftp://a.example/", "http://example.org/" + strings.Repeat("x", maxLocation),
	}, pages(1)...)
	f, _ := write(t, 0, 0, list)
	if want, _ := write(t, 0, 0, pages(1)); f["sitemap.xml"].String() != want["sitemap.xml"].String() {
		t.Errorf("%.300s", f["sitemap.xml"])
	}
}

// full fails after n bytes, and when it is closed if n is below 0.
type full struct{ n int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func (f *full) Close() error {
	if f.n < 0 {
		return errFull
	}
	return nil
}

func TestWriteFails(t *testing.T) {
	for _, room := range []int{-1, 0, 100, 1000, 40_000} {
		w := writer{
			create:     func(string) (io.WriteCloser, error) { return &full{room}, nil },
			maxEntries: 600, maxBytes: MaxBytes,
		}
		err := w.write(slices.Values(pages(5000)))
		if fails := room < 40_000; errors.Is(err, errFull) != fails || fails && len(w.names) != 1 {
			t.Errorf("room %d: %v after %v", room, err, w.names)
		}
	}
	refused := errors.New("refused")
	err := Write(slices.Values(pages(1)), func(string) (io.WriteCloser, error) { return nil, refused })
	if !errors.Is(err, refused) {
		t.Error(err)
	}
}

// Whatever is written is well-formed XML within the limits, and reads back as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := folder{}
		w := writer{
			create: f.create, maxEntries: rapid.IntRange(1, 20).Draw(t, "entries"),
			maxBytes: rapid.IntRange(400, 3000).Draw(t, "bytes"),
		}
		var want, got []string
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			u := "http://example.org/" + rapid.StringMatching(`[a-z&<>'";#é/?=%]{0,30}x`).Draw(t, "path")
			want = append(want, u)
		}
		if err := w.write(slices.Values(want)); err != nil {
			t.Fatal(err)
		}
		for name := range f {
			text, n := f[name].Bytes(), 0
			_, err := Read(bytes.NewReader(text), MaxBytes, func(k Kind, loc string) error {
				if n++; k == Page {
					got = append(got, loc)
				}
				return nil
			})
			if index := strings.Contains(name, "index"); err != nil ||
				!index && (n > w.maxEntries || len(text) > w.maxBytes) {
				t.Fatalf("%s: %d entries, %d bytes, %v", name, n, len(text), err)
			}
			var any struct{}
			if err := xml.Unmarshal(text, &any); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		slices.Sort(want) // the files come in no order
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
