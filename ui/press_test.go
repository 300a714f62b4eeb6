package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/lab/kit/browser"
	"watershed/replica"
)

const root = "/harvests/gemo"

// presses are every button of the desk while no run goes on, and what comes of each. Decisions on
// copies are tried on three entries: proposed, confirmed and rejected.
var presses = []browser.Step{
	{
		Path: root + "/captures", Button: "Filter the list",
		Fill: map[string]string{"text": "m0.example"}, Want: "1 capture.",
	},
	{
		Path: root + "/search", Button: "Find", Fill: map[string]string{"q": "boundary"},
		Want: "Nothing can be searched yet",
	},
	{Button: "Make it searchable"},
	{
		Button: "Find", Fill: map[string]string{"q": "lost"}, Want: "No hit; 2 documents were searched",
		Until: true,
	},
	{
		Path: root + "/skipped", Button: "Filter",
		Fill: map[string]string{"host": "h1.example", "reason": "robotsTxt"}, Want: "12 of 252 lines",
	},
	{
		Path: root + "/sites/000-gemo", Button: "Show",
		Fill: map[string]string{"region": "http://other.example/a/x"},
		Want: "no page of the site links to it",
	},
	{
		Path: root + "/explain?url=http://other.example/a/", Button: "Explain",
		Fill: map[string]string{"url": "http://www.gemo.example/"},
		Want: "it is an entry page",
	},
	{Button: "In", Fill: map[string]string{"note": "ours"}, Want: "Decided: in"},
	{
		Path: root + "/decisions", Button: "Out",
		Fill: map[string]string{"rule": "http://a.example/", "below": "yes", "by": "anna"},
		Want: "prefix:http://a.example/",
	},
	{
		Button: "Counts as near", Fill: map[string]string{"rule": "http://b.example/", "site": "gemo"},
		Want: "url:http://b.example/ for site gemo",
	},
	{
		Button: "Exclude", Fill: map[string]string{"rule": "regex:/print/", "note": "twice over"},
		Want: "archivist: twice over",
	},
	{
		Button: "Withdraw url:http://b.example/ for site gemo", Want: "Withdrawn (2)",
	},
	{
		Button: "Draw the boundary there", Fill: map[string]string{"alpha": "0.25", "note": "wider"},
		Want: "archivist: wider",
	},
	{
		Path: root + "/sites/000-gemo", Button: "Take in other.example/",
		Want: "prefix:other.example/ for site gemo", Address: "/sites/000-gemo#decided",
	},
	{
		Button: "Leave out osage.example/verso/", Want: "prefix:osage.example/verso/ for site gemo",
	},
	{Button: "Withdraw prefix:osage.example/verso/ for site gemo"},
	{
		Path: root + "/sites/000-gemo?region=http://www.gemo.example/verso/", Button: "Leave out",
		Want: "do: out", Address: "verso%2F#region",
	},
	{Button: "Take in", Want: "do: in"},
	{Button: "Let it decide", Want: "The links decide."},
	{
		Path: root + "/sites/001-scaled?at=0.19", Button: "Draw the boundary here",
		Want: "0.19 alpha for site scaled", Address: "at=0.19#decided",
	},
	{
		Path: root + "/sites/001-scaled?at=0.15", Button: "Draw the boundary here",
		Want: "0.15 alpha for site scaled", Address: "at=0.15#decided",
	},
	{
		Path: root + "/sites/001-scaled", Button: "Show",
		Fill: map[string]string{"region": "http://s.example/p0000000"}, Want: "The address:",
	},
	{
		Path: root + "/quality", Button: "Check", Fill: map[string]string{"pages": "3"},
		Want: "They need 1 required file",
	},
	{Button: "Fetch 1 of them in the next run", Want: "1 URLs wait"},
	{
		Button: "Ask for them", Fill: map[string]string{"urls": "http://c.example/", "note": "asked"},
		Want: "archivist: asked",
	},
	{
		Path: root + "/mirrors", Button: "confirm m0.example", Fill: map[string]string{"by": "anna"},
		Want: "by anna",
	},
	{Button: "reopen m1.example", Want: "reopened (1)"},
	{Button: "reject m0.example", Want: "rejected (2)"},
	{
		Path: root + "/mirrors/compare?from=m2.example", Button: "Draw",
		Fill: map[string]string{"pages": "2", "seed": "7"}, Address: "pages=2&seed=7",
	},
	{Button: "confirm", Want: "confirmed (1)"},
	{Path: root + "/mirrors/compare?from=m2.example", Button: "reopen", Want: "reopened (2)"},
	{Path: root + "/mirrors/compare?from=m2.example", Button: "reject", Want: "rejected (2)"},
	{
		Path: root + "/settings", Button: "Find", Fill: map[string]string{"q": "www.gemo.example/a"},
		Want: "Was it left out?", Address: "/explain?url=http%3A%2F%2Fwww.gemo.example%2Fa",
	},
	{Path: root, Button: "Places", Want: "End this session"}, // in a narrow window, as each second step
	{
		Path: root + "/settings", Button: "Find", Fill: map[string]string{"q": "much boundary"},
		Address: "/search?q=much+boundary",
	},
	{Button: "End this session", Want: "Who is there?", Status: 401},
	{Button: "Enter", Fill: map[string]string{"secret": testSecret}, Want: "Harvests"},
}

