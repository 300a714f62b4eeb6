package ui

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"watershed/configs"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/depot"
	"watershed/lab/kit/browser"
)

// staged is the variable of the environment that makes the test's program a stage.
const staged = "WATERSHED_STAGE"

func TestMain(m *testing.M) {
	if os.Getenv(staged) != "" {
		os.Exit(stage(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// stage stands in for the program that harvests: it tells of a run, and obeys orders until it is
// stopped. A run of a harvest that has one is complete at once.
func stage(args []string) int {
	file := args[len(args)-1]
	if filepath.Base(file) == "wrong.yaml" {
		fmt.Fprintln(os.Stderr, "a line\nthe disk is full")
		return 3
	}
	folder := harvest.Folder(strings.TrimSuffix(file, ".yaml"))
	held, again := slices.Contains(args, "--look"), folder.Run(1).Status()
	tell := func(phase, rest string) {
		text := fmt.Sprintf(`{"phase":%q,%s"Held":%v,"time":%q,"Visits":3,"Pending":7}`, phase, rest, held,
			time.Now().Format(time.RFC3339Nano))
		err := os.MkdirAll(filepath.Dir(again), 0o777)
		if err == nil {
			err = os.WriteFile(again+".new", []byte(text), 0o666)
		}
		if err = errors.Join(err, os.Rename(again+".new", again)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if _, err := os.Stat(again); err == nil {
		tell("finished", `"ending":{"ended":"complete"},`)
		return 0
	}
	tell(control.Crawling, "")
	l, err := control.Listen(folder.Socket())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 9
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	orders, served := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(served)
		_ = l.Serve(ctx, func(o control.Order) control.Answer {
			if o.Do == control.Present {
				return control.Answer{Reply: []byte("{}")}
			}
			orders <- o.Do
			return control.Answer{}
		})
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	for {
		select {
		case do := <-orders:
			held = do == control.Pause || held && do != control.Resume
			if do == control.Stop {
				tell("stopped", `"ending":{"ended":"interrupted"},`)
				stop()
				<-served // who gave the order has its answer
				return 11
			}
			tell(control.Crawling, "")
		case <-ctx.Done():
			return 9
		case <-tick.C:
			tell(control.Crawling, "")
		}
	}
}

// newBeginner is a desk of a folder of harvests, with a stage for a program.
func newBeginner(t *testing.T) *desk {
	t.Helper()
	t.Setenv(staged, "1")
	kept, err := depot.Open(depot.Options{
		Dir: t.TempDir(), Program: os.Args[0], Orderly: []int{0, 11},
		Operator: configs.Operator{Name: "Archive", Contact: "mailto:a@archive.example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	s, err := New(Options{Depot: kept, Secret: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, server: s, handler: s.handler(), folder: harvest.Folder(kept.Dir())}
}

func yamlNamed(name string) string {
	return strings.Replace(`harvest: NAME
operator: {name: Archive, contact: "mailto:a@archive.example"}
sites: [{name: a, seeds: ["http://a.example/"]}]
archive: {dir: .}
`, "NAME", name, 1)
}

// begins presses each button by which harvests are written, begun and ended.
var begins = []browser.Step{
	{
		Path: "/new", Form: "[data-draft]", Fill: map[string]string{"yaml": "boundary:\n  al"},
		Button: "alpha", Want: "The cost of holding a page, in link capacity",
	},
	{
		Path: "/new", Form: "[data-draft]", Fill: map[string]string{"yaml": "sites:\n  - bou"},
		Button: "boundary", Want: "How the end of the site is found",
	},
	{Button: "prefix"},
	{
		Path: "/new", Button: "Write the YAML",
		Fill: map[string]string{"pasted": "www.example.org\nhttps://other.example/a", "name": "first"},
		Want: "In order: 2 sites, 2 seeds.",
	},
	{
		Button: "Check", Fill: map[string]string{"yaml": yamlNamed("first") + "archve: 1\n"},
		Want: `no key "archve"`, Status: http.StatusUnprocessableEntity,
	},
	{
		Button: "Look first", Fill: map[string]string{"yaml": yamlNamed("first")},
		Want: "Paused by hand", Address: "/harvests/first",
	},
	{Button: "Go on with first", Want: "running"},
	{Button: "Pause first", Want: "Paused by hand"},
	{Button: "Stop first", Want: "interrupted"},
	{Button: "Continue first", Want: "complete"},
	{Button: "Recrawl first"},
	{Path: "/harvests/first", Button: "Extend first"},
	{Path: "/", Button: "Start second", Want: "running"},
	{Button: "Look first at third", Want: "Paused by hand"},
	{Button: "Stop third", Want: "interrupted"},
	{Button: "Stop second"},
	{
		Path: "/harvests/second/yaml", Button: "Save",
		Fill: map[string]string{"yaml": strings.Replace(yamlNamed("second"), "]}]",
			"]}, {name: b, seeds: [\"http://b.example/\"]}]", 1)},
		Want: "In order: 2 sites",
	},
	{
		Path: "/new", Button: "Start", Fill: map[string]string{"yaml": yamlNamed("wrong")},
		Want: "the disk is full", Address: "/harvests/wrong",
	},
}

// pressBeginning presses the buttons of a desk that begins harvests.
func pressBeginning(t *testing.T, launch, way string) (pressed []string) {
	t.Helper()
	d := newBeginner(t)
	dir := string(d.folder)
	for _, name := range []string{"second", "third"} {
		write(t, filepath.Join(dir, name+".yaml"), []byte(yamlNamed(name)))
	}
	whileServed(t, d.server, func(link string) {
		pressed = browser.Press(t, launch, link, way, begins)
	})
	return pressed
}

// TestNotBegun: views of a harvest that was never begun say how it is, in terms of a desk that begins it.
func TestNotBegun(t *testing.T) {
	d := newBeginner(t)
	write(t, filepath.Join(string(d.folder), "there.yaml"), []byte(yamlNamed("there")))
	d.enter()
	for _, view := range []string{"captures", "skipped", "changes", "settings"} {
		text := d.text(d.do("GET", "/harvests/there/"+view, nil, nil), http.StatusNotFound)
		if !strings.Contains(text, "Home has a button that starts it") {
			t.Errorf("%s: %s", view, text)
		}
	}
	if text := d.get("/harvests/there/control"); strings.Contains(text, "<code>") {
		t.Error("Control names a command")
	}
}

// TestHomeOfOddNames: each link of Home leads somewhere, also that of a file whose name is no harvest's.
func TestHomeOfOddNames(t *testing.T) {
	d := newBeginner(t)
	for _, name := range []string{"a%2Fb", "q?x#y", "<i>", "a b"} {
		write(t, filepath.Join(string(d.folder), name+".yaml"), []byte(yamlNamed(name)))
	}
	d.enter()
	links := regexp.MustCompile(`href="(/harvests/[^"]*)"`).FindAllStringSubmatch(d.get("/"), -1)
	if len(links) != 8 { // the harvest, and what is wrong with its YAML
		t.Errorf("links %q", links)
	}
	for _, link := range links {
		d.text(d.do("GET", html.UnescapeString(link[1]), nil, nil), http.StatusOK)
	}
}

// TestHomeOfDamagedReport: Home, and how the run stands, are there beside a report that is cut, of a run
// whose process died before it told how the run had ended.
func TestHomeOfDamagedReport(t *testing.T) {
	d := newDesk(t)
	d.server.options.Now = func() time.Time { return testTime.Add(time.Hour) }
	d.enter()
	for text, ended := range map[string]bool{
		`{"ending":{"ended":"complete"}}`: true, `{"ending":{"en`: false,
	} {
		write(t, reportFile(d.folder.Run(1)), []byte(text))
		if page := d.get("/api/v1/harvests"); !strings.Contains(page, `"captured": `) ||
			strings.Contains(page, `"ended": "complete"`) != ended {
			t.Errorf("beside the report %s: %s", text, page)
		}
	}
}

// TestBeginsGuarded: nothing is written or begun without the form's token, from another origin, by a
// desk that others can reach, or by one that has no folder.
func TestBeginsGuarded(t *testing.T) {
	d := newBeginner(t)
	write(t, filepath.Join(string(d.folder), "there.yaml"), []byte(yamlNamed("there")))
	d.enter()
	form := d.form()
	posts := map[string]url.Values{
		"/new":                 {"do": {"start"}, "yaml": {yamlNamed("new")}},
		"/new/check":           {"do": {"write"}, "pasted": {"a.example"}},
		"/harvests/there/yaml": {"do": {"save"}, "yaml": {yamlNamed("there")}},
		"/harvests/there/runs": {"do": {"start"}},
	}
	foreign := func(r *http.Request) {
		r.Header.Set("Origin", "http://evil.example")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
	for target, values := range posts {
		d.text(d.post(target, values, nil), http.StatusForbidden)
		values.Set("csrf", form)
		d.text(d.post(target, values, foreign), http.StatusForbidden)
	}
	cookie := d.cookie
	d.cookie = nil
	d.text(d.do("GET", "/new", nil, nil), http.StatusUnauthorized)
	d.cookie = cookie
	bad := func(target string, values url.Values, status int, want string) {
		t.Helper()
		values.Set("csrf", form)
		if text := d.text(d.post(target, values, nil), status); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %s", target, want, text)
		}
	}
	bad("/harvests/there/runs", url.Values{"do": {"rm -rf"}}, http.StatusBadRequest, "nothing that a harvest")
	bad("/harvests/none/runs", url.Values{"do": {"start"}}, http.StatusNotFound, "no harvest of this name")
	bad("/new", url.Values{"do": {"start"}, "yaml": {yamlNamed("../out")}}, 422, "cannot name a folder")
	bad("/new", url.Values{"do": {"start"}, "yaml": {yamlNamed("there")}}, 422, "of this name is there")
	bad("/harvests/there/yaml", url.Values{"do": {"save"}, "yaml": {yamlNamed("there")}, "was": {"x"}},
		http.StatusConflict, "by another hand")
	mine := yamlNamed("there") + "# mine\n"
	text := d.text(d.post("/harvests/there/yaml", url.Values{
		"csrf": {form}, "do": {"save"}, "yaml": {mine}, "was": {"x"},
	}, nil), http.StatusConflict)
	mark := regexp.MustCompile(`name="was" value="(\w+)"`).FindStringSubmatch(text)
	if !strings.Contains(text, "# mine") || mark == nil ||
		!strings.Contains(text, "As it stands in the file now") {
		t.Fatalf("what was written, or what stands there, is lost: %s", text)
	}
	again := d.post("/harvests/there/yaml", url.Values{
		"csrf": {form}, "do": {"save"}, "yaml": {mine}, "was": {mark[1]},
	}, nil)
	if again.StatusCode != http.StatusSeeOther {
		t.Errorf("who has seen the other's YAML may not save: status %d", again.StatusCode)
	}
	bad("/new", url.Values{"do": {"start"}, "yaml": {yamlNamed("new")}, "pasted": {"hello"}}, 422,
		"is no web address")
	elsewhere := strings.Replace(yamlNamed("x"), "dir: .", "dir: /tmp", 1)
	bad("/new", url.Values{"do": {"start"}, "yaml": {elsewhere}}, 422, "lies beside its YAML")
	if files, err := filepath.Glob(filepath.Join(string(d.folder), "*")); err != nil || len(files) != 2 {
		t.Errorf("the folder has %v, %v", files, err)
	}
	own := yamlNamed("own") + "network: {dial_ports: {80: 8080}}\n"
	write(t, filepath.Join(string(d.folder), "own.yaml"), []byte(own))
	if text := d.get("/harvests/own/yaml"); !strings.Contains(text, "written by hand") {
		t.Errorf("a YAML of another hand: %s", text)
	}
	bad("/harvests/own/yaml", url.Values{"do": {"save"}, "yaml": {own}, "was": {depot.Mark(own)}}, 422,
		"not taken from a browser")
	open := d.server.options
	open.Listen = "0.0.0.0:0"
	if _, err := New(open); !errors.Is(err, ErrPlain) {
		t.Errorf("a desk that others reach begins harvests: %v", err)
	}
	shows := newDesk(t)
	shows.enter()
	shows.text(shows.do("GET", "/new", nil, nil), http.StatusNotFound)
	values := url.Values{"csrf": {shows.form()}, "do": {"start"}}
	for _, target := range []string{"/new", "/new/check", "/harvests/gemo/yaml", "/harvests/gemo/runs"} {
		shows.text(shows.post(target, values, nil), http.StatusNotFound)
	}
}

// TestBeginningInBrowser looks at the views of a desk that begins harvests. DESK_PICTURES names a
// folder for a picture of each.
func TestBeginningInBrowser(t *testing.T) {
	d := newBeginner(t)
	for name, text := range map[string]string{
		"there": yamlNamed("there"), "wrong": yamlNamed("wrong") + "archve: 1\nlimits: {pages: many}\n",
		"second": yamlNamed("second"),
	} {
		write(t, filepath.Join(string(d.folder), name+".yaml"), []byte(text))
	}
	write(t, harvest.Folder(filepath.Join(string(d.folder), "second")).Run(1).Status(),
		[]byte(`{"phase":"finished","ending":{"ended":"complete"},"time":"2026-11-21T07:59:58Z",`+
			`"Captured":1200}`))
	lookAt(t, d.server, map[string]string{
		"home": "/", "new": "/new", "yaml": "/harvests/wrong/yaml", "harvest": "/harvests/there",
	}, os.Getenv("DESK_PICTURES"))
}
