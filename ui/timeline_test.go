package ui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTimeline looks at four runs: one that was delivered alone, two recrawls, and one under way.
func TestTimeline(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for n := 2; n <= 3; n++ {
		run := d.folder.Run(n)
		write(t, filepath.Join(run.Reports(), "changes.json"),
			fmt.Appendf(nil, `{"old":%d,"new":%d,"newTime":"2026-11-2%dT08:00:00Z","unknown":[1],
"sites":[{"name":"gemo","counts":{"unchanged":90,"edited":%d,"links":1,"rewritten":1,"moved":3,"gone":2,`+
				`"failed":1,"unlinked":1,"left out":1,"outside":1,"born":7},"before":100,"after":98,`+
				`"joined":["x.example/","y.example/"],"left":["z.example/"]},
{"name":"anna","counts":{"unchanged":4},"before":4,"after":4}],"rates":[],"changes":[{"kind":"none of `+
				`ours"}]}`, n-1, n, n, n))
		write(t, run.Status(), []byte(`{"phase":"done"}`))
	}
	write(t, d.folder.Run(4).Status(), []byte(`{"phase":"crawling"}`))
	write(t, d.folder.Run(1).Status(),
		[]byte(`{"phase":"done","ending":{"ended":"complete"},"time":"2026-11-21T07:59:08Z"}`))
	if err := os.Remove(filepath.Join(d.folder.Run(1).Reports(), "changes.json")); err != nil {
		t.Fatal(err)
	}
	var m ChangesModel
	if err := json.Unmarshal([]byte(d.get(apiRoot+"/harvests/gemo/changes?run=run-0001")), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Timeline) != 3 || m.Timeline[0].Compared || m.Timeline[0].Pages != 2 {
		t.Fatalf("%+v", m.Timeline)
	}
	r := m.Timeline[2]
	if want := (timelineRow{
		Run: "run-0003", Time: r.Time, Compared: true, Pages: 102, Same: 94, Born: 7,
		Changed: 5, Moved: 3, Gone: 2, Failed: 1, Dropped: 3, Joined: 2, Left: 1,
	}); r != want ||
		r.Time == nil {
		t.Errorf("%+v, want %+v", r, want)
	}
	text := d.get("/harvests/gemo/changes?run=run-0001")
	wellKept(t, "timeline", text)
	for _, want := range []string{
		`<svg class="timeline"`,
		`aria-label="run-0002: 102 pages, 7 born, 4 changed, 3 moved, 2 gone, 4 failed, or no longer taken"`,
		"nothing to compare with", "23 Nov 2026, 08:00", "21 Nov 2026, 07:59",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if text := d.get("/harvests/gemo/changes?run=run-0001&site=anna"); !strings.Contains(text,
		`aria-label="run-0002: 4 pages"`) {
		t.Error("the timeline of one site is not told")
	}
}

// TestTimelineDamaged refuses a malformed changes.json, and draws nothing where nothing was
// compared.
func TestTimelineDamaged(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no object": "[", "no value": `{"old":}`,
		"cut": `{"old":1`, "another type": `{"sites":3}`,
	} {
		path := filepath.Join(t.TempDir(), "changes.json")
		write(t, path, []byte(text))
		if r, err := readDrift(path); err == nil {
			t.Errorf("%s is read as %+v", name, r)
		}
	}
	picture, err := ChangesModel{Timeline: []timelineRow{{Run: "run-0001", Pages: 3}}}.Picture(&shown{})
	if err != nil || picture != "" {
		t.Errorf("%q, %v", picture, err)
	}
}