// orders are the buttons of a run under way.
var orders = []browser.Step{
	{Path: root + "/control", Button: "Pause", Fill: map[string]string{"by": "anna"}, Want: "paused by hand"},
	{Button: "Go on", Want: "The run is under way:"},
	{
		Button: "Set the delay", Fill: map[string]string{"host": "a.example", "value": "2.5"},
		Want: "changed: delay",
	},
	{
		Button: "Set the limit", Fill: map[string]string{"value": "90", "unit": "minutes"},
		Want: "changed: limit",
	},
	{Button: "Stop the process", Want: "The run is not under way"},
}

// TestEveryButton presses each button that the desk's templates have, by pointer and by keys alone, in
// headless Chromium, and looks at what comes of it on the page and in the harvest's files. A button of a
// template that is not pressed is a failure.
func TestEveryButton(t *testing.T) {
	launch := browser.Launch(t)
	for _, way := range browser.Ways {
		t.Run(way, func(t *testing.T) {
			var pressed []string
			left := map[string]func(*testing.T, string, string) []string{
				"ended": pressEnded, "running": pressRunning, "beginning": pressBeginning,
			}
			for name, press := range left {
				t.Run(name, func(t *testing.T) {
					delete(left, name)
					pressed = append(pressed, press(t, launch, way)...)
				})
			}
			for _, b := range buttons(t) { // if -run has not left out some
				if len(left) == 0 && !slices.ContainsFunc(pressed, b.pattern.MatchString) {
					t.Errorf("%s: %s is not pressed", b.template, b.pattern)
				}
			}
		})
	}
}

// pressEnded presses the buttons of a desk whose harvest has ended.
func pressEnded(t *testing.T, launch, way string) (pressed []string) {
	t.Helper()
	d := newDesk(t)
	writePages(t, d.folder.Run(1), map[string]string{
		"http://www.gemo.example/a": "<title>A</title><p>the boundary of a site <img src=lost.png>",
		"http://m0.example/a":       "<p>another page",
	})
	whileServed(t, d.server, func(link string) { pressed = browser.Press(t, launch, link, way, presses) })
	decided(t, d)
	return pressed
}

