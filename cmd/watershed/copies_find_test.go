package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
	"watershed/replica"
)

// TestMirrorsFind looks for mirrors among the hosts that a harvest of the demo's web knows, and
// tests what comes out: the atlas and its mirror are among the likeliest, and the test agrees.
func TestMirrorsFind(t *testing.T) {
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
		file := filepath.Join(dir, "copies.yaml")
		if err := os.WriteFile(file, []byte(yaml), 0o666); err != nil {
			return err
		}
		outputOf(t, ctx, "harvest", "-q", file)
		verified := outputOf(t, ctx, "mirrors", "verify", "-q", "--find", "3", file)
		contains(verified, "www.atlas.example = atlas.uplands.example confirmed level 1")
		contains(verified, "3 pairs: level 1 1, mismatch 2, open 0")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAgreement: pages in common are told only where they were counted.
func TestAgreement(t *testing.T) {
	for want, v := range map[string]replica.Evidence{
		"33 pages, 10 of 10 compared agree":                 {Pages: 33, Tested: 10, Agreed: 10},
		"12 of 20 pages in common, 11 of 12 compared agree": {Pages: 20, Common: 12, Tested: 12, Agreed: 11},
		"": {},
	} {
		if got := agreement(&v); got != want {
			t.Errorf("%+v: %q, not %q", v, got, want)
		}
	}
}
