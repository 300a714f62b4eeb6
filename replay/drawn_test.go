package replay

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/harvest"
	"watershed/lab/kit/archivetest"
)

// TestDrawn: a page that a browser has drawn is shown as it stood then, by the rules of any page; as it
// was sent on request; and its pictures are served as pictures, whatever they are.
func TestDrawn(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	run := folder.Run(1)
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	const shell = `<div id=app>`
	drawn := &archive.Drawing{
		Text: "words", Markup: `<p onclick="x()">words drawn<script>x()</script><a href="/b">b</a>` +
			`<img src="data:image/png;base64,AAAA"><img src="http://live.example/a.png">`,
		View: []byte("<script>view"), Thumbnail: []byte("thumbnail"),
	}
	archivetest.Write(t, run.Archive(), run.Index(), []archivetest.Capture{
		{URL: "http://a.example/", Body: shell, Drawing: drawn},
		{URL: "http://a.example/b", Day: 0, Revisits: "http://a.example/", Drawing: drawn},
		{URL: "http://a.example/plain", Body: "plain"},
	})
	get := server(&Server{
		Key: "key", Folder: func(string) (harvest.Folder, bool) { return folder, true },
		Allowed: func(*http.Request) bool { return true }, Text: func(s string) string { return s },
	})
	for _, u := range []string{"http://a.example/", "http://a.example/b"} {
		view := textOf(t, get(at("view", u, 0)))
		for _, want := range []string{`src="drawn?`, "as=sent", "a browser had drawn it", "ReplayWeb.page"} {
			if !strings.Contains(view, want) {
				t.Errorf("the view of %s has no %s: %s", u, want, view)
			}
		}
		sent := textOf(t, get(at("view", u, 0)+"&as=sent"))
		if !strings.Contains(sent, `src="page?`) || !strings.Contains(sent, "Scripts do not run; see also") {
			t.Errorf("as sent: %s", sent)
		}
		r := get(at("drawn", u, 0))
		text := textOf(t, r)
		if r.StatusCode != 200 || !strings.Contains(text, "words drawn") ||
			!strings.Contains(text, "view?t=20261120080000&amp;u=http%3A%2F%2Fa.example%2Fb") ||
			!strings.Contains(text, `src="data:image/png;base64,AAAA"`) ||
			!strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "sandbox allow-top-navigation-by") {
			t.Errorf("drawn: %d %v %s", r.StatusCode, r.Header, text)
		}
		for _, no := range []string{"onclick", "x()", `"http://live.example`} {
			if strings.Contains(text, no) {
				t.Errorf("drawn has %s: %s", no, text)
			}
		}
	}
	text := textOf(t, get(at("view", "http://a.example/plain", 0)))
	if !strings.Contains(text, `src="page?`) || strings.Contains(text, "see also") {
		t.Errorf("a page that was not drawn: %s", text)
	}

	for _, of := range []harvest.Picture{harvest.PictureAgain, harvest.PictureDifference} {
		if err := os.MkdirAll(folder.Quality(), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(folder.Picture("http://a.example/", of), []byte(of), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		u, of, want string // "" for none
	}{
		{"http://a.example/", "view", "<script>view"},
		{"http://a.example/b", "thumbnail", "thumbnail"},
		{"http://a.example/", "again", "again"},
		{"http://a.example/", "difference", "difference"},
		{"http://a.example/b", "again", ""},
		{"http://a.example/plain", "view", ""},
		{"http://a.example/none", "view", ""},
		{"http://a.example/", "", ""},
		{"http://a.example/", "../status", ""},
	} {
		r := get(at("picture", c.u, 0) + "&of=" + c.of)
		if c.want == "" {
			if r.StatusCode != http.StatusNotFound {
				t.Errorf("%s of %s: %d", c.of, c.u, r.StatusCode)
			}
			continue
		}
		if text := textOf(t, r); text != c.want || r.Header.Get("Content-Type") != "image/jpeg" ||
			r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s of %s: %v %q", c.of, c.u, r.Header, text)
		}
	}
}