// pressRunning presses the buttons of a run under way.
func pressRunning(t *testing.T, launch, way string) (pressed []string) {
	t.Helper()
	d := newDesk(t)
	run := underWay(t, d, nil)
	run.answer = func(o control.Order) control.Answer { return obey(t, d, o) }
	whileServed(t, d.server, func(link string) { pressed = browser.Press(t, launch, link, way, orders) })
	given := run.given()
	names := make([]string, 0, len(given))
	for _, o := range given {
		names = append(names, o.Do)
	}
	if want := []string{"pause", "resume", "delay", "limit", "stop"}; !slices.Equal(names, want) ||
		given[0].By != "anna" || given[2].Seconds != 2.5 || given[3].Value != 5400 {
		t.Errorf("orders %+v", given)
	}
	return pressed
}

// TestOver stops a run while a page of it is open in another tab (testdata/over.cjs).
func TestOver(t *testing.T) {
	launch := browser.Launch(t)
	d := newDesk(t)
	write(t, d.folder.Run(1).DrawingFile(), []byte(`{"number":1,"time":"2026-11-21T07:59:00Z","visits":9}`))
	underWay(t, d, func(o control.Order) control.Answer {
		if o.Do != control.Stop {
			return control.Answer{Reply: []byte(`{"next":1000}`)}
		}
		if err := os.Remove(d.folder.Socket()); err != nil {
			t.Error(err)
		}
		return obey(t, d, o)
	})
	whileServed(t, d.server, func(link string) {
		browser.Run(t, "testdata/over.cjs", launch, link, root, testSecret)
	})
}

// decided looks at what the presses have left in the harvest's folder.
func decided(t *testing.T, d *desk) {
	t.Helper()
	table, err := harvest.ReadTable(d.folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]replica.State{
		"m0.example": replica.Rejected, "m1.example": replica.Reopened, "m2.example": replica.Rejected,
	} {
		if e, _ := table.Get(from); e.State != want {
			t.Errorf("%s is %s, want %s", from, e.State, want)
		}
	}
	list, err := harvest.ReadDecisions(d.folder.Decisions())
	if err != nil || len(list.Decisions) != 7 || len(list.Withdrawn) != 7 {
		t.Errorf("decisions %+v, %v", list, err)
	}
	wanted, err := d.folder.Wanted()
	asked := func(w harvest.Wanted) bool { return w.URL == "http://c.example/" }
	if err != nil || len(wanted) != 2 || !slices.ContainsFunc(wanted, asked) {
		t.Errorf("wanted %+v, %v", wanted, err)
	}
}

// obey does as a run does that is given an order: it says so, and its status changes.
func obey(t *testing.T, d *desk, o control.Order) control.Answer {
	status := map[string]string{
		control.Pause: `"Held":true,`, control.Stop: `"Over":true,`,
	}[o.Do]
	at := "2026-11-21T07:59:58Z"
	if o.Do == control.Stop {
		at = "2026-11-21T06:00:00Z" // nobody has told of it since
	}
	write(t, d.folder.Run(1).Status(), []byte(`{"phase":"crawling",`+status+`"time":"`+at+`"}`))
	write(t, d.folder.Run(1).Orders(), []byte(`{"time":"2026-11-21T07:59:00Z","by":"anna","do":"`+o.Do+
		`","what":"changed: `+o.Do+`"}`+"\n"))
	return control.Answer{Done: []control.Entry{{Time: testTime, By: o.By, Do: o.Do}}}
}

// button is one that a template has.
type button struct {
	template string
	pattern  *regexp.Regexp // of its HTML
}

// buttons are those of all templates.
func buttons(t *testing.T) (list []button) {
	t.Helper()
	files, err := filepath.Glob("templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	action := regexp.MustCompile(`\{\{.*?\}\}`)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range regexp.MustCompile(`(?s)<button.*?</button>`).FindAllString(string(text), -1) {
			parts := action.Split(b, -1)
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			pattern := regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
			list = append(list, button{filepath.Base(path), pattern})
		}
	}
	if len(list) < 25 {
		t.Errorf("only %d buttons were found in the templates", len(list))
	}
	return list
}
