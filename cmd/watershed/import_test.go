package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImport: another crawler's file becomes a harvest that is in order, once; given to harvest or
// check by mistake it is told for what it is.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	for name, text := range map[string]string{
		"crawl.yaml":              "seeds:\n  - https://a.example/\nscopeType: host\nprofile: x.tgz\n",
		"seeds.txt":               "+http://(example,a,\nb.example\n",
		"site/hts-cache/doit.log": "-r2 -s0 http://a.example/\nlaunch httrack\n",
		"prose.txt":               "Dear Ann,\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, said := succeed(t, t.Context(), "import", "crawl.yaml")
	if !strings.Contains(out, "boundary: host") || !strings.Contains(out, "# crawl.yaml:4: profile: ") ||
		!strings.Contains(said, "crawl.yaml:4: profile: ") || !strings.Contains(said, "operator.name") {
		t.Errorf("it prints\n%s\nand says\n%s", out, said)
	}
	out, _ = succeed(t, t.Context(), "import", "site")
	for line := range strings.Lines(out) {
		if len(line) > 80 {
			t.Errorf("it prints for %d columns: %s", len(line), line)
		}
	}
	for _, args := range [][]string{
		{"harvest", "crawl.yaml"},
		{"config", "check", "crawl.yaml"},
		{"seeds.txt"},
	} {
		args = append(args,
			"--contact=ann@library.example")[:len(args)+map[bool]int{true: 1}[args[0] == "seeds.txt"]]
		if _, said := ends(t, t.Context(), exitConfig, args...); !strings.Contains(said,
			"watershed import ") {
			t.Errorf("%v says\n%s", args, said)
		}
	}
	succeed(t, t.Context(), "import", "site", "-o", "new.yaml")
	ends(t, t.Context(), exitFailed, "import", "site", "-o", "new.yaml")
	if _, said := ends(t, t.Context(), exitConfig, "config", "check", "new.yaml"); strings.Contains(said,
		"import") {
		t.Errorf("of what was imported and has no operator yet, check says %s", said)
	}
	ends(t, t.Context(), exitConfig, "import", "prose.txt")
	ends(t, t.Context(), exitUsage, "import", "nothing.txt")
}
