package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/harvest"
	"watershed/page"
	"watershed/replica"
	"watershed/sitemap"
)

// deskAddress is where the desk of the tests is.
const deskAddress = "127.0.0.1:8123"

const testSecret = "correct horse battery"

// evil is what a page of the web may have as its title.
const evil = "</title><script>alert(1)</script>\"'><img src=x " +
	"onerror=alert(2)>\u202eevil\x07\n\x1b[2J\x1b]0;owned\x07\u009b2J"

// desk is a server over a harvest made for the tests, and a browser at it.
type desk struct {
	t       testing.TB
	server  *Server
	handler http.Handler
	folder  harvest.Folder
	cookie  *http.Cookie
}

var testTime = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func newDesk(t *testing.T) *desk {
	t.Helper()
	return newDeskOf(t, nil)
}

// newDeskOf is newDesk with accounts.
func newDeskOf(t *testing.T, accounts []Account) *desk {
	t.Helper()
	folder := harvest.Folder(filepath.Join(t.TempDir(), "gemo"))
	writeHarvest(t, folder)
	s, err := New(Options{
		Harvests: []Harvest{
			{Name: "gemo", Folder: folder, Sites: []string{"gemo", "scaled"}},
			{Name: "a b", Folder: harvest.Folder(filepath.Join(t.TempDir(), "none"))},
		},
		Secret: testSecret, Accounts: accounts, Now: func() time.Time { return testTime },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, server: s, handler: s.handler(), folder: folder}
}

// do sends a request as a browser at the desk's address does.
func (d *desk) do(method, target string, body io.Reader, change func(*http.Request)) *http.Response {
	d.t.Helper()
	r := httptest.NewRequest(method, target, body)
	r.Host = deskAddress
	at, err := net.ResolveTCPAddr("tcp", deskAddress)
	if err != nil {
		d.t.Fatal(err)
	}
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
	if d.cookie != nil {
		r.AddCookie(d.cookie)
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, r)
	return w.Result()
}

// enter opens the link.
func (d *desk) enter() {
	d.t.Helper()
	link, err := url.Parse(d.server.Link(deskAddress))
	if err != nil {
		d.t.Fatal(err)
	}
	r := d.do("GET", link.RequestURI(), nil, nil)
	if r.StatusCode != http.StatusSeeOther || len(r.Cookies()) != 1 {
		d.t.Fatalf("link: status %d, %d cookies", r.StatusCode, len(r.Cookies()))
	}
	d.cookie = r.Cookies()[0]
}

// get is the text of a page that must be there.
func (d *desk) get(target string) string {
	d.t.Helper()
	return d.text(d.do("GET", target, nil, nil), http.StatusOK)
}

func (d *desk) text(r *http.Response, status int) string {
	d.t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if r.StatusCode != status {
		d.t.Fatalf("status %d, want %d: %.300s", r.StatusCode, status, b)
	}
	return string(b)
}

// form is the token that the page's forms carry.
func (d *desk) form() string {
	d.t.Helper()
	m := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(d.get("/"))
	if m == nil {
		d.t.Fatal("the page has no form token")
	}
	return m[1]
}

// post sends a form from the desk's own page.
func (d *desk) post(target string, values url.Values, change func(*http.Request)) *http.Response {
	return d.do("POST", target, strings.NewReader(values.Encode()), func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+deskAddress)
		if change != nil {
			change(r)
		}
	})
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeHarvest makes what a delivered run leaves, with all that is hostile in it.
func writeHarvest(t *testing.T, folder harvest.Folder) {
	t.Helper()
	run := folder.Run(1)
	write(t, run.Status(),
		[]byte(`{"phase":"crawling","time":"2026-11-21T07:59:58Z","Since":"2026-11-21T07:58:00Z",`+
			`"Time":"2026-11-21T08:00:00Z","Visits":1234,"Captured":1200,"Failed":3,"Bytes":5000000,`+
			`"Left":60000000000,"Sites":[{"Name":"gemo","Open":2,"Epochs":4,"Settled":false}]}`))
	write(t, filepath.Join(run.Reports(), "report.json"), fmt.Appendf(nil,
		`{"harvest":"gemo","run":1,"seeds":[{"url":"http://www.gemo.example/","site":"gemo","status":200}],
"sites":[{"name":"gemo","boundary":"logical","pages":2,"folder":"000-gemo","title":%q,`+
			`"entry":"http://www.gemo.example/"}],
"hosts":[{"host":"www.gemo.example","fetched":{"urls":2,"bytes":10}}],"mime":[{"name":"text/html",`+
			`"urls":2,"bytes":10}],"status":[{"name":200,"urls":2,"bytes":10}],
"skipped":[{"reason":"outOfScope","urls":3,"examples":["http://other.example/a/"]}]}`,
		"T<script>alert(1)</script>\u202e"))
	m := &sitemap.Map{
		Site: "gemo", Boundary: "logical", Seeds: []page.URL{"http://www.gemo.example/"}, Title: evil,
		Converged: true, Known: 3,
		Blocks: []sitemap.Block{
			{Name: "prefix", Inside: 2, Known: 2, With: -1, Why: "prefix of the seeds"},
			{Name: "other.example/", Known: 1, Share: .1, Why: "only cited"},
		},
		Members: sitemap.MembersOf(
			sitemap.Member{URL: "http://www.gemo.example/", Why: sitemap.WhySeed, State: "fetched"},
			sitemap.Member{
				URL: "http://www.gemo.example/verso/a%3Cb%3E", Why: sitemap.WhyFlow,
				State: "known",
			},
		),
		Requisites: []sitemap.Requisite{{
			URL: "http://www.gemo.example/style.css",
			For: "http://www.gemo.example/", State: "fetched",
		}},
		Outside: []sitemap.Outsider{{
			URL: "http://other.example/a/", Reason: "outOfBoundary", Block: 1,
			Links: 1, From: "http://www.gemo.example/",
		}},
		Context: []sitemap.Neighbour{{
			URL: "http://near.example/b", Hops: 2, From: "http://other.example/a/",
			State: "fetched",
		}},
		Cut: []sitemap.CutEdge{{
			From: "http://www.gemo.example/", To: "http://other.example/a/", Block: -1,
			Capacity: 12_000,
		}},
	}
	long := page.URL("http://evil.example/" + strings.Repeat("long", 1<<19))
	m.Blocks = append(m.Blocks, sitemap.Block{
		Name:  "evil.example/" + evil + strings.Repeat("x", 1<<20),
		Known: 2, With: 0, Why: "a <b>why</b>\u202e",
	}, sitemap.Block{Name: "osage.example/verso/", Inside: 1, Known: 2, Share: .3, Why: "shares its links"})
	m.Outside = append([]sitemap.Outsider{
		{
			URL: "http://evil.example/<script>alert(4)</script>\u202e", Reason: "rule",
			Note: "prefix:http://evil.example/", Block: 2, Links: 1, From: "http://www.gemo.example/",
		},
		{
			URL: long, Reason: "outOfBoundary", Note: "mirror", Block: 2, Links: 1,
			From: "http://www.gemo.example/",
		},
	}, m.Outside...)
	dir := run.Site(0, "gemo")
	chart := &sitemap.Chart{Pages: []sitemap.Charted{
		{URL: m.Outside[0].URL},
		{URL: long},
		{URL: "http://other.example/a/", To: []uint32{3}},
		{URL: "http://www.gemo.example/", Cluster: sitemap.ClusterIn, To: []uint32{0, 1, 2, 4}},
		{URL: "http://www.gemo.example/verso/a%3Cb%3E"},
	}}
	writeMap(t, filepath.Join(dir, "map.json"), m)
	writeChart(t, dir, chart)
	scaled := scaledMap([]int{3, 2, 4}, 1)
	scaled.Requisites = []sitemap.Requisite{{
		URL: "http://s.example/p0000008", For: "http://s.example/",
		State: "known",
	}}
	writeMap(t, filepath.Join(run.Site(1, "scaled"), "map.json"), scaled)
	write(t, run.Config(), []byte(testYAML))
	write(t, run.Index(),
		[]byte(`example,gemo)/ 20261121080000 {"url": "http://www.gemo.example/", "mime": "text/html", `+
			`"status": "200", "digest": "sha256:00", "length": "10", "offset": "3", "filename": "a.warc.gz"}
example,gemo)/style.css 20261121080001 {"url": "http://www.gemo.example/style.css?<b>", "mime": `+
			`"warc/revisit", "status": "200", "length": "10", "offset": "13", "filename": "a.warc.gz"}
`))
	write(t, filepath.Join(run.Archive(), "a.warc.gz"), []byte("0123456789"))
	write(t, filepath.Join(run.Archive(), "other.txt"), []byte("no part of the archive"))
	err := archive.WriteWACZ(nil, filepath.Join(string(run), "gemo-0001.wacz"), archive.Package{
		WARCs: []string{filepath.Join(run.Archive(), "a.warc.gz")}, Index: run.Index(), Created: testTime,
		Pages: func(yield func(archive.PackagePage, error) bool) {
			yield(archive.PackagePage{
				ID: "1", URL: "http://www.gemo.example/", Date: archive.Date(testTime),
				Title: "Verso" + evil,
			}, nil)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, run.Orders(),
		[]byte(`{"time":"2026-11-21T07:59:00Z","by":"<script>alert(1)</script>","do":"limit",`+
			`"what":"limit of pages","new":"5000 pages","visits":12,"order":{"do":"limit",`+
			`"limit":"pages","value":5000}}
{"time":"2026-11-21T07:59:10Z","by":"anna","do":"exclude","what":"prefix:http://www.gemo.example/old/ `+
			`for site gemo","new":"exclude","effect":"12 URLs left the queue","visits":20}
{"time":"2026-11-21T07:5`))
	write(t, folder.Decisions(), []byte(`version: 1
decisions:
  - {do: exclude, site: gemo, rule: "prefix:http://www.gemo.example/old/", by: `+
		`"<script>alert(1)</script>", time: "2026-11-21T07:59:10Z", note: "a <b>note</b>"}
  - {do: alpha, site: scaled, alpha: 0.5, by: anna}
withdrawn:
  - {do: in, rule: "url:http://www.gemo.example/", by: anna, time: "2026-11-21", end: {by: berta, time: `+
		`"2026-11-21T07:00:00Z", note: "after all"}}
`))
	write(t, filepath.Join(dir, "surt.txt"), []byte("http://(example,gemo,\n"))
	write(t, filepath.Join(run.Logs(), "skipped.jsonl"), skippedText(t, 250))
	table := new(replica.Table)
	for i, state := range []replica.State{replica.Proposed, replica.Confirmed, replica.Rejected} {
		e := replica.Entry{
			From: fmt.Sprintf("m%d.example", i), To: "www.gemo.example", State: state,
			Method: "mirror", Found: testTime, Decided: testTime, By: "rule", Note: "a <b>note</b>",
			Evidence: replica.Evidence{Pages: 10, Common: 9, Tested: 5, Agreed: 5, Resemblance: .9},
		}
		if err := table.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := harvest.WriteTable(folder.Replicas(), table); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(run.Reports(), "forecast.json"),
		[]byte(`{"run":2,"requests":1500,"bytes":2500000,"seconds":90,"spared":7,"sparedBytes":1000,`+
			`"sparedSeconds":61,"sampled":3,"replicas":2}`))
	write(t, filepath.Join(run.Reports(), "recrawl.json"),
		[]byte(`{"requests":1400,"bytes":1200000,"seconds":100,"leftOut":6,"notModified":11,`+
			`"duplicates":12,"reopened":["m1.example/<i>"],"verified":null}`))
	write(t, folder.Rates(),
		[]byte(`{"version":1,"runs":{"2":[{"site":"gemo","group":"slow.example/","visits":99,`+
			`"changed":0,"days":10},{"site":"gemo","group":"fast.example/<i>","visits":10,"changed":10,`+
			`"days":10},{"site":"scaled","group":"none.example/","visits":3,"changed":3,"days":0}]}}`))
	write(t, filepath.Join(run.Reports(), "changes.json"),
		[]byte(`{"old":1,"new":2,"newTime":"2026-11-20T08:00:00Z","sites":[{"name":"gemo",`+
			`"counts":{"edited":1,"gone":1},"before":2,"after":2,"joined":["x.example/"]}],
"changes":[{"kind":"edited","url":"http://www.gemo.example/","site":"gemo","resemblance":0.7},`+
			`{"kind":"gone","url":"http://www.gemo.example/old","site":"gemo","resemblance":-1,`+
			`"status":404}]}`))
}

// testYAML is the harvest.yaml of the run: line 5 excludes, line 7 limits.
const testYAML = `harvest: gemo
operator: {name: Archive, contact: "mailto:a@archive.example"}
sites:
  - {name: other, seeds: ["http://other.example/"]}
  - {name: gemo, seeds: ["http://www.gemo.example/"], exclude: ["prefix:http://evil.example/"], links: ` +
	`[{from: "host:www.gemo.example", to: "regex:cal", do: leave}]}
traps:
  max_hops: 40
`

// skippedText is a skipped.jsonl of n lines and a few that are odd.
func skippedText(t *testing.T, n int) []byte {
	t.Helper()
	var b []byte
	add := func(s archive.Skipped) {
		var err error
		s.Time = testTime
		if b, err = s.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	reasons := []archive.Reason{archive.ReasonOutOfScope, archive.ReasonRobots, archive.ReasonMirror}
	for i := range n {
		s := archive.Skipped{
			URL:    page.URL(fmt.Sprintf("http://h%d.example/d%d/p%d", i%7, i%11, i)),
			Reason: reasons[i%3], Site: "gemo", Rule: fmt.Sprintf("rule %d", i%5),
		}
		if i%3 == 2 {
			s.Evidence = map[string]any{"representative": "http://www.gemo.example/"}
		}
		add(s)
	}
	add(archive.Skipped{
		URL:    "http://evil.example/<script>alert(3)</script>/\u202ex",
		Reason: "<b>", Rule: evil,
	})
	add(archive.Skipped{
		URL:    page.URL("http://evil.example/" + strings.Repeat("long", 1<<19)),
		Reason: archive.ReasonTrap,
	})
	return b
}

func writeChart(t testing.TB, dir string, c *sitemap.Chart) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, harvest.ChartFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.WriteLines(f), f.Close()); err != nil {
		t.Fatal(err)
	}
}
