package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlaylists: the sound and the films to which small files lead are found, and what lists of
// subscriptions and shortcuts name.
func TestPlaylists(t *testing.T) {
	for _, tt := range []struct{ name, mime, body, want string }{
		{
			"pls", "audio/x-scpls",
			"[playlist]\r\nFile1=http://a.example/1.mp3\r\nTitle1=One\r\nFile2=2.mp3\r\n" +
				"File3=C:\\3.mp3\r\n",
			"embed http://a.example/1.mp3 embed http://example.org/dir/2.mp3",
		},
		{
			"asx", "video/x-ms-asf", "<!-- of 1999 --><ASX version=3.0><Title>One</Title>" +
				"<MoreInfo HREF='/about.html'/><Entry><Ref href = \"1.wmv\">" +
				"<Ref href=\"mms://a.example/1.wmv\"></Entry></ASX>",
			"navigation http://example.org/about.html embed http://example.org/dir/1.wmv",
		},
		{
			"asx with a base", "text/plain",
			`<asx><base href="http://a.example/v/"/><ref href="1.wmv"/></asx>`,
			"embed http://a.example/v/1.wmv",
		},
		{
			"wax", "audio/x-ms-wax", "[Reference]\nRef1=http://a.example/1.wma?MSWMExt=.asf\n",
			"embed http://a.example/1.wma?MSWMExt=.asf",
		},
		{
			"ram", "audio/x-pn-realaudio",
			"# one\nrtsp://a.example/1.rm\n" +
				"http://a.example/1.rm\n--stop--\npnm://a.example/1.rm",
			"embed http://a.example/1.rm",
		},
		{"sound of RealPlayer", "audio/x-pn-realaudio", ".RMF\x00\x00\nhttp://a.example/1.rm", ""},
		{
			"smil", "application/smil", `<smil><head><meta name="base" content="/clips/"/></head><body>` +
				`<par><video src="1.rm"/><textstream src="1.rt"/><a href="/next.smil"/></par></body></smil>`,
			"embed http://example.org/clips/1.rm embed http://example.org/clips/1.rt " +
				"navigation http://example.org/next.smil",
		},
		{
			"xspf", "application/xspf+xml", `<?xml version="1.0"?><playlist xmlns="http://xspf.org/ns/0/">` +
				"<trackList><track>" +
				"<location>1.mp3?a=1&amp;b=2</location><title>One</title></track></trackList></playlist>",
			"embed http://example.org/dir/1.mp3?a=1&b=2",
		},
		{
			"opml", "text/x-opml", `<?xml version="1.0"?><opml version="2.0"><body><outline text="One">` +
				`<outline htmlUrl="/blog/" xmlUrl="/blog/feed.xml"/></outline></body></opml>`,
			"navigation http://example.org/blog/ feed http://example.org/blog/feed.xml",
		},
		{
			"shortcut", "application/octet-stream",
			"[InternetShortcut]\r\nURL=http://a.example/one\r\nIconFile=C:\\i.ico\r\n",
			"navigation http://a.example/one",
		},
		{"text about them", "text/plain", "a [playlist]\nFile1=1.mp3\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := extract(t, Options{}, Input{
				URL: "http://example.org/dir/list", Body: []byte(tt.body),
				Header: textproto.MIMEHeader{"Content-Type": {tt.mime}},
			})
			var got []string
			for _, l := range r.Links {
				got = append(got, l.Kind.String()+" "+string(l.URL))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || r.Err != nil {
				t.Errorf("%s%v", diff, r.Err)
			}
		})
	}
}
