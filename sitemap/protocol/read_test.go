package protocol

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

var kindNames = map[Kind]string{
	Page: "page", Sitemap: "sitemap", Alternate: "alternate", Enclosure: "enclosure", Item: "item",
	More: "more",
}

// read gives the entries as lines: kind and location.
func read(text string, most int64) (string, Format, error) {
	var b strings.Builder
	format, err := Read(strings.NewReader(text), most, func(k Kind, loc string) error {
		fmt.Fprintln(&b, kindNames[k], loc)
		return nil
	})
	return b.String(), format, err
}

func TestRead(t *testing.T) {
	const ns = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	tests := []struct {
		name, source string // of the form, where it is not the protocol's own
		text         string
		format       Format
		want         string
	}{
		{
			name: "urlset", source: "sitemaps.org, Sample XML Sitemap", format: Urlset,
			text: `<?xml version="1.0" encoding="UTF-8"?>
<urlset ` + ns + `>
   <url>
      <loc>http://www.example.com/</loc>
      <lastmod>2005-01-01</lastmod>
      <changefreq>monthly</changefreq>
      <priority>0.8</priority>
   </url>
   <url>
      <loc>http://www.example.com/catalog?item=12&amp;desc=vacation_hawaii</loc>
      <changefreq>weekly</changefreq>
   </url>
   <url>
      <loc>http://www.example.com/catalog?item=74&amp;desc=vacation_newfoundland</loc>
      <lastmod>2004-12-23T18:00:15+00:00</lastmod>
      <priority>0.3</priority>
   </url>
</urlset>`,
			want: "page http://www.example.com/\n" +
				"page http://www.example.com/catalog?item=12&desc=vacation_hawaii\n" +
				"page http://www.example.com/catalog?item=74&desc=vacation_newfoundland\n",
		},
		{
			name: "index", source: "sitemaps.org, Sample XML Sitemap Index", format: Index,
			text: `<?xml version="1.0" encoding="UTF-8"?><sitemapindex ` + ns +
				`><sitemap><loc>http://www.example.com/sitemap1.xml.gz</loc>` +
				`<lastmod>2004-10-01T18:23:17+00:00</lastmod></sitemap><sitemap>` +
				`<loc>http://www.example.com/sitemap2.xml.gz</loc><lastmod>2005-01-01</lastmod>` +
				`</sitemap></sitemapindex>`,
			want: "sitemap http://www.example.com/sitemap1.xml.gz\nsitemap " +
				"http://www.example.com/sitemap2.xml.gz\n",
		},
		{
			name: "no namespace", text: `<urlset><url><loc>http://a/</loc></url></urlset>`, format: Urlset,
			want: "page http://a/\n",
		},
		{
			name: "wrong namespace",
			text: `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>http://a/</loc>` +
				`</url></urlset>`, format: Urlset, want: "page http://a/\n",
		},
		{
			name:   "prefix",
			text:   `<sm:urlset xmlns:sm="x"><sm:url><sm:loc>http://a/</sm:loc></sm:url></sm:urlset>`,
			format: Urlset, want: "page http://a/\n",
		},
		{
			name: "capitals", text: `<URLSET><Url><LOC>http://a/</LOC></Url></URLSET>`, format: Urlset,
			want: "page http://a/\n",
		},
		{
			name:   "blank lines and byte order mark before",
			text:   "\uFEFF\n\n  <?xml version=\"1.0\"?>\n<urlset><url><loc>http://a/</loc></url></urlset>",
			format: Urlset, want: "page http://a/\n",
		},
		{
			name: "byte order mark after a blank line",
			text: "\n\uFEFF<urlset><url><loc>http://a/</loc></url></urlset>", format: Urlset,
			want: "page http://a/\n",
		},
		{
			name:   "CDATA and white space",
			text:   "<urlset><url><loc>\n <![CDATA[http://a/?x=1&y=2]]> \n</loc></url></urlset>",
			format: Urlset, want: "page http://a/?x=1&y=2\n",
		},
		{
			name: "bare ampersand and unknown entity",
			text: `<urlset><url><loc>http://a/?x=1&y=2&nosuch;&eacute;</loc></url></urlset>`, format: Urlset,
			want: "page http://a/?x=1&y=2&nosuch;é\n",
		},
		{
			name: "comments and instructions",
			text: `<?xml-stylesheet href="x>"?><!-- <urlset> --><urlset><!-- <url><loc>http://no/</loc>` +
				`</url> --><url><loc>http://<!-- -->a/</loc></url></urlset>`, format: Urlset,
			want: "page http://a/\n",
		},
		{
			name: "document type with entities",
			text: `<!DOCTYPE urlset [<!ENTITY a "b"><!ELEMENT x (y)>]><urlset><url>` +
				`<loc>http://a/&a;</loc></url></urlset>`, format: Urlset, want: "page http://a/&a;\n",
		},
		{
			name:   "nothing closed",
			text:   `<urlset><url><loc>http://a/<lastmod>2020-01-02<url><loc>http://b/<priority>0.5`,
			format: Urlset, want: "page http://a/\npage http://b/\n",
		},
		{
			name:   "cut within a location",
			text:   `<urlset><url><loc>http://a/</loc></url><url><loc>http://b/cu`,
			format: Urlset, want: "page http://a/\n",
		},
		{
			name: "stray end tags",
			text: `</x><urlset></y><url></z><loc>http://a/</loc></urlset></url></urlset><url>` +
				`<loc>http://b/</loc></url>`, format: Urlset, want: "page http://a/\npage http://b/\n",
		},
		{
			name: "first of two locations",
			text: `<urlset><url><loc>http://a/</loc><loc>http://b/</loc></url></urlset>`, format: Urlset,
			want: "page http://a/\n",
		},
		{
			name: "values that mean nothing",
			text: `<urlset><url><loc>http://a/</loc><lastmod>yesterday</lastmod>` +
				`<changefreq>often</changefreq><priority>9</priority></url></urlset>`, format: Urlset,
			want: "page http://a/\n",
		},
		{name: "empty", text: `<urlset></urlset>`, format: Urlset},
		{
			name:   "no location",
			text:   `<urlset><url/><url></url><url><loc/></url><url><loc>http://a/</loc></url></urlset>`,
			format: Urlset, want: "page http://a/\n",
		},
		{
			name: "an index within a urlset",
			text: `<urlset><sitemap><loc>http://a/s.xml</loc></sitemap></urlset>`, format: Urlset,
			want: "sitemap http://a/s.xml\n",
		},
		{
			name: "alternates", source: "Google, Localized versions of your pages", format: Urlset,
			text: `<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>http://a/en</loc>` +
				`<xhtml:link rel="alternate" hreflang="de-CH" href="http://a/de?x=1&amp;y=2"/>` +
				`<xhtml:link rel='alternate' hreflang='x-default' href='http://a/'></xhtml:link>` +
				`<xhtml:link rel="icon" href="http://a/no"/><lastmod>2020-01-01</lastmod>` +
				`</url></urlset>`,
			want: "alternate http://a/de?x=1&y=2\nalternate http://a/\npage " +
				"http://a/en\n",
		},
		{
			name: "extensions", source: "Google, Image, video and news sitemaps", format: Urlset,
			text: `<urlset xmlns:image="i"><url><loc>http://a/</loc><image:image>` +
				`<image:loc>http://a/no.jpg</image:loc></image:image><video:video>` +
				`<video:player_loc>http://no/</video:player_loc></video:video><news:news>` +
				`<news:publication_date>2008-12-23</news:publication_date></news:news>` +
				`<image xmlns="i"><loc>http://a/no2.jpg</loc></image>` +
				`<lastmod>2020-01-01</lastmod></url></urlset>`,
			want: "page http://a/\n",
		},
		{
			name: "text", format: Text,
			text: "\uFEFFhttp://www.example.com/file1.html\r\n\r\n  https://www.example.com/file2.html  " +
				"\nnot a URL\nhttp://www.example.com/ü\n",
			want: "page http://www.example.com/file1.html\npage https://www.example.com/file2.html\npage " +
				"http://www.example.com/ü\n",
		},
		{
			name: "rss 2.0", source: "RSS Advisory Board, RSS 2.0", format: RSS,
			text: `<rss version="2.0" xmlns:atom="a" xmlns:media="m"><channel><title>t</title>` +
				`<link>http://a/</link><atom:link rel="self" href="http://a/feed"/>` +
				`<atom:link rel="next" href="http://a/feed?p=2"/><image><url>http://no/i.png</url>` +
				`<link>http://no/</link></image>
<item><title>x</title><link>http://a/1</link><guid isPermaLink="false">http://no/</guid><pubDate>Sat, ` +
				`07 Sep 2002 00:00:01 GMT</pubDate><enclosure url="http://a/1.mp3" length="1" ` +
				`type="audio/mpeg"/>` +
				`<media:group><media:content url="http://a/1.jpg"/></media:group></item>
<item><guid>http://a/2</guid></item><item><guid isPermaLink="true">http://a/3</guid><description>` +
				`<![CDATA[<link>http://no/</link>]]></description></item><item>` +
				`<title>none</title></item><item>` +
				`<atom:link href="http://a/4"/></item></channel></rss>`,
			want: "item http://a/\nmore http://a/feed?p=2\nenclosure http://a/1.mp3\nenclosure " +
				"http://a/1.jpg\nitem http://a/1\nitem http://a/2\nitem " +
				"http://a/3\nitem http://a/4\n",
		},
		{
			name: "rss 1.0", source: "RDF Site Summary 1.0, 4", format: RSS,
			text: `<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/" xmlns:dc="d">` +
				`<channel rdf:about="http://a/feed"><link>http://a/</link><items><rdf:Seq>` +
				`<rdf:li resource="http://a/1"/></rdf:Seq></items></channel>` +
				`<item rdf:about="http://a/1"><link>http://a/1?x</link>` +
				`<dc:date>2001-02-03T04:05:06Z</dc:date></item><item rdf:about="http://a/2">` +
				`</item></rdf:RDF>`,
			want: "item http://a/\nitem http://a/1?x\nitem http://a/2\n",
		},
		{
			name: "atom", source: "RFC 4287, 1.1 and 4.2.7; RFC 5005, 3", format: Atom,
			text: `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a/x/"><link rel="self" ` +
				`href="feed"/><link href="../"/><link rel="prev-archive" href="/2003"/>` +
				`<updated>2003-12-14T10:20:09Z</updated>
<entry><link rel="enclosure" href="1.mp3"/><link rel="alternate" type="text/html" href="1.html"/>` +
				`<link hreflang="de" href="1.de.html"/><id>urn:1</id>` +
				`<published>2003-12-13T08:29:29-04:00</published>` +
				`<updated>2003-12-14T08:29:29-04:00</updated>` +
				`<content type="xhtml"><div><a href="no"/><link href="no"/></div></content></entry>
<entry xml:base="http://b/"><content src="2.html"/></entry><entry><source><link href="no"/></source>` +
				`<link rel="via" href="no"/></entry></feed>`,
			want: "item http://a/\nmore http://a/2003\nenclosure http://a/x/1.mp3\nalternate " +
				"http://a/x/1.de.html\nitem http://a/x/1.html\nitem " +
				"http://b/2.html\n",
		},
		{
			name: "ISO-8859-1",
			text: "<?xml version='1.0' " +
				"encoding='ISO-8859-1'?><urlset><url><loc>http://a/\xe9</loc></url></urlset>", format: Urlset,
			want: "page http://a/é\n",
		},
		{
			name:   "an encoding nobody knows",
			text:   "<?xml version='1.0' encoding='x'?><urlset><url><loc>http://a/\xe9</loc></url></urlset>",
			format: Urlset, want: "page http://a/é\n",
		},
		{
			name: "UTF-16 by declaration alone",
			text: "<?xml version='1.0' " +
				"encoding='UTF-16'?><urlset><url><loc>http://a/é</loc></url></urlset>",
			format: Urlset, want: "page http://a/é\n",
		},
		{
			name:   "invalid bytes",
			text:   "<urlset><url><loc>http://a/\xff\x01</loc></url><url><loc>http://b/</loc></url></urlset>",
			format: Urlset, want: "page http://a/\xff\npage http://b/\n",
		},
		{
			name: "less-than in text", text: "<urlset><url><loc>http://a/?1<2</loc></url></urlset>",
			format: Urlset, want: "page http://a/?1<2\n",
		},
		{
			name: "greater-than in an attribute",
			text: `<urlset><url a=">" b='"'><loc x = 'a>b'>http://a/</loc></url></urlset>`, format: Urlset,
			want: "page http://a/\n",
		},
		{
			name: "apostrophe in a tag", text: `<urlset><url it's><loc>http://a/</loc></url></urlset>`,
			format: Urlset, want: "page http://a/\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, format, err := read(tt.text, MaxBytes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if format != tt.format {
				t.Errorf("format %d, want %d", format, tt.format)
			}
			// The pieces in which a reader gives the text make no difference.
			var slow strings.Builder
			if _, err := Read(iotest.OneByteReader(strings.NewReader(tt.text)), MaxBytes,
				func(k Kind, loc string) error {
					fmt.Fprintln(&slow, kindNames[k], loc)
					return nil
				}); err != nil ||
				slow.String() != got {
				t.Errorf("byte by byte: %v\n%s", err, cmp.Diff(got, slow.String()))
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "blank": " \n\t ", "html": "<!DOCTYPE html><html><body>http://a/</body></html>",
		"text": "no URL here\nhttp://a/\n", "xml": "<data><url><loc>http://a/</loc></url></data>",
		"only a declaration": "<?xml version='1.0'?>", "binary": "\x00\x01\x02\x03",
	} {
		got, format, err := read(text, MaxBytes)
		var where *readError
		if !errors.Is(err, errFormat) || !errors.As(err, &where) || got != "" || format != Unknown {
			t.Errorf("%s: %q, %d, %v", name, got, format, err)
		}
	}
}

func zip(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadGzip(t *testing.T) {
	plain := []byte("http://a/1\nhttp://a/2\n")
	once := zip(t, plain)
	members := append(zip(t, plain[:11]), zip(t, plain[11:])...)
	for name, b := range map[string][]byte{"once": once, "twice": zip(t, once), "two members": members} {
		got, _, err := read(string(b), MaxBytes)
		if err != nil || got != "page http://a/1\npage http://a/2\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	got, _, err := read(string(zip(t, zip(t, once))), MaxBytes)
	if !errors.Is(err, errFormat) || got != "" {
		t.Errorf("thrice: %q, %v", got, err)
	}
	// The part that could be decompressed is delivered.
	long := zip(t, []byte(numberedText(5000)))
	got, _, err = read(string(long[:len(long)/2]), MaxBytes)
	var where *readError
	if n := strings.Count(got, "\n"); !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &where) ||
		n == 0 || where.Line < n {
		t.Errorf("cut: %d entries, %v", n, err)
	}
	if _, _, err := read("\x1f\x8b garbage", MaxBytes); err == nil {
		t.Error("no error for a broken gzip header")
	}
}

func numberedText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://a/%d/%x\n", i, i*2654435761)
	}
	return b.String()
}

