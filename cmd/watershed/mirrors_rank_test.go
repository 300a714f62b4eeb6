package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
)

// TestMirrorsRank ranks hosts of the demo's web, by a harvest and by lists alone, and tests what comes
// out: of the atlas and its mirror, and no others, both say that they may be mirrors, and the test agrees.
func TestMirrorsRank(t *testing.T) {
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	contains := func(text, want string) {
		t.Helper()
		if text = oneLine(text); !strings.Contains(text, want) {
			t.Errorf("%q is not told:\n%s", want, text)
		}
	}
	var sites, urls, addresses strings.Builder
	for _, name := range []string{"atlas", "atlas-mirror", "society", "anna"} {
		site, ok := web.Site(name)
		if !ok {
			t.Fatalf("the web has no site %s", name)
		}
		if strings.HasPrefix(name, "atlas") {
			fmt.Fprintf(&sites, "  - {name: %s, seeds: [%q]}\n", name, site.Seeds[0])
		}
		for _, u := range site.Pages {
			urls.WriteString(string(u) + "\n")
		}
	}
	for i, h := range []string{"www.atlas.example", "atlas.uplands.example", "people.campus.example"} {
		fmt.Fprintf(&addresses, "%s\t192.0.2.%d\n", h, i/2)
	}
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		yaml := strings.Replace(string(demoYAML(web)), "\nsites:\n", "\nreplicas: {find: \"off\"}\nsites:\n"+sites.String(), 1)
		file, list, csv := filepath.Join(dir, "copies.yaml"), filepath.Join(dir, "urls.txt"), filepath.Join(dir, "candidates.csv")
		places := filepath.Join(dir, "hosts.tsv")
		for name, text := range map[string]string{file: yaml, list: urls.String(), places: addresses.String()} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				return err
			}
		}
		outputOf(t, ctx, "harvest", "-q", file)
		ranked := outputOf(t, ctx, "mirrors", "rank", file, "--most", "3", "-o", csv)
		if first := strings.Fields(ranked); len(first) < 4 || strings.Join(first[1:4], " ") != "www.atlas.example = atlas.uplands.example" {
			t.Errorf("the mirror is not the first of the pairs:\n%s", ranked)
		}
		contains(ranked, "content.alike=")
		contains(ranked, "3 pairs; 7 of 9 hosts")
		verified := outputOf(t, ctx, "mirrors", "verify", "-q", "--from", csv, file)
		contains(verified, "confirmed level 1")
		contains(verified, "3 pairs: level 1 1, mismatch 2, open 0")

		ranked = outputOf(t, ctx, "mirrors", "rank", "--urls", list, "--addresses", places, "--least", "0.5", "-o", csv)
		contains(ranked, "paths.cover=1")
		contains(ranked, "1 pairs; 4 of 4 hosts")
		contains(outputOf(t, ctx, "mirrors", "verify", "-q", "--from", csv, file), "1 pairs: level 1 1, open 0")

		run := filepath.Join(dir, "*", "run-0001")
		for _, from := range inputs(t, run, list, places) {
			args := []string{"mirrors", "rank", "--most", "1"}
			for _, f := range from {
				args = append(args, "--from", f)
			}
			if got := oneLine(outputOf(t, ctx, args...)); len(got) < 6 || !strings.HasPrefix(got[6:], "www.atlas.example = atlas.uplands.example ") {
				t.Errorf("%v: the mirror is not the first of the pairs:\n%s", from, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inputs are files of each kind that tell of the atlas and its mirror: what a run left, and the lists in other forms.
func inputs(t *testing.T, run, urls, addresses string) (list [][]string) {
	t.Helper()
	dir := t.TempDir()
	one := func(pattern string) string {
		found, err := filepath.Glob(filepath.Join(run, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		return found[0]
	}
	text, err := os.ReadFile(urls)
	if err != nil {
		t.Fatal(err)
	}
	var sitemap, links strings.Builder
	sitemap.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">")
	for u := range strings.Lines(string(text)) {
		u = strings.TrimSpace(u)
		fmt.Fprintf(&sitemap, "<url><loc>%s</loc></url>", strings.ReplaceAll(u, "&", "&amp;"))
		fmt.Fprintf(&links, "%s %s\n", u, u[:strings.Index(u[8:], "/")+9])
	}
	sitemap.WriteString("</urlset>")
	maps, arcs := filepath.Join(dir, "maps.xml"), filepath.Join(dir, "links.txt")
	for name, text := range map[string]string{maps: sitemap.String(), arcs: links.String()} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return [][]string{
		{filepath.Dir(one("archive/*.warc.gz"))},
		{one("archive/*.warc.gz")},
		{one("*.wacz")},
		{one("indexes/*.cdxj*")},
		{urls},
		{maps},
		{arcs},
		{urls, addresses},
		{maps, arcs, one("indexes/*.cdxj*")},
	}
}

// TestInputKind: what is no list is refused with its line.
func TestInputKind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	for text, want := range map[string]kindOfInput{
		"# a list\nhttp://a.example/x\n":                 urlsInput,
		"http://a.example/x\thttp://b.example/\ta\n":     linksInput,
		"a.example 192.0.2.1\n":                          addressesInput,
		"\ufeff<?xml version=\"1.0\"?><urlset></urlset>": sitemapInput,
		"": urlsInput,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if kind, err := inputKind(name); kind != want || err != nil {
			t.Errorf("%q: kind %d, %v", text, kind, err)
		}
	}
	for _, text := range []string{"\n# x\nnothing known\n", "a.example\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := inputKind(name); !errors.Is(err, errList) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
