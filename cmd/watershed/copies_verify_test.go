package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
)

// TestMirrorsVerify tests pairs of the demo's web: a mirror, an older edition in a directory, and
// two hosts that share nothing. Pages that the harvest has captured are not fetched again; the
// others are archived apart from it.
func TestMirrorsVerify(t *testing.T) {
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	file := filepath.Join(dir, demoName+".yaml")
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		table, pairs, urls := filepath.Join(dir, "found.yaml"), filepath.Join(dir, "pairs.csv"),
			filepath.Join(dir, "urls.txt")
		var known strings.Builder
		for _, name := range []string{"atlas", "atlas-mirror", "atlas-1.2"} {
			site, ok := web.Site(name)
			if !ok {
				t.Fatalf("the web has no site %s", name)
			}
			for _, u := range site.Pages {
				known.WriteString(string(u) + "\n")
			}
		}
		for name, text := range map[string]string{
			file: string(demoYAML(web)), urls: known.String() + "no address\n",
			table: "version: 1\nreplicas:\n  - {from: people.campus.example, to: osage.example, state: " +
				"proposed}\n",
			pairs: "from,to,score\natlas.uplands.example,www.atlas.example,1\n" +
				"http://depot.archive.example/atlas-1.2/,http://www.atlas.example/,.5\n",
		} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				return err
			}
		}
		outputOf(t, ctx, "harvest", "-q", file)
		outputOf(t, ctx, "mirrors", "import", file, table)
		out := outputOf(t, ctx, "mirrors", "verify", "-q", "--urls", urls, "--from", pairs, file)
		for _, want := range []string{
			"atlas.uplands.example = www.atlas.example confirmed level 1; FM 10",
			"2 pairs: level 1 1, level 3 1, open 0", "proofs",
		} {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("%q is not told:\n%s", want, out)
			}
		}
		out = outputOf(t, ctx, "mirrors", "verify", "-q", file)
		for _, want := range []string{
			"people.campus.example = osage.example rejected",
			"1 pairs: mismatch 1, open 0",
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