func TestReadUTF16(t *testing.T) {
	const text = `<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>http://a/é𝄞</loc></url></urlset>`
	for name, order := range map[string]binary.ByteOrder{
		"little": binary.LittleEndian,
		"big":    binary.BigEndian,
	} {
		for _, mark := range []string{"", "\uFEFF"} {
			var b bytes.Buffer
			for _, u := range utf16.Encode([]rune(mark + text)) {
				if err := binary.Write(&b, order, u); err != nil {
					t.Fatal(err)
				}
			}
			got, _, err := read(b.String(), MaxBytes)
			if err != nil || got != "page http://a/é𝄞\n" {
				t.Errorf("%s endian, mark %q: %q, %v", name, mark, got, err)
			}
		}
	}
	got, _, err := read("<\x00u\x00r\x00l\x00s\x00e\x00t\x00>\x00\x00\xd8x\x00x", MaxBytes)
	if err != nil || got != "" {
		t.Errorf("a lone surrogate and half a unit: %q, %v", got, err)
	}
}

func TestReadCharset(t *testing.T) {
	const text = "<?xml version=\"1.0\" encoding = '%s' ?>" +
		"<urlset><url><loc>http://a/\xd0</loc></url></urlset>"
	for label, want := range map[string]string{"KOI8-R": "п", "ISO-8859-1": "Ð", "unknown": "Ð"} {
		got, _, err := read(fmt.Sprintf(text, label), MaxBytes)
		if err != nil || got != "page http://a/"+want+"\n" {
			t.Errorf("%s: %q, %v", label, got, err)
		}
	}
}

