package extract

import (
	"net/textproto"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	manifestText = `{"name": "App", "start_url": "./?from=home", "icons": [{"src": "i/192.png", ` +
		`"sizes": "192x192"}, {"src": "/512.png"}, {}],
		"screenshots": [{"src": "s.webp"}], "shortcuts": [{"url": "/new", "icons": [{"src": "n.png"}]}` +
		`], "display": "standalone"}`
	manifestLinks = "embed - manifest/icons http://example.org/dir/i/192.png\nembed - manifest/icons " +
		"http://example.org/512.png\n" +
		"embed - manifest/screenshots http://example.org/dir/s.webp\nnavigation - manifest/start_url " +
		"http://example.org/dir/?from=home\n" +
		"navigation - manifest/shortcuts http://example.org/new\nembed - manifest/shortcuts " +
		"http://example.org/dir/n.png\n"
	feedText = `{"version": "https://jsonfeed.org/version/1.1", "title": "F", "home_page_url": "/", ` +
		`"feed_url": "/feed.json", "next_url": "?page=2",
		"icon": "i.png", "favicon": "f.png", "items": [{"id": "1", "url": "/1", "image": "1.png", ` +
		`"attachments": [{"url": "1.mp3", "mime_type": "audio/mpeg"}]},
		{"id": 2, "external_url": "https://other.example/2", "banner_image": "b.png"}]}`
	feedLinks = "navigation - feed/home_page_url http://example.org/\nfeed - feed/link " +
		"http://example.org/dir/page.html?page=2\n" +
		"embed - feed/icon http://example.org/dir/i.png\nembed - feed/icon http://example.org/dir/f.png\n" +
		"navigation - item/link http://example.org/1\nembed - item/image " +
		"http://example.org/dir/1.png\nembed - item/enclosure http://example.org/dir/1.mp3\n" +
		"navigation - item/link https://other.example/2\nembed - item/image http://example.org/dir/b.png\n"
)

// Sources of the members: W3C, Web Application Manifest; jsonfeed.org, version 1.1.
func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		name, mime, body, want string
		format                 Format
		fails                  bool
	}{
		{name: "manifest", mime: "application/manifest+json", body: manifestText, want: manifestLinks},
		{
			name: "manifest of a server that does not know it", mime: "application/json; charset=utf-8",
			body: manifestText, want: manifestLinks,
		},
		{
			name: "manifest of unknown type", mime: "application/octet-stream",
			body: "\ufeff\n" + manifestText,
			want: manifestLinks,
		},
		{name: "manifest as a picture", mime: "image/png", body: manifestText},
		{
			name: "manifest with odd members", mime: "application/manifest+json",
			body: `{"icons": "x", "start_url": 3, "screenshots": [{"src": "a.png"}]}`,
			want: "embed - manifest/screenshots http://example.org/dir/a.png\n",
		},
		{
			name: "manifest that breaks off", mime: "application/manifest+json",
			body: `{"icons": [{"src": "a.png"}`, fails: true,
		},
		{name: "data", mime: "application/json", body: `{"name": "x", "url": "/a", "src": "b.png"}`},
		{
			name: "list of data", mime: "application/json",
			body: `[{"name": "x", "icons": [{"src": "b.png"}]}]`,
		},
		{name: "feed", mime: "application/feed+json", body: feedText, want: feedLinks, format: Feed},
		{name: "feed as JSON", mime: "application/json", body: feedText, want: feedLinks, format: Feed},
		{name: "feed as text", mime: "text/plain", body: feedText, want: feedLinks, format: Feed},
		{
			name: "data that speaks of feeds", mime: "application/json",
			body: `{"about": "https://jsonfeed.org/", "items": [{"url": "/1"}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := extract(t, Options{}, Input{
				Header: textproto.MIMEHeader{"Content-Type": {tt.mime}},
				Body:   []byte(tt.body),
			})
			if diff := cmp.Diff(tt.want, lines(r.Links)); diff != "" {
				t.Error(diff)
			}
			if r.Format != tt.format || (r.Err != nil) != tt.fails {
				t.Errorf("format %v, %v", r.Format, r.Err)
			}
		})
	}
}
