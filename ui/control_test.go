package ui

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/sitemap"
)

// standIn takes the orders of a run that is not there.
type standIn struct {
	mu     sync.Mutex
	orders []control.Order
	answer func(control.Order) control.Answer
}

func (x *standIn) carryOut(o control.Order) control.Answer {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.orders = append(x.orders, o)
	return x.answer(o)
}

// given are the orders since the last call.
func (x *standIn) given() []control.Order {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.orders
	x.orders = nil
	return list
}

// underWay has orders to the desk's harvest carried out by a stand-in until the test ends.
func underWay(t *testing.T, d *desk, answer func(control.Order) control.Answer) *standIn {
	t.Helper()
	l, err := control.Listen(d.folder.Socket())
	if err != nil {
		t.Fatal(err)
	}
	x := &standIn{answer: answer}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Serve(ctx, x.carryOut) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return x
}

func said(control.Order) control.Answer {
	return control.Answer{Done: []control.Entry{{Time: testTime, By: "anna", Do: "pause", What: "the crawl"}}}
}

func TestOrders(t *testing.T) {
	d := newDesk(t)
	d.enter()
	token := d.form()
	post := func(values url.Values) *http.Response {
		values.Set("csrf", token)
		return d.post("/harvests/gemo/control", values, nil)
	}
	if r := post(url.Values{"do": {"pause"}}); r.StatusCode != http.StatusConflict {
		t.Errorf("no run: status %d", r.StatusCode)
	}
	run := underWay(t, d, func(o control.Order) control.Answer { return obey(t, d, o) })
	if r := d.post("/harvests/gemo/control", url.Values{"do": {"stop"}},
		nil); r.StatusCode != http.StatusForbidden || len(run.given()) > 0 {
		t.Errorf("without the form's token: status %d", r.StatusCode)
	}
	for _, c := range []struct {
		name   string
		values url.Values
		status int
		want   []control.Order
	}{
		{
			"pause",
			url.Values{"do": {"pause"}, "by": {" anna "}, "note": {"why\u202e"}},
			303,
			[]control.Order{{Do: "pause", By: "anna", Note: "why⟨U+202E⟩"}},
		},
		{
			"stop, and a host says nothing",
			url.Values{"do": {"stop"}, "host": {"x.example"}},
			303,
			[]control.Order{{Do: "stop", By: "archivist"}},
		},
		{
			"delay",
			url.Values{"do": {"delay"}, "host": {"WWW.Gemo.example"}, "value": {"2.5"}},
			303,
			[]control.Order{{Do: "delay", By: "archivist", Host: "www.gemo.example", Seconds: 2.5}},
		},
		{
			"delay of all, taken back",
			url.Values{"do": {"delay"}, "value": {""}},
			303,
			[]control.Order{{Do: "delay", By: "archivist"}},
		},
		{
			"megabytes",
			url.Values{"do": {"limit"}, "unit": {"megabytes"}, "value": {"1.5"}, "host": {"*"}},
			303,
			[]control.Order{{
				Do: "limit", By: "archivist", Limit: "bytes",
				Value: 1_500_000, Host: "*",
			}},
		},
		{
			"minutes",
			url.Values{"do": {"limit"}, "unit": {"minutes"}, "value": {"90"}},
			303,
			[]control.Order{{Do: "limit", By: "archivist", Limit: "time", Value: 5400}},
		},
		{"no unit", url.Values{"do": {"limit"}, "value": {"90"}}, 400, nil},
		{"no number", url.Values{"do": {"delay"}, "value": {"NaN"}}, 400, nil},
		{"no host", url.Values{"do": {"delay"}, "value": {"1"}, "host": {"a b/c"}}, 400, nil},
		{"no order", url.Values{"do": {"dance"}}, 400, nil},
		{"decisions are not made here", url.Values{"do": {"decisions"}}, 400, nil},
	} {
		r := post(c.values)
		if diff := cmp.Diff(c.want, run.given()); diff != "" || r.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d; orders %s", c.name, r.StatusCode, c.status, diff)
		}
	}
	run.answer = func(control.Order) control.Answer {
		return control.Answer{Error: "less than <b> robots.txt asks for", Refused: true}
	}
	if text := d.text(post(url.Values{"do": {"delay"}, "value": {"1"}}),
		http.StatusConflict); !strings.Contains(text, "less than &lt;b&gt; robots.txt") {
		t.Error(text)
	}
}

