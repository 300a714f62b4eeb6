package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
)

// TestMirrorsRank ranks hosts of the demo's web by a harvest, and tests what comes out: the atlas
// and its mirror are the first, and the test agrees.
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
	var sites strings.Builder
	for _, name := range []string{"atlas", "atlas-mirror"} {
		site, ok := web.Site(name)
		if !ok {
			t.Fatalf("the web has no site %s", name)
		}
		fmt.Fprintf(&sites, "  - {name: %s, seeds: [%q]}\n", name, site.Seeds[0])
	}
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		yaml := strings.Replace(string(demoYAML(web)), "\nsites:\n",
			"\nreplicas: {find: \"off\"}\nsites:\n"+sites.String(), 1)
		file, csv := filepath.Join(dir, "copies.yaml"), filepath.Join(dir, "candidates.csv")
		if err := os.WriteFile(file, []byte(yaml), 0o666); err != nil {
			return err
		}
		outputOf(t, ctx, "harvest", "-q", file)
		ranked := outputOf(t, ctx, "mirrors", "rank", file, "--most", "3", "-o", csv)
		if first := strings.Fields(ranked); len(first) < 4 ||
			strings.Join(first[1:4], " ") != "www.atlas.example = atlas.uplands.example" {
			t.Errorf("the mirror is not the first of the pairs:\n%s", ranked)
		}
		contains(ranked, "content.alike=")
		contains(ranked, "3 pairs; 7 of 9 hosts")
		verified := outputOf(t, ctx, "mirrors", "verify", "-q", "--from", csv, file)
		contains(verified, "confirmed level 1")
		contains(verified, "3 pairs: level 1 1, mismatch 2, open 0")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
