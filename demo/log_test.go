package demo

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

func TestPoliteness(t *testing.T) {
	const (
		gemo    page.Host = "www.gemo.example"
		library page.Host = "catalogue.library.example"
		tired   page.Host = "tired.example"
	)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(host page.Host, path string, from, until int, status int) Request {
		return Request{
			Host: host, Path: path, Start: begin.Add(time.Duration(from) * time.Millisecond),
			End: begin.Add(time.Duration(until) * time.Millisecond), Status: status,
		}
	}
	for _, x := range []struct {
		name                       string
		log                        []Request
		repeats, disallowed, hasty int
		host                       page.Host
		want                       HostReport
	}{
		{"in order", []Request{
			at(gemo, "/", 0, 10, 200), at(gemo, "/a", 60, 70, 200),
			at(gemo, "/b", 200, 201, 200),
		}, 0, 0, 0, gemo, HostReport{3, 1, 50 * time.Millisecond}},
		{
			"too soon",
			[]Request{at(gemo, "/", 0, 10, 200), at(gemo, "/a", 40, 50, 200)},
			0, 0, 1, gemo,
			HostReport{2, 1, 30 * time.Millisecond},
		},
		{
			"at once",
			[]Request{at(gemo, "/", 0, 100, 200), at(gemo, "/a", 40, 50, 200)},
			0, 0, 1, gemo,
			HostReport{2, 2, -60 * time.Millisecond},
		},
		{
			"two hosts at once",
			[]Request{at(gemo, "/", 0, 100, 200), at(tired, "/a", 40, 50, 200)},
			0, 0, 0,
			gemo,
			HostReport{1, 1, 0},
		},
		{"after the longer one", []Request{
			at(gemo, "/", 0, 1000, 200), at(gemo, "/a", 10, 20, 200),
			at(gemo, "/b", 500, 510, 200),
		}, 0, 0, 2, gemo, HostReport{3, 2, -990 * time.Millisecond}},
		{
			"again",
			[]Request{at(gemo, "/", 0, 10, 404), at(gemo, "/", 100, 110, 404)},
			1, 0, 0, gemo,
			HostReport{2, 1, 90 * time.Millisecond},
		},
		{
			"again after an error",
			[]Request{at(gemo, "/", 0, 10, 500), at(gemo, "/", 100, 110, 200)},
			0, 0, 0,
			gemo,
			HostReport{2, 1, 90 * time.Millisecond},
		},
		{"robots.txt again", []Request{at(gemo, "/robots.txt", 0, 10, 200), at(gemo, "/robots.txt", 100, 110,
			200)}, 0, 0, 0, gemo, HostReport{2, 1, 90 * time.Millisecond}},
		{
			"forbidden",
			[]Request{at(gemo, "/intranet/login.html", 0, 10, 200)},
			0, 1, 0, gemo,
			HostReport{1, 1, 0},
		},
		{"Crawl-delay", []Request{
			at(library, "/", 0, 10, 200), at(library, "/a", 100, 110, 200),
			at(library, "/b", 1200, 1210, 200),
		}, 0, 0, 1, library, HostReport{3, 1, 90 * time.Millisecond}},
		{"Crawl-delay is not known before", []Request{
			at(library, "/robots.txt", 0, 10, 200),
			at(library, "/a", 100, 110, 200),
		}, 0, 0, 0, library, HostReport{2, 1, 90 * time.Millisecond}},
		{
			"Retry-After",
			[]Request{at(tired, "/", 0, 10, 503), at(tired, "/", 500, 510, 200)},
			0, 0, 1, tired,
			HostReport{2, 1, 490 * time.Millisecond},
		},
		{
			"Retry-After kept",
			[]Request{at(tired, "/", 0, 10, 503), at(tired, "/", 1010, 1020, 200)},
			0, 0, 0,
			tired,
			HostReport{2, 1, time.Second},
		},
		{
			"unknown host",
			[]Request{at("x.example", "/", 0, 10, 421)},
			0, 0, 0, "x.example",
			HostReport{1, 1, 0},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := New(Options{})
			for _, r := range x.log {
				w.note(r)
			}
			rep := w.Politeness(50 * time.Millisecond)
			if len(rep.Repeats) != x.repeats || len(rep.Disallowed) != x.disallowed ||
				len(rep.Hasty) != x.hasty {
				t.Errorf("repeats %v, disallowed %v, hasty %v", rep.Repeats, rep.Disallowed, rep.Hasty)
			}
			if ok := x.repeats+x.disallowed+x.hasty == 0; rep.ok() != ok {
				t.Errorf("OK is %v", rep.ok())
			}
			if diff := cmp.Diff(x.want, rep.Hosts[x.host]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLog(t *testing.T) {
	w, c := start(t, Options{})
	get(t, c, "http://www.gemo.example/")
	get(t, c, "http://www.gemo.example/x?y=z")
	log := w.Log()
	if len(log) != 2 || log[0].URL() != "http://www.gemo.example/" ||
		log[1].URL() != "http://www.gemo.example/x?y=z" || log[1].Status != 404 {
		t.Fatalf("log %v", log)
	}
	for _, r := range log {
		if r.Start.IsZero() || r.End.Before(r.Start) {
			t.Errorf("%s began at %v and ended at %v", r.Path, r.Start, r.End)
		}
	}
	if rep := w.Politeness(0); !rep.ok() || rep.Hosts["www.gemo.example"].Requests != 2 {
		t.Errorf("%+v", rep)
	}
	w.clearLog()
	if len(w.Log()) != 0 {
		t.Error("the log is not cleared")
	}
}

// clearLog forgets all requests, for example between two harvests. Hosts that refused do not do so
// again.
func (w *Web) clearLog() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}

// ok tells that nobody was bothered.
func (r *Report) ok() bool { return len(r.Repeats)+len(r.Disallowed)+len(r.Hasty) == 0 }
