package harvest

import (
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
)

// A host that is down is stood in for by its mirrors, the surest that has the page; what is
// captured is the mirror's page.
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
		// which n is asked for instead
		w.pages["m.site.example/robots.txt"] = "User-agent: *\nDisallow: /c5\n"
		w.pages["www.site.example/"] = strings.ReplaceAll(w.pages["www.site.example/"],
			"http://m.site.example", "")
		p := w.start(t, site)
		p.Crawl.Sketch = new(sketch.Options)
		p.Replicas.Failover = failover
		p.Replicas.Override = new(replica.Table)
		for from, level := range map[string]int{"m.site.example": 1, "n.site.example": 3} {
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