// TestOrderShows has a run tell of a pause a moment after it has obeyed, as runs do, whose status is
// renewed each second: the page that the form leads to tells of it nevertheless.
func TestOrderShows(t *testing.T) {
	d := newDesk(t)
	d.enter()
	token := d.form()
	told := make(chan control.Order, 1)
	underWay(t, d, func(o control.Order) control.Answer { told <- o; return said(o) })
	d.server.options.Now = func() time.Time { // called when a status was read
		select {
		case o := <-told:
			obey(t, d, o)
		default:
		}
		return testTime
	}
	r := d.post("/harvests/gemo/control", url.Values{"csrf": {token}, "do": {"pause"}}, nil)
	if text := d.get(r.Header.Get("Location")); !strings.Contains(text, "paused by hand") {
		t.Error("who has paused the run is not told so")
	}
}

func TestControlPage(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for _, c := range []struct {
		target string
		want   []string
	}{
		{"/harvests/gemo/control", []string{
			"The run is under way", "Pause</button>", "Set the delay",
			"limit of pages", "5000 pages", "12 URLs left the queue", "&lt;script&gt;",
		}},
		{"/harvests/a%20b/control", []string{"has not been started", "Nothing was changed"}},
		{"/harvests/gemo/decisions", []string{
			"prefix:http://www.gemo.example/old/", "&lt;script&gt;",
			"Withdraw<", "Withdrawn (1)", "<option value=\"scaled\">",
		}},
		{"/harvests/a%20b/decisions", []string{"Nothing was decided"}},
		{
			"/harvests/gemo/explain?url=http://www.gemo.example/old/1",
			[]string{"Decided: ", "prefix:http://www.gemo.example/old/ for site gemo", "Exclude</button>"},
		},
		{"/harvests/gemo/sites/001-scaled?at=0.2", []string{"Draw the boundary here"}},
	} {
		text := d.get(c.target)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", c.target, want)
			}
		}
		wellKept(t, c.target, text)
	}
	write(t, d.folder.Run(1).Status(),
		[]byte(`{"phase":"crawling","time":"2026-11-21T07:59:58Z","Held":true}`))
	if text := d.get("/harvests/gemo/control"); !strings.Contains(text, "paused by hand") ||
		!strings.Contains(text, "Go on</button>") {
		t.Error("the page does not say that the run is paused")
	}
	write(t, d.folder.Run(1).Status(), []byte(`{"phase":"crawling","time":"2026-11-21T07:59:08Z"}`))
	if text := d.get("/harvests/gemo/control"); !strings.Contains(text, "takes no orders") ||
		strings.Contains(text, "Pause</button>") {
		t.Error("a run that is not there can be paused")
	}
}

