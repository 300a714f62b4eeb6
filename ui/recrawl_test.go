package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecrawl looks at a recrawl that has ended, at one that is under way, and at an earlier run.
func TestRecrawl(t *testing.T) {
	d := newDesk(t)
	d.enter()
	ask := func(query string) (m ChangesModel) {
		t.Helper()
		if err := json.Unmarshal([]byte(d.get(apiRoot+"/harvests/gemo/changes"+query)), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	reports := d.folder.Run(2).Reports()
	write(t, filepath.Join(reports, "forecast.json"), []byte(`{"run":2,"requests":77}`))
	m := ask("")
	if m.Compared || m.Recrawl.Forecast.Requests != 77 || m.Recrawl.Outcome != nil {
		t.Errorf("under way: %+v", m.Recrawl)
	}
	if text := d.get("/harvests/gemo/changes"); !strings.Contains(text,
		`<td class="n">77</td><td class="n"></td>`) {
		t.Error("the forecast of a run under way is not shown")
	}
	if m = ask("?run=run-0001"); m.Recrawl.Outcome == nil {
		t.Errorf("an earlier run: %+v", m.Recrawl)
	}
	if err := os.WriteFile(filepath.Join(reports, "forecast.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	d.text(d.do("GET", "/harvests/gemo/changes", nil, nil), 500)
}
