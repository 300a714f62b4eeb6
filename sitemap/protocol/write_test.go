package protocol

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

func write(t testing.TB, o WriterOptions, entries []Entry) (folder, *Writer) {
	t.Helper()
	f := folder{}
	w, err := NewWriter(f.create, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return f, w
}

func pages(n int) (out []Entry) {
	for i := range n {
		out = append(out, Entry{
			Kind: Page, Loc: fmt.Sprintf("http://example.org/%d", i),
			Priority: NoPriority,
		})
	}
	return out
}

// The bytes are those of the protocol's own sample, laid out one entry a line.
func TestWriteBytes(t *testing.T) {
	f, w := write(t, WriterOptions{}, []Entry{
		{Kind: Page, Loc: "http://www.example.com/", LastMod: time.Date(2005, 1, 1, 12, 0, 0, 5,
			time.FixedZone("", 3600)), ChangeFreq: "monthly", Priority: 0.8},
		{Kind: Page, Loc: "http://www.example.com/ümlat.php&q=<'\">\x01", ChangeFreq: "now and then"},
	})
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://www.example.com/</loc><lastmod>2005-01-01T11:00:00Z</lastmod>` +
		`<changefreq>monthly</changefreq><priority>0.8</priority></url>
<url><loc>http://www.example.com/ümlat.php&amp;q=&lt;&apos;&quot;&gt;` + "\uFFFD" + `</loc></url>
</urlset>
`
	if diff := cmp.Diff(want, f["sitemap.xml"].String()); diff != "" || len(f) != 1 {
		t.Error(diff, w.Names())
	}
	f, _ = write(t, WriterOptions{}, nil)
	if got := f["sitemap.xml"].String(); got != urlsetHead+urlsetFoot {
		t.Errorf("without entries: %q", got)
	}
}

func TestWriteSplits(t *testing.T) {
	tests := []struct {
		name    string
		options WriterOptions
		n       int
		want    []string
	}{
		{"just one", WriterOptions{MaxEntries: 10}, 10, []string{"sitemap.xml"}},
		{"one more", WriterOptions{MaxEntries: 10}, 11, []string{
			"sitemap.xml", "sitemap-2.xml",
			"sitemap-index.xml",
		}},
		{"by bytes", WriterOptions{MaxBytes: 160, Name: "map"}, 4, []string{
			"map.xml", "map-2.xml",
			"map-3.xml", "map-4.xml", "map-index.xml",
		}},
		{
			"compressed",
			WriterOptions{MaxEntries: 2, Gzip: true},
			3,
			[]string{"sitemap.xml.gz", "sitemap-2.xml.gz", "sitemap-index.xml.gz"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.Base = "https://example.org/maps"
			f, w := write(t, tt.options, pages(tt.n))
			if diff := cmp.Diff(tt.want, w.Names()); diff != "" {
				t.Fatal(diff)
			}
			var got []string
			for _, name := range w.Names() {
				text := f[name].String()
				_, err := Read(strings.NewReader(text), Options{}, func(e Entry) error {
					got = append(got, e.Loc)
					return nil
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			var want []string
			for _, e := range pages(tt.n) {
				want = append(want, e.Loc)
			}
			if len(tt.want) > 1 {
				for _, name := range tt.want[:len(tt.want)-1] {
					want = append(want, "https://example.org/maps/"+name)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The index tells when each file changed last.
func TestIndexLastMod(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2024, 1, d, 0, 0, 0, 0, time.UTC) }
	es := pages(4)
	es[0].LastMod, es[1].LastMod, es[2].LastMod = day(3), day(2), day(9)
	f, _ := write(t, WriterOptions{MaxEntries: 2}, es)
	got, _, err := read(t, f["sitemap-index.xml"].String(), Options{})
	if want := "sitemap sitemap.xml 2024-01-03T00:00:00Z\nsitemap sitemap-2.xml " +
		"2024-01-09T00:00:00Z\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	f := folder{}
	w, err := NewWriter(f.create, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Entry{
		{},
		{Kind: Page},
		{Kind: Page, Loc: "/a"},
		{Kind: Page, Loc: "ftp://a.example/"},
		{Kind: Alternate, Loc: "http://example.org/"},
		{Kind: Page, Loc: "http://example.org/" + strings.Repeat("x", maxLocation)},
	} {
		if err := w.Add(e); !errors.Is(err, ErrLocation) {
			t.Errorf("%.80v: %v", e, err)
		}
	}
	if err := w.Add(pages(1)[0]); err != nil {
		t.Errorf("after refusals: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(pages(1)[0]); err == nil {
		t.Error("no error after Close")
	}
	for _, bad := range []WriterOptions{
		{Name: "a/b"},
		{MaxEntries: maxEntries + 1},
		{MaxEntries: -1},
		{MaxBytes: MaxBytes + 1},
		{MaxBytes: -1},
	} {
		if _, err := NewWriter(f.create, bad); err == nil {
			t.Errorf("NewWriter(%+v): no error", bad)
		}
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
	for _, gz := range []bool{false, true} {
		for _, room := range []int{-1, 0, 100, 1000, 40_000} {
			w, err := NewWriter(func(string) (io.WriteCloser, error) { return &full{room}, nil },
				WriterOptions{Gzip: gz, MaxEntries: 600})
			if err != nil {
				t.Fatal(err)
			}
			var first error
			for _, e := range pages(5000) {
				if first = w.Add(e); first != nil {
					break
				}
			}
			if first != nil {
				if again := w.Add(pages(1)[0]); !errors.Is(again, errFull) {
					t.Errorf("room %d: a failure is forgotten: %v", room, again)
				}
			}
			if err := w.Close(); room < 1000 && !errors.Is(err, errFull) {
				t.Errorf("room %d, gzip %v: %v", room, gz, err)
			}
		}
	}
	refused := errors.New("refused")
	w, err := NewWriter(func(string) (io.WriteCloser, error) { return nil, refused }, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(pages(1)[0]), w.Close()); !errors.Is(err, refused) {
		t.Error(err)
	}
}

// Whatever is written is well-formed XML within the limits, and reads back as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := WriterOptions{
			MaxEntries: rapid.IntRange(1, 20).Draw(t, "entries"),
			MaxBytes:   int64(rapid.IntRange(400, 3000).Draw(t, "bytes")), Gzip: rapid.Bool().Draw(t, "gzip"),
		}
		var want []Entry
		f := folder{}
		w, err := NewWriter(f.create, o)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			e := Entry{
				Kind: Page,
				Loc: "http://example.org/" + rapid.StringMatching(`[a-z&<>'";#é/?=%]{0,30}x`).Draw(t,
					"path"),
				ChangeFreq: rapid.SampledFrom([]string{"", "daily", "never"}).Draw(t, "freq"),
				Priority:   rapid.SampledFrom([]float64{NoPriority, 0.1, 1}).Draw(t, "priority"),
			}
			if rapid.Bool().Draw(t, "dated") {
				e.LastMod = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0).UTC()
			}
			want = append(want, e)
			if err := w.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var got []Entry
		for _, name := range w.Names() {
			limits := Options{MaxEntries: o.MaxEntries, MaxBytes: o.MaxBytes}
			if strings.Contains(name, "index") {
				limits = Options{}
			}
			sum, err := Read(bytes.NewReader(f[name].Bytes()), limits, func(e Entry) error {
				if e.Kind == Page {
					e.Line = 0
					got = append(got, e)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if sum.Passed > 0 {
				t.Fatalf("%s: %v", name, sum.Problems)
			}
			if !o.Gzip {
				var any struct{}
				if err := xml.Unmarshal(f[name].Bytes(), &any); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