func TestLimits(t *testing.T) {
	text := numberedText(100)
	for most, want := range map[int]error{len(text): nil, len(text) - 1: errTooLong} {
		got, _, err := read(text, int64(most))
		if n := strings.Count(got, "\n"); !errors.Is(err, want) || n < 99 || (n == 100) != (want == nil) {
			t.Errorf("at most %d bytes: %d entries, %v", most, n, err)
		}
	}
	for length, want := range map[int]int{longestLocation: 2, longestLocation + 1: 1} {
		long := "http://a/" + strings.Repeat("x", length-len("http://a/"))
		got, _, err := read("http://a/\n"+long+"\n", MaxBytes)
		if n := strings.Count(got, "\n"); n != want || err != nil {
			t.Errorf("a location of %d bytes: %d entries, %v", length, n, err)
		}
	}
	// A bomb of a few kilobytes is read up to the limit and no further.
	got, _, err := read(string(zip(t, bytes.Repeat([]byte("http://a/\n"), 1<<20))), 1<<20)
	if n := strings.Count(got, "\n"); !errors.Is(err, errTooLong) || n != 1<<20/len("http://a/\n") {
		t.Errorf("bomb: %d entries, %v", n, err)
	}
}

func TestCallbackStops(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	_, err := Read(strings.NewReader("http://a/1\nhttp://a/2\nhttp://a/3\n"), MaxBytes,
		func(Kind, string) error {
			if n++; n == 2 {
				return enough
			}
			return nil
		})
	if err != enough || n != 2 { //nolint:errorlint // it must be the very error
		t.Errorf("%v after %d", err, n)
	}
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{
		"", "<urlset><url><loc>http://a/</loc></url>",
		"<urlset><url><loc>http://a/", "http://a/\n", "<rss><channel><item><link>http://a/</link>",
		"<feed><entry><link href='http://a/'/>", "<!-- ", "<![CDATA[", "<urlset a='",
	} {
		_, err := Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), MaxBytes,
			func(Kind, string) error { return nil })
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Hostile files end in time linear in their length.
func TestHostile(t *testing.T) {
	const n = 1 << 20
	for _, s := range []string{
		"<", "<a", "<a ", "<a b='", "<a b=\"'>", "<url>", "<url><loc>", "<item>", "<x>", "</x>", "<!--",
		"<![CDATA[", "<!DOCTYPE x [", "<?", "&", "&amp", "&#1;", ">", "<loc>http://a/</loc>",
		"<a b='>' ", "<a x= >",
		"<a xml:base='x/'>", "<link href='a'/>", "\x00", "http://a/ ", "<a\n",
	} {
		for _, root := range []string{
			"", "<urlset>", "<rss><channel>", "<feed>", "<urlset><url><loc>",
			"<feed><entry><updated>", "http://a/\n",
		} {
			text := root + strings.Repeat(s, n/len(s)/8)
			if _, err := Read(strings.NewReader(text), MaxBytes,
				func(Kind, string) error { return nil }); err != nil && !errors.Is(err, errFormat) {
				t.Errorf("%q after %q: %v", s, root, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`<?xml version="1.0"?><urlset><url><loc>http://a/</loc><lastmod>2020</lastmod><xhtml:link ` +
			`rel="alternate" hreflang="de" href="x"/></url></urlset>`,
		`<sitemapindex><sitemap><loc><![CDATA[http://a/]]></loc></sitemap></sitemapindex>`,
		"http://a/\nhttp://b/\n",
		`<rss><channel><link>http://a/</link><item><guid>http://b/</guid></item></channel></rss>`,
		`<feed xml:base="http://a/"><entry><link href="b"/><updated>2020-01-01T00:00:00Z</updated>` +
			`</entry></feed>`, "\x1f\x8b\x08", "\xff\xfe<\x00u\x00",
		"<?xml encoding='iso-8859-1'?><urlset>\xe9",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 1 << 20
		var got, slow []string
		format, err := Read(bytes.NewReader(b), most, func(k Kind, loc string) error {
			if loc == "" || len(loc) > longestLocation || k == 0 || k > More {
				t.Errorf("entry %d %q", k, loc)
			}
			got = append(got, loc)
			return nil
		})
		var where *readError
		if err != nil && !errors.As(err, &where) {
			t.Errorf("error without a place: %v", err)
		}
		again, serr := Read(iotest.OneByteReader(bytes.NewReader(b)), most, func(_ Kind, loc string) error {
			slow = append(slow, loc)
			return nil
		})
		if again != format || !slices.Equal(got, slow) || fmt.Sprint(err) != fmt.Sprint(serr) {
			t.Errorf("byte by byte: %v instead of %v, %s", serr, err, cmp.Diff(got, slow))
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(urlsetHead)
	for i := range 10_000 {
		fmt.Fprintf(&text,
			"<url><loc>http://www.example.org/section%d/page%d.html?a=1&amp;b=2</loc>"+
				"<lastmod>2024-05-%02dT10:00:00Z</lastmod><changefreq>monthly</changefreq></url>\n", i%7, i,
			1+i%28)
	}
	text.WriteString(urlsetFoot)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if _, err := Read(bytes.NewReader(text.Bytes()), MaxBytes, func(Kind, string) error {
			n++
			return nil
		}); err != nil || n != 10_000 {
			b.Fatal(n, err)
		}
	}
}
