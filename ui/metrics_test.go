package ui

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"watershed/crawler"
	"watershed/harvest"
)

// dashboard is what the test needs of docs/grafana.json.
type dashboard struct {
	Templating struct {
		List []struct {
			Name  string `json:"name"`
			Query any    `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID      int    `json:"id"`
		Title   string `json:"title"`
		GridPos struct {
			X, Y, W, H int
		} `json:"gridPos"`
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
}

// TestDashboard holds docs/grafana.json against /metrics, as it answers: the dashboard names no
// metric that is not told, and shows each that is; counters as rates, gauges as they are; and its
// panels do not overlap.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board dashboard
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	d.enter()
	kinds := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(d.get("/metrics"),
		-1) {
		kinds[m[1]] = m[2]
	}
	metric, counted := regexp.MustCompile(`watershed_\w+`),
		regexp.MustCompile(`rate\((watershed_\w+)\{harvest=~"\$harvest"\}\[\$__rate_interval\]\)`)
	shown := map[string]bool{}
	for i, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("panel %q shows nothing", p.Title)
		}
		for _, x := range p.Targets {
			var rates []string
			for _, m := range counted.FindAllStringSubmatch(x.Expr, -1) {
				rates = append(rates, m[1])
			}
			for _, name := range metric.FindAllString(x.Expr, -1) {
				shown[name] = true
				if kinds[name] == "" {
					t.Errorf("panel %q: there is no metric %s", p.Title, name)
				}
				if (kinds[name] == "counter") != slices.Contains(rates, name) {
					t.Errorf("panel %q: %s is a %s: %s", p.Title, name, kinds[name], x.Expr)
				}
			}
		}
		a := p.GridPos
		for _, q := range board.Panels[:i] {
			b := q.GridPos
			if p.ID == q.ID || a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("panels %q and %q overlap", p.Title, q.Title)
			}
		}
	}
	for name := range kinds {
		if !shown[name] {
			t.Errorf("%s is not shown", name)
		}
	}
	for _, name := range metric.FindAllString(string(text), -1) {
		if kinds[name] == "" {
			t.Errorf("there is no metric %s", name)
		}
	}
	variables := map[string]bool{}
	for _, v := range board.Templating.List {
		variables[v.Name] = true
	}
	for _, m := range regexp.MustCompile(`\$\{?([a-z]\w*)`).FindAllStringSubmatch(string(text), -1) {
		if !variables[m[1]] {
			t.Errorf("there is no variable %s", m[1])
		}
	}
}

// BenchmarkEvent is what a browser that watches costs each second: a look at status.json, and an
// event.
func BenchmarkEvent(b *testing.B) {
	run := harvest.Folder(b.TempDir()).Run(1)
	if err := run.Make(); err != nil {
		b.Fatal(err)
	}
	p := crawler.Progress{Visits: 1 << 20, Pending: 1 << 20}
	for i := range 20 {
		p.Sites = append(p.Sites, crawler.SiteProgress{Name: fmt.Sprintf("site %d", i), Open: i})
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(run.Status(), text, 0o666); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		x, err := ReadStatus(run, testTime)
		if err != nil {
			b.Fatal(err)
		}
		if err := writeEvent(httptest.NewRecorder(), x, time.Time{}); err != nil {
			b.Fatal(err)
		}
	}
}
