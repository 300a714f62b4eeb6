package harvest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/crawler"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/page"
	"watershed/sitemap"
)

// wide is a site of many pages that link to each other, in two directories, beside a stranger's
// host.
func wide() (*web, sitemap.Site) {
	var docs, print []string
	for i := range 12 {
		docs = append(docs, fmt.Sprintf("/docs/%d", i))
		print = append(print, fmt.Sprintf("/print/%d", i))
	}
	w := &web{
		pages: map[string]string{"a.example/": links(append(append([]string{"http://b.example/"}, docs...),
			print...)...)},
	}
	for i := range docs {
		w.pages["a.example"+docs[i]] = links("/", docs[(i+1)%12], print[i])
		w.pages["a.example"+print[i]] = links("/", docs[i])
	}
	w.pages["b.example/"] = links("/x", "/y")
	w.pages["b.example/x"] = links("/")
	w.pages["b.example/y"] = links("/")
	return w, sitemap.Site{Name: "A", Seeds: []page.URL{"http://a.example/"}}
}

// ordered opens a harvest and crawls it; order is called when the n-th request was answered, while
// all wait for it.
func ordered(t *testing.T, folder Folder, p Plan, w *web, at map[int]func()) (*Harvest, error) {
	t.Helper()
	w.onPage = func(n int) {
		if order := at[n]; order != nil {
			order()
		}
	}
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	return h, h.Crawl(t.Context())
}

func give(t *testing.T, folder Folder, o control.Order) control.Answer {
	t.Helper()
	o.By = "anna"
	a, err := folder.Order(t.Context(), o)
	if err != nil {
		t.Errorf("%+v: %v", o, err)
	}
	return a
}

