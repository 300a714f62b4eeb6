package harvest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/crawler"
	"watershed/harvest/control"
)

// TestOrdersInEachPhase: an order is carried out, kept for later, or refused with the reason,
// whatever the run is doing.
func TestOrdersInEachPhase(t *testing.T) {
	all := []control.Order{
		{Do: control.Stop},
		{Do: control.Pause},
		{Do: control.Resume},
		{Do: control.Decisions},
		{Do: control.Delay, Seconds: 5},
		{Do: control.Limit, Limit: control.Pages, Value: 5},
		{Do: control.Explain, URL: "http://a.example/"},
		{Do: control.Present},
	}
	for _, tt := range []struct {
		phase string
		later string // orders that are kept
		now   string // orders that are carried out
	}{
		{control.Opening, "stop pause resume decisions", ""},
		{control.Crawling, "", "stop pause resume decisions delay limit explain present"},
		{control.Delivering, "", "stop"},
	} {
		for _, o := range all {
			r := &reception{phase: tt.phase}
			now, a, err := r.admit(&o)
			var refused *control.PhaseError
			kept, done := strings.Contains(tt.later, o.Do), strings.Contains(tt.now, o.Do)
			if now != done || kept != (a.Later != "") || kept != (len(r.early) == 1) ||
				(errors.As(err, &refused) && refused.Phase == tt.phase) == (kept || done) {
				t.Errorf("%s, %s: now %v, %+v, %v", tt.phase, o.Do, now, a, err)
			}
			if err != nil && !errors.Is(err, control.ErrNoRun) {
				t.Errorf("%s, %s: %v is not as if no run were there", tt.phase, o.Do, err)
			}
			if r.stopped != (o.Do == control.Stop) {
				t.Errorf("%s, %s: stopped %v", tt.phase, o.Do, r.stopped)
			}
		}
	}
}

// TestKeptOrders: what was ordered while a harvest was opened is carried out before anything is
// asked for.
func TestKeptOrders(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	h, err := Open(Folder(t.TempDir()), p)
	if err != nil {
		t.Fatal(err)
	}
	h.reception.phase = control.Opening // nobody asks
	for _, o := range []control.Order{{Do: control.Pause, By: "anna"}, {Do: control.Stop, By: "anna"}} {
		if a := h.reception.answer(o); a.Later == "" || a.Error != "" {
			t.Errorf("%s: %+v", o.Do, a)
		}
	}
	if err := h.reception.open(h.clerk.carryOut, h.drawer.present); err != nil || !h.crawl.Held() {
		t.Errorf("paused %v, %v", h.crawl.Held(), err)
	}
	if err := h.Crawl(t.Context()); !errors.Is(err, ErrStopped) || len(w.requests) > 0 {
		t.Errorf("%d requests, %v", len(w.requests), err)
	}
	closed(t, h)
	if list, err := ReadOrders(h.run); err != nil || len(list) != 2 || list[0].New != "paused" ||
		list[1].New != "stopped" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestOrderWhileOthersAreCarriedOut: an order that comes while those are carried out that were kept
// is carried out after them, so that the last one given holds.
func TestOrderWhileOthersAreCarriedOut(t *testing.T) {
	r := &reception{phase: control.Opening}
	r.answer(control.Order{Do: control.Pause})
	var done []string
	err := r.open(func(o *control.Order) (control.Answer, error) {
		if o.Do == control.Pause {
			r.answer(control.Order{Do: control.Resume})
		}
		done = append(done, o.Do)
		return control.Answer{}, nil
	}, nil)
	if got := strings.Join(done, " "); err != nil || got != "pause resume" || r.phase != control.Crawling {
		t.Errorf("%s, %s, %v", got, r.phase, err)
	}
}

// TestStopDelivery: a stop ends what is delivered just then, and the next start delivers the same.
func TestStopDelivery(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	folder := Folder(t.TempDir())
	h, err := ordered(t, folder, p, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	var refused *control.PhaseError
	if _, err := folder.Order(t.Context(), control.Order{Do: control.Pause}); !errors.As(err, &refused) ||
		refused.Phase != control.Delivering ||
		!strings.Contains(refused.Reason, "nothing is asked for any more") {
		t.Errorf("a pause: %v", err)
	}
	if a := give(t, folder, control.Order{Do: control.Stop}); len(a.Done) != 1 {
		t.Errorf("a stop: %+v", a)
	}
	if _, err := h.Deliver(t.Context(), nil); !errors.Is(err, ErrStopped) {
		t.Errorf("delivered: %v", err)
	}
	closed(t, h)
	asked := len(w.requests)
	if d := run(t, folder, p); d.Maps[0].Members.Len() != 25 || !d.Complete || len(w.requests) != asked {
		t.Errorf("%d pages, complete %v, %d requests more", d.Maps[0].Members.Len(), d.Complete,
			len(w.requests)-asked)
	}
}

// TestDeliverLetsGo: the survey is let go of once the maps are drawn, and delivering again gives
// the same.
func TestDeliverLetsGo(t *testing.T) {
	w, site := wide()
	h, err := Open(Folder(t.TempDir()), w.start(t, site))
	if err != nil {
		t.Fatal(err)
	}
	crawled := h.Crawl(t.Context())
	first, err := h.Deliver(t.Context(), crawler.ErrTime)
	if err := errors.Join(crawled, err); err != nil {
		t.Fatal(err)
	}
	if n := h.atlas.survey.Known(); n > 0 {
		t.Errorf("the survey still knows %d URLs", n)
	}
	read := func() (all string) {
		for _, name := range []string{"map.json", "links.jsonl", "surt.txt"} {
			text, err := os.ReadFile(filepath.Join(h.run.Site(0, site.Name), name))
			if err != nil {
				t.Fatal(err)
			}
			all += string(text)
		}
		return all
	}
	before := read()
	second, err := h.Deliver(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	maps, err := h.Maps()
	if err != nil || len(maps) != 1 || !maps[0].Members.Equal(first.Maps[0].Members) || !second.Complete ||
		second.Kept != first.Kept || read() != before {
		t.Errorf("%+v, %+v, %v", first, second, err)
	}
	closed(t, h)
}
