package holdings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
)

// disagreement is what is wrong with a stand.
type disagreement struct{ run, u, stand, want string }

// TestDisagrees compares what a URL held with what stands for it.
func TestDisagrees(t *testing.T) {
	prose := func(seed int) string {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, "word%d ", (i*i+seed*i)%997*(seed+1))
		}
		return "<p>" + b.String()
	}
	long := func(seed, changed int) string { // of which as many words of a thousand are others
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&b, "p%dw%d", seed, i)
			if i < changed {
				b.WriteByte('x')
			}
			b.WriteByte(' ')
		}
		return "<p>" + b.String()
	}
	folder := harvest.Folder(t.TempDir())
	write := func(n int, captures ...archivetest.Capture) {
		run := folder.Run(n)
		if err := os.MkdirAll(filepath.Dir(run.Index()), 0o777); err != nil {
			t.Fatal(err)
		}
		archivetest.Write(t, run.Archive(), run.Index(), captures)
	}
	html := func(u, body string) archivetest.Capture { return archivetest.Capture{URL: u, Body: body} }
	png := func(u, body string) archivetest.Capture {
		return archivetest.Capture{URL: u, Head: "200 OK\r\nContent-Type: image/png\r\n", Body: body}
	}
	pdf := func(u, more string) archivetest.Capture {
		show := "BT /F 9 Tf (" + strings.TrimPrefix(prose(1), "<p>") + ") Tj ET"
		return archivetest.Capture{
			URL: u, Head: "200 OK\r\nContent-Type: application/pdf\r\n",
			Body: fmt.Sprintf("%%PDF-1.4\n1 0 obj <</Type/Page/Resources<</Font<</F<</Subtype/Type1>>>>>>"+
				"/Contents 2 0 R>> endobj\n2 0 obj <</Length %d>> stream\n%s\nendstream endobj\n%s",
				len(show), show, more),
		}
	}
	var held, near []archivetest.Capture
	rows := []disagreement{}
	for i := range 12 {
		u, stand := fmt.Sprintf("http://b.example/l%d", i), fmt.Sprintf("http://a.example/l%d", i)
		changed, want := 90, "" // a resemblance of .82
		if i%2 == 0 {
			changed, want = 120, "resemblance 0.7" // .77
		}
		held, near = append(held, html(u, long(i, 0))), append(near, html(stand, long(i, changed)))
		rows = append(rows, disagreement{"run-0002", u, stand, want})
	}
	write(1, append(held, html("http://b.example/1", prose(1)), png("http://b.example/i", "one"),
		pdf("http://b.example/t", ""), html("http://b.example/v", prose(1)+`<img src="data:,1">`))...)
	write(2, append(near, html("http://a.example/1", prose(1)),
		html("http://a.example/near", prose(1)+" more"),
		html("http://a.example/2", prose(2)), png("http://a.example/i", "one"),
		pdf("http://a.example/t", "% another scan"), png("http://a.example/j", "two"), archivetest.Capture{
			URL: "http://b.example/1", Head: "301 Moved\r\nLocation: http://a.example/1\r\n",
		})...)
	write(3, html("http://a.example/1", prose(1)), html("http://a.example/2", prose(2)))
	r, err := NewReader(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(rows, []disagreement{
		{"run-0002", "http://b.example/1", "http://a.example/1", ""},
		{"run-0002", "http://b.example/1", "http://a.example/near", ""},
		{"run-0002", "http://b.example/1", "http://a.example/2", "resemblance 0.0"},
		{"run-0002", "http://b.example/1", "http://a.example/3", "no capture"},
		{"run-0001", "http://b.example/1", "http://a.example/1", "no capture"},
		{"run-0003", "http://b.example/1", "http://a.example/1", ""}, // it led there meanwhile
		{"run-0003", "http://b.example/1", "http://a.example/2", "resemblance 0.0"},
		{"run-0002", "http://b.example/v", "http://a.example/1", "in itself"},
		{"run-0002", "http://b.example/new", "http://a.example/1", ""},
		{"run-0002", "http://b.example/i", "http://a.example/i", ""},
		{"run-0002", "http://b.example/i", "http://a.example/j", "other bytes"},
		{"run-0002", "http://b.example/t", "http://a.example/t", "other bytes"},
	}...) {
		got, err := r.Disagrees(c.run, page.URL(c.u), page.URL(c.stand), .8)
		if err != nil || !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s of %s for %s: %q, %v, want %q", c.run, c.stand, c.u, got, err, c.want)
		}
	}
}