func TestDecisions(t *testing.T) {
	d := newDesk(t)
	d.enter()
	token := d.form()
	if err := os.Remove(d.folder.Decisions()); err != nil {
		t.Fatal(err)
	}
	post := func(values url.Values) int {
		values.Set("csrf", token)
		return d.post("/harvests/gemo/decisions", values, nil).StatusCode
	}
	held := func() (list []string) {
		l, err := harvest.ReadDecisions(d.folder.Decisions())
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Decisions {
			list = append(list, l.Decisions[i].String())
		}
		return list
	}
	if r := d.post("/harvests/gemo/decisions", url.Values{"do": {"in"}, "rule": {"http://a.example/"}},
		nil); r.StatusCode != http.StatusForbidden || held() != nil {
		t.Errorf("without the form's token: status %d", r.StatusCode)
	}
	page := "http://a.example/x"
	for _, c := range []struct {
		name   string
		values url.Values
		status int
		want   []string
	}{
		{
			"a page",
			url.Values{"do": {"in"}, "rule": {page}, "by": {"anna"}},
			303,
			[]string{"in url:http://a.example/x for each site, by anna on 2026-11-21 08:00:00"},
		},
		{
			"the same page, out",
			url.Values{"do": {"out"}, "rule": {page}, "note": {"no"}},
			303,
			[]string{"out url:http://a.example/x for each site, by archivist on 2026-11-21 08:00:01: no"},
		},
		{"no rule", url.Values{"do": {"exclude"}, "rule": {"a.example"}}, 400, nil},
		{"no site", url.Values{"do": {"exclude"}, "rule": {page}, "site": {"none"}}, 404, nil},
		{"no scale", url.Values{"do": {"alpha"}, "alpha": {"wide"}}, 400, nil},
		{"a scale beyond all", url.Values{"do": {"alpha"}, "alpha": {"1e9"}}, 400, nil},
		{"nothing to withdraw", url.Values{"do": {"exclude"}, "rule": {page}, "withdraw": {"yes"}}, 404, nil},
		{
			"withdrawn",
			url.Values{"do": {"out"}, "rule": {"url:" + page}, "withdraw": {"yes"}},
			303,
			[]string{},
		},
		{
			"a scale",
			url.Values{"do": {"alpha"}, "alpha": {"0.5"}, "site": {"scaled"}},
			303,
			[]string{"alpha for site scaled: 0.5, by archivist on 2026-11-21 08:00:00"},
		},
		{
			"a prefix",
			url.Values{"do": {"exclude"}, "rule": {page}, "below": {"yes"}, "site": {"gemo"}},
			303,
			[]string{
				"alpha for site scaled: 0.5, by archivist on 2026-11-21 08:00:00",
				"exclude prefix:http://a.example/x for site gemo, by archivist on 2026-11-21 08:00:00",
			},
		},
	} {
		before := held()
		status := post(c.values)
		want := c.want
		if want == nil {
			want = before
		}
		if got := held(); status != c.status || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: status %d, want %d; %q", c.name, status, c.status, got)
		}
	}
	back := d.post("/harvests/gemo/decisions", url.Values{
		"do": {"in"}, "rule": {page}, "explain": {page},
		"csrf": {token},
	}, nil)
	if to := back.Header.Get("Location"); to != "/harvests/gemo/explain?url=http%3A%2F%2Fa.example%2Fx" {
		t.Errorf("leads to %s", to)
	}

	run := underWay(t, d, said)
	answer := d.do("POST", apiRoot+"/harvests/gemo/decisions",
		strings.NewReader(`{"do":"soft","rule":"http://a.example/y","by":"berta"}`), func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+testSecret)
		})
	var ruled Ruled
	if err := json.Unmarshal([]byte(d.text(answer, http.StatusOK)), &ruled); err != nil || !ruled.Settled ||
		len(ruled.Done) != 1 || ruled.Decision.Do != decision.Soft {
		t.Errorf("%+v %v", ruled, err)
	}
	if got := run.given(); len(got) != 1 || got[0].Do != control.Decisions || got[0].By != "berta" {
		t.Errorf("orders %+v", got)
	}
}

// TestExplainLive: while a run takes orders it is asked itself.
func TestExplainLive(t *testing.T) {
	d := newDesk(t)
	d.enter()
	underWay(t, d, func(o control.Order) control.Answer {
		if o.Do != control.Explain || o.URL != "http://a.example/" {
			return control.Answer{Error: "what?"}
		}
		text, err := json.Marshal(harvest.Explanation{
			URL: o.URL,
			Sites: []harvest.SiteExplanation{{Site: "gemo", Explanation: sitemap.Explanation{
				URL:    o.URL,
				Inside: true,
			}, Text: "it is inside by <i>now</i>"}},
			Fetching: &harvest.Fetching{
				State: "pending", Tries: 2, Reason: "excluded",
				Rule: "prefix:http://a",
			},
		})
		if err != nil {
			return control.Answer{Error: err.Error()}
		}
		return control.Answer{Reply: text}
	})
	text := d.get("/harvests/gemo/explain?url=http://a.example/")
	for _, want := range []string{"By what the run under way knows so far. It is pending, after 2 tries " +
		"that failed: ", "it is inside by &lt;i&gt;now", "/sites/000-gemo"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	wellKept(t, "explain", text)
	path := filepath.Join("..", "docs", "formats", "openapi.json")
	api, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if path, err = filepath.Abs(path); err != nil {
		t.Fatal(err)
	}
	validate(t, path, api, "#/components/schemas/Explanation",
		d.get(apiRoot+"/harvests/gemo/explain?url=http://a.example/"))
}