func rule(t *testing.T, text string) page.Rule {
	t.Helper()
	r, err := page.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func decide(t *testing.T, folder Folder, d decision.Decision) ([]control.Entry, bool) {
	t.Helper()
	d.By, d.Time = "anna", time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	done, taken, err := folder.Decide(t.Context(), "anna", func(l *decision.List) error {
		_, err := l.Put(d)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return done, taken
}

func closed(t *testing.T, h *Harvest) {
	t.Helper()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// TestExcludeWhileItRuns: what waits and matches leaves the queue with the rule, what was fetched
// is not delivered, and the next run goes by it, too.
func TestExcludeWhileItRuns(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	var done []control.Entry
	h, err := ordered(t, folder, p, w, map[int]func(){19: func() {
		done, _ = decide(t, folder, decision.Decision{
			Do:   decision.Exclude,
			Rule: rule(t, "prefix:http://a.example/print/"), Note: "the same as /docs/",
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.Deliver(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, h)
	if len(done) != 1 || !strings.HasSuffix(done[0].Effect, "URLs left the queue") &&
		!strings.Contains(done[0].Effect, "URLs left the queue, ") || done[0].New != "exclude" ||
		done[0].By != "anna" {
		t.Errorf("entries %+v", done)
	}
	prints := 0
	for _, r := range w.requests {
		prints += strings.Count(r, "/print/")
	}
	if prints == 0 || prints > 8 {
		t.Errorf("%d pages of the excluded prefix were fetched in all, want those before the order", prints)
	}
	for u := range captured(t, d) {
		if strings.Contains(u, "/print/") {
			t.Errorf("%s is in the archive", u)
		}
	}
	if got := d.Maps[0].Members.Len(); got != 13 {
		t.Errorf("%d pages on the map, want 13", got)
	}
	text, err := os.ReadFile(filepath.Join(d.Run.Logs(), "skipped.jsonl"))
	if n := strings.Count(string(text), `"prefix:http://a.example/print/"`); err != nil || n < 12-prints ||
		!strings.Contains(string(text), "by anna on 2026-11-21 10:00:00: the same as /docs/") {
		t.Errorf("%d lines tell of the rule, %v\n%s", n, err, text)
	}
	if orders, err := ReadOrders(d.Run); err != nil || len(orders) != 1 || orders[0].Visits == 0 ||
		orders[0].What != "prefix:http://a.example/print/ for each site" {
		t.Errorf("orders %+v, %v", orders, err)
	}
	if !archived(t, d, "metadata://watershed/test/run-0001/orders/1") {
		t.Error("the order is not in the archive")
	}
	if _, taken := decide(t, folder, decision.Decision{
		Do:   decision.In,
		Rule: rule(t, "url:http://b.example/x"),
	}); taken {
		t.Error("a run that has ended took an order")
	}

	e, err := Examine(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Explain("http://a.example/print/1", 0)
	if err != nil || len(x.Sites[0].Decisions) != 1 || x.Sites[0].Inside {
		t.Errorf("%+v, %v", x, err)
	}
	var told strings.Builder
	if err := errors.Join(x.Text(&told), e.Close()); err != nil ||
		!strings.Contains(told.String(),
			"decided: exclude prefix:http://a.example/print/ for each site, by anna") {
		t.Errorf("%s %v", told.String(), err)
	}

	w.onPage, w.requests = nil, nil
	d = run(t, folder, p)
	for _, r := range w.requests {
		if strings.Contains(r, "/print/") {
			t.Errorf("the recrawl asked for %s", r)
		}
	}
	if got := captured(t, d); got["http://b.example/x"] == "" {
		t.Errorf("what was pinned between the runs is missing: %v", got)
	}
	text, err = os.ReadFile(d.Run.Decisions())
	if err != nil || !strings.Contains(string(text), "b.example/x") {
		t.Errorf("the run's own decisions: %v\n%s", err, text)
	}
}

// archived reports whether an address is in the index of a run.
func archived(t *testing.T, d *Delivered, uri string) bool {
	t.Helper()
	text, err := os.ReadFile(d.Run.Index())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), `"`+uri+`"`)
}

// TestPauseAndStop: a paused run asks for nothing; stopped, it goes on later. A pause that nobody
// ended holds over an interruption.
func TestPauseAndStop(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	p.Crawl.Workers = 2
	folder := Folder(t.TempDir())
	asked := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.requests)
	}
	atRest, interrupt := 0, context.CancelFunc(nil)
	p.Crawl.Progress = func(x crawler.Progress) {
		if !x.Held || x.Leased > 0 {
			return
		}
		if atRest == 0 { // and a second later
			atRest = asked()
			return
		}
		interrupt()
	}
	w.onPage = func(n int) {
		if n == 5 {
			give(t, folder, control.Order{Do: control.Pause, Note: "the operator asked"})
			give(t, folder, control.Order{Do: control.Pause})
		}
	}
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	interrupt = cancel
	if err := h.Crawl(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	closed(t, h)
	if now := asked(); now != atRest || now > 7 {
		t.Errorf("%d requests when it had come to rest, %d later", atRest, now)
	}

	p.Crawl.Progress = nil
	h, err = Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Paused {
		t.Error("the pause does not hold over an interruption")
	}
	crawled := make(chan error, 1)
	go func() { crawled <- h.Crawl(t.Context()) }()
	if a := give(t, folder, control.Order{Do: control.Stop}); len(a.Done) != 1 || a.Done[0].Old != "paused" {
		t.Errorf("stop: %+v", a)
	}
	if err := <-crawled; !errors.Is(err, ErrStopped) {
		t.Errorf("stopped: %v", err)
	}
	closed(t, h)
	if now := asked(); now != atRest {
		t.Errorf("%d requests while it was paused", now-atRest)
	}

	d := run(t, folder, p) // which is not paused: the stop ended that
	if d.Maps[0].Members.Len() != 25 {
		t.Errorf("%d pages", d.Maps[0].Members.Len())
	}
	orders, err := ReadOrders(d.Run)
	var did []string
	for _, e := range orders {
		did = append(did, e.Do+" "+e.Old+" "+e.New)
	}
	if want := []string{"pause running paused", "stop paused stopped"}; err != nil ||
		!slices.Equal(did, want) {
		t.Errorf("orders %q, want %q: %v", did, want, err)
	}
}

// TestLimitsAndDelays: what is set while a run goes on holds until it ends, also over an
// interruption; a host's delay holds on.
func TestLimitsAndDelays(t *testing.T) {
	w, site := wide()
	w.pages["a.example/robots.txt"] = "User-agent: *\nCrawl-delay: 0.02\n"
	p := w.start(t, site)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	refused := func(o control.Order, want string) {
		var r *control.RefusedError
		if _, err := folder.Order(t.Context(), o); !errors.As(err, &r) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	h, err := ordered(t, folder, p, w, map[int]func(){
		3: func() {
			refused(control.Order{Do: control.Delay, Host: "a.example", Seconds: 0.01}, "less than the 20ms")
			a := give(t, folder, control.Order{Do: control.Delay, Host: "none.example", Seconds: 1})
			if !strings.Contains(a.Done[0].What, "has not met so far") {
				t.Errorf("a host that the run does not know: %+v", a.Done)
			}
			refused(control.Order{Do: control.Delay, Seconds: 0.0001}, "less than the 1ms")
			give(t, folder, control.Order{Do: control.Delay, Host: "a.example", Seconds: 0.025})
			give(t, folder, control.Order{Do: control.Delay, Seconds: 0.002})
			give(t, folder, control.Order{
				Do: control.Limit, Limit: control.Bytes, Host: control.EachHost,
				Value: 1 << 30,
			})
			give(t, folder, control.Order{
				Do: control.Limit, Limit: control.Pages,
				Host: "b.example", Value: 7,
			})
			give(t, folder, control.Order{Do: control.Limit, Limit: control.Seconds, Value: 3600})
		},
		5: func() {
			give(t, folder, control.Order{Do: control.Limit, Limit: control.Pages, Value: 6})
			give(t, folder, control.Order{Do: control.Limit, Limit: control.Bytes, Value: 1})
		},
	})
	if err == nil || !strings.Contains(err.Error(), "limit") {
		t.Fatalf("crawl: %v, want the limit of bytes", err)
	}
	closed(t, h)
	if h, err = Open(folder, p); err != nil {
		t.Fatal(err)
	}
	harvest, each := h.frontier.Limits("a.example")
	_, b := h.frontier.Limits("b.example")
	if harvest.Pages != 6 || harvest.Bytes != 1 || each.Bytes != 1<<30 || b.Pages != 7 || b.Bytes != 1<<30 ||
		h.crawl.Time() != time.Hour || h.frontier.LeastDelay() != 2*time.Millisecond {
		t.Errorf("limits %+v, %+v, %+v, time %v, delay %v", harvest, each, b, h.crawl.Time(),
			h.frontier.LeastDelay())
	}
	if info, _ := h.frontier.Host("a.example"); info.MinDelay != 25*time.Millisecond {
		t.Errorf("host %+v", info)
	}
	closed(t, h)
}

// TestDecideWhileItRuns: pins, soft sources and scales are settled at once, taken back as well, and
// explained by the run itself.
func TestDecideWhileItRuns(t *testing.T) {
	w, site := wide()
	p := w.start(t, site, sitemap.Site{
		Name: "B", Seeds: []page.URL{"http://b.example/x"},
		Boundary: sitemap.List,
	})
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	h, err := ordered(t, folder, p, w, map[int]func(){
		6: func() {
			decide(t, folder, decision.Decision{
				Do: decision.In, Site: "A",
				Rule: rule(t, "prefix:http://b.example/"),
			})
			decide(t, folder, decision.Decision{
				Do: decision.Out, Site: "A",
				Rule: rule(t, "url:http://a.example/docs/3"),
			})
			decide(t, folder, decision.Decision{
				Do: decision.Soft, Site: "A",
				Rule: rule(t, "url:http://c.example/"),
			})
			decide(t, folder, decision.Decision{Do: decision.Alpha, Alpha: 0.5})
			decide(t, folder, decision.Decision{
				Do: decision.Exclude, Site: "A",
				Rule: rule(t, "prefix:http://a.example/print/"),
			})
		},
		9: func() {
			a := give(t, folder, control.Order{Do: control.Explain, URL: "http://a.example/docs/3"})
			var x Explanation
			if err := json.Unmarshal(a.Reply, &x); err != nil || len(x.Sites) != 2 || x.Sites[0].Inside ||
				x.Sites[0].Note != "url:http://a.example/docs/3" || x.Sites[0].Alpha != 0.5 ||
				x.Host == nil || x.Host.Pending == 0 {
				t.Errorf("%s %v", a.Reply, err)
			}
			if _, err := folder.Order(t.Context(), control.Order{
				Do:  control.Explain,
				URL: "http://a.example/", Alpha: 1e9,
			}); err == nil {
				t.Error("a scale that is none was explained")
			}
			done, taken, err := folder.Decide(t.Context(), "berta", func(l *decision.List) error {
				return l.Withdraw(decision.Decision{
					Do: decision.Exclude, Site: "A",
					Rule: rule(t, "prefix:http://a.example/print/"),
				},
					decision.Change{By: "berta", Note: "after all"})
			})
			if err != nil || !taken || len(done) != 1 || done[0].By != "berta" || done[0].Old != "exclude" ||
				!strings.Contains(done[0].Effect, "wanted again") {
				t.Errorf("%+v %v %v", done, taken, err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := h.Deliver(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, h)
	got := captured(t, d)
	if d.Maps[0].Members.Len() != 27 || got["http://a.example/docs/3"] != "" ||
		got["http://b.example/y"] == "" || got["http://a.example/print/11"] == "" {
		t.Errorf("%d pages; %v", d.Maps[0].Members.Len(), got)
	}
	if d.Maps[0].Alpha() != 0.5 || !d.Complete || !d.Maps[0].Converged {
		t.Errorf("alpha %v, complete %v", d.Maps[0].Alpha(), d.Complete)
	}
}

// TestDecidedBetween: what is decided while a run is interrupted is settled when it goes on.
func TestDecidedBetween(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	decide(t, folder, decision.Decision{
		Do:   decision.Exclude,
		Rule: rule(t, "prefix:http://a.example/docs/1"),
	})
	h, err := ordered(t, folder, p, w,
		map[int]func(){8: func() { give(t, folder, control.Order{Do: control.Stop}) }})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	closed(t, h)
	decide(t, folder, decision.Decision{
		Do:   decision.Exclude,
		Rule: rule(t, "prefix:http://a.example/print/"),
	})
	err = folder.EditDecisions(func(l *decision.List) error {
		return l.Withdraw(decision.Decision{
			Do:   decision.Exclude,
			Rule: rule(t, "prefix:http://a.example/docs/1"),
		}, decision.Change{By: "anna"})
	})
	if err != nil {
		t.Fatal(err)
	}
	before := len(w.requests)
	d := run(t, folder, p)
	for _, r := range w.requests[before:] {
		if strings.Contains(r, "/print/") {
			t.Errorf("asked for %s", r)
		}
	}
	if d.Maps[0].Members.Len() != 13 {
		t.Errorf("%d pages, want 13: those of /docs/1 came back", d.Maps[0].Members.Len())
	}
	orders, err := ReadOrders(d.Run)
	if err != nil || len(orders) != 3 || orders[1].Do != "withdraw" || orders[2].New != "exclude" {
		t.Errorf("orders %+v, %v", orders, err)
	}
}

// TestExcludedBetween: what waited when a run was interrupted is not asked for where a rule of its site
// excludes it since, but for what another site wants, and is asked for where the rule is gone again.
func TestExcludedBetween(t *testing.T) {
	w, site := wide()
	other := sitemap.Site{
		Name: "B", Seeds: []page.URL{"http://a.example/print/3"}, Boundary: sitemap.List,
	}
	p := w.start(t, site, other)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	asked := 0
	stopped := func() {
		t.Helper()
		n := len(w.requests) + 3
		h, err := ordered(t, folder, p, w,
			map[int]func(){n: func() { give(t, folder, control.Order{Do: control.Stop}) }})
		if !errors.Is(err, ErrStopped) {
			t.Fatal(err)
		}
		closed(t, h)
	}
	printed := func() (n int) {
		for _, r := range w.requests[asked:] {
			if strings.HasPrefix(r, "a.example/print/") && r != "a.example/print/3" {
				n++
			}
		}
		return n
	}
	stopped()
	p.Sites[0].Exclude = []page.Rule{rule(t, "prefix:http://a.example/print/")}
	asked = len(w.requests)
	stopped()
	if n := printed(); n != 0 {
		t.Errorf("%d pages were asked for that the rule excludes", n)
	}
	p.Sites[0].Exclude = nil
	got := captured(t, run(t, folder, p))
	for i := range 12 {
		if u := fmt.Sprintf("http://a.example/print/%d", i); got[u] == "" {
			t.Errorf("%s is not had once the rule is gone", u)
		}
	}
}

// TestExtendByDecision: what is pinned after a run is all that a run which extends it asks for.
func TestExtendByDecision(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	d := run(t, folder, p)
	if captured(t, d)["http://b.example/x"] != "" {
		t.Fatal("the stranger's page is in the archive before it was pinned")
	}
	decide(t, folder, decision.Decision{Do: decision.In, Rule: rule(t, "url:http://b.example/x")})
	p.Extend, w.requests = true, nil
	d = run(t, folder, p)
	if got := captured(t, d); got["http://b.example/x"] == "" || got["http://a.example/"] != "" {
		t.Errorf("the extension has %v", got)
	}
	for _, r := range w.requests {
		if !strings.HasPrefix(r, "b.example/") {
			t.Errorf("the extension asked for %s", r)
		}
	}
}

// TestOrdersOfAnInterruptedRun: a run goes on with the orders of its log though a crash has cut the last line
// short, though a line is very long, and though the YAML does not allow one of them any more; further orders
// are read again as well.
func TestOrdersOfAnInterruptedRun(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	h, err := ordered(t, folder, p, w, map[int]func(){5: func() {
		give(t, folder, control.Order{Do: control.Delay, Seconds: .002})
		give(t, folder, control.Order{Do: control.Limit, Limit: control.Files, Value: 1000})
		give(t, folder, control.Order{Do: control.Stop})
	}})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	closed(t, h)
	path := folder.Run(1).Orders()
	text, err := os.ReadFile(path)
	check(t, err)
	long := fmt.Sprintf(`{"do":"exclude","effect":%q}`+"\n", strings.Repeat("x", 2<<20))
	check(t, os.WriteFile(path, []byte(long+string(text)+`{"time":"2026-11`), 0o666))

	p.Frontier.Politeness.Min = 5 * time.Millisecond
	h, err = ordered(t, folder, p, w, map[int]func(){len(w.requests) + 2: func() {
		give(t, folder, control.Order{Do: control.Limit, Limit: control.Files, Value: 2000})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if all, _ := h.frontier.Limits(""); all.Files != 2000 {
		t.Errorf("limits %+v", all)
	}
	closed(t, h)
	list, err := ReadOrders(folder.Run(1))
	if err != nil || len(list) != 5 || list[4].Order == nil || list[4].Order.Value != 2000 {
		t.Errorf("%d orders, %v", len(list), err)
	}
}

// TestOrdersBefore: what was ordered before a run was there holds for it from its beginning, for hosts that
// it does not know yet, too, until somebody orders otherwise; a run that goes on does not carry it out again.
func TestOrdersBefore(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	text, err := json.Marshal([]KeptOrder{
		{time.Now(), control.Order{Do: control.Delay, Host: "a.example", Seconds: 3, By: "anna"}},
		{time.Now(), control.Order{Do: control.Delay, Seconds: 0.00001, By: "anna"}}, // less than is allowed
		{time.Now(), control.Order{Do: control.Limit, Limit: control.Pages, Host: "a.example", Value: 7}},
		{time.Now(), control.Order{Do: control.Pause, By: "anna"}},
	})
	if err == nil {
		err = os.WriteFile(folder.Kept(), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{3 * time.Second, 3 * time.Second, 5 * time.Second} {
		h, err := Open(folder, p)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := h.frontier.Host("a.example")
		_, limits := h.frontier.Limits("a.example")
		log, err := ReadOrders(h.run)
		if err != nil || info.MinDelay != want || limits.Pages != 7 || h.Paused != (i < 2) ||
			len(log) != []int{3, 3, 5}[i] {
			t.Errorf("open %d: %+v, %+v, paused %v, %+v, %v", i, info, limits, h.Paused, log, err)
		}
		if i == 1 {
			give(t, folder, control.Order{Do: control.Delay, Host: "a.example", Seconds: 5})
			give(t, folder, control.Order{Do: control.Resume})
		}
		closed(t, h)
	}
}
