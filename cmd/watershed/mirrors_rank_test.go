package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/internal/demoweb"
)

// TestMirrorsRank ranks hosts of the demo's web, by a harvest and by lists alone, and tests what comes
// out: of the atlas and its mirror, and no others, both say that they may be mirrors, and the test agrees.
func TestMirrorsRank(t *testing.T) {
	dir := t.TempDir()
	web := demoweb.New(demoweb.Options{})
	command := func(ctx context.Context, args ...string) string {
		t.Helper()
		var out, err bytes.Buffer
		if code := run(ctx, args, &out, &err); code != exitOK {
			t.Fatalf("%v: exit %d\n%s", args, code, err.String())
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	contains := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
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
		command(ctx, "harvest", "-q", file)
		ranked := command(ctx, "mirrors", "rank", file, "--most", "3", "-o", csv)
		if !strings.HasPrefix(ranked, "0.") && !strings.HasPrefix(ranked, "1.") || !strings.HasPrefix(ranked[6:], "www.atlas.example = atlas.uplands.example ") {
			t.Errorf("the mirror is not the first of the pairs:\n%s", ranked)
		}
		contains(ranked, "content.alike=")
		contains(ranked, "3 pairs; 7 of 9 hosts")
		verified := command(ctx, "mirrors", "verify", "-q", "--from", csv, file)
		contains(verified, "confirmed level 1")
		contains(verified, "3 pairs: level 1 1, mismatch 2, open 0")

		ranked = command(ctx, "mirrors", "rank", "--urls", list, "--addresses", places, "--least", "0.5", "-o", csv)
		contains(ranked, "paths.cover=1")
		contains(ranked, "1 pairs; 4 of 4 hosts")
		contains(command(ctx, "mirrors", "verify", "-q", "--from", csv, file), "1 pairs: level 1 1, open 0")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
