package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watershed/crawler"
	"watershed/internal/console"
	"watershed/report"
	"watershed/ui"
)

func TestPrintStatus(t *testing.T) {
	told := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	sites := []crawler.SiteProgress{
		{Name: "gemo", Inside: 40, Open: 3, Epochs: 2},
		{Name: "anna", Epochs: 1, Settled: true},
	}
	for _, c := range []struct {
		name   string
		status ui.Status
		want   string
	}{
		{
			"under way",
			ui.Status{
				Phase: "crawling", Live: true, Time: told, Visits: 10, Captured: 9, Failed: 1,
				Bytes: 2500, Rate: .5, Pending: 7, Excess: 1.5, Due: 1, Resting: 5, Backoff: 3, Left: 90,
				Sites: sites,
			},
			"run-0001, 4s ago\ncrawling: 10 URLs asked for, 9 captured, 1 failed, 2.5 kB, 0.5 a " +
				"second, 7 waiting on 6 hosts, 3 hosts to be tried again later, done in 2 min at the " +
				"earliest\n" +
				"  site gemo                     40 pages belong, 3 open, boundary computed 2 times\n  " +
				"site anna                     0 pages belong, its boundary was found, boundary " +
				"computed 1 time\n",
		},
		{
			"full disk",
			ui.Status{Phase: "crawling", Live: true, Time: told, Paused: true},
			"run-0001, 4s ago\ncrawling: 0 URLs asked for, 0 captured, 0 failed, 0 B, 0.0 a second, " +
				"PAUSED: the disk is full\n",
		},
		{
			"killed",
			ui.Status{Phase: "crawling", Time: told, Visits: 10, Pending: 7},
			"run-0001, 4s ago\ncrawling, but no process has told of it since; the same command goes on: 10 " +
				"URLs asked for, 0 captured, 0 failed, 0 B, 7 waiting\n",
		},
		{
			"delivering",
			ui.Status{Phase: "delivering", Live: true, Time: told, Visits: 10},
			"run-0001, 4s ago\ndelivering: 10 URLs asked for, 0 captured, 0 failed, 0 B, 0.0 a " +
				"second\n",
		},
		{
			"done",
			ui.Status{Phase: "finished", Time: told, Visits: 10, Left: 5, Rate: 3},
			"run-0001, 4s ago\nfinished: 10 URLs asked for, 0 captured, 0 failed, 0 B\n",
		},
		{
			"ended",
			ui.Status{
				Phase: "finished", Time: told, Visits: 10, Bytes: 2500, Sites: sites[:1],
				Ending: &report.Ending{
					Ended: report.WithLosses,
					Sum: report.Sum{
						Known: 21, Captured: 1, Outside: 2, LeftOut: 3, Failed: 4, NotReached: 11,
					},
					Losses: report.Losses{Seeds: 1, Pages: 2, Hosts: 1},
				},
			},
			"run-0001, 4s ago\nfinished: complete with losses; 21 URLs known: 1 captured, 2 outside, 3 " +
				"left out, 4 failed, 11 not reached; 2.5 kB; lost: 1 seed without a page, 2 pages, 1 " +
				"host given up\n" +
				"  site gemo                     40 pages captured, 3 open, boundary computed 2 times\n",
		},
		{
			"interrupted",
			ui.Status{
				Phase: "stopped", Time: told, Sites: sites[:1],
				Ending: &report.Ending{
					Ended: report.Interrupted, Sum: report.Sum{Known: 21, Captured: 1, NotReached: 20},
				},
			},
			"run-0001, 4s ago\nstopped: interrupted; 21 URLs asked for or waiting: 1 captured, 0 outside, " +
				"0 left out, 0 failed, 20 not reached; 0 B\n" +
				"  site gemo                     40 pages belong, 3 open, boundary computed 2 times\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			printStatus(console.Streams{Out: &out}, "run-0001", &c.status, told.Add(4*time.Second))
			if out.String() != c.want {
				t.Errorf("%s\nwant\n%s", out.String(), c.want)
			}
		})
	}
}

// The text of a page, a robots.txt or a rule cannot steer the terminal.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain – text\n\tand more": "plain – text\n\tand more",
		"\x1b]0;title\x07":         "\uFFFD]0;title\uFFFD",
		"a\u202eb":                 "a\uFFFDb",
		"a\rb\u0085":               "a\uFFFDb\uFFFD",
		"bad \xff byte":            "bad \uFFFD byte",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestStyle(t *testing.T) {
	if got := style(false).open("outside"); got != "outside" {
		t.Errorf("without colours: %q", got)
	}
	if got := style(true).open("outside"); got != "\x1b[33moutside\x1b[0m" {
		t.Errorf("outside: %q", got)
	}
	if styleOf(&bytes.Buffer{}) {
		t.Error("what is no terminal is coloured")
	}
}

// TestFolderForYAML: who names a folder where a YAML is needed is told the YAML of the harvest whose folder
// that is, also where it was written in another place.
func TestFolderForYAML(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "elsewhere", "a", "run-0001")
	if err := os.MkdirAll(run, 0o777); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
archive: {dir: %q}
sites: [{name: a, seeds: ["http://a.example/"]}]
`, filepath.Join(dir, "elsewhere"))
	file := filepath.Join(dir, "a.yaml")
	writeFile(t, file, text)
	writeFile(t, filepath.Join(dir, "bad.yaml"), "harvest: [")
	writeFile(t, filepath.Join(run, "harvest.yaml"), text)
	writeFile(t, filepath.Join(filepath.Dir(run), "replicas.yaml"), "copies: []")
	for _, args := range [][]string{
		{"skipped", run},
		{"status", filepath.Dir(run)},
		{"status", run},
		{"ui", filepath.Dir(run)},
		{"harvest", run},
		{"explain", run, "http://a.example/"},
	} {
		if _, said := ends(t, t.Context(), exitUsage, args...); !strings.Contains(said,
			" is a folder of harvest a: name its YAML, "+file) {
			t.Errorf("%v: %s", args, said)
		}
	}
	for _, folder := range []string{dir, filepath.Join(dir, "elsewhere")} {
		if _, said := ends(t, t.Context(), exitUsage, "skipped", folder); !strings.Contains(said,
			" is a folder: name a YAML in "+dir) {
			t.Error(said)
		}
	}
}
