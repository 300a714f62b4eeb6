package provebench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun judges a web of three hosts: a mirror, and a host that has other texts at the same paths.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var manifest, pack, sites strings.Builder
	for h, base := range map[string]int{"a.example": 0, "b.example": 0, "c.example": 1000} {
		for i := range 12 {
			var text strings.Builder
			for k := range 100 {
				fmt.Fprintf(&text, "w%d ", (base+i)*200+k)
			}
			path := fmt.Sprintf("/%d.html", i)
			if i == 0 {
				path = "/"
			}
			fmt.Fprintf(&manifest, "%s\t%s\t%d\t%d\ttext/html\t0\t\n", h, path, pack.Len(), text.Len())
			fmt.Fprintf(&sites, "http://%s%s\tx\tx\ttree\t1\t1\t0\n", h, path)
			pack.WriteString(text.String())
		}
	}
	write("manifest.tsv", manifest.String())
	write("pack.dat", pack.String())
	write("sites.tsv", sites.String())
	write("mirrors.tsv",
		"#hostA\thostB\tlevel\tmade_as\na.example\tb.example\t1\t1\na.example\tc.example\t0\t0\n"+
			"b.example\tc.example\t?\t0\n")
	var out bytes.Buffer
	if err := (&Tests{Web: dir, Each: true, Trees: true, Repeat: 1}).Run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"level 1; FM 10", "mismatch; NS 10", "exact 1.000 of 2 pairs",
		"exact: mean 1.000, least 1.000",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not told:\n%s", want, out.String())
		}
	}
	if err := (&Tests{Web: t.TempDir(), Repeat: 1}).Run(&out); err == nil {
		t.Error("a folder without a web was judged")
	}
}
