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

// TestMirrorsVerify tests pairs of the demo's web: a mirror, an older edition in a directory, and
// two hosts that share nothing. Pages that the harvest has captured are not fetched again; the
// others are archived apart from it.
func TestMirrorsVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	file := filepath.Join(dir, demoName+".yaml")
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		table := filepath.Join(dir, "found.yaml")
		var sites strings.Builder
		for _, name := range []string{"atlas", "atlas-mirror", "atlas-1.2"} {
			site, ok := web.Site(name)
			if !ok {
				t.Fatalf("the web has no site %s", name)
			}
			fmt.Fprintf(&sites, "  - {name: %s, seeds: [%q]}\n", name, site.Seeds[0])
		}
		yaml := strings.Replace(string(demoYAML(web)), "\nsites:\n",
			"\ncopies: {find: \"off\"}\nsites:\n"+sites.String(), 1)
		for name, text := range map[string]string{
			file: yaml,
			table: "version: 1\nreplicas:\n" +
				"  - {from: people.campus.example, to: osage.example, state: proposed}\n" +
				"  - {from: atlas.uplands.example, to: www.atlas.example, state: proposed}\n" +
				"  - {from: http://depot.archive.example/atlas-1.2/, to: http://www.atlas.example/, " +
				"state: proposed}\n",
		} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				return err
			}
		}
		outputOf(t, ctx, "harvest", "-q", file)
		outputOf(t, ctx, "mirrors", "import", file, table)
		out := outputOf(t, ctx, "mirrors", "verify", "-q", file)
		for _, want := range []string{
			"atlas.uplands.example = www.atlas.example confirmed level 1",
			"people.campus.example = osage.example rejected",
			"3 pairs: level 1 1, level 3 1, mismatch 1, open 0",
		} {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("%q is not told:\n%s", want, out)
			}
		}
		if again := outputOf(t, ctx, "harvest", "-q", file); !strings.Contains(again, "copies    ") ||
			!strings.Contains(again, "1 rejected; see ") {
			t.Errorf("the harvest does not say what the table has:\n%s", again)
		}
		if list := outputOf(t, ctx, "mirrors", "list", file, "people.campus.example"); !strings.Contains(list,
			"by test") {
			t.Errorf("the table does not say who has decided:\n%s", list)
		}
		if again := outputOf(t, ctx, "mirrors", "verify", "-q", file); !strings.HasPrefix(again, "0 pairs") {
			t.Errorf("what is decided was tested again:\n%s", again)
		}
		out = outputOf(t, ctx, "mirrors", "verify", "-q", "--json", file, "people.campus.example")
		if err := answersAs(answersFile, "copies verify", out); err != nil ||
			!strings.Contains(out, `"class": "mismatch"`) {
			t.Errorf("JSON: %v\n%s", err, out)
		}
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
