package quality

import (
	"strings"
	"testing"

	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
)

// TestVouchedFor: pages that a server shows in place of others, frames without an answer, and pages
// that scripts within them fill are not whole; pages that are like them in one thing only, are.
func TestVouchedFor(t *testing.T) {
	words := "<p>" + strings.Repeat("a word of the page and another ", 12)
	cases := []struct {
		name, body string
		want       Verdict
	}{
		{"challenge", "<p>Checking your browser before accessing the site.", Lacking},
		{"blocked", "<p>Your IP has been blocked", Lacking},
		{"firewall", `<p>Hello<script src="/cdn-cgi/challenge-platform/own.gif"></script>` +
			`<a href=/>x</a>`, Lacking},
		{"error", "<h1>Internal Server Error</h1><p>Please contact us", Lacking},
		{"on-errors", "<h1>Internal Server Error</h1>" + words, Whole},
		{"challenge-of-many-words", "<h1>Checking your browser</h1>" + words +
			"<script>setTimeout(() => location.reload(), 5000)</script>", Lacking},
		{"reloads", "<h1>The lift, live</h1>" + words + `<meta http-equiv="refresh" content="60">`, Whole},
		{"reloads-and-leads-on", "<h1>Access denied, live</h1><a href=/>x</a>" + words +
			"<script>setTimeout(() => location.reload(), 5000)</script>", Whole},
		{"shadow-tree", words + "<div><template shadowrootmode=open><p>more words</template></div>", Whole},
		{"leads-on", "<p>Access denied, a film of 1948 <a href=/>all films</a>", Whole},
		{"frames", `<frameset><frame src=/gone1><frame src=/gone2></frameset>`, Lacking},
		{"frame-beside-text", words + `<iframe src=/gone1></iframe>`, Whole},
		{"fetches", words + "<script>fetch('/l').then(x => list.innerHTML = x)</script>", Unjudged},
		{"counts", words + "<script>fetch('/count')</script>", Whole},
		{"writes", words + "<script>document.write('<img src=/own.gif>')</script>", Unjudged},
		{"writes-what-lacks", words + "<script>document.write('<img src=/x.gif>')</script>", Lacking},
		{"template", words + "<p>{{ message }}<script src=/own.gif></script>", Unjudged},
		{"of-templates", words + "<p>{{ message }}", Whole},
		{"attribute", words + "<div hx-get=/part></div>", Unjudged},
		{"picture", words + "<img src=/page.gif><img src=/own.gif>", Whole},
	}
	folder := harvest.Folder(t.TempDir())
	captures := []archivetest.Capture{
		{URL: "http://a.example/gone1", Head: "404 Not Found\r\nContent-Type: text/html", Body: "gone"},
		{URL: "http://a.example/gone2", Head: "404 Not Found\r\nContent-Type: text/html", Body: "gone"},
		{URL: "http://a.example/page.gif", Head: asHTML, Body: "<p>Sorry, not here<a href=/>x</a>"},
		{URL: "http://a.example/own.gif", Head: gif, Body: "GIF89a"},
	}
	want := map[page.URL]Verdict{}
	for _, x := range cases {
		u := page.URL("http://a.example/" + x.name)
		captures, want[u] = append(captures, archivetest.Capture{
			URL: string(u), Head: asHTML, Body: "<!DOCTYPE html><title>T</title>" + x.body,
		}), x.want
	}
	deliver(t, folder.Run(1), captures, "", "")
	r, err := Check(t.Context(), folder, Options{Pages: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Pages {
		p := &r.Pages[i]
		if v, asked := want[p.URL]; asked && p.Verdict() != v {
			t.Errorf("%s is %s, want %s: %q %q, %+v", p.URL, p.Verdict(), v, p.Fault, p.Unjudged,
				p.Requisites)
		}
		delete(want, p.URL)
		if p.URL == "http://a.example/picture" && (p.Count(Error) != 1 || p.Count(Own) != 1) {
			t.Errorf("a page in place of a picture: %+v", p.Requisites)
		}
	}
	if len(want) > 0 {
		t.Errorf("not checked: %v", want)
	}
}
