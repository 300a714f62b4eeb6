package evaluate

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
	"watershed/internal/console"
	"watershed/lab/kit/archivetest"
)

// ranked runs the command and gives what it prints, its blanks made one.
func ranked(t *testing.T, c Rank) string {
	t.Helper()
	var out, said bytes.Buffer
	c.Ranking, c.MinURLs, c.Seed, c.Memory = "fused", 10, 1, 64
	if err := c.Run(t.Context(), console.Streams{Out: &out, Err: &said}); err != nil {
		t.Fatalf("%+v: %v\n%s", c, err, said.String())
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// TestRank: of the demo's web the atlas and its mirror, and no others, may be mirrors, whatever
// kinds of files tell of them.
func TestRank(t *testing.T) {
	dir := t.TempDir()
	web := demo.New(demo.Options{})
	var urls, addresses strings.Builder
	var captures []archivetest.Capture
	for _, name := range []string{"atlas", "atlas-mirror", "society", "anna"} {
		site, ok := web.Site(name)
		if !ok {
			t.Fatalf("the web has no site %s", name)
		}
		for _, u := range site.Pages {
			urls.WriteString(string(u) + "\n")
			answer := httptest.NewRecorder()
			web.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", string(u), nil))
			captures = append(captures, archivetest.Capture{URL: string(u), Body: answer.Body.String()})
		}
	}
	for i, h := range []string{"www.atlas.example", "atlas.uplands.example", "people.campus.example"} {
		fmt.Fprintf(&addresses, "%s\t192.0.2.%d\n", h, i/2)
	}
	list, places := filepath.Join(dir, "urls.txt"), filepath.Join(dir, "hosts.tsv")
	for name, text := range map[string]string{list: urls.String(), places: addresses.String()} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := ranked(t, Rank{URLs: list, Addresses: places, Least: .5, Most: 100})
	for _, want := range []string{"paths.cover=1", "1 pairs; 4 of 4 hosts"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told:\n%s", want, got)
		}
	}
	index := filepath.Join(dir, "index.cdxj")
	archivetest.Write(t, filepath.Join(dir, "archive"), index, captures)
	for _, from := range inputs(t, filepath.Join(dir, "archive"), index, list, places) {
		if got := ranked(t, Rank{From: from, Most: 1}); len(got) < 6 ||
			!strings.HasPrefix(got[6:], "www.atlas.example = atlas.uplands.example ") {
			t.Errorf("%v: the mirror is not the first of the pairs:\n%s", from, got)
		}
	}
}

// TestRankDamage: a bad file is told by its name; the others are read, and the command fails.
func TestRankDamage(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.txt"), filepath.Join(dir, "bad.warc.gz")
	for name, text := range map[string]string{
		good: "http://a.example/1\nhttp://a.example/2\n",
		bad:  "\x1f\x8b\x08 no gzip",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, said bytes.Buffer
	c := Rank{From: []string{bad, good}, Ranking: "fused", MinURLs: 1, Seed: 1, Memory: 64, Most: 1}
	if err := c.Run(context.Background(), console.Streams{Out: &out, Err: &said}); err == nil ||
		!strings.Contains(said.String(), bad) {
		t.Errorf("%v, %q", err, said.String())
	}
	if !strings.Contains(out.String(), "of 1 hosts") {
		t.Errorf("the good file was not read: %q", out.String())
	}
}

// inputs are files of each kind that tell of the atlas and its mirror: archives, and the lists in
// other forms.
func inputs(t *testing.T, archive, index, urls, addresses string) (list [][]string) {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(archive, "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", archive, err)
	}
	text, err := os.ReadFile(urls)
	if err != nil {
		t.Fatal(err)
	}
	var sitemap, links strings.Builder
	sitemap.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">")
	for u := range strings.Lines(string(text)) {
		u = strings.TrimSpace(u)
		fmt.Fprintf(&sitemap, "<url><loc>%s</loc></url>", strings.ReplaceAll(u, "&", "&amp;"))
		fmt.Fprintf(&links, "%s %s\n", u, u[:strings.Index(u[8:], "/")+9])
	}
	sitemap.WriteString("</urlset>")
	maps, arcs := filepath.Join(dir, "maps.xml"), filepath.Join(dir, "links.txt")
	for name, text := range map[string]string{maps: sitemap.String(), arcs: links.String()} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return [][]string{
		{archive},
		files,
		{index},
		{urls},
		{maps},
		{arcs},
		{urls, addresses},
		{maps, arcs, index},
	}
}
