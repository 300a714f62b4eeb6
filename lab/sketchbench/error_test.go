package sketchbench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestError measures a web of three pages.
func TestError(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := func(from, to int) (s string) {
		for i := range to - from {
			s += fmt.Sprintf("word%d ", from+i)
		}
		return s
	}
	bodies := []string{"<p>" + text(0, 900), "<p>" + text(200, 1100), "<p>" + text(2000, 3000)}
	manifest, offset := "", 0
	for i, b := range bodies {
		manifest += fmt.Sprintf("a.example\t/%d\t%d\t%d\ttext/html\t0\t\n", i, offset, len(b))
		offset += len(b)
	}
	write("manifest.tsv", manifest)
	write("pack.dat", strings.Join(bodies, ""))
	write("neardups.tsv", "#urlA\turlB\tjaccard5\tclass\tcontext\n"+
		"http://a.example/0\thttp://a.example/1\t.5\trelated\tx\n"+
		"http://a.example/1\thttp://a.example/2\t0\tdifferent\tx\n"+
		"http://a.example/0\thttp://b.example/\t0\tgone\tx\n")
	svg := filepath.Join(dir, "plot.svg")
	var out strings.Builder
	const want = "3 pairs, of which 2 of documents with more than 256 shingles"
	if err := (&Error{SVG: svg, Every: 1, Web: dir}).Run(&out); err != nil ||
		!strings.Contains(out.String(), want) {
		t.Errorf("%v, no %q in\n%s", err, want, &out)
	}
	if plot, err := os.ReadFile(svg); err != nil || !strings.HasSuffix(string(plot), "</svg>\n") {
		t.Errorf("plot: %v", err)
	}
	if err := (&Error{Every: 1, Web: filepath.Join(dir, "none")}).Run(io.Discard); err == nil {
		t.Error("no web: no error")
	}
}
