package ui

import (
	"encoding/json"
	"math"
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
	m := ask("")
	var order []string
	for _, r := range m.Recrawl.Rates {
		order = append(order, r.Group)
	}
	if got := strings.Join(order, " "); got != "fast.example/<i> slow.example/ none.example/" {
		t.Errorf("the order is %s", got)
	}
	fast, none := m.Recrawl.Rates[0], m.Recrawl.Rates[2]
	if fast.PerDay == nil || fast.High != nil || fast.Next == nil || none.PerDay != nil || none.Next != nil {
		t.Errorf("%+v, %+v", fast, none)
	}
	if slow := m.Recrawl.Rates[1]; slow.PerDay == nil || math.Signbit(*slow.PerDay) {
		t.Errorf("what never changed: %+v", slow)
	}
	if n := ask("?site=scaled").Recrawl.RateCount; n != 1 {
		t.Errorf("%d rates of a site that has 1", n)
	}

	reports := d.folder.Run(2).Reports()
	write(t, filepath.Join(reports, "forecast.json"), []byte(`{"run":2,"requests":77}`))
	m = ask("")
	if m.Compared || m.Recrawl.Forecast.Requests != 77 || m.Recrawl.Outcome != nil ||
		m.Recrawl.Rates[0].Next != nil {
		t.Errorf("under way: %+v", m.Recrawl)
	}
	if text := d.get("/harvests/gemo/changes"); !strings.Contains(text,
		`<td class="n">77</td><td class="n"></td>`) {
		t.Error("the forecast of a run under way is not shown")
	}
	if m = ask("?run=run-0001"); m.Recrawl.Rates[0].Next != nil || m.Recrawl.Outcome == nil {
		t.Errorf("an earlier run: %+v", m.Recrawl)
	}
	if err := os.WriteFile(filepath.Join(reports, "forecast.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	d.text(d.do("GET", "/harvests/gemo/changes", nil, nil), 500)
}
