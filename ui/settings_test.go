package ui

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/configs"
)

// TestSource checks where each kind of rule is said to come from.
func TestSource(t *testing.T) {
	x := &settings{}
	path := filepath.Join(t.TempDir(), "harvest.yaml")
	write(t, path, []byte(testYAML))
	x, err := readSettings(path, nil)
	if err != nil || x.cause != nil {
		t.Fatal(err, x.cause)
	}
	b := &ruleBook{settings: x, folders: map[string]string{"gemo": "001-gemo"}}
	why := func(word string) map[string]any { return map[string]any{"why": word} }
	for _, c := range []struct {
		name string
		line archive.Skipped
		want string
	}{
		{"rule of the archivist", archive.Skipped{
			Reason: archive.ReasonExcluded,
			Rule:   "prefix:http://evil.example/", Site: "gemo",
		}, "line 5 of harvest.yaml"},
		{
			"rule for links",
			archive.Skipped{
				Reason: archive.ReasonExcluded,
				Rule:   "leave links from host:www.gemo.example to regex:cal", Site: "gemo",
			},
			"line 5 of harvest.yaml",
		},
		{"rule of another site", archive.Skipped{
			Reason: archive.ReasonExcluded,
			Rule:   "prefix:http://evil.example/", Site: "other",
		}, ""},
		{"rule that is none of the YAML's", archive.Skipped{
			Reason: archive.ReasonExcluded,
			Rule:   "host:x.example", Site: "gemo",
		}, ""},
		{"trap that is set", archive.Skipped{
			Reason: archive.ReasonDepth, Rule: "41 hops, at most 40",
			Evidence: why("trapHops"),
		}, "line 7 of harvest.yaml"},
		{"trap by default", archive.Skipped{
			Reason: archive.ReasonTrap, Rule: "21 path segments, at most 20",
			Evidence: why("trapDepth"),
		}, "default of traps.max_path_depth"},
		{"pages of a site", archive.Skipped{
			Reason: archive.ReasonLimit, Rule: "site gemo: 50000 pages",
			Site: "gemo", Evidence: why("limitPages"),
		}, "default of sites[1].limits.pages"},
		{"pages of a site, from its map", archive.Skipped{
			Reason: archive.ReasonLimit,
			Rule:   "site gemo: 50000 pages", Site: "gemo",
		}, "default of sites[1].limits.pages"},
		{"bytes of a host", archive.Skipped{
			Reason: archive.ReasonLimit, Rule: "host a.example: 7 bytes",
			Site: "gemo", Evidence: why("limitBytes"),
		}, "default of limits.host.bytes"},
		{
			"limit of no site",
			archive.Skipped{Reason: archive.ReasonLimit, Rule: "site x: 5 pages", Site: "x"},
			"",
		},
		{"robots.txt", archive.Skipped{
			URL: "http://a.example/x", Reason: archive.ReasonRobots,
			Rule: "disallowed by line 3",
		}, "robots.txt of a.example"},
		{
			"copy",
			archive.Skipped{Reason: archive.ReasonMirror, Rule: "prune m0.example"},
			"decision on m0.example",
		},
		{"boundary", archive.Skipped{
			Reason: archive.ReasonOutOfScope, Rule: "boundary of block b.example/",
			Site: "gemo",
		}, "block b.example/"},
		{"boundary by the address", archive.Skipped{
			Reason: archive.ReasonOutOfScope, Rule: "boundary prefix", Site: "gemo",
		}, "default of sites[1].boundary"},
		{"boundary without a block", archive.Skipped{Reason: archive.ReasonOutOfScope, Site: "gemo"}, ""},
		{"failure", archive.Skipped{
			Reason: archive.ReasonFailed, Rule: "2 attempts",
			Evidence: why("connect"),
		}, ""},
	} {
		got := ""
		if s := b.source(&c.line); s != nil {
			got = s.Text()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSourcesAreShown follows the addresses of sources: each leads to a page that has what it
// names.
func TestSourcesAreShown(t *testing.T) {
	d := newDesk(t)
	d.enter()
	for _, s := range []Source{
		{Kind: sourceOption, Key: "sites[1].exclude[0]", Line: 5},
		{Kind: sourceOption, Key: "traps.max_path_depth"},
		{Kind: sourceOption, Key: "sites[1].boundary"},
		{Kind: sourceReplica, Of: "m1.example"},
		{Kind: sourceBoundary, Of: "other.example/", Site: "000-gemo", left: "http://other.example/a/"},
		{Kind: sourceRobots, Of: "a.example"},
	} {
		address, err := s.Address(&shown{Root: "/harvests/gemo"})
		if err != nil {
			t.Fatal(err)
		}
		path, anchor, _ := strings.Cut(address, "#")
		text := d.get(path)
		wellKept(t, path, text)
		if anchor != "" && !strings.Contains(text, `id="`+anchor+`"`) {
			t.Errorf("%s has no %s", path, anchor)
		}
		if s.Kind == sourceReplica && (!strings.Contains(text, "<bdi>m1.example</bdi> <span") ||
			strings.Contains(text, "m0.example")) {
			t.Errorf("%s shows other entries", path)
		}
		block := "<strong><bdi>other.example/</bdi></strong>: "
		if s.Kind == sourceBoundary && !strings.Contains(text, block) {
			t.Errorf("%s does not tell of the block", path)
		}
	}
	if text := d.get("/harvests/gemo/skipped?reason=robotsTxt"); !strings.Contains(text,
		`captures?text=h1.example%2Frobots.txt">robots.txt of h1.example</a>`) {
		t.Error("what made the rule is not told")
	}
	var m SkippedModel
	if err := json.Unmarshal([]byte(d.get(apiRoot+"/harvests/gemo/skipped?"+
		url.Values{"reason": {"robotsTxt"}}.Encode())), &m); err != nil {
		t.Fatal(err)
	}
	if m.Lines[0].Source == nil || m.Lines[0].Source.Kind != sourceRobots {
		t.Errorf("%+v", m.Lines[0])
	}
}

// TestSettingsWithLists shows a file whose options cannot be told without others.
func TestSettingsWithLists(t *testing.T) {
	d := newDesk(t)
	d.enter()
	write(t, d.folder.Run(1).Config(), []byte("harvest: gemo\nsites: [{list: sites.txt}]\n# "+evil+"\n"))
	text := d.get("/harvests/gemo/settings")
	if !strings.Contains(text, "They are not told here") || !strings.Contains(text, `id="L2"`) {
		t.Error("the page does not say why")
	}
	wellKept(t, "settings", text)
	d.get("/harvests/gemo/skipped")
}

// TestSettingsOfList: a harvest whose sites are in a list has its options told for as long as its
// YAML is what the run had.
func TestSettingsOfList(t *testing.T) {
	dir := t.TempDir()
	text := []byte("harvest: many\noperator: {name: A, contact: \"mailto:a@a.example\"}\nsites:\n  - " +
		"{list: sites.csv}\n")
	write(t, filepath.Join(dir, "many.yaml"), text)
	write(t, filepath.Join(dir, "sites.csv"),
		[]byte("name,seed,exclude\none,http://one.example/,\n"+
			"two,http://two.example/,prefix:http://two.example/x/\n"))
	now, err := configs.Load(filepath.Join(dir, "many.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	had := filepath.Join(dir, "harvest.yaml")
	write(t, had, text)
	x, err := readSettings(had, &now)
	if err != nil || x.cause != nil || len(x.options) == 0 {
		t.Fatal(err, x.cause)
	}
	b := &ruleBook{settings: x}
	if s := b.source(&archive.Skipped{
		Reason: archive.ReasonExcluded, Rule: "prefix:http://two.example/x/",
		Site: "two",
	}); s == nil || s.Text() != "line 3 of sites.csv" {
		t.Errorf("%+v", s)
	}
	write(t, had, append(text, "title: other\n"...))
	if x, err = readSettings(had, &now); err != nil || x.cause == nil || len(x.options) > 0 ||
		len(x.lines) != 5 {
		t.Errorf("%+v, %v", x, err)
	}
}

// TestSettingsRedacted: a harvest.yaml that an earlier version kept as it was is shown without
// passwords.
func TestSettingsRedacted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "harvest.yaml")
	write(t, path, []byte(testYAML+"network: {proxy: \"http://ann:hunter2@127.0.0.1:3128\"}\n"))
	x, err := readSettings(path, nil)
	if err != nil || x.cause != nil {
		t.Fatal(err, x.cause)
	}
	text, err := json.Marshal([]any{x.lines, x.options})
	if err != nil || strings.Contains(string(text), "hunter2") ||
		strings.Count(string(text), "redacted@127.0.0.1") != 2 {
		t.Errorf("%v: %s", err, text)
	}
}

// TestListIsNewer: the options of a run are not told by a list of sites that was changed since.
func TestListIsNewer(t *testing.T) {
	dir := t.TempDir()
	own, list := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "l.txt")
	text := "harvest: a\noperator: {name: A, contact: \"mailto:a@a.example\"}\nsites: [{list: l.txt}]\n"
	write(t, list, []byte("http://a.example/\n"))
	write(t, own, []byte(text))
	now, err := configs.Load(own)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(t.TempDir(), "harvest.yaml")
	write(t, kept, []byte(text))
	for after, told := range map[time.Duration]bool{-time.Hour: true, time.Hour: false} {
		at := time.Now().Add(after)
		if err := os.Chtimes(list, at, at); err != nil {
			t.Fatal(err)
		}
		x, err := readSettings(kept, &now)
		if err != nil || (len(x.options) > 0) != told || (x.cause == nil) != told ||
			!told && !strings.Contains(x.cause.Error(), "l.txt") {
			t.Errorf("list changed %s later: %d options, %v, %v", after, len(x.options), x.cause, err)
		}
	}
}

// TestSettingsOfManySites: the page stays small, and has the options that are of no site.
func TestSettingsOfManySites(t *testing.T) {
	m := SettingsModel{Options: []setting{{Key: "harvest"}}}
	for i := range 3000 {
		m.Options = append(m.Options, setting{Key: fmt.Sprintf("sites[%d].name", i)})
	}
	m.Options = append(m.Options, setting{Key: "draw"})
	if rows := m.Rows(); len(rows) != shownSites+2 || rows[shownSites+1].Key != "draw" || !m.Cut() {
		t.Errorf("%d rows", len(rows))
	}
}
