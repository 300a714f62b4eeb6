package evaluate

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/internal/console"
)

// TestSuite judges a site of two pages on a web of the half that is asked for, and on no other.
func TestSuite(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var sites, links strings.Builder
	for _, page := range strings.Split("abcdefghijkl", "") {
		sites.WriteString("http://site.example/" + page + "\tsite\tord\n")
		links.WriteString("http://site.example/a\thttp://site.example/" + page + "\n")
	}
	write("sites.tsv", sites.String())
	write("links.tsv", links.String())
	write("suite.txt", "# webs\nplain seen .\nflat seen . urls=flat\nhidden unseen nowhere\n")
	c := Boundary{
		Suite: filepath.Join(dir, "suite.txt"), Half: "seen", Method: []string{"ceiling"},
		CSV: true, MaxPages: 100,
	}
	var out bytes.Buffer
	if err := c.Run(t.Context(), console.Streams{Out: &out, Err: os.Stderr}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plain,ceiling,all,1,1.000,1.000,1.000", "flat,ceiling,all,1,1.000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %s: want %s", out.String(), want)
		}
	}
	c.Half = "unseen"
	if err := c.Run(t.Context(), console.Streams{Out: &out, Err: os.Stderr}); !os.IsNotExist(err) {
		t.Errorf("the unseen half: got %v: want a folder that does not exist", err)
	}
	write("suite.txt", "plain seen . colour=red\n")
	c.Half = "seen"
	if err := c.Run(t.Context(), console.Streams{Out: &out, Err: os.Stderr}); err == nil {
		t.Error("a setting that does not exist is taken")
	}
}
