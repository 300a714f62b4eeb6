package harvest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"watershed/harvest/control"
	"watershed/report"
	"watershed/sitemap"
)

// drawnMap reads the map of a run's first site.
func drawnMap(t *testing.T, run Run, name string) (*sitemap.Map, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(run.Site(0, name), "map.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := sitemap.ReadMap(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m, text
}

// TestPresent: a run under way shows itself as it stands, and is what it would have been without;
// what was delivered takes the place of the drawings.
func TestPresent(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	p.Crawl.Workers = 1
	_, unseen := drawnMap(t, run(t, Folder(t.TempDir()), p).Run, "A")

	w.requests = nil
	folder := Folder(t.TempDir())
	look := func() Shown {
		s, err := folder.Shown(t.Context(), folder.Run(1), time.Second)
		if err != nil {
			t.Error(err)
		}
		return s
	}
	var first, second Shown
	h, err := ordered(t, folder, p, w, map[int]func(){
		19: func() {
			first = look()
			m, _ := drawnMap(t, first.Run, "A")
			fetched := m.Members.Fetched()
			if !first.Live || first.Drawing == nil || first.Drawing.Visits < 15 || fetched == 0 ||
				fetched > 19 || m.Converged {
				t.Errorf("%+v, %+v: %d pages fetched of %d, settled %v", first, first.Drawing, fetched,
					m.Members.Len(), m.Converged)
			}
			text, err := os.ReadFile(filepath.Join(first.Reports(), "report.json"))
			var r report.Report
			if err := errors.Join(err, json.Unmarshal(text, &r)); err != nil || len(r.Sites) != 1 ||
				r.Sites[0].Pages != fetched {
				t.Errorf("report of %d sites, %v", len(r.Sites), err)
			}
			if text, err := os.ReadFile(filepath.Join(first.Logs(), "skipped.jsonl")); err != nil ||
				bytes.Contains(text, []byte("a.example/docs")) {
				t.Errorf("what waits was left out, %v\n%s", err, text)
			}
		},
		22: func() { second = look() },
	})
	if err != nil {
		t.Fatal(err)
	}
	if second.Drawing == nil || second.Drawing.Number != 1 {
		t.Errorf("it was drawn again at once: %+v", second.Drawing)
	}
	s := look()
	if s.Live || s.Drawing == nil || s.Run != first.Run {
		t.Errorf("between crawl and delivery: %+v", s)
	}
	d, err := h.Deliver(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, h)
	if s = look(); s.Live || s.Drawing != nil || s.Run != d.Run {
		t.Errorf("delivered: %+v", s)
	}
	if _, err := os.Stat(filepath.Dir(d.Run.DrawingFile())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the drawings are still there: %v", err)
	}
	if _, seen := drawnMap(t, d.Run, "A"); !bytes.Equal(seen, unseen) {
		t.Error("the map is another one for having been looked at")
	}
}

// TestVisitsOfRecrawl: how far a recrawl is, is told in its own visits, not in those of all runs.
func TestVisitsOfRecrawl(t *testing.T) {
	w, site := wide()
	p := w.start(t, site)
	p.Crawl.Workers = 1
	folder := Folder(t.TempDir())
	run(t, folder, p)
	w.requests = nil
	var drawn uint64
	h, err := ordered(t, folder, p, w, map[int]func(){12: func() {
		give(t, folder, control.Order{Do: control.Limit, Limit: control.Pages, Value: 1000})
		s, err := folder.Shown(t.Context(), folder.Run(2), time.Minute)
		if err == nil && s.Drawing != nil {
			drawn = s.Drawing.Visits
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, h)
	orders, err := ReadOrders(folder.Run(2))
	if err != nil || len(orders) != 1 || orders[0].Visits > 12 || drawn == 0 || drawn > 12 {
		t.Errorf("of 12 requests: orders %+v, drawn after %d, %v", orders, drawn, err)
	}
}
