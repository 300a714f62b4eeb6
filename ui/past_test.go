package ui

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPast shows what changed since the run before: a page that was edited and is still there, and
// one that has gone, alone in its directory, so that the map has nothing of it.
func TestPast(t *testing.T) {
	d := newDesk(t)
	d.enter()
	write(t, filepath.Join(d.folder.Run(1).Reports(), "changes.json"),
		[]byte(`{"old":1,"new":2,"sites":[{"name":"gemo","counts":{"edited":1,"gone":1}}],"changes":[`+
			`{"kind":"edited","url":"http://www.gemo.example/","site":"gemo"},`+
			`{"kind":"born","url":"http://s.example/","site":"scaled"},`+
			`{"kind":"gone","url":"http://www.gemo.example/old/x","site":"gemo"}]}`))
	text := d.get(siteAt)
	if !strings.Contains(text, "Changes since run 1</a>") || strings.Contains(text, "1 gone") {
		t.Error("changes are not offered, or shown unasked")
	}
	text = d.get(siteAt + "?changes=yes&region=" + url.QueryEscape("http://www.gemo.example/"))
	wellKept(t, siteAt, text)
	for _, want := range []string{
		"http://www.gemo.example/: 1 changed; 1 required file", "http://www.gemo.example/old/: 1 gone",
		"http://www.gemo.example/verso/: 1 as before", "Since run 1: 1 changed, 1 gone.", "</svg> gone</li>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	text = d.get(siteAt + "?changes=yes&region=" + url.QueryEscape("http://www.gemo.example/verso/"))
	if !strings.Contains(text, "Since run 1: nothing changed.") {
		t.Error("a place without changes does not say so")
	}
	if text = d.get("/harvests/gemo/sites/001-scaled?changes=yes"); strings.Contains(text, "Changes since") {
		t.Error("a site of which no changes are told offers them")
	}
}

// TestPoster gives the picture as a file that other programs draw: well formed, with its colours,
// and without links or anything of the web that is markup.
func TestPoster(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for _, query := range []string{"", "?changes=yes"} {
		text := d.get(siteAt + "/picture.svg" + query)
		in := xml.NewDecoder(strings.NewReader(text))
		for {
			x, err := in.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := x.(xml.StartElement); ok && (e.Name.Local == "a" || e.Name.Local == "script") {
				t.Errorf("it has an element %s", e.Name.Local)
			}
		}
		for _, none := range []string{"var(", "href", "\u202e"} {
			if strings.Contains(text, none) {
				t.Errorf("it has %q", none)
			}
		}
		for _, want := range []string{
			`width="420mm"`, ".treemap .coast { fill: none; stroke: #9a4b00", "run-0001.",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("it has no %q", want)
			}
		}
	}
	text := d.get("/harvests/gemo/sites/001-scaled/picture.svg?at=0.7")
	if !strings.Contains(text, "3 pages") {
		t.Error("it is not drawn at the scale that is asked for")
	}
}

// TestCost reckons what a step of the dial costs. The run of the test's harvest asked for 1234 URLs in
// 120 s and received 5 MB; a page of the site that has a required file for each is two requests.
func TestCost(t *testing.T) {
	d := dial{seconds: 2 * 120. / 1234, bytes: 2 * 5e6 / 1234}
	if got, want := d.Cost(617), "5.0 MB, 2 minutes"; got != want {
		t.Errorf("617 pages cost %q, want %q", got, want)
	}
	if got := (dial{}).Cost(10); got != "" {
		t.Errorf("what is not known is told: %q", got)
	}
	for d, want := range map[time.Duration]string{
		20 * time.Second: "less than a minute", time.Minute: "1 minute", 90 * time.Minute: "90 minutes",
		5 * time.Hour: "5 hours", 49 * time.Hour: "2 days",
	} {
		if got := span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	x := newDesk(t)
	x.enter()
	if text := x.get("/harvests/gemo/sites/001-scaled"); !strings.Contains(text, "at the pace of this run") {
		t.Error("the dial does not tell the cost")
	}
}
