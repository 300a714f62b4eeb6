package evaluate

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/internal/console"
)

// TestEvaluateLevels: verdicts stand against the truth, whichever way round; what nobody judged is
// left out.
func TestEvaluateLevels(t *testing.T) {
	dir := t.TempDir()
	truth := "a.example\tb.example\t1\na.example\tc.example\t4\nd.example\ta.example\t0\n" +
		"e.example\ta.example\t?\n"
	found := `{"Proved": [{"A": "b.example", "B": "a.example", "Class": "level 1"}, {"A": "a.example", ` +
		`"B": "c.example", "Class": "level 3"},
		{"A": "a.example", "B": "d.example", "Class": "mismatch"}, {"A": "a.example", "B": "e.example", ` +
		`"Class": "level 2"}]}`
	for name, text := range map[string]string{"mirrors.tsv": truth, "verified.json": found} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	c := Mirrors{
		Truth: dir, Verified: filepath.Join(dir, "verified.json"),
		CSV: filepath.Join(dir, "levels.csv"), MinURLs: 10, Depth: 100, Memory: 16,
	}
	if err := c.Run(t.Context(), console.Streams{Out: &out, Err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(out.String()), " ")
	if !strings.HasSuffix(got, "3 pairs, exact 0.667") || !strings.Contains(got, "level 4 0 1 0 0 1") {
		t.Error(out.String())
	}
	csv, err := os.ReadFile(filepath.Join(dir, "levels.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(csv); !strings.HasPrefix(text, "truth,found,pairs\nlevel 1,level 1,1\n") ||
		!strings.Contains(text, "\nlevel 4,level 3,1\nlevel 4,level 4,0\n") {
		t.Error(text)
	}
}
