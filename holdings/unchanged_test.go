package holdings

import (
	"testing"
	"time"

	"watershed/harvest"
	"watershed/page"
)

// TestUnchanged: a capture that says that nothing had changed answers for its time, as one with a
// payload does.
func TestUnchanged(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	index(t, folder.Run(1), "http://a.example/ 200 text/html 20261120080000")
	index(t, folder.Run(2), "http://a.example/  warc/revisit 20261121080000")
	for _, tt := range []struct{ at, want, run string }{
		{"20261120080000", "20261120080000", "run-0001"},
		{"20261121080000", "20261121080000", "run-0002"},
		{"", "20261121080000", "run-0002"},
	} {
		var at time.Time
		if tt.at != "" {
			at, _ = time.Parse("20060102150405", tt.at)
		}
		f, err := Find(folder, "http://a.example/", at)
		if err != nil || f.Time.Format("20060102150405") != tt.want || f.Run != tt.run {
			t.Errorf("at %q: %+v, %v", tt.at, f, err)
		}
	}
	pages, err := Sample(folder, []harvest.Run{folder.Run(2)}, 5, 1, false)
	if err != nil || len(pages) != 1 {
		t.Errorf("drawn of the second run: %v, %v", pages, err)
	}
}

// TestSpelledTwice: where a server sends from one spelling of a URL to the other, its answer counts
// and not the redirect, whichever spelling is asked for.
func TestSpelledTwice(t *testing.T) {
	for name, lines := range map[string][]string{
		"to upper case": {
			"http://a.example/%d0%bf 301 text/html 20261120080000",
			"http://a.example/%D0%BF 200 text/html 20261120080001",
		},
		"to lower case": {
			"http://a.example/%D0%BF 301 text/html 20261120080000",
			"http://a.example/%d0%bf 200 text/html 20261120080001",
		},
		"answered first": {
			"http://a.example/%d0%bf 200 text/html 20261120080000",
			"http://a.example/%D0%BF 301 text/html 20261120080001",
		},
	} {
		folder := harvest.Folder(t.TempDir())
		index(t, folder.Run(1), lines...)
		for _, asked := range []string{"http://a.example/%d0%bf", "http://a.example/%D0%BF"} {
			u, err := page.ParseURL(asked)
			if err != nil {
				t.Fatal(err)
			}
			if f, err := Find(folder, u, time.Time{}); err != nil || f.redirects() {
				t.Errorf("%s: %s: %+v, %v", name, asked, f, err)
			}
		}
	}
}
