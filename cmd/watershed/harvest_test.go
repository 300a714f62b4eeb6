package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watershed/configs"
	"watershed/crawler"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/page"
	"watershed/replica"
	"watershed/report"
	"watershed/sitemap"
	"watershed/ui"
)

// TestLastHostEntryCounts: whether robots.txt is obeyed is what the last entry says that matches a host
// and says anything of it; an entry that gives a delay alone takes nothing back.
func TestLastHostEntryCounts(t *testing.T) {
	c, err := configs.Parse("h.yaml", []byte(`harvest: h
operator: {name: T, contact: "mailto:t@example.org"}
sites: [{name: A, seeds: ["http://a.example/"]}]
politeness:
  hosts:
    - {match: "*.a.example", robots: ignore, robots_reason: a letter}
    - {match: www.a.example, min_delay: 3s}
    - {match: o.a.example, robots: obey}
`))
	if err != nil {
		t.Fatal(err)
	}
	obey := obeyRobots(&c.Politeness)
	for host, want := range map[page.Host]bool{
		"www.a.example": false, "b.a.example": false, "o.a.example": true, "c.example": true,
	} {
		if obey(host) != want {
			t.Errorf("%s: robots.txt is obeyed: %v, want %v", host, !want, want)
		}
	}
}

// TestFlagsThatExcludeEachOther: nothing is done where flags contradict each other or the YAML.
func TestFlagsThatExcludeEachOther(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "h.yaml")
	text := "harvest: h\noperator: {name: T, contact: \"mailto:t@example.org\"}\n" +
		"sites: [{name: A, seeds: [\"http://127.0.0.1/\"]}]\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "harvests", "h")
	if err := os.MkdirAll(kept, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{
		"--fresh --extend", "--dry-run --fresh", "--dry-run --extend", "--dry-run --look 5",
		"--dry-run --words", "--dry-run --ui", "--as other", "--allow-private 10.0.0.0/8",
	} {
		list := strings.Fields(flags)
		args := append([]string{"harvest", "-q", file}, list...)
		if _, said := ends(t, t.Context(), exitUsage, args...); !strings.Contains(said, list[0]) {
			t.Errorf("%s: %s", flags, said)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(kept)); err != nil || len(list) != 1 {
		t.Errorf("moved aside: %v, %v", list, err)
	}
}

// The command that a harvest names at its end can be given as it stands.
func TestPrintCopiesNamesTheFile(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var out strings.Builder
	if err := printCopies(&out, folder, "site.yaml"); err != nil || out.Len() > 0 {
		t.Fatalf("without a table %q, %v", out.String(), err)
	}
	table := new(replica.Table)
	if err := table.Put(replica.Entry{
		From: "m.example", To: "www.example", State: replica.Proposed,
		Decided: time.Unix(0, 0),
	}); err != nil {
		t.Fatal(err)
	}
	if err := harvest.WriteTable(folder.Replicas(), table); err != nil {
		t.Fatal(err)
	}
	if err := printCopies(&out, folder, "site.yaml"); err != nil ||
		!strings.HasSuffix(out.String(), " copies list site.yaml\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestManySitesInShort: a run of very many sites is told in lines that a terminal shows.
func TestManySitesInShort(t *testing.T) {
	d, x := &harvest.Delivered{Ending: &report.Ending{}}, &ui.Status{}
	for i := range 1000 {
		name := fmt.Sprintf("s%d", i)
		d.Maps = append(d.Maps, &sitemap.Map{Site: name})
		d.Sites = append(d.Sites, &report.Site{Name: name})
		x.Sites = append(x.Sites, crawler.SiteProgress{Name: name})
	}
	var result, status strings.Builder
	if err := printResult(&result, d); err != nil {
		t.Fatal(err)
	}
	printStatus(console.Streams{Out: &status}, "run-0001", x, time.Now())
	for _, text := range []string{result.String(), status.String()} {
		if n := strings.Count(text, "\n"); n > 70 || !strings.Contains(text, "950 sites more, ") {
			t.Errorf("%d lines:\n%s", n, text)
		}
	}
	d.Maps[0].Boundary, d.Maps[1].Boundary = "list", "logical"
	d.Maps[1].Blocks = []sitemap.Block{{Inside: 2}, {}, {Inside: 1}}
	result.Reset()
	if err := printResult(&result, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"files, boundary list\n", "files, in 2 places, boundary logical\n"} {
		if !strings.Contains(result.String(), want) {
			t.Errorf("no %q in\n%s", want, result.String())
		}
	}
}
