package collectionbench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeWeb lays out a test web of a manual of 12 pages on two hosts, and strangers.
func writeWeb(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := make(map[string]*strings.Builder)
	for _, name := range []string{
		"sites.tsv", "links.tsv", "manifest.tsv", "collections.tsv",
		"dupclusters.tsv", "pack.dat",
	} {
		files[name] = &strings.Builder{}
	}
	for h, host := range []string{"a.example", "b.example"} {
		fmt.Fprintf(files["collections.tsv"], "c1\t%s\thttp://%s/d%d/\t12\t12\t12\t1\t\n", host, host, h)
		for i := range 12 {
			path := fmt.Sprintf("/d%d/%d.html", h, i)
			body := "<p>"
			for w := range 200 {
				body += fmt.Sprintf("word%d ", i*1000+w*w%997)
			}
			u := "http://" + host + path
			fmt.Fprintf(files["sites.tsv"], "%s\tm@%s\tg\tcoll:c1:%s\t1\t1\tx\n", u, host, host)
			fmt.Fprintf(files["links.tsv"], "http://%s/d%d/0.html\t%s\ta\n", host, h, u)
			fmt.Fprintf(files["manifest.tsv"], "%s\t%s\t%d\t%d\ttext/html\t1\t\n", host, path,
				files["pack.dat"].Len(), len(body))
			files["pack.dat"].WriteString(body)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWeb(t *testing.T) {
	for _, similar := range []string{"whole", "two"} {
		var out bytes.Buffer
		if err := (&Web{Folder: writeWeb(t), Similar: similar}).Run(&out); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "1 of 1"); n != len(steps) {
			t.Errorf("%s: the target is found in %d of %d steps:\n%s", similar, n, len(steps), out.String())
		}
		if !strings.Contains(out.String(), "\nFigure 11, similar by "+similar+"\n       1 ") {
			t.Errorf("no figure:\n%s", out.String())
		}
	}
}

func TestSynthetic(t *testing.T) {
	var out bytes.Buffer
	if err := (&Synthetic{Pages: 6000, Memory: 16}).Run(&out); err != nil ||
		!strings.Contains(out.String(), " 2 collections") {
		t.Errorf("%s %v", out.String(), err)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []Web{{Folder: t.TempDir(), Similar: "four"}, {Folder: writeWeb(t), Similar: "x"}} {
		if err := c.Run(io.Discard); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
