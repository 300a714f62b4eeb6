package harvest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
)

// A host that is down is stood in for by its mirrors, the surest that has the page, at last by one that
// nobody has classified; what is captured is the mirror's page.
func TestFailover(t *testing.T) {
	for status, failover := range map[string]bool{"500": true, "503": true, "502": false} {
		w, site := mirrored()
		for path := range w.pages {
			if rest, ok := strings.CutPrefix(path, "www.site.example/"); ok && rest != "" {
				w.pages[path] = status // the original is broken but for its home page
				w.pages["n.site.example/"+rest] = w.pages["m.site.example/"+rest]
			}
		}
		delete(w.pages, "m.site.example/c3")
		w.pages["m.site.example/c6"] = "-> http://www.site.example/c6"
		// which n is asked for instead
		w.pages["m.site.example/robots.txt"] = "User-agent: *\nDisallow: /c5\n"
		w.pages["www.site.example/"] = strings.ReplaceAll(w.pages["www.site.example/"],
			"http://m.site.example", "")
		p := w.start(t, site)
		p.Crawl.Sketch = new(sketch.Options)
		p.Replicas.Failover = failover
		p.Replicas.Override = new(replica.Table)
		for from, level := range map[string]int{
			"m.site.example": 1, "n.site.example": map[string]int{"500": 3}[status],
		} {
			err := p.Replicas.Override.Put(replica.Entry{
				From: from, To: "www.site.example",
				State: replica.Confirmed, Level: level, Decided: time.Now(),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		d := run(t, Folder(t.TempDir()), p)
		got := captured(t, d)
		for u, want := range map[page.URL]bool{
			"http://m.site.example/c1": failover, "http://n.site.example/c3": failover,
			"http://n.site.example/c5": failover, "http://n.site.example/c1": false,
			"http://n.site.example/c6": failover,
		} {
			if (got[string(u)] != "") != want {
				t.Errorf("status %s: %s is %q", status, u, got[string(u)])
			}
		}
		if told := notes(t, d)["http://www.site.example/c1"]["askedInstead"]; (told ==
			"http://m.site.example/c1") != failover {
			t.Errorf("status %s: the record of the page that failed names %q", status, told)
		}
	}
}

// TestStoppedBeforeStands: a run that is stopped tells no page to be left out for one that it does
// not have; it did not come to the page, as to others, and fetches it when it goes on.
func TestStoppedBeforeStands(t *testing.T) {
	_, folder, p := mirroredOnce(t)
	p.Replicas.Aliases = []string{"m.site.example = www.site.example"}
	p.Frontier.Limits.Bytes = 1000
	h, err := Open(folder, p)
	if err != nil {
		t.Fatal(err)
	}
	stop := h.Crawl(t.Context())
	d, err := h.Deliver(t.Context(), stop)
	if err := errors.Join(err, h.Close()); err != nil || !errors.Is(stop, frontier.ErrLimit) {
		t.Fatal(stop, err)
	}
	got, leftOut, waiting := captured(t, d), 0, 0
	for _, x := range readSkipped(t, d) {
		stand, out := x.Evidence["representative"].(string)
		if out && got[stand] == "" {
			t.Errorf("%s is left out for %s, which the run does not have: %v", x.URL, stand, x.Evidence)
		}
		if out {
			leftOut++
		} else if strings.HasPrefix(string(x.URL), "http://m.site.example/c") {
			waiting++
		}
	}
	if waiting == 0 {
		t.Error("the run came to all pages, so nothing was tried")
	}
	checkLedger(t, d, leftOut)
}
