package ui

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/depot"
	"watershed/report"
)

// TestPlaces: each view of a harvest lies behind one door of one place, and each door leads to a
// view.
func TestPlaces(t *testing.T) {
	behind, targets := map[string]int{}, map[string]bool{}
	for _, p := range deskPlaces {
		for _, d := range p.Doors {
			targets[strings.TrimSuffix("/harvests/{harvest}/"+d.To, "/")] = true
			for _, name := range d.Here {
				behind[name]++
			}
		}
	}
	for _, v := range views {
		delete(targets, v.page)
		if strings.HasPrefix(v.page, "/harvests/") && behind[v.template] != 1 {
			t.Errorf("%s lies behind %d doors", v.template, behind[v.template])
		}
	}
	delete(targets, "/harvests/{harvest}/yaml") // which the API does not have
	for to := range targets {
		t.Errorf("a door leads to %s, which is no view", to)
	}
}

func TestFind(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for asked, want := range map[string]string{
		"http://a.example/b c":       "search?q=http%3A%2F%2Fa.example%2Fb+c",
		"http://a.example/b%20c":     "explain?url=http%3A%2F%2Fa.example%2Fb%2520c",
		" https://a.example ":        "explain?url=https%3A%2F%2Fa.example%2F",
		"a.example":                  "explain?url=http%3A%2F%2Fa.example%2F",
		"a.example/x?y=1":            "explain?url=http%3A%2F%2Fa.example%2Fx%3Fy%3D1",
		"boundary":                   "search?q=boundary",
		"the end.":                   "search?q=the+end.",
		"end.":                       "search?q=end.",
		"host:a.example":             "search?q=host%3Aa.example",
		`"a.example"`:                "search?q=%22a.example%22",
		"javascript:alert(1)":        "search?q=javascript%3Aalert%281%29",
		"":                           "search?q=",
		"//evil.example/":            "search?q=%2F%2Fevil.example%2F",
		"ftp://a.example/x":          "search?q=ftp%3A%2F%2Fa.example%2Fx",
		"http://a.example/\r\nX: y":  "search?q=http%3A%2F%2Fa.example%2F%0D%0AX%3A+y",
		"http://[::1]:80/a?b=c#frag": "explain?url=http%3A%2F%2F%5B%3A%3A1%5D%2Fa%3Fb%3Dc",
	} {
		r := d.do(http.MethodGet, "/harvests/gemo/find?"+url.Values{"q": {asked}}.Encode(), nil, nil)
		got := strings.TrimPrefix(r.Header.Get("Location"), "/harvests/gemo/")
		if r.StatusCode != http.StatusSeeOther || got != want {
			t.Errorf("%q leads to %s (%d), want %s", asked, got, r.StatusCode, want)
		}
	}
}

func TestStands(t *testing.T) {
	shared := harvest.Folder(t.TempDir())
	if got := standing(&Harvest{Folder: shared}, 0, nil); got != "not started" {
		t.Errorf("a new harvest: %q", got)
	}
	if err := os.Mkdir(shared.Round(1), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := standing(&Harvest{Folder: shared}, 0, nil); got != "harvested by a cluster" {
		t.Errorf("what machines harvested together: %q", got)
	}
	if !actsOf(&Harvest{Folder: shared}, 0, nil).Barred {
		t.Error("the desk begins what machines harvest together")
	}
	ended := &report.Ending{Ended: report.WithLosses, Losses: report.Losses{Pages: 2}}
	failed := &report.Ending{Ended: report.Failed, Cause: "the state cannot be written"}
	for _, c := range []struct {
		status  *Status
		want    string
		matters int // beside copies
	}{
		{nil, "not started", 0},
		{&Status{Live: true}, "running", 0},
		{&Status{Live: true, Held: true}, "paused", 1},
		{&Status{Live: true, Paused: true}, "paused", 1},
		{&Status{Phase: "crawling"}, "interrupted", 1},
		{
			&Status{Phase: "stopped", Ending: &report.Ending{Ended: report.Interrupted}},
			report.Interrupted.Says(), 1,
		},
		{&Status{Phase: "finished", Ending: ended}, report.WithLosses.Says(), 1},
		{&Status{Ending: &report.Ending{Ended: report.Complete}}, report.Complete.Says(), 0},
		{&Status{Phase: "stopped", Ending: failed}, report.Failed.Says(), 1},
		{&Status{Phase: "finished", Ending: failed}, report.Failed.Says(), 1},
	} {
		if c.status != nil {
			c.status.Time = time.Now()
		}
		if got := c.status.stands(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.status, got, c.want)
		}
		h := newDesk(t).server.options.Harvests[1]
		if got := matters(&h, c.status); len(got) != c.matters {
			t.Errorf("%+v: %v need a person, want %d", c.status, got, c.matters)
		} else if c.want == report.Failed.Says() && !strings.Contains(got[0].Text, failed.Cause) {
			t.Errorf("it is not told why: %s", got[0].Text)
		}
		goesOn := c.status != nil && (c.status.Phase == "crawling" || c.status.Phase == "stopped")
		if got := actsOf(&h, 1, c.status).Cut; got != goesOn {
			t.Errorf("%+v: goes on: %t", c.status, got)
		}
	}
}

// TestFailedStart: a start that failed is told with the last line that it printed; one whose run says
// that it failed is not told a second time.
func TestFailedStart(t *testing.T) {
	at := time.Now()
	h := newDesk(t).server.options.Harvests[1]
	h.kept = &depot.Harvest{Config: &configs.Harvest{}, Start: &depot.Start{
		At: at, Ended: true, Wrong: true, Said: "one\nthe disk is full",
	}}
	earlier := &Status{Time: at.Add(-time.Hour), Ending: &report.Ending{Ended: report.Failed}}
	for _, x := range []*Status{nil, earlier} {
		got := matters(&h, x)
		if len(got) != 1 || got[0].Text != "The last start failed: the disk is full" {
			t.Errorf("%+v: %q", x, got)
		}
	}
	own := &Status{Time: at.Add(time.Second), Ending: &report.Ending{
		Ended: report.Failed, Losses: report.Losses{Seeds: 1},
	}}
	if got := matters(&h, own); len(got) != 1 || !strings.HasPrefix(got[0].Text, "Lost: ") {
		t.Errorf("%q", got)
	}
}
